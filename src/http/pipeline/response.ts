import type { ServerResponse } from 'node:http';
import { type Headers, NO_HEADERS } from '../headers.ts';
import { createProblemDocument, getProblemKind, type HttpProblem } from '../problem.ts';

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
  return {
    status: getProblemKind(problem).status,
    headers: { ...problem.headers, 'Content-Type': PROBLEM_TYPE },
    body: createProblemDocument(problem, path),
  };
}
