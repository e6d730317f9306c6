import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import type { Context, Middleware } from 'koa';
import type { ServerOptions } from '../options.ts';
import { COMMON_HEADERS, HEADER_NAME, OWN_HEADERS } from '../util/headers.ts';
import { HttpProblemError } from '../util/problem.ts';
import { getPathname, JSON_TYPE, SAFE_METHODS } from '../util/request-target.ts';

/** The allowed hosts and origins, and the access rules of the control API (the HTTP API at `/_control`). */
export type AccessPolicy = ReturnType<typeof createAccessPolicy>;

/** The headers `Host` and `Origin` of a request. */
export type Requester = Pick<IncomingHttpHeaders, 'host' | 'origin'>;

/** The list entry that allows all hosts or all origins. */
const ANY = '*';

/** Creates the access policy from the options of a server. */
export function createAccessPolicy({
  host,
  allowHost = [],
  allowOrigin = [],
  control = true,
  controlToken,
}: ServerOptions) {
  const hosts = host === undefined ? allowHost : [...allowHost, host];
  return {
    /**
     * Allowed host names, in lower case.
     * `localhost`, the subdomains of `localhost` and IP addresses are always allowed.
     * `.a.test` allows `a.test` and the subdomains of `a.test`.
     * `*` allows all hosts.
     */
    hosts: hosts.map((name) => name.toLowerCase()),
    /**
     * Allowed origins, such as `https://a.test`.
     * `https://*.a.test` allows the subdomains of `a.test`, and `*` allows all origins.
     * Always allowed are loopback origins, and origins whose host name is an allowed host, the host of the request, or
     * an IP address of this machine.
     */
    origins: allowOrigin.map(normalizeOrigin),
    /**
     * The `Host` header of the latest request that was allowed.
     * A request with the same header needs no further check.
     */
    latestHost: { allowed: undefined as string | undefined },
    /**
     * `isOn`: whether the control API is enabled.
     * `isLoopback`: whether the server listens only on loopback addresses.
     * `publicHost`: the entry of `allowHost` that shows that the server can be reached under a public name; undefined
     * if there is none.
     * `token`: the bearer token that requests must send.
     */
    control: {
      isOn: control,
      isLoopback: isLoopback(host),
      publicHost: findPublicHost(allowHost),
      token: controlToken,
    },
    /** Whether the log already says that a request to the control API came through a proxy. */
    forwarding: { isLogged: false },
  };
}

/**
 * Top-level domains that exist only in private networks (RFC 6761, RFC 6762, RFC 8375, ICANN's resolution on
 * `internal`, and common usage).
 */
const PRIVATE_DOMAINS =
  /(^|\.)(localhost|test|local|internal|invalid|localdomain|lan|home|home\.arpa|corp|intranet|private)$/;

/**
 * Returns the first host name that other networks can have for the server, such as `shop.example.com`, `.example.com`
 * or `*`; undefined if there is none.
 */
function findPublicHost(hosts: readonly string[]): string | undefined {
  return hosts.find((host) => {
    const name = host.toLowerCase().replace(/\.$/, '');
    return name === ANY || (name.includes('.') && ipVersion(name) === 0 && !PRIVATE_DOMAINS.test(name));
  });
}

/** Returns whether only this machine can reach a server that listens on `host`. */
export function isLoopback(host: string | undefined): boolean {
  return host === undefined || /^(localhost|127(\.\d{1,3}){3}|::1)$/i.test(host);
}

/** Returns an origin as browsers write it: in lower case, without a default port and without a slash at the end. */
function normalizeOrigin(origin: string): string {
  if (/^https?:/i.test(origin) && URL.canParse(origin)) return new URL(origin).origin;
  return origin.toLowerCase().replace(/\/$/, '');
}

/**
 * Returns whether a `Host` header is allowed.
 * The check prevents DNS rebinding attacks, in which the browser sends the host name of the attacker.
 * A request without `Host` is allowed: browsers always send this header, and HTTP/1.0 does not require it.
 * Vite has the same rules.
 */
