import { JSON_TYPE } from '../util/request-target.ts';

/** Response headers: values by name. */
export type Headers = Readonly<Record<string, string>>;

/** An empty object, for responses without additional headers. */
export const NO_HEADERS: Headers = {};

/** The headers of every response, including files and pages. */
export const COMMON_HEADERS: Headers = {
  'X-Content-Type-Options': 'nosniff',
  // Pages of other origins can't embed the response, and can read it only with CORS. Images have the value `cross-origin` instead.
  'Cross-Origin-Resource-Policy': 'same-origin',
};

/** The headers that every JSON response has in addition to the common headers. */
export const DATA_HEADERS: Headers = {
  // The state can change at any time.
  'Cache-Control': 'no-store',
  // If a browser shows the response as a document, it loads no scripts, styles or images. No page can embed the response in a frame.
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
};

/** The headers of a JSON response that needs no other headers. */
export const JSON_HEADERS: Headers = { 'Content-Type': JSON_TYPE };

/** The headers of a problem document (RFC 9457) that needs no other headers. */
export const PROBLEM_HEADERS: Headers = { 'Content-Type': 'application/problem+json' };
