import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';

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
export function isHostAllowed({ hosts }: AccessPolicy, host: string | undefined): boolean {
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
export function isOriginAllowed({ origins }: AccessPolicy, { host, origin }: Requester): boolean {
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
export function parseHostName(host = ''): string | undefined {
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