export function isHostAllowed(policy: AccessPolicy, header: string | undefined): boolean {
  const { latestHost } = policy;
  if (header === undefined || header === latestHost.allowed) return true;
  const isAllowed = isHostInPolicy(policy, header);
  if (isAllowed) latestHost.allowed = header;
  return isAllowed;
}

function isHostInPolicy(policy: AccessPolicy, header: string): boolean {
  if (policy.hosts.includes(ANY)) return true;
  const name = parseHostName(header);
  return name !== undefined && (isListed(policy, name) || isLocalhost(name) || ipVersion(name) > 0);
}

/** Returns whether a host name is one of the allowed hosts, or a subdomain of an allowed host such as `.a.test`. */
function isListed({ hosts }: AccessPolicy, name: string): boolean {
  return hosts.some((host) => name === host || (host.startsWith('.') && `.${name}`.endsWith(host)));
}

/**
 * Returns whether pages of an origin may read responses and change data.
 * Allowed are the origins in the option `allowOrigin`, loopback origins, and origins whose host name is the host of the
 * request (with any port), an allowed host, or an IP address of this machine.
 * So a page that a proxy or a development server of this machine serves can change data, even if the proxy replaces
 * `Host`.
 * A request without an `Origin` header is allowed, because no page of another origin can read its response.
 */
export function isOriginAllowed(policy: AccessPolicy, { host, origin }: Requester): boolean {
  if (origin === undefined || policy.origins.some((allowed) => matchesOrigin(allowed, origin.toLowerCase())))
    return true;
  const name = parseHostName(/^https?:\/\/(.*)$/i.exec(origin)?.[1]);
  if (name === undefined) return false;
  return isLoopbackName(name) || name === parseHostName(host) || isListed(policy, name) || isOwnAddress(name);
}

/** Returns whether an origin is `allowed`, or a subdomain of an allowed origin such as `https://*.a.test`. */
function matchesOrigin(allowed: string, origin: string): boolean {
  if (allowed === ANY || allowed === origin) return true;
  const [scheme = '', domain] = allowed.split('*');
  return (
    domain !== undefined &&
    origin.startsWith(scheme) &&
    SUBDOMAIN.test(origin.slice(scheme.length, -domain.length)) &&
    origin.endsWith(domain)
  );
}

/** Matches the part of a host name before the domain, such as `www` or `a.b`. */
const SUBDOMAIN = /^[\w-]+(?:\.[\w-]+)*$/;

/**
 * Returns whether a name is an IP address of this machine, such as the address in a local network at which a phone
 * opens a page of a development server.
 */
function isOwnAddress(name: string): boolean {
  if (ipVersion(name) === 0) return false;
  const address = name.replace(/^\[|\]$/g, '');
  return Object.values(networkInterfaces()).some((list = []) =>
    list.some((one) => one.address.toLowerCase() === address),
  );
}

/** Returns whether both the host and the origin of a request are allowed. */
export function isAllowed(policy: AccessPolicy, headers: Requester): boolean {
  return isHostAllowed(policy, headers.host) && isOriginAllowed(policy, headers);
}

/** Matches a host name or an IP address with an optional port (RFC 9110, section 7.2). */
const HOST = /^([\w.-]+|\[[\da-f:.]+\])(?::\d*)?$/i;

/**
 * Returns the host name in a `Host` header, in lower case and without the port.
 * Returns undefined if the header is invalid.
 */
function parseHostName(host = ''): string | undefined {
  return HOST.exec(host)?.[1]?.toLowerCase();
}

/** Returns whether a name is `localhost` or a subdomain of `localhost` (RFC 6761, section 6.3). */
function isLocalhost(name: string): boolean {
  return /^(?:[\w-]+\.)*localhost$/.test(name);
}

function isLoopbackName(name: string): boolean {
  return isLocalhost(name) || name === '[::1]' || (name.startsWith('127.') && ipVersion(name) === 4);
}

/** Returns 4 or 6 for an IP address, and 0 for any other text. An IPv6 address can have the brackets of a URL. */
export function ipVersion(name: string): number {
  return name.startsWith('[') ? isIP(name.slice(1, -1)) : isIP(name);
}

/** The paths at which clients can read the OpenAPI document of the control API. */
export const CONTROL_DOCUMENT_PATHS = { yaml: '/_control/openapi.yaml', json: '/_control/openapi.json' } as const;

