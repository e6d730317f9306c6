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
  'cross-origin-resource-policy',
  'nel',
  'origin-agent-cluster',
  'public-key-pins',
  'refresh',
  'report-to',
  'reporting-endpoints',
  'service-worker-allowed',
  'strict-transport-security',
  'x-content-type-options',
  // What the server says about its response.
  'idempotent-replayed',
  'preference-applied',
  'x-mocked',
  'x-sandbox',
  'x-sandbox-expired',
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
