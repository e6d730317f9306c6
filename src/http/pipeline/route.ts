import type { IncomingHttpHeaders } from 'node:http';
import type { Application } from '../../application.ts';
import type { ControlId } from '../../control/operation.ts';
import type { Contract } from '../../openapi/contract.ts';
import { normalizeEscapes } from '../../openapi/routes.ts';
import type { Sandboxes } from '../../sandbox/registry.ts';
import { DEFAULT_SANDBOX_ID } from '../../sandbox/sandbox.ts';
import { toIsoTime } from '../../util/iso-time.ts';
import { getPathname, isBelow, isImagePath, toDecodablePath } from '../../util/request-target.ts';
import { SANDBOX_ID, SANDBOX_ID_REMEDY } from '../../util/sandbox-id.ts';
import {
  isControlDocument,
  isControlPath,
  isRestricted,
  refuseForeignHost,
  refuseForeignOrigin,
} from '../access-policy.ts';
import { logForwarding, refuseControlAccess } from '../control/access.ts';
import { isPackagePage } from '../package-pages.ts';
import type { AppParts } from '../parts.ts';
import { createUnknownPath, HttpProblemError, toHttpProblem } from '../problem.ts';
import { type Headers, NO_HEADERS } from '../response-headers.ts';
import type { HttpRequest } from './request.ts';
import type { Api, Exchange, Location, SandboxSelection, SandboxTarget, Target } from './values.ts';

/**
 * Finds the target of a request: an operation of the contract's API or of the control API, or an image. Returns undefined for other requests, such as requests
 * for pages. Throws an `HttpProblemError` if the host or the origin is not allowed, if access to the control API is denied, or if the sandbox id is invalid.
 */
export function routeRequest(parts: AppParts, request: HttpRequest): Target | undefined {
  const { method, target, headers } = request;
  refuseLongPath(target);
  const location = createLocation({ sandboxId: undefined, prefix: '', target });
  refuseForeignHost(parts.access, headers);
  if (isControlPath(location.pathname)) {
    if (isRestricted(location.pathname)) {
      logForwarding(parts, headers);
      refuseControlAccess(parts.access.control, headers);
    }
    return isControlDocument(location.pathname) ? undefined : createTarget(parts.apis.control, method, location);
  }
  refuseForeignOrigin(parts.access, request);
  if (isPackagePage(location.pathname)) return undefined;
  const inner = mayNameSandbox(target, headers) ? createLocation(getNamedSandbox(target, headers)) : location;
  const found = findTarget(parts, method, inner);
  // At /_sandbox/ID/, the console shows the sandbox ID.
  const isConsole = inner.path === '/' && parts.options.static === undefined;
  if (!found && inner.prefix !== '' && !isConsole) throw new HttpProblemError(createUnknownPath(location.pathname));
  return found;
}

/** The maximum length of a path, in characters. Other servers have a similar limit for the whole URL, and decoding a longer path would delay other requests. */
const MAX_PATH_LENGTH = 8_000;

/** Throws an `HttpProblemError` if the path in a request target is too long. */
function refuseLongPath(target: string): void {
  if (target.length <= MAX_PATH_LENGTH) return;
  const { length } = getPathname(target);
  if (length <= MAX_PATH_LENGTH) return;
  const detail = `the path has ${length} characters: send a path of at most ${MAX_PATH_LENGTH} characters`;
  throw new HttpProblemError({ code: 'malformed-request', detail });
}

function createLocation({ sandboxId, prefix, target }: SandboxTarget): Location {
  const end = target.indexOf('?');
  const [pathname, querystring] = end === -1 ? [target, ''] : [target.slice(0, end), target.slice(end + 1)];
  return {
    sandboxId,
    prefix,
    basePath: '',
    target,
    pathname,
    path: normalizeEscapes(toDecodablePath(getPathname(target))),
    querystring,
  };
}

/**
 * Returns the target of a request if its path is in the contract, starts with a base path of the contract, or belongs to an image. Otherwise returns undefined.
 */
function findTarget({ apis, basePaths }: AppParts, method: string, location: Location): Target | undefined {
  const target = createTarget(apis.contract, method, location);
  if (target.kind !== 'unknown-path') return target;
  if (isImagePath(location.pathname)) return { ...target, kind: 'image' };
  return basePaths.some((basePath) => isBelow(location.path, basePath)) ? target : undefined;
}

