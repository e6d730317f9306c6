/** The headers of every response, including files and pages. */
export const COMMON_HEADERS: Readonly<Record<string, string>> = {
  'X-Content-Type-Options': 'nosniff',
  // Pages of other origins can't embed the response, and can read it only with CORS.
  // Images, audio, video and uploaded files have the value `cross-origin` instead.
  'Cross-Origin-Resource-Policy': 'same-origin',
};

/** The header `User-Agent` of the requests of `storefront check`, which are not counted in the coverage. */
export const CHECK_USER_AGENT = 'storefront-check';

/** The headers with which the server describes its response. Scripts of other origins can read them. */
export const OWN_HEADERS = ['Preference-Applied', 'Idempotent-Replayed', 'X-Mocked', 'X-Sandbox', 'X-Sandbox-Expired'];

/**
 * The response headers that only the server sets, in lower case, except those that start with `access-control-`.
 * A document, a handler or a fault with such a header could break the message, or switch off the protection of the
 * browser.
 */
const SERVER_HEADERS = new Set([
  // The connection and the form of the message (RFC 9110, section 7.6.1; RFC 9112).
  // A client can't read a body that has another form.
  'connection',
  'content-encoding',
  'content-length',
  'date',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  // What browsers do with the page and with the whole origin, which also has the console and the API reference.
  'alt-svc',
  'clear-site-data',
  'content-security-policy',
  'content-security-policy-report-only',
  'cross-origin-embedder-policy',
  'cross-origin-opener-policy',
  'nel',
  'origin-agent-cluster',
  'public-key-pins',
  'refresh',
  'report-to',
  'reporting-endpoints',
  'service-worker-allowed',
  'strict-transport-security',
  ...[...Object.keys(COMMON_HEADERS), ...OWN_HEADERS].map((name) => name.toLowerCase()),
]);

/**
 * Returns whether only the server sets a response header, such as `Content-Length`, `Content-Security-Policy` or
 * `Access-Control-Allow-Origin`.
 * Mocks leave out such a header of the contract; in a handler or a fault it is an error.
 */
export function isServerHeader(name: string): boolean {
  const lower = name.toLowerCase();
  return SERVER_HEADERS.has(lower) || lower.startsWith('access-control-');
}

/** Matches a valid name of a header (RFC 9110, section 5.1). */
export const HEADER_NAME = /^[\w!#$%&'*+.^`|~-]+$/;

/** The usual spelling of the response headers that the server reads. The keys are the names in lower case. */
const SPELLINGS: Readonly<Record<string, string>> = {
  'content-type': 'Content-Type',
  location: 'Location',
  link: 'Link',
};

/**
 * Returns headers whose names `Content-Type`, `Location` and `Link` have exactly this spelling.
 * Code can then read them as properties: header names are case-insensitive (RFC 9110, section 5.1), but property names
 * are not.
 */
export function normalizeHeaderNames(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [SPELLINGS[name.toLowerCase()] ?? name, value]),
  );
}

/**
 * How a header has an object (OpenAPI 3.0, Parameter Object, `style: simple`).
 * `list`: names and values alternate.
 * `pairs`: `name=value`.
 * `json`: JSON, because the header has a `content`.
 */
export type ObjectStyle = 'list' | 'pairs' | 'json';

/**
 * Converts a value to the text of a response header: an array to a comma-separated list, and an object as `style` says.
 * Omits characters that a header can't contain.
 */
export function formatHeader(value: unknown, style: ObjectStyle): string {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  const text = Array.isArray(value) ? value.map(formatMember).join(',') : String(value);
  return (isObject ? formatObject(value, style) : text).replaceAll(/[^\t\x20-\x7e\x80-\xff]/g, '');
}

function formatObject(value: object, style: ObjectStyle): string {
  if (style === 'json') return JSON.stringify(value);
  return Object.entries(value)
    .map(([name, one]) => `${name}${style === 'pairs' ? '=' : ','}${formatMember(one)}`)
    .join(',');
}

/** The style has no form for an object in an object, so that is JSON. */
function formatMember(value: unknown): string {
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value);
}
