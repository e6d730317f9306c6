/** The pattern of valid sandbox ids. The file `control.yaml` contains the same pattern. */
export const SANDBOX_ID = /^[a-z0-9][a-z0-9-]{0,62}$/;

/** The end of the error message for an invalid sandbox id: what to do. */
export const SANDBOX_ID_REMEDY = 'use up to 63 lowercase letters, digits and hyphens, not starting with a hyphen';

/** Matches a valid `traceparent` header (W3C Trace Context, section 3.2). Versions after 00 can have more fields. */
const TRACE_PARENT = /^(?!ff)[\da-f]{2}-(?!0{32})([\da-f]{32})-(?!0{16})[\da-f]{16}-[\da-f]{2}(?:(?<!^00.*)-.*)?$/;

/**
 * Returns the trace id in a `traceparent` header.
 * Returns undefined if the header is missing or invalid, because the request then belongs to no trace.
 */
export function getTraceId(header: string | readonly string[] | undefined): string | undefined {
  return header === undefined ? undefined : TRACE_PARENT.exec(String(header))?.[1];
}
