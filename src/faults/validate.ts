import { chooseResponse, type PreferenceIssue } from '../mock/choose-response.ts';
import type { Contract } from '../openapi/contract.ts';
import { isJsonType } from '../openapi/media-types.ts';
import { findResponse, type ResponseToVerify } from '../openapi/responses.ts';
import type { Route } from '../openapi/routes.ts';
import { normalizeHeaderNames } from '../util/headers.ts';
import { createIssue, type Issue } from '../util/issue.ts';
import { formatPointer } from '../util/json-pointer.ts';
import { suggestOneOf } from '../util/names.ts';
import { IMAGES_PATH } from '../util/request-target.ts';
import { type FaultDefinition, type ForcedResponse, getTransportFault } from './fault.ts';

/** Returns an issue if a fault names an operation that is not in the contract. */
export function findUnknownOperationIssues(
  { routes }: Pick<Contract, 'routes'>,
  operation: FaultDefinition['operation'] = [],
): readonly Issue[] {
  const knownIds = routes.map(({ operationId }) => operationId);
  const unknownIds = [operation].flat().filter((id) => !knownIds.includes(id));
  const [first] = unknownIds;
  if (first === undefined) return [];
  const problem = `${unknownIds.map((id) => `"${id}"`).join(', ')} ${unknownIds.length > 1 ? 'do' : 'does'} not exist`;
  return [createIssue('/operation', { rule: 'enum', problem, remedy: suggestOneOf(first, knownIds, 'operations') })];
}

/**
 * Validates the response that a fault injects.
 * Returns an issue if the contract does not document the status or the example for the operations of the fault.
 * Otherwise, returns the issues in the body and headers of the fault.
 * Ignores unknown operations.
 */
export function validateInjectedResponse(
  contract: Pick<Contract, 'routes' | 'verifyResponse'>,
  fault: FaultDefinition,
): readonly Issue[] {
  const { routes } = contract;
  const ids = fault.operation === undefined ? [] : [fault.operation].flat();
  const selected = ids.length > 0 ? routes.filter(({ operationId }) => ids.includes(operationId)) : routes;
  const errors = selected.flatMap((route) => (canForce(route, fault) ? [] : (findPreferenceIssue(route, fault) ?? [])));
  const [first] = errors;
  // A fault for all operations is valid if one operation documents its response.
  if (first && (ids.length > 0 || errors.length === selected.length))
    return [createIssue(`/${FAULT_PROPERTIES[first.preference]}`, { ...first, rule: 'enum' })];
  return fault.violation ? [] : findViolations(contract, filterByPath(selected, fault.where?.path), fault);
}

/** The fault property for each preference of the `Prefer` header: `code=404` corresponds to `status: 404`. */
const FAULT_PROPERTIES = { code: 'status', example: 'example' } as const;

/** The maximum number of violations that are reported for a fault. */
const MAX_ISSUES = 100;

/**
 * Returns the contract violations in the body and the headers of a fault.
 * If several operations have violations, returns those of the first one.
 */
function findViolations(
  contract: Pick<Contract, 'verifyResponse'>,
  routes: readonly Route[],
  fault: ForcedResponse,
): readonly Issue[] {
  const { status, body, headers } = fault;
  if (status === undefined || (body === undefined && headers === undefined)) return [];
  for (const route of routes.filter((candidate) => isDocumented(candidate, { status }))) {
    const response = replaceBodyAndHeaders(route, { status, headers: {} }, fault);
    const violations = contract.verifyResponse(route, response, { closed: false });
    const issues = violations.slice(0, MAX_ISSUES).flatMap(({ where, rule, message, describe }) => {
      const pointer = toFaultPointer(where, fault);
      if (pointer === undefined) return [];
      const undocumented = { problem: message.replace(/^(a body|content type) /, ''), remedy: 'remove it' };
      const { problem, remedy } = describe?.() ?? undocumented;
      return createIssue(pointer, {
        rule,
        problem: `${problem}, which violates the contract of ${route.operationId}`,
        remedy: `${remedy}, or set \`violation\``,
      });
    });
    if (issues.length > 0) return issues;
  }
  return [];
}

/**
 * Converts the place of a violation in a response to a JSON Pointer in the fault that injects the response:
 * `header Age` becomes `/headers/Age`.
 * Returns undefined if the fault does not set the value at this place.
 */
