import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Context, Middleware } from 'koa';
import { HEADER_NAME } from '../util/headers.ts';
import { getPathname, JSON_TYPE } from '../util/request-target.ts';
import {
  type AccessPolicy,
  describeAllowOrigin,
  isControlPath,
  isOriginAllowed,
  quote,
  type Requester,
  UNSAFE_METHODS,
} from './access-policy.ts';

/**
 * The time for which browsers may cache the response to a preflight request, in seconds.
 * Each browser has its own maximum, from 2 to 24 hours.
 */
const PREFLIGHT_SECONDS = 86_400;

/**
 * The methods that each response to a preflight request allows.
 * If a page asks for another method, the response allows that method too.
 */
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

/**
 * The response headers that scripts of other origins can read, in addition to those that the contract documents for the
 * operation.
 */
const EXPOSED_HEADERS =
  'Location,Link,X-Total-Count,Allow,Retry-After,Preference-Applied,Idempotent-Replayed,X-Mocked,X-Sandbox,X-Sandbox-Expired';

/**
 * Creates the middleware that sets the headers of every response, and the CORS headers.
 * It responds to preflight requests, and allows pages of allowed origins to read responses.
 * If the origin is not allowed, the response has no CORS headers, and the log says how to allow the origin.
 */
export function cors(access: AccessPolicy): Middleware {
  return (ctx, next) => {
    setHeaders(ctx.res, COMMON_HEADERS);
    const path = getPathname(ctx.url);
    // Only pages of the server's own origin can use the control API. Browsers require no CORS headers for these pages.
    if (isControlPath(path)) return next();
    const headers = getCorsHeaders(access, ctx.req.headers);
    setHeaders(ctx.res, headers);
    if (ctx.method !== 'OPTIONS' || headers === NO_CORS_HEADERS) return next();
    const method = ctx.get('Access-Control-Request-Method');
    return method === '' ? next() : Promise.resolve(allowRequest(ctx, method));
  };
}

/**
 * Responds to a preflight request.
 * Allows the requested method and headers, so the response depends on these request headers.
 */
function allowRequest(ctx: Context, method: string): void {
  ctx.vary(['Access-Control-Request-Headers', 'Access-Control-Request-Method']);
  ctx.remove('Access-Control-Expose-Headers');
  ctx.set({
    'Access-Control-Allow-Methods': (METHODS.includes(method) ? METHODS : [...METHODS, method]).join(),
    'Access-Control-Max-Age': String(PREFLIGHT_SECONDS),
    'Cache-Control': 'no-store',
  });
  const requested = ctx.get('Access-Control-Request-Headers');
  if (requested !== '') ctx.set('Access-Control-Allow-Headers', requested);
  ctx.status = 204;
}

/** The CORS headers of a response that no page of another origin can read. */
export const NO_CORS_HEADERS: Headers = { Vary: 'Origin' };

/**
 * Returns the CORS headers of a response that is not of the control API.
 * Decision: `Access-Control-Allow-Origin` contains the origin of the page and not `*`, because browsers refuse `*` for
 * requests with credentials.
 */
export function getCorsHeaders(access: AccessPolicy, requester: Requester): Headers {
  if (requester.origin === undefined || !isOriginAllowed(access, requester)) return NO_CORS_HEADERS;
  return {
    Vary: 'Origin',
    'Access-Control-Allow-Origin': requester.origin ?? '',
    'Access-Control-Allow-Credentials': 'true',
    'Access-Control-Expose-Headers': EXPOSED_HEADERS,
  };
}

/**
 * The headers that scripts of other origins can always read, and those that scripts can never read (Fetch Standard,
 * section 2.2.2).
 */
const NEVER_LISTED =
  /^(cache-control|content-language|content-length|content-type|expires|last-modified|pragma|set-cookie2?)$/i;

/**
 * Adds the names of headers to a value of `Access-Control-Expose-Headers`.
 * Leaves out names that are already there or need not be there.
 */
export function addExposedNames(exposed: string, names: readonly string[]): string {
  const list = exposed.split(',');
  for (const name of names) {
    const isKnown = list.some((other) => other.toLowerCase() === name.toLowerCase());
    if (!isKnown && !NEVER_LISTED.test(name) && HEADER_NAME.test(name)) list.push(name);
  }
  return list.join();
}

/**
 * Returns a note for the log if a page can't read the response because its origin is not allowed.
 * Otherwise returns no notes.
 */
export function getOriginNotes(access: AccessPolicy, req: IncomingMessage): readonly string[] {
  const { method = '', url = '', headers } = req;
  const { origin } = headers;
  // The server refuses requests that change data, and the problem document contains the reason.
  if (origin === undefined || UNSAFE_METHODS.includes(method) || isControlPath(getPathname(url))) return [];
  if (isOriginAllowed(access, headers)) return [];
  return [`browsers block this response for pages of ${quote(origin)}: ${describeAllowOrigin(origin)}`];
}

/** Response headers: values by name. */
export type Headers = Readonly<Record<string, string>>;

/** An empty object, for responses without additional headers. */
export const NO_HEADERS: Headers = {};

/** The headers of every response, including files and pages. */
export const COMMON_HEADERS: Headers = {
  'X-Content-Type-Options': 'nosniff',
  // Pages of other origins can't embed the response, and can read it only with CORS.
  // Images have the value `cross-origin` instead.
  'Cross-Origin-Resource-Policy': 'same-origin',
};

/** The headers that every JSON response has in addition to the common headers. */
export const DATA_HEADERS: Headers = {
  // The state can change at any time.
  'Cache-Control': 'no-store',
  // If a browser shows the response as a document, it loads no scripts, styles or images.
  // No page can embed the response in a frame.
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
};

/** The headers of a JSON response that needs no other headers. */
export const JSON_HEADERS: Headers = { 'Content-Type': JSON_TYPE };

/** The headers of a problem document (RFC 9457) that needs no other headers. */
export const PROBLEM_HEADERS: Headers = { 'Content-Type': 'application/problem+json' };

/**
 * Sets headers of a response.
 * Replaces existing headers with the same names.
 * `Vary` is extended, because the server itself needs the value `Origin`.
 */
export function setHeaders(res: ServerResponse, headers: Headers): void {
  for (const name in headers) {
    const value = headers[name] as string;
    const known = /^vary$/i.test(name) ? res.getHeader(name) : undefined;
    res.setHeader(name, known === undefined ? value : mergeNames(String(known), value.split(',')));
  }
}

/** Adds names to a comma-separated list of header names. Names are case-insensitive. */
function mergeNames(list: string, names: readonly string[]): string {
  const merged = list.split(',').map((name) => name.trim());
  for (const name of names.map((each) => each.trim())) {
    if (name !== '' && !merged.some((other) => other.toLowerCase() === name.toLowerCase())) merged.push(name);
  }
  return merged.join(', ');
}
