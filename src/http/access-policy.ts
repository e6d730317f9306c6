import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import createCors from '@koa/cors';
import type { Middleware } from 'koa';
import { getPathname } from '../util/request-target.ts';
import type { HttpRequest } from './pipeline/request.ts';
import type { Headers } from './pipeline/response.ts';
import { type HttpProblem, HttpProblemError } from './problem.ts';

/** Which hosts the server answers to, and which origins may use it. */
export interface AccessPolicy {
  /** Host names beside `localhost`, its subdomains and IP addresses, in lower case; a leading dot allows subdomains too, `*` every name. */
  readonly hosts: readonly string[];
  /** Origins beside those of loopback and of the server's own host name, as browsers write them; `*` allows every origin. */
  readonly origins: readonly string[];
}

/** What a request says of where it was sent and of the page that it comes from. */
export interface Requester {
  /** Host name and port. */
  readonly host: string | undefined;
  readonly origin: string | undefined;
}

/** The entry that allows everything. */
const ANY = '*';

/** The policy of a server: `host` is the address that it was told to listen on. */
export function createAccessPolicy({
  host,
  allowHost = [],
  allowOrigin = [],
}: {
  readonly host?: string | undefined;
  readonly allowHost?: readonly string[] | undefined;
  readonly allowOrigin?: readonly string[] | undefined;
}): AccessPolicy {
  const hosts = host === undefined ? allowHost : [...allowHost, host];
  return { hosts: hosts.map((name) => name.toLowerCase()), origins: allowOrigin.map(normalizeOrigin) };
}

/** An origin as browsers write it: in lower case, without a default port and without a slash at the end. */
function normalizeOrigin(origin: string): string {
  if (/^https?:/i.test(origin) && URL.canParse(origin)) return new URL(origin).origin;
  return origin.toLowerCase().replace(/\/$/, '');
}

/** Returns the host and the origin of a request. */
export function getRequester({ headers }: Pick<IncomingMessage, 'headers'>): Requester {
  return { host: headers.host, origin: headers.origin };
}

/**
 * Whether the server answers to a `Host`, as Vite decides it: a page of another site that reaches this server by DNS rebinding has its own name
 * there, never `localhost` or an IP address. HTTP/1.0 has no `Host`; browsers always send one.
 */
function isHostAllowed({ hosts }: AccessPolicy, host: string | undefined): boolean {
  if (host === undefined || hosts.includes(ANY)) return true;
  const name = parseHostName(host);
  if (name === undefined) return false;
  return isLocalhost(name) || ipVersion(name) > 0 || hosts.some((allowed) => matchesHost(name, allowed));
}

function matchesHost(name: string, allowed: string): boolean {
  return name === allowed || (allowed.startsWith('.') && `.${name}`.endsWith(allowed));
}

/**
 * Whether pages of an origin may read responses and change the shop: those of loopback and of the host name that the request was sent to, at any
 * port, and those that were allowed. A request without an `Origin` comes from no page of another origin that could read the response.
 */
function isOriginAllowed({ origins }: AccessPolicy, { host, origin }: Requester): boolean {
  if (origin === undefined || origins.includes(ANY) || origins.includes(origin.toLowerCase())) return true;
  const name = parseHostName(/^https?:\/\/(.*)$/i.exec(origin)?.[1]);
  return name !== undefined && (isLoopbackName(name) || name === parseHostName(host));
}

/** Whether a request may be answered like any other: its host is known and its origin is allowed. */
export function isAdmitted(policy: AccessPolicy, req: Pick<IncomingMessage, 'headers'>): boolean {
  const requester = getRequester(req);
  return isHostAllowed(policy, requester.host) && isOriginAllowed(policy, requester);
}

/** A host name or an IP address with an optional port (RFC 9110, section 7.2). */
const HOST = /^([\w.-]+|\[[\da-f:.]+\])(?::\d*)?$/i;

/** Returns the name in a `Host`, in lower case, without the port; undefined for text that is no host. */
function parseHostName(host = ''): string | undefined {
  return HOST.exec(host)?.[1]?.toLowerCase();
}

/** RFC 6761, section 6.3: the name and everything below it mean this machine. */
function isLocalhost(name: string): boolean {
  return /^(?:[\w-]+\.)*localhost$/.test(name);
}

function isLoopbackName(name: string): boolean {
  return isLocalhost(name) || name === '[::1]' || (name.startsWith('127.') && ipVersion(name) === 4);
}

/** Returns 4 or 6 for an IP address, with or without the brackets of a URL, and 0 for anything else. */
export function ipVersion(name: string): number {
  return name.startsWith('[') ? isIP(name.slice(1, -1)) : isIP(name);
}

/** The path of the control API's document. */
export const CONTROL_DOCUMENT_PATH = '/_control/openapi.yaml';

/** The path of readiness, which is open to everyone. */
export const HEALTH_PATH = '/_control/health';

const ROOT = '/_control';

/** Whether a path belongs to the control API, which pages of other origins cannot read. */
export function isControlPath(path: string): boolean {
  return path.startsWith(ROOT) && (path.length === ROOT.length || path[ROOT.length] === '/') && path !== HEALTH_PATH;
}

/** How long a browser may remember a preflight, in seconds; browsers cap it at 2 to 24 hours. */
const PREFLIGHT_SECONDS = 86_400;

/** Methods that a preflight allows, beside the one that it asks for. */
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

/** Methods that change something, which foreign pages may not use. */
const UNSAFE_METHODS = ['POST', 'PUT', 'PATCH', 'DELETE'];

/** Headers that scripts of other origins may read. */
const EXPOSED = 'Location,Allow,Retry-After,Preference-Applied,X-Mocked,X-Sandbox,X-Sandbox-Expired';

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
    'Access-Control-Expose-Headers': EXPOSED,
  };
}

/** Throws `HttpProblemError` for a request to an unknown host. */
export function refuseForeignHost(access: AccessPolicy, { host }: IncomingHttpHeaders): void {
  if (!isHostAllowed(access, host)) throw new HttpProblemError(foreignHost(host));
}

/** Throws `HttpProblemError` for a change by a page of a foreign origin. The control API has a stricter rule of its own. */
export function refuseForeignOrigin(access: AccessPolicy, request: Pick<HttpRequest, 'method' | 'headers'>): void {
  const requester = getRequester(request);
  if (UNSAFE_METHODS.includes(request.method) && !isOriginAllowed(access, requester))
    throw new HttpProblemError(foreignOrigin(requester.origin));
}

/** The longest host or origin that a problem quotes, in characters. */
const QUOTED_LENGTH = 100;

function foreignHost(host = ''): HttpProblem {
  const name = parseHostName(host);
  // An IPv6 address that is none, and text that is no host, can't be allowed by name.
  const isName = name !== undefined && !name.startsWith('[');
  const detail = isName
    ? `the Host ${quote(name)} is not allowed: use localhost or an IP address, or start the server with --allow-host ${name.slice(0, QUOTED_LENGTH)}`
    : `the Host ${quote(name ?? host)} is neither a host name nor an IP address: use one such as localhost:3000 or [::1]:3000`;
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
  return [`browsers block this response for pages of ${quote(origin)}: ${howToAllow(origin)}`];
}
