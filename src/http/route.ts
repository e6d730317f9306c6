import type { IncomingHttpHeaders } from 'node:http';
import type { ControlId } from '../control/operation.ts';
import type { Contract } from '../openapi/contract.ts';
import { normalizeEscapes } from '../openapi/routes.ts';
import { DEFAULT_SANDBOX_ID } from '../sandbox/sandbox.ts';
import { SANDBOX_ID, SANDBOX_ID_REMEDY } from '../util/ids.ts';
import { toIsoTime } from '../util/iso-time.ts';
import { createUnknownPath, HttpProblemError } from '../util/problem.ts';
import { getPathname, isBelow, isImagePath, toDecodablePath } from '../util/request-target.ts';
import {
  isControlDocument,
  isControlPath,
  isRestricted,
  logForwarding,
  refuseControlAccess,
  refuseForeignHost,
  refuseForeignOrigin,
} from './access-policy.ts';
import { receiveBody } from './body.ts';
import { type Headers, NO_HEADERS } from './cors.ts';
import type { Exchange, Location, SandboxTarget } from './exchange.ts';
import { toHttpProblem } from './problem.ts';
import { isPackagePage } from './routes.ts';

/**
 * Finds the target of a request: an operation of the contract's API or of the control API, or an image.
 * Other requests, such as requests for pages, have none.
 * Throws an `HttpProblemError` if the host or the origin is not allowed, if access to the control API is denied, or if
 * the sandbox id is invalid.
 */
export function route(exchange: Exchange): void {
  const { app, url, headers } = exchange;
  refuseLongPath(url);
  const location = createLocation({ sandboxId: undefined, prefix: '', target: url });
  refuseForeignHost(app.access, headers);
  if (isControlPath(location.pathname)) {
    if (isRestricted(location.pathname)) {
      logForwarding(app, headers);
      refuseControlAccess(app.access.control, headers);
    }
    if (!isControlDocument(location.pathname)) setTarget(exchange, 'control', location);
    return;
  }
  refuseForeignOrigin(app.access, exchange);
  if (isPackagePage(location.pathname)) return;
  const inner = mayNameSandbox(url, headers) ? createLocation(getNamedSandbox(url, headers)) : location;
  setTarget(exchange, 'contract', inner);
  // At /_sandbox/ID/, the console shows the sandbox ID.
  const isConsole = inner.path === '/' && app.options.static === undefined;
  if (exchange.kind === 'page' && inner.prefix !== '' && !isConsole)
    throw new HttpProblemError(createUnknownPath(location.pathname));
}

/**
 * The maximum length of a path, in characters.
 * Other servers have a similar limit for the whole URL, and decoding a longer path would delay other requests.
 */
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
 * Sets the target of a request, unless the path neither is in the contract, nor starts with a base path of the
 * contract, nor belongs to an image.
 */
function setTarget(exchange: Exchange, api: 'contract' | 'control', location: Location): void {
  const { app, method } = exchange;
  const routed = (api === 'control' ? app.controlContract : app.contract).route(method, location.path);
  if (api === 'contract' && routed.kind === 'unknown-path') {
    const isImage = isImagePath(location.pathname);
    if (!isImage && !app.basePaths.some((basePath) => isBelow(location.path, basePath))) return;
    exchange.kind = isImage ? 'image' : 'unknown-path';
  } else exchange.kind = routed.kind;
  const { basePath = '' } = routed;
  exchange.api = api;
  exchange.location =
    basePath === '' ? location : { ...location, basePath, path: location.path.slice(basePath.length) || '/' };
  if (routed.kind === 'operation') exchange.route = routed.route;
  if (routed.kind === 'unknown-method') exchange.allow = routed.allow;
}

/**
 * Returns the base paths of a contract: the paths of its `servers` URLs.
 * If the paths of all operations start with the same segment, such as `/api`, this is also a base path.
 */
export function getBasePaths({ routes, basePaths }: Pick<Contract, 'routes' | 'basePaths'>): readonly string[] {
  const segments = new Set(routes.map(({ path }) => /^\/[^/{}]+(?=\/|$)/.exec(path)?.[0]));
  const [first] = segments;
  return segments.size === 1 && first !== undefined ? [...basePaths, first] : basePaths;
}

/**
 * Selects the sandbox that a request names, or the sandbox `default` if it names none.
 * Creates the sandbox if it does not exist.
 */