function toFaultPointer(where: string, { headers = {}, body }: ForcedResponse): string | undefined {
  const isHeader = where.startsWith('header ');
  if (!isHeader && body === undefined) return undefined;
  const header = (where === 'content type' ? 'header content-type' : where).toLowerCase();
  const name = Object.keys(headers).find((key) => header === `header ${key.toLowerCase()}`);
  if (name !== undefined) return `/headers${formatPointer(name)}`;
  return isHeader ? undefined : where.replace(/^(body|content type)/, '/body');
}

/**
 * Replaces the body of a response with the body of a fault, and adds the headers of the fault.
 * A header of the fault replaces a header with the same name.
 */
export function replaceBodyAndHeaders(
  { responses }: Pick<Route, 'responses'>,
  response: ResponseToVerify,
  fault: Pick<ForcedResponse, 'body' | 'headers'>,
): ResponseToVerify {
  const { body = response.body } = fault;
  const headers = normalizeHeaderNames(fault.headers ?? {});
  const names = Object.keys(headers).map((name) => name.toLowerCase());
  const types = Object.keys(findResponse(responses, response.status)?.media ?? {});
  const type = fault.body === undefined ? {} : { 'Content-Type': types.find(isJsonType) ?? 'application/json' };
  const others = Object.entries({ ...response.headers, ...type }).filter(
    ([name]) => !names.includes(name.toLowerCase()),
  );
  return { status: response.status, headers: { ...Object.fromEntries(others), ...headers }, body };
}

/** Returns whether the contract documents the status and the example of a response for an operation. */
export function isDocumented(route: Route, response: ForcedResponse): boolean {
  return findPreferenceIssue(route, response) === undefined;
}

/**
 * Returns whether a fault can inject a response for an operation.
 * The contract must document the response.
 * An error status is always allowed, because a gateway in front of the server can send it.
 */
export function canForce(route: Route, { status, example, stream }: FaultDefinition): boolean {
  if (stream !== undefined && !hasStream(route)) return false;
  const isError = example === undefined && status !== undefined && status >= 400;
  return isError || isDocumented(route, { status, example });
}

/** Returns whether the contract documents a stream, such as server-sent events, for an operation. */
function hasStream({ responses }: Route): boolean {
  return responses.some(({ media }) => Object.values(media).some(({ items }) => items !== undefined));
}

function findPreferenceIssue(route: Route, { status, example }: ForcedResponse): PreferenceIssue | undefined {
  const chosen = chooseResponse(route, { code: status, example }, example === undefined ? [] : [example]);
  return 'problem' in chosen ? chosen : undefined;
}

/** A fault. `needsBody`: whether only requests with a body match. */
type FaultToCheck = FaultDefinition & { readonly needsBody?: boolean };

/** The lowest status of an error. */
const MIN_ERROR_STATUS = 400;

/**
 * Returns a warning if no request can match an injected fault, or if the contract does not document the status of the
 * fault.
 */
export function findFaultWarnings(routes: readonly Route[], fault: FaultToCheck): readonly string[] {
  const issue = findTargetIssue(routes, fault) ?? findStreamIssue(routes, fault);
  return issue === undefined ? findStatusWarnings(routes, fault) : [`no request can match it: ${issue}`];
}

/** Returns a message if none of the operations of a fault for streams documents a stream; else undefined. */
function findStreamIssue(routes: readonly Route[], { operation, stream }: FaultDefinition): string | undefined {
  if (stream === undefined) return undefined;
  const ids = operation === undefined ? undefined : [operation].flat();
  const streams = routes.filter(hasStream).map(({ operationId }) => operationId);
  if (streams.some((id) => ids === undefined || ids.includes(id))) return undefined;
  const others = streams.length > 0 ? `: use ${streams.join(', ')}` : '';
  return `the contract documents no stream for ${ids?.join(', ') ?? 'any operation'}${others}`;
}

/**
 * Returns a warning if the contract does not document the status of a fault for operations that the fault names, or for
 * none of the operations that it can match.
 */
