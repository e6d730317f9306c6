import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import type { ServerOptions } from '../options.ts';
import type { ProblemCode } from '../util/problem.ts';
import { HttpProblemError } from '../util/problem.ts';

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

/** The request headers that proxies add, in lower case. */
const FORWARDING_HEADER =
  /^(forwarded|via|x-real-ip|x-forwarded(-.+)?|x-original-(forwarded-for|host)|x-client-ip|x-cluster-client-ip|true-client-ip|cf-connecting-ip|fastly-client-ip)$/;

/**
 * Returns the name of a header which shows that a request came through a proxy; undefined if there is none.
 * Such a request can come from another machine.
 */
function findForwardingHeader(headers: IncomingHttpHeaders): string | undefined {
  return Object.keys(headers).find((name) => FORWARDING_HEADER.test(name));
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

/** The methods that change data. A page whose origin is not allowed cannot use these methods. */
export const UNSAFE_METHODS = ['POST', 'PUT', 'PATCH', 'DELETE'];

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
export function describeAllowOrigin(origin: string): string {
  return `start the server with --allow-origin ${origin.slice(0, MAX_QUOTED_LENGTH) || 'ORIGIN'} (* allows every origin)`;
}

/**
 * Throws an `HttpProblemError` if a request is not allowed to use the control API.
 * Does not check the `Host` header, which the caller has already checked.
 */
export function refuseControlAccess(
  { isOn, isLoopback, publicHost, token }: AccessPolicy['control'],
  headers: IncomingHttpHeaders,
): void {
  const { host, origin, authorization } = headers;
  if (!isOn) throw deny('control-disabled', 'The control API is disabled. Start the server without --no-control.');
  if (!isLoopback && token === undefined)
    throw deny(
      'control-disabled',
      'The control API is disabled, because the server runs without --control-token and other machines can reach it (--host). ' +
        TOKEN_REMEDY,
    );
  if (publicHost !== undefined && token === undefined)
    throw deny(
      'control-disabled',
      `The control API is disabled, because the server runs without --control-token and can be reached under a public name (--allow-host ${publicHost}). ${TOKEN_REMEDY}`,
    );
  const forwarding = token === undefined ? findForwardingHeader(headers) : undefined;
  if (forwarding !== undefined) throw deny('control-disabled', describeForwarding(forwarding));
  if (host === undefined)
    throw deny(
      'host-not-allowed',
      'The request has no Host header. Send the host and port of the server in this header.',
    );
  if (origin !== undefined && !isOwnOrigin(origin, host))
    throw deny(
      'origin-not-allowed',
      `Pages of the origin ${origin.slice(0, 100)} cannot use the control API. Send the request from a program that is not a browser, or from a page of this server.`,
    );
  if (token !== undefined && !hasToken(authorization, token))
    throw deny(
      'token-required',
      'The token is missing or wrong. Send Authorization: Bearer TOKEN with the value of --control-token.',
      { 'WWW-Authenticate': 'Bearer' },
    );
}

const TOKEN_REMEDY = 'Start the server with --control-token TOKEN, and send Authorization: Bearer TOKEN.';

/**
 * Returns the message for a request that came through a proxy to a server without a token.
 * `header`: the header that shows the proxy.
 */
function describeForwarding(header: string): string {
  return `The request came through a proxy (header ${header}), so it can come from another machine, and the server runs without --control-token. ${TOKEN_REMEDY} Requests that are sent to the server directly need no token.`;
}

/**
 * Logs a warning at the first request to the control API that came through a proxy, if the server runs without a token.
 */
export function logForwarding(
  { access, log }: { readonly access: AccessPolicy; readonly log: { warn(fields: object, message?: string): void } },
  headers: IncomingHttpHeaders,
): void {
  const { control, forwarding } = access;
  if (!control.isOn || control.token !== undefined || forwarding.isLogged) return;
  const header = findForwardingHeader(headers);
  if (header === undefined) return;
  forwarding.isLogged = true;
  log.warn({}, `A request to the control API was refused. ${describeForwarding(header)}`);
}

/** Creates the error for a request that is not allowed to use the control API. `detail`: the error message. */
function deny(code: ProblemCode, detail: string, headers = {}): HttpProblemError {
  return new HttpProblemError({ code, detail, headers });
}

function isOwnOrigin(origin: string, host: string): boolean {
  return URL.canParse(origin) && new URL(origin).host === host.toLowerCase();
}

/**
 * Returns whether an `Authorization` header contains a token.
 * Compares in constant time.
 * The scheme `Bearer` is case-insensitive (RFC 9110, section 11.1).
 */
function hasToken(authorization: string | undefined, token: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  const [, received = ''] = /^bearer +(.*)$/i.exec(authorization ?? '') ?? [];
  return timingSafeEqual(digest(received), digest(token));
}
