import type { ServerResponse } from 'node:http';
import { JSON_TYPE } from '../util/request-target.ts';

/** Response headers: values by name. */
export type Headers = Readonly<Record<string, string>>;

/** An empty object, for responses without additional headers. */
export const NO_HEADERS: Headers = {};

/** The headers of every response, including files and pages. */
export const COMMON_HEADERS: Headers = {
  'X-Content-Type-Options': 'nosniff',
  // Pages of other origins can't embed the response, and can read it only with CORS.
  // Images have the value `cross-origin` instead.
  'Cross-Origin-Resource-Policy': 'same-origin',
};

/** The headers that every JSON response has in addition to the common headers. */
export const DATA_HEADERS: Headers = {
  // The state can change at any time.
  'Cache-Control': 'no-store',
  // If a browser shows the response as a document, it loads no scripts, styles or images.
  // No page can embed the response in a frame.
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
};

/** The headers of a JSON response that needs no other headers. */
export const JSON_HEADERS: Headers = { 'Content-Type': JSON_TYPE };

/** The headers of a problem document (RFC 9457) that needs no other headers. */
export const PROBLEM_HEADERS: Headers = { 'Content-Type': 'application/problem+json' };

/**
 * Sets headers of a response.
 * Replaces existing headers with the same names.
 * `Vary` is extended, because the server itself needs the value `Origin`.
 */
export function setHeaders(res: ServerResponse, headers: Headers): void {
  for (const name in headers) {
    const value = headers[name] as string;
    const known = /^vary$/i.test(name) ? res.getHeader(name) : undefined;
    res.setHeader(name, known === undefined ? value : mergeNames(String(known), value.split(',')));
  }
}

/** Adds names to a comma-separated list of header names. Names are case-insensitive. */
function mergeNames(list: string, names: readonly string[]): string {
  const merged = list.split(',').map((name) => name.trim());
  for (const name of names.map((each) => each.trim())) {
    if (name !== '' && !merged.some((other) => other.toLowerCase() === name.toLowerCase())) merged.push(name);
  }
  return merged.join(', ');
}
