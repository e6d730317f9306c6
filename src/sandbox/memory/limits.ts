import { MEGABYTE } from '../../util/limits.ts';
import type { MemoryLimits } from './memory.ts';

/** The maximum number of sandboxes beside the default one. */
export const MAX_SANDBOXES = 10_000;

/** The memory of a sandbox beside its state, in bytes: 10,000 from one snapshot took 160 MB of heap. */
export const SANDBOX_BYTES = 16_000;

/** The limit for the snapshots of the default sandbox, in bytes. Its state may be as large as a data file. */
export const DEFAULT_SNAPSHOTS_BYTES = 256 * MEGABYTE;

/** The memory that every sandbox can use, however much the others use, in bytes: its own, and some thirty entries of 500 bytes each. */
const GUARANTEED_BYTES = 32 * 1024;

/** The maximum size of a small sandbox, in bytes. */
const SMALL_BYTES = MEGABYTE;

/** The limit for one sandbox, in bytes. */
const SANDBOX_LIMIT_BYTES = 64 * MEGABYTE;

/** The limit for all sandboxes together, in bytes. */
const TOTAL_BYTES = 1_024 * MEGABYTE;

/** The part of the total that only the first megabyte of each sandbox uses: large sandboxes leave 256 others a megabyte each. */
const SMALL_TOTAL_BYTES = 256 * MEGABYTE;

/** The part of the total that sandboxes above a megabyte share: seven of 64 MB. */
const LARGE_TOTAL_BYTES = TOTAL_BYTES - SMALL_TOTAL_BYTES - MAX_SANDBOXES * GUARANTEED_BYTES;

/** The memory limits of a server's sandboxes. Estimates of V8's memory count, not the heap. */
export const MEMORY_LIMITS: MemoryLimits = {
  sandboxBytes: SANDBOX_LIMIT_BYTES,
  pools: [
    { fromBytes: GUARANTEED_BYTES, toBytes: SMALL_BYTES, totalBytes: SMALL_TOTAL_BYTES },
    { fromBytes: SMALL_BYTES, toBytes: Number.POSITIVE_INFINITY, totalBytes: LARGE_TOTAL_BYTES },
  ],
};
