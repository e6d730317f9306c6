import { type ControlAccess, checkAccess } from '../../control/access.ts';
import type { Contract } from '../../openapi/contract.ts';
import { getPathname, isImagePath, toDecodablePath } from '../../util/request-target.ts';
import { CONTROL_DOCUMENT_PATH, isControlPath, refuseForeignHost, refuseForeignOrigin } from '../access-policy.ts';
import type { PipelineParts } from '../parts.ts';
import { createUnknownPath, HttpProblemError } from '../problem.ts';
import type { HttpRequest } from './request.ts';
import { getNamedSandbox, mayNameSandbox } from './sandbox.ts';
import type { Api, Location, NamedSandbox, Target } from './values.ts';

/**
 * Returns where a request leads: to the control API, to the contract's API, to an image; undefined if it leads to none of them. Throws
 * `HttpProblemError` if the host or the origin is not allowed, if access to the control API is denied, and for a sandbox that cannot be named so.
 */
export function routeRequest(parts: PipelineParts, request: HttpRequest): Target | undefined {
  const { method, target, headers } = request;
  const location = createLocation({ prefix: '', target });
  refuseForeignHost(parts.access, headers);
  if (isControlPath(location.pathname)) {
    refuseControl(parts.controlAccess, request);
    const isDocument = location.pathname === CONTROL_DOCUMENT_PATH;
    return isDocument ? undefined : createTarget(parts.apis.control, method, location, undefined);
  }
  refuseForeignOrigin(parts.access, request);
  const sandbox = mayNameSandbox(target, headers) ? getNamedSandbox(target, headers) : undefined;
  const inner = sandbox ? createLocation(sandbox) : location;
  const found = findTarget(parts, method, inner, sandbox);
  // The front page describes the sandbox.
  const isFrontPage = inner.path === '/' && parts.static === undefined;
  if (!found && sandbox?.prefix && !isFrontPage) throw new HttpProblemError(createUnknownPath(location.pathname));
  return found;
}

function createLocation({ prefix, target }: Pick<NamedSandbox, 'prefix' | 'target'>): Location {
  const end = target.indexOf('?');
  const [pathname, querystring] = end === -1 ? [target, ''] : [target.slice(0, end), target.slice(end + 1)];
  return { prefix, target, pathname, path: toDecodablePath(getPathname(target)), querystring };
}

/** Returns the target if the contract has the path, or if it is that of an image, or lies below the base path. */
function findTarget(
  { apis, basePath }: PipelineParts,
  method: string,
  location: Location,
  sandbox: NamedSandbox | undefined,
): Target | undefined {
  const target = createTarget(apis.contract, method, location, sandbox);
  if (target.kind !== 'unknown-path') return target;
  if (isImagePath(location.pathname)) return { ...target, kind: 'image' };
  return basePath !== undefined && isBelow(location.path, basePath) ? target : undefined;
}

/** Returns the first segment that the paths of all operations share, such as `/api`; undefined if they share none. */
export function getBasePath({ routes }: Pick<Contract, 'routes'>): string | undefined {
  const segments = new Set(routes.map(({ path }) => /^\/[^/{}]+(?=\/|$)/.exec(path)?.[0]));
  const [first] = segments;
  return segments.size === 1 ? first : undefined;
}

/** Whether a path is a base path, or lies below it. */
export function isBelow(path: string, basePath: string): boolean {
  return path === basePath || path.startsWith(`${basePath}/`);
}

function createTarget(api: Api, method: string, location: Location, sandbox: NamedSandbox | undefined): Target {
  const routed = api.contract.route(method, location.path);
  const route = routed.kind === 'operation' ? routed.route : undefined;
  const allow = routed.kind === 'unknown-method' ? routed.allow : [];
  return { api, kind: routed.kind, route, allow, sandbox, location };
}

function refuseControl(access: ControlAccess, { headers }: HttpRequest): void {
  const { host, origin, authorization } = headers;
  const denial = checkAccess(access, { host, origin, authorization });
  if (!denial) return;
  const challenge = denial.code === 'token-required' ? { headers: { 'WWW-Authenticate': 'Bearer' } } : {};
  throw new HttpProblemError({ ...denial, ...challenge });
}
