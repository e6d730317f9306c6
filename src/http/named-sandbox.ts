import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import {
  findBaggageSandbox,
  findCookieSandbox,
  findVisitor,
  getCookieName,
  SANDBOX_HEADER,
  VISITOR_COOKIE,
} from '../util/carried-sandbox.ts';
import { SANDBOX_ID, SANDBOX_ID_REMEDY } from '../util/ids.ts';
import { HttpProblemError } from '../util/problem.ts';
import type { Exchange, SandboxTarget } from './exchange.ts';
import { isNavigation } from './files.ts';

const IN_PATH = /^(\/_sandbox\/([^/?]*))(\/[^?]*)?(\?.*)?$/;
const IN_HOST = /^([^.]+)\.localhost(?::\d+)?$/i;

/**
 * Returns whether a request might name a sandbox.
 * Takes less time than `getNamedSandbox`, which is only necessary if this function returns true.
 */
export function mayNameSandbox(target: string, headers: IncomingHttpHeaders): boolean {
  return (
    headers[SANDBOX_HEADER] !== undefined ||
    target.startsWith('/_sandbox/') ||
    (headers.cookie?.includes('sandbox') ?? false) ||
    (headers.baggage?.includes('sandbox') ?? false) ||
    /\.localhost(:|$)/i.test(headers.host ?? '')
  );
}

/**
 * Returns the id of the sandbox that a request names.
 * Looks for the id in the header `X-Sandbox`, the path, the host, the header `baggage` and the cookie, in this order.
 * Throws an `HttpProblemError` if the id in the header `X-Sandbox` or in the path is invalid, or if these two ids
 * differ.
 * Ignores an invalid id in the host, the header `baggage` or the cookie.
 * `localPort`: the port at which the server received the request. Behind a proxy, or if a container publishes another
 * port, the header `Host` can have another one.
 */
export function getNamedSandbox(
  target: string,
  headers: IncomingHttpHeaders,
  localPort: number | undefined,
): SandboxTarget {
  const header = headers[SANDBOX_HEADER]?.toString();
  const [, prefix = '', inPath, rest = '/', query = ''] = IN_PATH.exec(target) ?? [];
  if (header !== undefined && !SANDBOX_ID.test(header)) throw createIdProblem('header', header, SANDBOX_ID_REMEDY);
  if (inPath !== undefined && !SANDBOX_ID.test(inPath)) throw createIdProblem('path', inPath, SANDBOX_ID_REMEDY);
  if (header !== undefined && inPath !== undefined && header !== inPath)
    throw createIdProblem('header', header, `it differs from ${inPath} in the path: send only one of the two ids`);
  const named = header ?? inPath ?? findHostSandbox(headers.host) ?? findBaggageSandbox(headers.baggage?.toString());
  const ports = [/:(\d+)$/.exec(headers.host ?? '')?.[1], localPort];
  const sandboxId = named ?? findCookieSandbox(headers.cookie, ports);
  const isByCookie = named === undefined && sandboxId !== undefined;
  return { sandboxId, prefix, target: prefix === '' ? target : rest + query, isByCookie };
}

/** The servers that have logged the warning of `warnOfCookie`, by their access policies. */
const warned = new WeakSet<object>();

/**
 * Logs a warning if the cookie of a request has named a sandbox that nobody has created.
 * The cookie may belong to another server, because browsers send cookies to all ports of a host.
 * Each server logs it once.
 */
export function warnOfCookie({ app, location, socket }: Exchange): void {
  if (!location.isByCookie || warned.has(app.access)) return;
  warned.add(app.access);
  const { sandboxId } = location;
  app.log.warn(
    { sandbox: sandboxId },
    `A cookie named the sandbox ${sandboxId}, which nobody has created, so it started with the default data. If a test has created it on another server of the same host, use the cookie ${getCookieName(socket.localPort ?? 'PORT')} for this server, or the header X-Sandbox`,
  );
}

function findHostSandbox(host: string | undefined): string | undefined {
  const id = IN_HOST.exec(host ?? '')?.[1]?.toLowerCase();
  return id !== undefined && SANDBOX_ID.test(id) ? id : undefined;
}

function createIdProblem(place: 'header' | 'path', id: string, remedy: string): HttpProblemError {
  const value = id.slice(0, 100);
  const [pointer, source] = place === 'header' ? ['/X-Sandbox', 'X-Sandbox header'] : ['/sandbox', 'path'];
  const detail = `the sandbox ${JSON.stringify(value)} in the ${source} is invalid: ${remedy}`;
  const violation = { in: place, pointer, rule: 'sandbox', value, remedy };
  return new HttpProblemError({ code: 'invalid-request', detail, violations: [violation] });
}

const REQUIRED = `The request names no sandbox, and the server was started with --sandboxes required: send the header X-Sandbox, the cookie "sandbox", or the path /_sandbox/ID. In a server-rendered app, pass the sandbox on with NODE_OPTIONS='--import storefront/propagate'.`;

/** How long a browser keeps the cookie of a visitor, in seconds: 30 days. */
const VISITOR_SECONDS = 2_592_000;

/**
 * Returns the id of the sandbox that the server selects for a request that names none.
 * With `--sandboxes visitor`, this is the sandbox of the visitor. A new visitor gets a cookie with a new id, and each
 * load of a page renews the cookie.
 * Returns undefined if the request uses the sandbox `default`.
 * Throws an `HttpProblemError` if the server requires that requests to operations name a sandbox.
 */
export function selectSandbox(exchange: Exchange): string | undefined {
  const { app, api, kind, headers } = exchange;
  const mode = app.options.sandboxes;
  const isOperation = api === 'contract' && kind === 'operation';
  if (mode === 'required' && isOperation) throw new HttpProblemError({ code: 'unknown-sandbox', detail: REQUIRED });
  const isPage = kind === 'page' && app.options.static !== undefined && isNavigation(headers);
  if (mode !== 'visitor') return undefined;
  const known = findVisitor(headers.cookie);
  // An image or a file has the faults of the visitor, but creates no sandbox.
  if (kind === 'asset') return known;
  if (!isOperation && !isPage) return undefined;
  const id = known ?? `visitor-${randomUUID()}`;
  if (known === undefined || isPage)
    exchange.sandboxHeaders = {
      // A shared cache must not send the cookie to another visitor.
      'Cache-Control': isPage ? 'private, no-cache' : 'no-store',
      'Set-Cookie': `${VISITOR_COOKIE}=${id}; Path=/; Max-Age=${VISITOR_SECONDS}; HttpOnly; SameSite=Lax${isSecure(headers) ? '; Secure' : ''}`,
    };
  return id;
}

/** Returns whether the browser has sent the request over HTTPS, which a proxy says in its headers. */
export function isSecure(headers: IncomingHttpHeaders): boolean {
  const proto = headers['x-forwarded-proto']?.toString().split(',')[0]?.trim();
  return (proto ?? /(?:^|[;,]\s*)proto="?(\w+)/i.exec(headers.forwarded ?? '')?.[1])?.toLowerCase() === 'https';
}
