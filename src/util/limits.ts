/** A megabyte, in bytes. */
export const MEGABYTE = 1024 * 1024;

/** The maximum delay of a response, in ms. Applies to `--delay`, to `Prefer: delay`, and to the sum of the delays of faults. */
export const MAX_DELAY_MS = 60_000;

/** The maximum size of a request body that is parsed, in bytes after decompression. Decision: the specification of the API defines no limit. */
export const MAX_BODY_BYTES = 102_400;