export async function enterSandbox(exchange: Exchange): Promise<void> {
  const { app, api, kind, location } = exchange;
  if (kind === 'page') return;
  const { sandboxes } = app;
  if (location.sandboxId !== undefined && kind === 'image' && location.prefix === '') {
    // Requests for images create no sandboxes.
    const sandbox = sandboxes.find(location.sandboxId);
    exchange.sandbox = sandbox ?? sandboxes.default;
    exchange.isNamed = sandbox !== undefined;
  } else if (location.sandboxId === undefined) await useDefaultSandbox(exchange);
  else await useNamedSandbox(exchange, location.sandboxId);
  exchange.hasSandbox = true;
  exchange.isRecorded = api === 'contract' && kind !== 'image';
}

async function useDefaultSandbox(exchange: Exchange): Promise<void> {
  const { api, app } = exchange;
  const usedId = getUsedId(exchange);
  if (app.sandboxes.isShared && usedId !== undefined) await app.sandboxes.load(usedId);
  // A response of the control API says that the sandbox in the path has expired.
  if (api === 'control' && usedId !== undefined)
    exchange.sandboxHeaders = toExpiryHeaders(app.sandboxes.expiredAtMs(usedId));
}

/**
 * Uses the sandbox that a request names, until the end of the exchange.
 * Receives the body of the request first, so that an incomplete request creates no sandbox.
 * If the sandbox has expired, the response has the header `X-Sandbox-Expired`.
 */
async function useNamedSandbox(exchange: Exchange, id: string): Promise<void> {
  const { sandboxes, application } = exchange.app;
  // The validation reports other errors later.
  await receiveBody(exchange).catch((error) => {
    const { socket, res } = exchange;
    if (!res.req.complete && (socket.destroyed || res.headersSent)) throw error;
  });
  let expiredAtMs: number | undefined;
  try {
    const used = await sandboxes.use(id);
    expiredAtMs = used.expiredAtMs;
    exchange.releases.push(used.leave);
    exchange.sandbox = used.sandbox;
    exchange.isNamed = true;
    exchange.sandboxHeaders = { ...toExpiryHeaders(expiredAtMs), 'X-Sandbox': id };
  } catch (error) {
    const problem = toHttpProblem(error, application.problems);
    if (!problem) throw error;
    const headers = { ...problem.headers, ...toExpiryHeaders(sandboxes.expiredAtMs(id)) };
    throw new HttpProblemError({ ...problem, headers });
  }
}

/**
 * The operations of the control API that use no state, or check by themselves whether the state can be read.
 * `getMetrics` also works while the database is not available, because the metrics describe this situation.
 */
const STATELESS_OPERATIONS: readonly string[] = ['getMetrics', 'getReadiness'] satisfies readonly ControlId[];

/**
 * Returns the id of the sandbox for a request that does not select one: `w3` for the control path
 * `/_control/sandboxes/w3/state`, otherwise `default`.
 * Returns undefined if the operation uses no sandbox, if the id in the path is invalid, or if the control API does not
 * define the path.
 */
function getUsedId({ api, route, location }: Exchange): string | undefined {
  if (api === 'contract') return DEFAULT_SANDBOX_ID;
  if (route && STATELESS_OPERATIONS.includes(route.operationId)) return undefined;
  const { id = DEFAULT_SANDBOX_ID } = route?.pathParameters(location.path) ?? { id: '' };
  return SANDBOX_ID.test(id) ? id : undefined;
}

/**
 * Returns the header `X-Sandbox-Expired` with the time when a sandbox expired.
 * `atMs`: this time in ms since 1970.
 * If `atMs` is undefined, returns no headers, because the sandbox has not expired or was created again.
 */
function toExpiryHeaders(atMs: number | undefined): Headers {
  return atMs === undefined ? NO_HEADERS : { 'X-Sandbox-Expired': toIsoTime(atMs) };
}

const HEADER = 'x-sandbox';
const IN_PATH = /^(\/_sandbox\/([^/?]*))(\/[^?]*)?(\?.*)?$/;
const IN_HOST = /^([^.]+)\.localhost(?::\d+)?$/i;
const IN_COOKIE = /(?:^|;\s*)sandbox=([^;]*)/;

/**
 * Returns whether a request might name a sandbox.
 * Takes less time than `getNamedSandbox`, which is only necessary if this function returns true.
 */
export function mayNameSandbox(target: string, headers: IncomingHttpHeaders): boolean {
  return (
    headers[HEADER] !== undefined ||
    target.startsWith('/_sandbox/') ||
    (headers.cookie?.includes('sandbox=') ?? false) ||
    /\.localhost(:|$)/i.test(headers.host ?? '')
  );
}

/**
 * Returns the id of the sandbox that a request names.
 * Looks for the id in the header `X-Sandbox`, the path, the host and the cookie, in this order.
 * Throws an `HttpProblemError` if the id in the header or in the path is invalid, or if these two ids differ.
 * Ignores an invalid id in the host or the cookie.
 */
function getNamedSandbox(target: string, headers: IncomingHttpHeaders): SandboxTarget {
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
