import { MEGABYTE } from '../../util/limits.ts';
import type { MemoryLimits } from './memory.ts';

/** The maximum number of sandboxes, without `default`. */
export const MAX_SANDBOXES = 10_000;

/** The memory of a sandbox without its state, in bytes. Measured: 10,000 sandboxes from one snapshot use 160 MB of heap. */
export const SANDBOX_BYTES = 16_000;

/** The limit for the snapshots of the default sandbox, in bytes. The state of this sandbox has no limit but the maximum size of a data file. */
export const DEFAULT_SNAPSHOTS_BYTES = 256 * MEGABYTE;

/** The memory that each sandbox can use even if the other sandboxes have reached the limit, in bytes: `SANDBOX_BYTES`, and about 30 entries of 500 bytes. */
const GUARANTEED_BYTES = 32 * 1024;

/** The maximum size of a small sandbox, in bytes. */
const SMALL_BYTES = MEGABYTE;

/** The limit for one sandbox, in bytes. */
const SANDBOX_LIMIT_BYTES = 64 * MEGABYTE;

/** The limit for all sandboxes together, in bytes. */
const TOTAL_BYTES = 1_024 * MEGABYTE;

/** The part of the total for the first megabyte of each sandbox, in bytes. Large sandboxes can't use it: 256 small sandboxes always fit. */
const SMALL_TOTAL_BYTES = 256 * MEGABYTE;

/** The part of the total for the memory of sandboxes above one megabyte, in bytes: enough for seven sandboxes of 64 MB. */
const LARGE_TOTAL_BYTES = TOTAL_BYTES - SMALL_TOTAL_BYTES - MAX_SANDBOXES * GUARANTEED_BYTES;

/** The memory limits of a server's sandboxes. They apply to an estimate of the memory, not to the measured heap. */
export const MEMORY_LIMITS: MemoryLimits = {
  sandboxBytes: SANDBOX_LIMIT_BYTES,
  pools: [
    { fromBytes: GUARANTEED_BYTES, toBytes: SMALL_BYTES, totalBytes: SMALL_TOTAL_BYTES },
    { fromBytes: SMALL_BYTES, toBytes: Number.POSITIVE_INFINITY, totalBytes: LARGE_TOTAL_BYTES },
  ],
};
