import type { IncomingMessage } from 'node:http';

/** A request target as the server reads it. */
interface RequestTarget {
  /** The target in origin form: path and query. */
  readonly url: string;
  /** Host and port, where the target itself names them (absolute form); they replace the `Host` header. */
  readonly authority?: string;
}

/** Authority, and what follows it, of a target in absolute form. User information is no part of an authority here (RFC 9110, section 4.2.4). */
const ABSOLUTE = /^https?:\/\/([^/?#@]+)(?![^/?#])/i;

/** Characters that no target has, and that Node's parser and Koa's read differently. */
const SPACES = /[\t\n\f\r \u00a0\ufeff]/g;

/**
 * Reads a request target (RFC 9112, section 3.2): a path, an http(s) URL, or `*` with OPTIONS. Returns undefined for any other.
 * Decision: `OPTIONS *` is answered as `OPTIONS /`; a fragment, which no client should send, is dropped.
 */
export function parseRequestTarget(method: string, target: string): RequestTarget | undefined {
  if (target.startsWith('/')) return { url: toPlain(target) };
  if (target === '*') return method === 'OPTIONS' ? { url: '/' } : undefined;
  const [begin, authority] = ABSOLUTE.exec(target) ?? [];
  if (begin === undefined || authority === undefined) return undefined;
  const rest = target.slice(begin.length);
  return { url: toPlain(rest.startsWith('/') ? rest : `/${rest}`), authority };
}

function toPlain(target: string): string {
  const end = target.indexOf('#');
  const plain = end === -1 ? target : target.slice(0, end);
  return plain.search(SPACES) === -1 ? plain : plain.replaceAll(SPACES, encodeURIComponent);
}

/**
 * Puts the target of a request into origin form, before anything reads it. Where the target is in absolute form, its authority takes the place of
 * the `Host` header, which is to be ignored then (RFC 9112, section 3.2.2). Returns false for a target that no server has.
 */
export function normalizeTarget(req: IncomingMessage): boolean {
  const target = parseRequestTarget(req.method ?? '', req.url ?? '');
  if (!target) return false;
  req.url = target.url;
  if (target.authority !== undefined) replaceHost(req, target.authority);
  return true;
}

function replaceHost({ headers, rawHeaders }: IncomingMessage, authority: string): void {
  headers.host = authority;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    if (rawHeaders[at]?.toLowerCase() === 'host') rawHeaders[at + 1] = authority;
  }
}
