import { isJsonType, isParsedType } from '../../openapi/media-types.ts';
import type { HttpProblem } from '../problem.ts';

/** The accepted values of `charset`. JSON is always UTF-8 (RFC 8259, section 8.1), and ASCII text is also UTF-8. */
const CHARSETS = ['utf-8', 'utf8', 'us-ascii'];

/**
 * Returns a problem (error response) if the operation does not accept the `Content-Type` of a request; otherwise undefined. `sent`: the header. `documented`:
 * the matching media type in the contract.
 */
export function findTypeProblem(
  sent: string | undefined,
  documented: string | undefined,
  mediaTypes: readonly string[],
): HttpProblem | undefined {
  const charset = /;\s*charset="?([^\s;"]*)/i.exec(sent ?? '')?.[1]?.toLowerCase();
  const isReadable = charset === undefined || CHARSETS.includes(charset) || !isParsedType(documented ?? '');
  if (sent !== undefined && documented !== undefined && isReadable) return undefined;
  const expected = mediaTypes.every(isJsonType) ? 'JSON in UTF-8' : 'the body';
  return createTypeProblem(sent, `${expected} with Content-Type ${mediaTypes.join(' or ')}`);
}

/**
 * Creates the error response with status 415: the operation does not accept the `Content-Type` of a request. `sent`: the header. `expected`: what to send
 * instead, as the end of the error message.
 */
export function createTypeProblem(sent: string | undefined, expected: string): HttpProblem {
  const received = sent === undefined ? 'the body has no content type' : `the content type is ${JSON.stringify(sent)}`;
  return { code: 'unsupported-media-type', detail: `${received}: send ${expected}` };
}

/** Creates the problem with status 413: the body is too large. */
export function createBodyTooLarge(limitBytes: number): HttpProblem {
  return { code: 'body-too-large', detail: `the body exceeds the limit of ${limitBytes} bytes: send a smaller body` };
}

/** An error of co-body, or of a package with which co-body receives and decompresses a body. */
export interface BodyError extends Error {
  readonly status?: number;
  /** The text that co-body can't parse. */
  readonly body?: unknown;
}

/** Converts an error of co-body to a problem. `limitBytes`: the maximum size of the body, in bytes. */
export function toProblem(error: BodyError, limitBytes: number): HttpProblem {
  if (error.status === 413) return createBodyTooLarge(limitBytes);
  if (error.status === 415)
    return {
      code: 'unsupported-media-type',
      detail: `${error.message}: send UTF-8 text, uncompressed or compressed with gzip, deflate or br`,
    };
  if (error instanceof SyntaxError) return { code: 'malformed-json', detail: `the body is not JSON: ${error.message}` };
  return { code: 'malformed-request', detail: `the body can't be read: ${error.message}` };
}