/** Returns whether a path is the path of the control API's OpenAPI document, as YAML or as JSON. */
export function isControlDocument(path: string): boolean {
  return path === CONTROL_DOCUMENT_PATHS.yaml || path === CONTROL_DOCUMENT_PATHS.json;
}

/**
 * The path of the health check, which says whether the server is alive.
 * The access rules of the control API do not apply to this path.
 */
export const HEALTH_PATH = '/_control/health';

/**
 * The path of the readiness check, which says whether the server can handle requests.
 * Load balancers send no token, so the check requires none.
 */
const READY_PATH = '/_control/ready';

const METRICS_PATH = '/_control/metrics';

/** Returns whether the access rules of the control API, such as the token, apply to a path of the control API. */
export function isRestricted(path: string): boolean {
  return path !== READY_PATH;
}

/**
 * Returns whether a path is a health check, a readiness check or the metrics.
 * Monitoring systems request these paths at regular intervals.
 */
export function isMonitored(path: string): boolean {
  return path === HEALTH_PATH || path === READY_PATH || path === METRICS_PATH;
}

const ROOT = '/_control';

/**
 * Returns whether a path is `/_control` or below `/_control`.
 * Returns false for `HEALTH_PATH`, which is not part of the control API.
 */
export function isControlPath(path: string): boolean {
  return path.startsWith(ROOT) && (path.length === ROOT.length || path[ROOT.length] === '/') && path !== HEALTH_PATH;
}

/** The maximum length of a host or an origin in a message, in characters. */
const MAX_QUOTED_LENGTH = 100;

/** Creates the error for a request whose host is not allowed. */
export function createHostError(host: string | undefined): HttpProblemError {
  const name = parseHostName(host);
  // The option --allow-host accepts only host names, so the remedy for other texts is different.
  const isName = name !== undefined && !name.startsWith('[');
  const detail = isName
    ? `the Host ${quote(name)} is not allowed: use localhost or an IP address, or start the server with --allow-host ${name.slice(0, MAX_QUOTED_LENGTH)}`
    : `the Host ${quote(name ?? host ?? '')} is neither a host name nor an IP address: use a host such as localhost:3000 or [::1]:3000`;
  return new HttpProblemError({ code: 'host-not-allowed', detail });
}

/** Creates the error for a request that changes data and comes from a page whose origin is not allowed. */
export function createOriginError(origin = ''): HttpProblemError {
  const detail = `the origin ${quote(origin)} is not allowed: ${describeAllowOrigin(origin)}`;
  return new HttpProblemError({ code: 'origin-not-allowed', detail });
}

/** Returns the first 100 characters of a text in double quotes, for an error message. */
export function quote(text: string): string {
  return JSON.stringify(text.slice(0, MAX_QUOTED_LENGTH));
}

/**
 * Returns the part of an error message that says how to allow an origin:
 * `start the server with --allow-origin http://a.test (…)`.
 */
function describeAllowOrigin(origin: string): string {
  return `start the server with --allow-origin ${origin.slice(0, MAX_QUOTED_LENGTH) || 'ORIGIN'} (* allows every origin)`;
}

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
const EXPOSED_HEADERS = ['Location', 'Link', 'X-Total-Count', 'Allow', 'Retry-After', ...OWN_HEADERS].join(',');

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
  if (origin === undefined || !SAFE_METHODS.includes(method) || isControlPath(getPathname(url))) return [];
  if (isOriginAllowed(access, headers)) return [];
  return [`browsers block this response for pages of ${quote(origin)}: ${describeAllowOrigin(origin)}`];
}

/** Response headers: values by name. */
export type Headers = Readonly<Record<string, string>>;

/** An empty object, for responses without additional headers. */
export const NO_HEADERS: Headers = {};

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
 * `Set-Cookie` is added, because each value sets another cookie.
 */
export function setHeaders(res: ServerResponse, headers: Headers): void {
  for (const name in headers) {
    const value = headers[name] as string;
    if (/^set-cookie$/i.test(name)) {
      if (![res.getHeader(name)].flat().includes(value)) res.appendHeader(name, value);
      continue;
    }
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
