import type { Contract } from '../openapi/contract.ts';
import { suggestOneOf } from '../openapi/remedies.ts';
import { findResponse, isJsonType, type ResponseToVerify } from '../openapi/responses.ts';
import type { Route } from '../openapi/routes.ts';
import { normalizeHeaderNames } from '../util/header-names.ts';
import { createIssue, type Issue } from '../util/issue.ts';
import { formatPointer } from '../util/json-pointer.ts';
import { IMAGES_PATH } from '../util/request-target.ts';
import { chooseResponse, InvalidPreferenceError } from './choose-response.ts';

/** A forced response: that of a status or an example, optionally with another body and headers. */
interface ForcedResponse {
  readonly status?: number | undefined;
  readonly example?: string | undefined;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** The parts of a fault that decide which requests match it, and which responses it can have: those of some operations, or of any if none is named. */
export interface Fault extends ForcedResponse {
  readonly operation?: string | readonly string[] | undefined;
  readonly where?: { readonly method?: string | undefined; readonly path?: string | undefined } | undefined;
  /** Whether only requests with a body match. */
  readonly needsBody?: boolean | undefined;
  /** Whether body and headers may violate the contract. */
  readonly violation?: boolean | undefined;
  readonly connection?: 'reset' | 'cut' | undefined;
  readonly bodyDurationMs?: number | undefined;
}

/** Returns the operations of a fault that the contract doesn't have. */
export function findUnknownOperations(
  { routes }: Pick<Contract, 'routes'>,
  operation: Fault['operation'] = [],
): readonly Issue[] {
  const knownIds = routes.map(({ operationId }) => operationId);
  const unknownIds = [operation].flat().filter((id) => !knownIds.includes(id));
  const [first] = unknownIds;
  if (first === undefined) return [];
  const problem = `${unknownIds.map((id) => `"${id}"`).join(', ')} ${unknownIds.length > 1 ? 'do' : 'does'} not exist`;
  return [createIssue('/operation', { rule: 'enum', problem, remedy: suggestOneOf(first, knownIds, 'operations') })];
}

/** Returns why the contract doesn't document a fault's response for its operations, or how body and headers violate it. Ignores unknown operations. */
export function validateInjectedResponse(
  contract: Pick<Contract, 'routes' | 'verifyResponse'>,
  fault: Fault,
): readonly Issue[] {
  const { routes } = contract;
  const ids = fault.operation === undefined ? [] : [fault.operation].flat();
  const selected = ids.length > 0 ? routes.filter(({ operationId }) => ids.includes(operationId)) : routes;
  const errors = selected.flatMap((route) => (canForce(route, fault) ? [] : (findPreferenceError(route, fault) ?? [])));
  const [first] = errors;
  // A fault without operations only needs one that has its response.
  if (first && (ids.length > 0 || errors.length === selected.length))
    return [createIssue(`/${FAULT_PROPERTIES[first.preference]}`, { ...first, rule: 'enum' })];
  return fault.violation ? [] : findViolations(contract, filterByPath(selected, fault.where?.path), fault);
}

/** The properties of a fault that correspond to preferences. */
const FAULT_PROPERTIES = { code: 'status', example: 'example' } as const;

/** Returns the violations in body and headers for the first operation that documents the status differently. */
function findViolations(
  contract: Pick<Contract, 'verifyResponse'>,
  routes: readonly Route[],
  fault: ForcedResponse,
): readonly Issue[] {
  const { status, body, headers } = fault;
  if (status === undefined || (body === undefined && headers === undefined)) return [];
  for (const route of routes.filter((candidate) => isDocumented(candidate, { status }))) {
    const response = replaceBodyAndHeaders(route, { status, headers: {} }, fault);
    const issues = contract
      .verifyResponse(route, response, { closed: false })
      .filter(({ where }) =>
        where.startsWith('header ') ? findHeaderName(headers, where) !== undefined : body !== undefined,
      )
      .map(({ where, rule, message, describe }) => {
        const undocumented = { problem: message.replace(/^(a body|content type) /, ''), remedy: 'remove it' };
        const { problem, remedy } = describe?.() ?? undocumented;
        return createIssue(toFaultPointer(where, headers), {
          ...{ rule, problem: `${problem}, which violates the contract of ${route.operationId}` },
          remedy: `${remedy}, or set \`violation\``,
        });
      });
    if (issues.length > 0) return issues;
  }
  return [];
}

/** `where`: that of a response violation. */
function toFaultPointer(where: string, headers: ForcedResponse['headers']): string {
  const name = findHeaderName(headers, where === 'content type' ? 'header Content-Type' : where);
  return name === undefined ? where.replace(/^(body|content type)/, '/body') : `/headers${formatPointer(name)}`;
}

/** Returns the name of a header as the fault spells it. */
function findHeaderName(headers: ForcedResponse['headers'] = {}, where: string): string | undefined {
  return Object.keys(headers).find((name) => where.toLowerCase() === `header ${name.toLowerCase()}`);
}

/** Returns a response with the body and the headers of a fault in place of its own. */
export function replaceBodyAndHeaders(
  { responses }: Pick<Route, 'responses'>,
  { status, headers, body }: ResponseToVerify,
  own: Pick<ForcedResponse, 'body' | 'headers'>,
): ResponseToVerify {
  const ownHeaders = normalizeHeaderNames(own.headers ?? {});
  const ownNames = Object.keys(ownHeaders).map((name) => name.toLowerCase());
  const types = Object.keys(findResponse(responses, status)?.media ?? {});
  const type = own.body === undefined ? {} : { 'Content-Type': types.find(isJsonType) ?? 'application/json' };
  const others = Object.entries({ ...headers, ...type }).filter(([name]) => !ownNames.includes(name.toLowerCase()));
  return {
    status,
    headers: { ...Object.fromEntries(others), ...ownHeaders },
    body: own.body === undefined ? body : own.body,
  };
}

/** Returns whether the contract documents a response of an operation. */
export function isDocumented(route: Route, response: ForcedResponse): boolean {
  return findPreferenceError(route, response) === undefined;
}

/** Returns whether an operation can have a forced response: a documented one, or any error, since a gateway before the server may send it. */
export function canForce(route: Route, { status, example }: ForcedResponse): boolean {
  const isError = example === undefined && status !== undefined && status >= 400;
  return isError || isDocumented(route, { status, example });
}

function findPreferenceError(route: Route, { status, example }: ForcedResponse): InvalidPreferenceError | undefined {
  try {
    chooseResponse(route, { code: status, example }, example === undefined ? [] : [example]);
    return undefined;
  } catch (error) {
    if (error instanceof InvalidPreferenceError) return error;
    throw error;
  }
}

/** The paths of images, which are not operations of the contract. */
const IMAGES = `${IMAGES_PATH}/*`;

/** The lowest status of an error. */
const MIN_ERROR_STATUS = 400;

/** The maximum length of a path that is compared with those of the contract, in characters. */
const MAX_PATH_LENGTH = 500;

/** Returns messages that say why no request can match a fault; none if one can. */
export function findUnmatchableReasons(routes: readonly Route[], fault: Fault): readonly string[] {
  const issue = findTargetIssue(routes, fault);
  return issue === undefined ? [] : [`no request can match it: ${issue}`];
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
    return `${name === undefined ? 'no operation has the' : `${name} has no`} method ${method}, but ${methods}`;
  }
  if (ids === undefined && path !== undefined && canBothMatch(path, IMAGES)) return findImageIssue(fault);
  return describeUnknownPath(candidates, ids, path);
}

