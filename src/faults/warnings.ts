import { findResponse } from '../openapi/responses.ts';
import type { Route } from '../openapi/routes.ts';
import { IMAGES_PATH } from '../util/request-target.ts';
import { canBothMatch, filterByPath, MAX_PATH_LENGTH } from './path-globs.ts';
import type { Fault } from './validate.ts';

/** The lowest status of an error. */
const MIN_ERROR_STATUS = 400;

/**
 * Returns a warning if no request can match an injected fault, or if the contract does not document the status of the
 * fault.
 */
export function findFaultWarnings(routes: readonly Route[], fault: Fault): readonly string[] {
  const issue = findTargetIssue(routes, fault);
  return issue === undefined ? findStatusWarnings(routes, fault) : [`no request can match it: ${issue}`];
}

/** Returns a warning if no operation of a fault documents the status of the fault. */
function findStatusWarnings(routes: readonly Route[], { operation, status, violation }: Fault): readonly string[] {
  if (status === undefined || operation === undefined || violation) return [];
  const ids = [operation].flat();
  const selected = routes.filter(({ operationId }) => ids.includes(operationId));
  if (selected.some(({ responses }) => findResponse(responses, status))) return [];
  return [`the contract does not document the status ${status} for ${ids.join(', ')}`];
}

function findTargetIssue(routes: readonly Route[], fault: Fault): string | undefined {
  const { operation, where: { method, path } = {} } = fault;
  if (path !== undefined && path.length > MAX_PATH_LENGTH) return undefined;
  const ids = operation === undefined ? undefined : [operation].flat();
  const candidates = ids ? routes.filter(({ operationId }) => ids.includes(operationId)) : routes;
  const onPath = filterByPath(candidates, path);
  const name = ids?.join(' or ') ?? path;
  const matching = onPath.filter((route) => method === undefined || hasMethod(route, method));
  if (matching.length > 0) return fault.needsBody ? findBodyIssue(matching, name, method) : undefined;
  if (onPath.length > 0) {
    const methods = [...new Set(onPath.map((route) => route.method))].join(', ');
    return `${name === undefined ? 'no operation has the' : `${name} has no`} method ${method}: use ${methods}`;
  }
  if (ids === undefined && path !== undefined && canBothMatch(path, `${IMAGES_PATH}/*`)) return findImageIssue(fault);
  return describeUnknownPath(candidates, ids, path);
}

/** Returns a message if none of the operations has a request body, although the fault requires one; else undefined. */
function findBodyIssue(routes: readonly Route[], name?: string, method?: string): string | undefined {
  if (routes.some(({ bodyMedia }) => Object.keys(bodyMedia).length > 0)) return undefined;
  if (name !== undefined) return `${name} has no request body: remove where.body`;
  const selection = method === undefined ? '' : ` with the method ${method}`;
  return `no operation${selection} has a request body: remove where.body`;
}

/** Returns a message that no operation has the path, with a list of the existing paths. */
function describeUnknownPath(routes: readonly Route[], ids?: readonly string[], path?: string): string {
  if (path?.startsWith('/_sandbox/'))
    return `where.path is compared without /_sandbox/ID: use ${path.replace(/^\/_sandbox\/[^/]*/, '') || '/'}`;
  const paths = [...new Set(routes.map((route) => route.path))].join(', ');
  return ids
    ? `${ids.join(' or ')} is at ${paths}, not at ${path}`
    : `no operation is at ${path}, and the path is not below ${IMAGES_PATH}: the contract has ${paths}`;
}

function findImageIssue(fault: Fault): string | undefined {
  const { method = 'GET' } = fault.where ?? {};
  if (!['GET', 'HEAD'].includes(method.toUpperCase())) return `images have no method ${method}: use GET, HEAD`;
  return fault.needsBody ? 'images have no request body: remove where.body' : findImageFaultIssue(fault);
}

/** Returns the reason why a fault can't be injected into responses with images; undefined if it can. */
export function findImageFaultIssue({ status, example, connection, bodyDurationMs }: Fault): string | undefined {
  const unsupported = [
    ...(status !== undefined && status < MIN_ERROR_STATUS ? [`status ${status}`] : []),
    ...(example === undefined ? [] : ['example']),
    ...(connection === 'cut' ? ['connection cut'] : []),
    ...(bodyDurationMs === undefined ? [] : ['bodyDurationMs']),
  ];
  if (unsupported.length === 0) return undefined;
  return `images can't have ${unsupported.join(', ')}: use a status of at least ${MIN_ERROR_STATUS}, delay, or connection reset`;
}

/** Returns whether an operation handles a method. GET operations also handle HEAD. */
function hasMethod(route: Route, method: string): boolean {
  const name = method.toUpperCase();
  return route.method === name || (name === 'HEAD' && route.method === 'GET');
}
