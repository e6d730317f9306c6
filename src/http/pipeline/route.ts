import { type ControlAccess, checkAccess } from '../../control/access.ts';
import { getPathname, isImagePath, toDecodablePath } from '../../util/request-target.ts';
import { type AccessPolicy, CONTROL_DOCUMENT_PATH, isControlPath } from '../access-policy.ts';
import { refuseForeign } from '../cors.ts';
import { createUnknownPath, HttpProblemError } from '../problem.ts';
import type { HttpRequest } from './request.ts';
import { getNamedSandbox, mayNameSandbox } from './sandbox.ts';
import type { Api, Location, NamedSandbox, Target } from './values.ts';

/** The parts that decide where a request leads, and whether it may get there. */
export interface RouteParts {
  readonly access: AccessPolicy;
  readonly controlAccess: ControlAccess;
}

/** The APIs, by who uses them. */
export interface Apis {
  readonly contract: Api;
  readonly control: Api;
}

/**
 * Returns where a request leads: to the control API, to the contract's API, to an image; undefined if it leads to none of them. Throws
 * `HttpProblemError` if the host or the origin is not allowed, if access to the control API is denied, and for a sandbox that cannot be named so.
 */
export function routeRequest(parts: RouteParts, apis: Apis, request: HttpRequest): Target | undefined {
  const { method, target, headers } = request;
  const location = createLocation('', target);
  const isControl = isControlPath(location.pathname);
  refuseForeign(parts.access, { method, headers, isControl });
  if (isControl) {
    refuseControl(parts.controlAccess, request);
    return location.pathname === CONTROL_DOCUMENT_PATH
      ? undefined
      : createTarget(apis.control, method, location, undefined);
  }
  const sandbox = mayNameSandbox(target, headers) ? getNamedSandbox(target, headers) : undefined;
  if (!sandbox || sandbox.prefix === '') return findTarget(apis.contract, method, location, sandbox);
  const found = findTarget(apis.contract, method, createLocation(sandbox.prefix, sandbox.target), sandbox);
  if (!found) throw new HttpProblemError(createUnknownPath(location.pathname));
  return found;
}

function createLocation(prefix: string, target: string): Location {
  const end = target.indexOf('?');
  return {
    prefix,
    target,
    pathname: end === -1 ? target : target.slice(0, end),
    path: toDecodablePath(getPathname(target)),
    querystring: end === -1 ? '' : target.slice(end + 1),
  };
}

/** Returns the target if the contract has the path, or if it lies below /api or is an image. */
function findTarget(
  api: Api,
  method: string,
  location: Location,
  sandbox: NamedSandbox | undefined,
): Target | undefined {
  const target = createTarget(api, method, location, sandbox);
  const { path, pathname } = location;
  if (target.kind !== 'unknown-path' || path === '/api' || path.startsWith('/api/')) return target;
  return isImagePath(pathname) ? { ...target, kind: 'image' } : undefined;
}

function createTarget(api: Api, method: string, location: Location, sandbox: NamedSandbox | undefined): Target {
  const routed = api.contract.route(method, location.path);
  return {
    api,
    kind: routed.kind,
    route: routed.kind === 'operation' ? routed.route : undefined,
    allow: routed.kind === 'unknown-method' ? routed.allow : NO_METHODS,
    sandbox,
    location,
  };
}

const NO_METHODS: readonly string[] = [];

function refuseControl(access: ControlAccess, { headers }: HttpRequest): void {
  const { host, origin, authorization } = headers;
  const denial = checkAccess(access, { host, origin, authorization });
  if (!denial) return;
  const challenge = denial.code === 'token-required' ? { headers: { 'WWW-Authenticate': 'Bearer' } } : {};
  throw new HttpProblemError({ ...denial, ...challenge });
}