/** Returns why no request with a body can match; undefined if one of the operations has a request body. */
function findBodyIssue(routes: readonly Route[], name?: string, method?: string): string | undefined {
  if (routes.some(({ bodyMedia }) => Object.keys(bodyMedia).length > 0)) return undefined;
  if (name !== undefined) return `${name} has no request body: remove where.body`;
  const selection = method === undefined ? '' : ` with the method ${method}`;
  return `no operation${selection} has a request body: remove where.body`;
}

/** Says that none of the operations is at a path, and where they are. */
function describeUnknownPath(
  routes: readonly Route[],
  ids: readonly string[] | undefined,
  path: string | undefined,
): string {
  if (path?.startsWith('/_sandbox/'))
    return `where.path is compared without /_sandbox/ID: use ${path.replace(/^\/_sandbox\/[^/]*/, '') || '/'}`;
  const paths = [...new Set(routes.map((route) => route.path))].join(', ');
  return ids
    ? `${ids.join(' or ')} is at ${paths}, not at ${path}`
    : `no operation is at ${path}, and it is not below ${IMAGES_PATH}: the contract has ${paths}`;
}

/** Returns the operations with a path that can match a glob; all of them if there is none. */
function filterByPath(routes: readonly Route[], glob: string | undefined): readonly Route[] {
  if (glob === undefined || glob.length > MAX_PATH_LENGTH) return routes;
  return routes.filter((route) => canMatchPath(route.path, glob));
}

function findImageIssue(fault: Fault): string | undefined {
  const { method = 'GET' } = fault.where ?? {};
  if (!['GET', 'HEAD'].includes(method.toUpperCase())) return `images have no method ${method}, but GET, HEAD`;
  return fault.needsBody ? 'images have no request body: remove where.body' : findImageFaultIssue(fault);
}

/** Returns why a fault can't apply to an image; undefined if it can. */
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

/** HEAD is handled by GET. */
function hasMethod(route: Route, method: string): boolean {
  const name = method.toUpperCase();
  return route.method === name || (name === 'HEAD' && route.method === 'GET');
}

/** A trailing slash in the path of a request is ignored. */
function canMatchPath(template: string, glob: string): boolean {
  const templateGlob = template.replaceAll(/\{.*?\}/g, '*');
  return canBothMatch(glob, templateGlob) || canBothMatch(glob, `${templateGlob}/`);
}

/** Returns whether a string exists that matches two globs, in which `*` stands for any string. Takes time proportional to length × length. */
export function canBothMatch(a: string, b: string): boolean {
  /** For each index in `a`: whether the rests of both globs can match the same string. */
  let nextRow: readonly boolean[] = [];
  for (let indexB = b.length; indexB >= 0; indexB--) {
    const row = new Array<boolean>(a.length + 1).fill(false);
    for (let indexA = a.length; indexA >= 0; indexA--) {
      const [characterA, characterB] = [a[indexA], b[indexB]];
      const canSkipA = indexA < a.length && row[indexA + 1] === true;
      const canSkipB = indexB < b.length && nextRow[indexA] === true;
      const areBothAtEnd = characterA === undefined && characterB === undefined;
      const isSame = characterA !== undefined && characterA === characterB && nextRow[indexA + 1] === true;
      const isStar = characterA === '*' || characterB === '*';
      row[indexA] = areBothAtEnd || isSame || (isStar && (canSkipA || canSkipB));
    }
    nextRow = row;
  }
  return nextRow[0] === true;
}
