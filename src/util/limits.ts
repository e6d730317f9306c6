/** The maximum delay of a response, in ms: of `--delay`, of `Prefer: delay`, and of faults together. */
export const MAX_DELAY_MS = 60_000;

/** A megabyte in bytes. */
export const MEGABYTE = 1024 * 1024;
