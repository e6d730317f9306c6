import type { IncomingMessage } from 'node:http';
import createCors from '@koa/cors';
import type { Middleware } from 'koa';
import type { Route } from '../openapi/routes.ts';
import { HEADER_NAME } from '../util/header-names.ts';
import { memoizeByObject } from '../util/memoize-by-object.ts';
import { getPathname } from '../util/request-target.ts';
import {
  type AccessPolicy,
  describeAllowOrigin,
  isControlPath,
  isOriginAllowed,
  quote,
  type Requester,
  UNSAFE_METHODS,
} from './access-policy.ts';
import type { Headers } from './response-headers.ts';

/** The time for which browsers may cache the response to a preflight request, in seconds. Each browser has its own maximum, from 2 to 24 hours. */
const PREFLIGHT_SECONDS = 86_400;

/** The methods that each response to a preflight request allows. If a page asks for another method, the response allows that method too. */
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

/** The response headers that scripts of other origins can read, in addition to those that the contract documents for the operation. */
const EXPOSED_HEADERS =
  'Location,Link,X-Total-Count,Allow,Retry-After,Preference-Applied,Idempotent-Replayed,X-Mocked,X-Sandbox,X-Sandbox-Expired';

/**
 * Creates the CORS middleware. It responds to preflight requests, and allows pages of allowed origins to read responses. Decision:
 * `Access-Control-Allow-Origin` contains the origin of the page and not `*`, because browsers refuse `*` for requests with credentials. If the origin is not
 * allowed, the response has no CORS headers, and the log says how to allow the origin.
 */
export function cors(access: AccessPolicy): Middleware {
  const allow = createCors({
    origin: (ctx) => (canRead(access, ctx.req.headers, ctx.path) ? ctx.get('Origin') : ''),
    credentials: true,
    exposeHeaders: EXPOSED_HEADERS,
    maxAge: PREFLIGHT_SECONDS,
  });
  return async (ctx, next) => {
    // Only pages of the server's own origin can use the control API. Browsers require no CORS headers for these pages.
    if (isControlPath(ctx.path)) return next();
    await allow(ctx, next);
    const method = ctx.get('Access-Control-Request-Method');
    if (ctx.method !== 'OPTIONS' || method === '' || !ctx.response.get('Access-Control-Allow-Origin')) return;
    // The response allows the requested method and headers, so it depends on these request headers.
    ctx.vary(['Access-Control-Request-Headers', 'Access-Control-Request-Method']);
    const methods = METHODS.includes(method) ? METHODS : [...METHODS, method];
    ctx.set({ 'Access-Control-Allow-Methods': methods.join(), 'Cache-Control': 'no-store' });
  };
}

/** Returns whether the page that sent a request may read the response. `path`: the path of the request. */
function canRead(access: AccessPolicy, requester: Requester, path: string): boolean {
  return requester.origin !== undefined && !isControlPath(path) && isOriginAllowed(access, requester);
}

/** The CORS headers of a response that pages of other origins may not read. */
const NO_CORS_HEADERS: Headers = { Vary: 'Origin' };

/**
 * Returns the CORS headers of a response that is sent without the Koa middleware. `path`: the path of the request. `route`: the operation; undefined if the
 * path or the method is unknown.
 */
export function getCorsHeaders(access: AccessPolicy, requester: Requester, path: string, route?: Route): Headers {
  if (!canRead(access, requester, path)) return NO_CORS_HEADERS;
  return {
    Vary: 'Origin',
    'Access-Control-Allow-Origin': requester.origin ?? '',
    'Access-Control-Allow-Credentials': 'true',
    'Access-Control-Expose-Headers': route ? getExposedHeaders(route) : EXPOSED_HEADERS,
  };
}

/** Returns the names of the headers that scripts of other origins can read: also those that any response of the operation documents. */
const getExposedHeaders = memoizeByObject(({ responses }: Route) =>
  addExposedNames(
    EXPOSED_HEADERS,
    responses.flatMap(({ headers }) => headers.map(({ name }) => name)),
  ),
);

/** The headers that scripts of other origins can always read, and those that scripts can never read (Fetch Standard, section 2.2.2). */
const NEVER_LISTED =
  /^(cache-control|content-language|content-length|content-type|expires|last-modified|pragma|set-cookie2?)$/i;

/** Adds the names of headers to a value of `Access-Control-Expose-Headers`. Leaves out names that are already there or need not be there. */
export function addExposedNames(exposed: string, names: readonly string[]): string {
  const list = exposed.split(',');
  for (const name of names) {
    const isKnown = list.some((other) => other.toLowerCase() === name.toLowerCase());
    if (!isKnown && !NEVER_LISTED.test(name) && HEADER_NAME.test(name)) list.push(name);
  }
  return list.join();
}

/** Returns a note for the log if a page can't read the response because its origin is not allowed. Otherwise returns no notes. */
export function getOriginNotes(access: AccessPolicy, req: IncomingMessage): readonly string[] {
  const { method = '', url = '', headers } = req;
  const { origin } = headers;
  // The server refuses requests that change data, and the problem document contains the reason.
  if (origin === undefined || UNSAFE_METHODS.includes(method) || isControlPath(getPathname(url))) return [];
  if (isOriginAllowed(access, headers)) return [];
  return [`browsers block this response for pages of ${quote(origin)}: ${describeAllowOrigin(origin)}`];
}
