/** A megabyte, in bytes. */
export const MEGABYTE = 1024 * 1024;

/**
 * The maximum delay of a response, in ms.
 * It applies to `--delay`, to `Prefer: delay`, and to the total delay of faults.
 */
export const MAX_DELAY_MS = 60_000;

/**
 * The maximum size of a request body, in bytes after decompression.
 * Larger bodies are not parsed.
 * Decision: the specification of the API defines no limit.
 */
export const MAX_BODY_BYTES = 102_400;
