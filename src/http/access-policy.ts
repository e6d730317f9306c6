import type { IncomingHttpHeaders } from 'node:http';
import { isIP } from 'node:net';
import type { HttpOptions } from './options.ts';
import type { HttpRequest } from './pipeline/request.ts';
import { HttpProblemError } from './problem.ts';

/** The allowed hosts and origins, and the access rules of the control API. */
export type AccessPolicy = ReturnType<typeof createAccessPolicy>;

/** The request headers that name the host and the origin. */
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
}: HttpOptions) {
  const hosts = host === undefined ? allowHost : [...allowHost, host];
  return {
    /** Host names in lower case that are allowed in addition to `localhost`, its subdomains and IP addresses. `.a.test` includes subdomains; `*` allows all. */
    hosts: hosts.map((name) => name.toLowerCase()),
    /** Origins that are allowed in addition to loopback origins and origins with the host name of the request. `*` allows all. */
    origins: allowOrigin.map(normalizeOrigin),
    /** The latest host that was allowed. Most requests have the same host. */
    latestHost: { allowed: undefined as string | undefined },
    /** Whether the control API is enabled, whether the server listens only on loopback addresses, and the bearer token that requests must send. */
    control: { isOn: control, isLoopback: isLoopback(host), token: controlToken },
  };
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
 * Returns whether a `Host` header is allowed. The rules are those of Vite. In a DNS rebinding attack, the browser sends the host name of the attacker, which is
 * neither `localhost` nor an IP address. A request without `Host` is allowed, because browsers always send this header and HTTP/1.0 does not require it.
 */
function isHostAllowed(policy: AccessPolicy, header: string | undefined): boolean {
  const { latestHost } = policy;
  if (header === undefined || header === latestHost.allowed) return true;
  const isAllowed = isHostInPolicy(policy, header);
  if (isAllowed) latestHost.allowed = header;
  return isAllowed;
}

function isHostInPolicy({ hosts }: AccessPolicy, header: string): boolean {
  if (hosts.includes(ANY)) return true;
  const name = parseHostName(header);
  if (name === undefined) return false;
  const isListed = hosts.some((host) => name === host || (host.startsWith('.') && `.${name}`.endsWith(host)));
  return isListed || isLocalhost(name) || ipVersion(name) > 0;
}

/**
 * Returns whether pages of an origin may read responses and change data. These origins are allowed: loopback origins, origins with the host name of the request
 * and any port, and the origins in `allowOrigin`. A request without an `Origin` header is allowed, because no page of another origin can read its response.
 */
export function isOriginAllowed({ origins }: AccessPolicy, { host, origin }: Requester): boolean {
  if (origin === undefined || origins.includes(ANY) || origins.includes(origin.toLowerCase())) return true;
  const name = parseHostName(/^https?:\/\/(.*)$/i.exec(origin)?.[1]);
  return name !== undefined && (isLoopbackName(name) || name === parseHostName(host));
}

/** Returns whether both the host and the origin of a request are allowed. */
export function isAllowed(policy: AccessPolicy, headers: Requester): boolean {
  return isHostAllowed(policy, headers.host) && isOriginAllowed(policy, headers);
}

/** Matches a host name or an IP address with an optional port (RFC 9110, section 7.2). */
const HOST = /^([\w.-]+|\[[\da-f:.]+\])(?::\d*)?$/i;

/** Returns the host name in a `Host` header, in lower case and without the port. Returns undefined if the header is invalid. */
function parseHostName(host = ''): string | undefined {
  return HOST.exec(host)?.[1]?.toLowerCase();
}

/** Returns whether a name is `localhost` or a subdomain of it (RFC 6761, section 6.3). */
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

/** The path of the contract of the control API. */
export const CONTROL_DOCUMENT_PATH = '/_control/openapi.yaml';

/** The path of the readiness check. The access rules of the control API do not apply to it. */
export const HEALTH_PATH = '/_control/health';

const ROOT = '/_control';

/** Returns whether a path belongs to the control API. The readiness check does not. */
export function isControlPath(path: string): boolean {
  return path.startsWith(ROOT) && (path.length === ROOT.length || path[ROOT.length] === '/') && path !== HEALTH_PATH;
}

/** The methods that change data. Pages of other origins cannot use them. */
export const UNSAFE_METHODS = ['POST', 'PUT', 'PATCH', 'DELETE'];

/** The maximum length of a host or an origin in a message, in characters. */
const MAX_QUOTED_LENGTH = 100;

/** Throws an `HttpProblemError` if the host of a request is not allowed. */
export function refuseForeignHost(access: AccessPolicy, { host }: Requester): void {
  if (isHostAllowed(access, host)) return;
  const name = parseHostName(host);
  // The option --allow-host accepts only host names, so the remedy for other texts is different.
  const isName = name !== undefined && !name.startsWith('[');
  const detail = isName
    ? `the Host ${quote(name)} is not allowed: use localhost or an IP address, or start the server with --allow-host ${name.slice(0, MAX_QUOTED_LENGTH)}`
    : `the Host ${quote(name ?? host ?? '')} is neither a host name nor an IP address: use a host such as localhost:3000 or [::1]:3000`;
  throw new HttpProblemError({ code: 'host-not-allowed', detail });
}

/** Throws an `HttpProblemError` if a request changes data and comes from a page whose origin is not allowed. */
export function refuseForeignOrigin(access: AccessPolicy, { method, headers }: HttpRequest): void {
  if (!UNSAFE_METHODS.includes(method) || isOriginAllowed(access, headers)) return;
  const { origin = '' } = headers;
  const detail = `the origin ${quote(origin)} is not allowed: ${describeAllowOrigin(origin)}`;
  throw new HttpProblemError({ code: 'origin-not-allowed', detail });
}

/** Returns text in quotes, cut after 100 characters. */
export function quote(text: string): string {
  return JSON.stringify(text.slice(0, MAX_QUOTED_LENGTH));
}

/** Returns the part of a message that explains how to allow an origin. */
export function describeAllowOrigin(origin: string): string {
  return `start the server with --allow-origin ${origin.slice(0, MAX_QUOTED_LENGTH) || 'ORIGIN'} (* allows every origin)`;
}
