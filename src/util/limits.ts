/** A megabyte, in bytes. */
export const MEGABYTE = 1024 * 1024;

/** The maximum delay of a response, in ms. Applies to `--delay`, to `Prefer: delay`, and to the sum of the delays of faults. */
export const MAX_DELAY_MS = 60_000;
