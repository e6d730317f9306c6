import type { ServerResponse } from 'node:http';

/** Names and values of headers. */
export type Headers = Readonly<Record<string, string>>;

/** No headers: one object for all responses that add none. */
export const NO_HEADERS: Headers = {};

/** The headers of every response, also of files and pages. */
export const COMMON_HEADERS: Headers = {
  'X-Content-Type-Options': 'nosniff',
  // Pages of other origins read responses through CORS alone. Images allow embedding where they are sent.
  'Cross-Origin-Resource-Policy': 'same-origin',
};

/** The headers of every response with data or a problem, in addition to the common ones. */
export const DATA_HEADERS: Headers = {
  // A stored response would soon be an old one.
  'Cache-Control': 'no-store',
  // A response that is opened as a document loads nothing, and no page frames it.
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
};

/** Sets headers of a response. A header that it already has is replaced. */
export function setHeaders(res: ServerResponse, headers: Headers): void {
  for (const name in headers) res.setHeader(name, headers[name] as string);
}
