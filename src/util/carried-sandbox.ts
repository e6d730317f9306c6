import { SANDBOX_ID } from './ids.ts';

/** The name of the header that names the sandbox of a request. */
export const SANDBOX_HEADER = 'x-sandbox';

/** The name of the cookie with the sandbox of a visitor, which only a server with `--sandboxes visitor` reads. */
export const VISITOR_COOKIE = 'sandbox-visitor';

const IN_COOKIE = /(?:^|;\s*)sandbox(?:-(\d{1,5}))?=([^;]*)/g;
const VISITOR = /(?:^|;\s*)sandbox-visitor=(visitor-[0-9a-f-]{36})(?=;|$)/;
const IN_BAGGAGE = /(?:^|,)\s*sandbox\s*=([^,;]*)/;

/**
 * Returns the name of the cookie with the sandbox of the server at a port.
 * A browser sends a cookie to all ports of a host, so tests that use two servers need two names.
 */
export function getCookieName(port: string | number): string {
  return `sandbox-${port}`;
}

/**
 * Returns the id in the cookie of one of the ports, such as `sandbox-3000`, or otherwise in the cookie `sandbox`.
 * Returns undefined if there is none, or if it is invalid.
 * `ports`: the ports under which clients may know the server. The first one with a cookie counts.
 */
export function findCookieSandbox(
  cookie: string | undefined,
  ports: readonly (string | number | undefined)[] = [],
): string | undefined {
  if (cookie === undefined) return undefined;
  const values = new Map<string, string>();
  for (const [, port = '', value = ''] of cookie.matchAll(IN_COOKIE)) if (!values.has(port)) values.set(port, value);
  const port = ports.map(String).find((known) => values.has(known));
  return toId(values.get(port ?? ''));
}

/** Returns the id in the cookie of a visitor. Returns undefined if there is none, or if it is invalid. */
export function findVisitor(cookie: string | undefined): string | undefined {
  return cookie === undefined ? undefined : VISITOR.exec(cookie)?.[1];
}

/**
 * Returns the id in the member `sandbox` of a `baggage` header (W3C Baggage).
 * Ignores the properties of the member, and decodes its value.
 * Returns undefined if there is no such member, or if the id is invalid.
 */
export function findBaggageSandbox(baggage: string | undefined): string | undefined {
  return baggage === undefined ? undefined : toId(decode(IN_BAGGAGE.exec(baggage)?.[1]));
}

function decode(text: string | undefined): string | undefined {
  if (text === undefined || !text.includes('%')) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    // An invalid escape cannot be a part of an id.
    return undefined;
  }
}

function toId(text: string | undefined): string | undefined {
  const id = text?.trim();
  return id !== undefined && SANDBOX_ID.test(id) ? id : undefined;
}
