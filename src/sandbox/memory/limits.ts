import { MEGABYTE } from '../../util/limits.ts';
import type { MemoryLimits } from './memory.ts';

/** How many sandboxes there may be beside the default one. */
export const MAX_SANDBOXES = 10_000;

/** The memory of a sandbox beside its state, in bytes: 10,000 from one snapshot took 160 MB of heap. */
export const SANDBOX_BYTES = 16_000;

/** The limit for the snapshots of the default sandbox, in bytes. Its state may be as large as a data file. */
export const DEFAULT_SNAPSHOTS_BYTES = 256 * MEGABYTE;

/** What every sandbox may hold, however much the others hold, in bytes: itself, and some thirty entries of its own of 500 bytes each. */
const GUARANTEED_BYTES = 32 * 1024;

/** How large a small sandbox is at most, in bytes. */
const SMALL_BYTES = MEGABYTE;

/** What one sandbox may hold, in bytes. */
const SANDBOX_LIMIT_BYTES = 64 * MEGABYTE;

/** What all sandboxes may hold together, in bytes. */
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