function findStatusWarnings(
  routes: readonly Route[],
  { operation, status, violation, where: { method, path } = {} }: FaultDefinition,
): readonly string[] {
  if (status === undefined || violation) return [];
  const ids = operation === undefined ? undefined : [operation].flat();
  const isMatched = (route: Route) =>
    (ids?.includes(route.operationId) ?? true) && (method === undefined || hasMethod(route, method));
  const matching = filterByPath(routes, path).filter(isMatched);
  const undocumented = matching.filter(({ responses }) => findResponse(responses, status) === undefined);
  const isUsual = ids === undefined && undocumented.length < matching.length;
  if (undocumented.length === 0 || isUsual) return [];
  const names = ids ? undocumented.map(({ operationId }) => operationId).join(', ') : 'any operation that it can match';
  return [`the contract does not document the status ${status} for ${names}`];
}

function findTargetIssue(routes: readonly Route[], fault: FaultToCheck): string | undefined {
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

function findImageIssue(fault: FaultToCheck): string | undefined {
  const { method = 'GET' } = fault.where ?? {};
  if (!['GET', 'HEAD'].includes(method.toUpperCase())) return `images have no method ${method}: use GET, HEAD`;
  return fault.needsBody ? 'images have no request body: remove where.body' : findImageFaultIssue(fault);
}

/** Returns the reason why a fault can't be injected into responses with images; undefined if it can. */
export function findImageFaultIssue(fault: FaultDefinition): string | undefined {
  const { status, example } = fault;
  const { stream, ...others } = getTransportFault(fault) ?? {};
  const transport = [
    ...Object.entries(others).filter(([, value]) => value !== 'reset'),
    ...(stream ? [['stream', stream.effect]] : []),
  ];
  const unsupported = [
    ...(status !== undefined && status < MIN_ERROR_STATUS ? [`status ${status}`] : []),
    ...(example === undefined ? [] : ['example']),
    ...transport.map(([name, value]) => `${name} ${value}`),
  ];
  if (unsupported.length === 0) return undefined;
  return `images can't have ${unsupported.join(', ')}: use a status of at least ${MIN_ERROR_STATUS}, delay, or connection reset`;
}

/** Returns whether an operation handles a method. GET operations also handle HEAD. */
function hasMethod(route: Route, method: string): boolean {
  const name = method.toUpperCase();
  return route.method === name || (name === 'HEAD' && route.method === 'GET');
}

/** The maximum length of a glob that is compared with the paths of the contract, in characters. */
const MAX_PATH_LENGTH = 500;

/** Returns the operations whose path can match a glob; all operations if the glob is undefined or too long. */
function filterByPath(routes: readonly Route[], glob: string | undefined): readonly Route[] {
  if (glob === undefined || glob.length > MAX_PATH_LENGTH) return routes;
  return routes.filter(({ path, basePaths }) => {
    const template = path.replaceAll(/\{.*?\}/g, '*');
    // Requests can have a trailing slash.
    return ['', ...basePaths].some(
      (base) => canBothMatch(glob, base + template) || canBothMatch(glob, `${base}${template}/`),
    );
  });
}

/**
 * Returns whether a string exists that matches both globs.
 * `*` matches any string.
 * The time grows with the length of `a` times the length of `b`.
 */
export function canBothMatch(a: string, b: string): boolean {
  /** For each index in `a`: 1 if the rest of `a` from this index and the rest of `b` can match the same string. */
  let [row, nextRow] = [new Uint8Array(a.length + 1), new Uint8Array(a.length + 1)];
  for (let indexB = b.length; indexB >= 0; indexB--) {
    const characterB = b.charCodeAt(indexB);
    for (let indexA = a.length; indexA >= 0; indexA--) {
      const characterA = a.charCodeAt(indexA);
      // After the end of a string, `charCodeAt` returns NaN.
      const [isEndA, isEndB] = [indexA === a.length, indexB === b.length];
      const canSkip = (!isEndA && row[indexA + 1] === 1) || (!isEndB && nextRow[indexA] === 1);
      const isStar = characterA === STAR || characterB === STAR;
      const isSame = characterA === characterB && nextRow[indexA + 1] === 1;
      row[indexA] = Number((isEndA && isEndB) || isSame || (isStar && canSkip));
    }
    [row, nextRow] = [nextRow, row];
  }
  return nextRow[0] === 1;
}

const STAR = '*'.charCodeAt(0);
