import type { ServerResponse } from 'node:http';
import { getProblemKind, type HttpProblem, uriReference } from '../problem.ts';

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

/** A response as data. A body becomes JSON, unless it is a text of another media type; undefined if there is none. */
export interface ResponseData {
  readonly status: number;
  readonly headers: Headers;
  readonly body?: unknown;
  /** Headers that pages of allowed origins can read, in addition to those that they can always read. */
  readonly exposedHeaders?: readonly string[];
  /** Writes the response instead, piece by piece. */
  readonly stream?: (res: ServerResponse) => void;
}

/** Bare, without a charset: JSON has none (RFC 8259), and dredd compares the text with the contract's. */
export const JSON_TYPE = 'application/json';
const PROBLEM_TYPE = 'application/problem+json';

/** Returns a response with the content type of JSON, unless the headers have another one or there is no body. */
export function createResponse({
  status,
  headers = NO_HEADERS,
  body,
}: Partial<ResponseData> & { status: number }): ResponseData {
  if (body !== undefined) return { status, headers: { 'Content-Type': JSON_TYPE, ...headers }, body };
  const { 'Content-Type': _, ...others } = headers;
  return { status, headers: others };
}

/** Returns the problem document (RFC 9457) as the response to a request for `path`. */
export function createProblemResponse(problem: HttpProblem, path: string): ResponseData {
  const { code, detail, violations } = problem;
  const { status, title } = getProblemKind(problem);
  return {
    status,
    headers: { ...problem.headers, 'Content-Type': PROBLEM_TYPE },
    body: {
      type: `/problems/${code}`,
      title,
      status,
      detail,
      // For clients that look here.
      message: detail,
      instance: uriReference(path),
      ...(violations ? { violations } : {}),
    },
  };
}
