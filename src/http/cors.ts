import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import createCors from '@koa/cors';
import type { Middleware } from 'koa';
import { getPathname } from '../util/request-target.ts';
import {
  type AccessPolicy,
  getRequester,
  isControlPath,
  isHostAllowed,
  isOriginAllowed,
  parseHostName,
  type Requester,
} from './access-policy.ts';
import type { HttpRequest } from './pipeline/request.ts';
import type { Headers } from './pipeline/response.ts';
import { type HttpProblem, HttpProblemError } from './problem.ts';

/** How long a browser may remember a preflight, in seconds; browsers cap it at 2 to 24 hours. */
const PREFLIGHT_SECONDS = 86_400;

/** Methods that a preflight allows, beside the one that it asks for. */
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

/** Methods that change something, which foreign pages may not use. */
const UNSAFE_METHODS = ['POST', 'PUT', 'PATCH', 'DELETE'];

/** Headers that scripts of other origins may read. */
const EXPOSED = [
  'Location',
  'Allow',
  'Retry-After',
  'Preference-Applied',
  'X-Mocked',
  'X-Sandbox',
  'X-Sandbox-Expired',
];

/**
 * CORS: answers preflights and lets pages of allowed origins read responses. Decision: the origin is named rather than `*`, since front ends that send
 * credentials would be refused with that. A foreign origin gets no CORS headers; the log says how to allow it.
 */
export function cors(access: AccessPolicy): Middleware {
  const allow = createCors({
    origin: (ctx) => (canRead(access, { ...getRequester(ctx.req), path: ctx.path }) ? ctx.get('Origin') : ''),
    credentials: true,
    exposeHeaders: EXPOSED,
    maxAge: PREFLIGHT_SECONDS,
  });
  return async (ctx, next) => {
    // The control API is for pages of its own origin alone, which need no CORS.
    if (isControlPath(ctx.path)) return next();
    await allow(ctx, next);
    const method = ctx.get('Access-Control-Request-Method');
    if (ctx.method !== 'OPTIONS' || method === '' || !ctx.response.get('Access-Control-Allow-Origin')) return;
    // What a preflight asks for is allowed, whatever it is. The response depends on that.
    ctx.vary(['Access-Control-Request-Headers', 'Access-Control-Request-Method']);
    const methods = METHODS.includes(method) ? METHODS : [...METHODS, method];
    ctx.set({ 'Access-Control-Allow-Methods': methods.join(), 'Cache-Control': 'no-store' });
  };
}

interface PathRequester extends Requester {
  readonly path: string;
}

/** Whether a page of the request's origin may read the response to a path. */
function canRead(access: AccessPolicy, requester: PathRequester): boolean {
  return requester.origin !== undefined && !isControlPath(requester.path) && isOriginAllowed(access, requester);
}

/** The headers of CORS for a response that is written beside the app. */
export function corsHeaders(access: AccessPolicy, requester: PathRequester): Headers {
  if (!canRead(access, requester)) return { Vary: 'Origin' };
  return {
    Vary: 'Origin',
    'Access-Control-Allow-Origin': requester.origin ?? '',
    'Access-Control-Allow-Credentials': 'true',
    'Access-Control-Expose-Headers': EXPOSED.join(),
  };
}

/** Throws `HttpProblemError` for a request to an unknown host. */
export function refuseForeignHost(access: AccessPolicy, { host }: IncomingHttpHeaders): void {
  if (!isHostAllowed(access, host)) throw new HttpProblemError(foreignHost(host));
}

/** Throws `HttpProblemError` for a change by a page of a foreign origin. The control API has a stricter rule of its own. */
export function refuseForeignOrigin(access: AccessPolicy, request: Pick<HttpRequest, 'method' | 'headers'>): void {
  const { host, origin } = request.headers;
  if (UNSAFE_METHODS.includes(request.method) && !isOriginAllowed(access, { host, origin }))
    throw new HttpProblemError(foreignOrigin(origin));
}

/** The longest host or origin that a problem quotes, in characters. */
const QUOTED_LENGTH = 100;

function foreignHost(host = ''): HttpProblem {
  const name = parseHostName(host);
  // An IPv6 address that is none, and text that is no host, can't be allowed by name.
  const isName = name !== undefined && !name.startsWith('[');
  const detail = isName
    ? `the Host ${quote(name)} is not allowed: use localhost or an IP address, or start the server with --allow-host ${name.slice(0, QUOTED_LENGTH)}`
    : `the Host ${quote(name ?? host)} is no host name and no IP address with an optional port: use one such as localhost:3000 or [::1]:3000`;
  return { code: 'host-not-allowed', detail };
}

function foreignOrigin(origin = ''): HttpProblem {
  return { code: 'origin-not-allowed', detail: `the origin ${quote(origin)} is not allowed: ${howToAllow(origin)}` };
}

function quote(text: string): string {
  return JSON.stringify(text.slice(0, QUOTED_LENGTH));
}

function howToAllow(origin: string): string {
  return `start the server with --allow-origin ${origin.slice(0, QUOTED_LENGTH) || 'ORIGIN'} (* allows every origin)`;
}

/** Returns the notes of a request whose response a page of a foreign origin cannot read: else it shows in the browser's console alone. */
export function getOriginNotes(access: AccessPolicy, req: IncomingMessage): readonly string[] {
  const { method = '', url = '' } = req;
  const requester = getRequester(req);
  const { origin } = requester;
  // A refused change says so itself.
  if (origin === undefined || UNSAFE_METHODS.includes(method) || isControlPath(getPathname(url))) return [];
  if (isOriginAllowed(access, requester)) return [];
  return [`the origin ${quote(origin)} can't read this response: ${howToAllow(origin)}`];
}