/**
 * Returns the base paths of a contract: the paths of its `servers` URLs. If the paths of all operations start with the same segment, such as `/api`, this is
 * also a base path.
 */
export function getBasePaths({ routes, basePaths }: Pick<Contract, 'routes' | 'basePaths'>): readonly string[] {
  const segments = new Set(routes.map(({ path }) => /^\/[^/{}]+(?=\/|$)/.exec(path)?.[0]));
  const [first] = segments;
  return segments.size === 1 && first !== undefined ? [...basePaths, first] : basePaths;
}

function createTarget(api: Api, method: string, location: Location): Target {
  const routed = api.contract.route(method, location.path);
  const route = routed.kind === 'operation' ? routed.route : undefined;
  const allow = routed.kind === 'unknown-method' ? routed.allow : [];
  const { basePath = '' } = routed;
  const path = location.path.slice(basePath.length) || '/';
  return {
    api,
    kind: routed.kind,
    route,
    allow,
    location: basePath === '' ? location : { ...location, basePath, path },
  };
}

/** A function that handles a request in the given sandbox. */
type HandleInSandbox = (selection: SandboxSelection) => Promise<Exchange>;

/** Calls `handle` with the sandbox that a request names, or with the sandbox `default` if it names none. Creates the sandbox if it does not exist. */
export function enterSandbox(
  parts: AppParts,
  { request, target }: { readonly request: HttpRequest; readonly target: Target },
  handle: HandleInSandbox,
): Promise<Exchange> {
  const { sandboxes } = parts;
  const { sandboxId: id, prefix } = target.location;
  if (id === undefined) {
    const usedId = getUsedId(target);
    const enter = () =>
      handle({ sandbox: sandboxes.default, isNamed: false, headers: getControlHeaders(sandboxes, target, usedId) });
    return sandboxes.isShared && usedId !== undefined ? sandboxes.load(usedId).then(enter) : enter();
  }
  if (target.kind === 'image' && prefix === '') return handle(selectImageSandbox(sandboxes, id));
  return enterNamedSandbox(parts, { request, target, id }, handle);
}

/**
 * Calls `handle` with the sandbox that a request names. Receives the body of the request first, so that an incomplete request creates no sandbox. If the
 * sandbox has expired, the response has the header `X-Sandbox-Expired`.
 */
async function enterNamedSandbox(
  { sandboxes, application }: AppParts,
  { request, target, id }: { readonly request: HttpRequest; readonly target: Target; readonly id: string },
  handle: HandleInSandbox,
): Promise<Exchange> {
  if (request.body.isSent) await receiveBody(request, target);
  let expired: Headers | undefined;
  try {
    return await sandboxes.use(id, (sandbox, expiredAtMs) => {
      expired = toExpiryHeaders(expiredAtMs);
      return handle({ sandbox, isNamed: true, headers: { ...expired, 'X-Sandbox': id } });
    });
  } catch (error) {
    throw addHeaders(error, expired ?? toExpiryHeaders(sandboxes.expiredAtMs(id)), application);
  }
}

/**
 * Returns the sandbox that a request for an image names. If the sandbox does not exist, returns the sandbox `default`, because requests for images create no
 * sandboxes.
 */
function selectImageSandbox(sandboxes: Sandboxes, id: string): SandboxSelection {
  const sandbox = sandboxes.find(id);
  return { sandbox: sandbox ?? sandboxes.default, isNamed: sandbox !== undefined, headers: NO_HEADERS };
}

/** Receives the body of a request. Throws an error only if the request is incomplete. The validation reports other errors later. */
async function receiveBody({ body, socket, response }: HttpRequest, { route }: Target): Promise<void> {
  await body.read(Object.keys(route?.bodyMedia ?? {})).catch((error) => {
    if (!response.req.complete && (socket.destroyed || response.headersSent)) throw error;
  });
}

/**
 * The operations of the control API that use no state, or check by themselves whether the state can be read. `getMetrics` also works while the database is not
 * available, because the metrics describe this situation.
 */
const STATELESS_OPERATIONS: readonly string[] = ['getMetrics', 'getReadiness'] satisfies readonly ControlId[];

/**
 * Returns the id of the sandbox for a request that does not select one: `w3` for the control path `/_control/sandboxes/w3/state`, otherwise `default`. Returns
 * undefined if the operation uses no sandbox, if the id in the path is invalid, or if the control API does not define the path.
 */
