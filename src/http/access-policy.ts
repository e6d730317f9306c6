import type { IncomingHttpHeaders } from 'node:http';
import { isIP } from 'node:net';
import type { HttpOptions } from './options.ts';
import type { HttpRequest } from './pipeline/request.ts';
import { HttpProblemError } from './problem.ts';

/** The allowed hosts and origins, and the access rules of the control API. */
export type AccessPolicy = ReturnType<typeof createAccessPolicy>;

/** The request headers that name the host and the origin. */
export type Requester = Pick<IncomingHttpHeaders, 'host' | 'origin'>;

/** The entry that allows everything. */
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
    /** Allowed host names in lower case, in addition to `localhost`, its subdomains and IP addresses. A leading dot includes subdomains, `*` allows all. */
    hosts: hosts.map((name) => name.toLowerCase()),
    /** Allowed origins as browsers write them, in addition to loopback origins and those of the request's host name. `*` allows all. */
    origins: allowOrigin.map(normalizeOrigin),
    /** Whether the control API is enabled, whether the server listens only on loopback addresses, and the bearer token that requests must send, if any. */
    control: { isOn: control, isLoopback: isLoopback(host), token: controlToken },
  };
}

/** Returns whether a server that listens on `host` can be reached from this machine only. */
export function isLoopback(host: string | undefined): boolean {
  return host === undefined || /^(localhost|127(\.\d{1,3}){3}|::1)$/i.test(host);
}

/** Returns an origin as browsers write it: in lower case, without a default port and without a slash at the end. */
function normalizeOrigin(origin: string): string {
  if (/^https?:/i.test(origin) && URL.canParse(origin)) return new URL(origin).origin;
  return origin.toLowerCase().replace(/\/$/, '');
}

/**
 * Returns whether a `Host` header is allowed, with the rules of Vite. In a DNS rebinding attack, the browser sends the host name of the attacker, which
 * is neither `localhost` nor an IP address. A request without `Host` is allowed: browsers always send it, and HTTP/1.0 does not require it.
 */
function isHostAllowed({ hosts }: AccessPolicy, header: string | undefined): boolean {
  if (header === undefined || hosts.includes(ANY)) return true;
  const name = parseHostName(header);
  if (name === undefined) return false;
  const isListed = hosts.some((host) => name === host || (host.startsWith('.') && `.${name}`.endsWith(host)));
  return isListed || isLocalhost(name) || ipVersion(name) > 0;
}

/**
 * Returns whether pages of an origin may read responses and change data. Allowed are loopback origins, origins with the host name of the request at any
 * port, and those of `allowOrigin`. A request without an `Origin` header is allowed: no page of another origin can read its response.
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

/** A host name or an IP address with an optional port (RFC 9110, section 7.2). */
const HOST = /^([\w.-]+|\[[\da-f:.]+\])(?::\d*)?$/i;

/** Returns the host name of a `Host` header in lower case, without the port; undefined if the header is invalid. */
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

/** Returns 4 or 6 for an IP address, with or without the brackets of a URL, and 0 for any other text. */
export function ipVersion(name: string): number {
  return name.startsWith('[') ? isIP(name.slice(1, -1)) : isIP(name);
}

/** The path of the contract of the control API. */
export const CONTROL_DOCUMENT_PATH = '/_control/openapi.yaml';

/** The path of the readiness check, to which the access rules of the control API do not apply. */
export const HEALTH_PATH = '/_control/health';

const ROOT = '/_control';

/** Returns whether a path belongs to the control API, which pages of other origins cannot use. */
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
  // --allow-host takes host names only: an invalid IPv6 address or other invalid text can't be allowed.
  const isName = name !== undefined && !name.startsWith('[');
  const detail = isName
    ? `the Host ${quote(name)} is not allowed: use localhost or an IP address, or start the server with --allow-host ${name.slice(0, MAX_QUOTED_LENGTH)}`
    : `the Host ${quote(name ?? host ?? '')} is neither a host name nor an IP address: use one such as localhost:3000 or [::1]:3000`;
  throw new HttpProblemError({ code: 'host-not-allowed', detail });
}

/** Throws an `HttpProblemError` if a page of a foreign origin sent a request that changes data. The control API has a stricter rule. */
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