function getUsedId({ api, route, location }: Target): string | undefined {
  if (api.isContractApi) return DEFAULT_SANDBOX_ID;
  if (route && STATELESS_OPERATIONS.includes(route.operationId)) return undefined;
  const { id = DEFAULT_SANDBOX_ID } = route?.pathParameters(location.path) ?? { id: '' };
  return SANDBOX_ID.test(id) ? id : undefined;
}

/** Returns the header `X-Sandbox-Expired` for a response of the control API if the sandbox in the path has expired. Otherwise returns no headers. */
function getControlHeaders(sandboxes: Sandboxes, { api }: Target, id: string | undefined): Headers {
  return api.isContractApi || id === undefined ? NO_HEADERS : toExpiryHeaders(sandboxes.expiredAtMs(id));
}

/**
 * Returns the header `X-Sandbox-Expired` with the time when a sandbox expired. `atMs`: this time in ms since 1970. If `atMs` is undefined, returns no headers,
 * because the sandbox has not expired or was created again.
 */
function toExpiryHeaders(atMs: number | undefined): Headers {
  return atMs === undefined ? NO_HEADERS : { 'X-Sandbox-Expired': toIsoTime(atMs) };
}

function addHeaders(error: unknown, headers: Headers, { problems }: Application): unknown {
  const problem = toHttpProblem(error, problems);
  return problem ? new HttpProblemError({ ...problem, headers: { ...problem.headers, ...headers } }) : error;
}

const HEADER = 'x-sandbox';
const IN_PATH = /^(\/_sandbox\/([^/?]*))(\/[^?]*)?(\?.*)?$/;
const IN_HOST = /^([^.]+)\.localhost(?::\d+)?$/i;
const IN_COOKIE = /(?:^|;\s*)sandbox=([^;]*)/;

/** Returns whether a request might name a sandbox. Takes less time than `getNamedSandbox`, which is only necessary if this function returns true. */
export function mayNameSandbox(target: string, headers: IncomingHttpHeaders): boolean {
  return (
    headers[HEADER] !== undefined ||
    target.startsWith('/_sandbox/') ||
    (headers.cookie?.includes('sandbox=') ?? false) ||
    /\.localhost(:|$)/i.test(headers.host ?? '')
  );
}

/**
 * Returns the id of the sandbox that a request names. Looks for the id in the header `X-Sandbox`, the path, the host and the cookie, in this order. Throws an
 * `HttpProblemError` if the id in the header or in the path is invalid, or if these two ids differ. Ignores an invalid id in the host or the cookie.
 */
export function getNamedSandbox(target: string, headers: IncomingHttpHeaders): SandboxTarget {
  const header = headers[HEADER]?.toString();
  const [, prefix = '', inPath, rest = '/', query = ''] = IN_PATH.exec(target) ?? [];
  if (header !== undefined && !SANDBOX_ID.test(header)) throw createIdProblem('header', header, SANDBOX_ID_REMEDY);
  if (inPath !== undefined && !SANDBOX_ID.test(inPath)) throw createIdProblem('path', inPath, SANDBOX_ID_REMEDY);
  if (header !== undefined && inPath !== undefined && header !== inPath)
    throw createIdProblem('header', header, `it differs from ${inPath} in the path: send only one of the two ids`);
  const sandboxId =
    header ?? inPath ?? findId(IN_HOST, headers.host?.toLowerCase()) ?? findId(IN_COOKIE, headers.cookie);
  return { sandboxId, prefix, target: prefix === '' ? target : rest + query };
}

function findId(pattern: RegExp, text: string | undefined): string | undefined {
  const id = pattern.exec(text ?? '')?.[1]?.trim();
  return id !== undefined && SANDBOX_ID.test(id) ? id : undefined;
}

function createIdProblem(place: 'header' | 'path', id: string, remedy: string): HttpProblemError {
  const value = id.slice(0, 100);
  const [pointer, source] = place === 'header' ? ['/X-Sandbox', 'X-Sandbox header'] : ['/sandbox', 'path'];
  const detail = `the sandbox ${JSON.stringify(value)} in the ${source} is invalid: ${remedy}`;
  const violation = { in: place, pointer, rule: 'sandbox', value, remedy };
  return new HttpProblemError({ code: 'invalid-request', detail, violations: [violation] });
}
