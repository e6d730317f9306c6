import { StateTooLargeError } from '../../store/backend.ts';
import type { State } from '../../store/state.ts';
import { MEGABYTE } from '../../util/limits.ts';
import { type Owner, SharedObjects } from './shared-objects.ts';

/** A limit for one range of the memory of each sandbox, such as from 32 kB to 1 MB. */
export interface PoolLimits {
  readonly fromBytes: number;
  readonly toBytes: number;
  /** The limit for the sum of this range over all sandboxes. */
  readonly totalBytes: number;
}

/** The memory limits of a server's sandboxes, in bytes. */
export interface MemoryLimits {
  /** The limit for one sandbox. */
  readonly sandboxBytes: number;
  /** The limits for all sandboxes together. A sandbox can always use the memory below the first pool. */
  readonly pools: readonly PoolLimits[];
}

/** The maximum number of sandboxes, without `default`. */
export const MAX_SANDBOXES = 10_000;

/** The memory of a sandbox without its state, in bytes. Measured: 10,000 sandboxes from one snapshot use 160 MB of heap. */
export const SANDBOX_BYTES = 16_000;

/** The limit for the snapshots of the default sandbox, in bytes. The state of this sandbox has no limit but the maximum size of a data file. */
export const DEFAULT_SNAPSHOTS_BYTES = 256 * MEGABYTE;

/**
 * The memory that each sandbox can use even if the other sandboxes have reached the limit, in bytes. It is enough for `SANDBOX_BYTES` and about 30
 * entries of 500 bytes.
 */
const GUARANTEED_BYTES = 32 * 1024;

/** The maximum size of a small sandbox, in bytes. */
const SMALL_BYTES = MEGABYTE;

/** The limit for one sandbox, in bytes. */
const SANDBOX_LIMIT_BYTES = 64 * MEGABYTE;

/** The limit for all sandboxes together, in bytes. */
const TOTAL_BYTES = 1_024 * MEGABYTE;

/**
 * The part of `TOTAL_BYTES` for the first megabyte of each sandbox. The memory of large sandboxes above one megabyte does not count here, so 256 small
 * sandboxes always fit.
 */
const SMALL_TOTAL_BYTES = 256 * MEGABYTE;

/** The part of `TOTAL_BYTES` for the memory of sandboxes above one megabyte. It is enough for seven sandboxes of 64 MB. */
const LARGE_TOTAL_BYTES = TOTAL_BYTES - SMALL_TOTAL_BYTES - MAX_SANDBOXES * GUARANTEED_BYTES;

/** The memory limits of a server's sandboxes. They apply to an estimate of the memory, not to the measured heap. */
export const MEMORY_LIMITS: MemoryLimits = {
  sandboxBytes: SANDBOX_LIMIT_BYTES,
  pools: [
    { fromBytes: GUARANTEED_BYTES, toBytes: SMALL_BYTES, totalBytes: SMALL_TOTAL_BYTES },
    { fromBytes: SMALL_BYTES, toBytes: Number.POSITIVE_INFINITY, totalBytes: LARGE_TOTAL_BYTES },
  ],
};

/** The memory of all sandboxes in one range of sizes. */
interface Pool extends PoolLimits {
  usedBytes: number;
}

/** Returns the number of bytes in the range of a pool, for a sandbox that uses `bytes`. */
function getPoolBytes({ fromBytes, toBytes }: Pool, bytes: number): number {
  return Math.max(0, Math.min(bytes, toBytes) - fromBytes);
}

/** Counts the memory of the sandboxes of a server. An object that several states contain counts once. */
export class Memory {
  readonly objects = new SharedObjects();
  private readonly pools: readonly Pool[];

  /** `onFull` is called if all sandboxes together exceed their memory limit. It can remove sandboxes, so that the change succeeds. */
  constructor(
    private readonly limits: MemoryLimits,
    readonly onFull: () => void,
  ) {
    this.pools = limits.pools.map((pool) => ({ ...pool, usedBytes: 0 }));
  }

  /**
   * Creates the quota of a sandbox with a state and other bytes. `old`: the quota of the sandbox that the new sandbox replaces, if any. Releases `old`.
   * If a limit is exceeded, throws `StateTooLargeError` and does not change `old`.
   */
  createQuota(state: State, otherBytes: number, old?: MemoryQuota): MemoryQuota {
    const quota = new MemoryQuota(this, this.limits.sandboxBytes, this.pools);
    const restore = old?.release();
    try {
      quota.reserve(otherBytes);
      quota.replace(undefined, state);
      return quota;
    } catch (error) {
      quota.release();
      restore?.();
      throw error;
    }
  }

  /** Creates a quota that is independent of the limits for all sandboxes. */
  createSeparateQuota(limitBytes: number): MemoryQuota {
    return new MemoryQuota(this, limitBytes, []);
  }
}

/**
 * The memory of a sandbox: its state, its snapshots and its faults. A method that adds memory throws `StateTooLargeError`, and changes nothing, if a
 * limit is exceeded.
 */
export class MemoryQuota implements Owner {
  /** The current state and the snapshots. The same state can occur several times. */
  private readonly states: State[] = [];
  private otherBytes = 0;
  /** The sum of all bytes. */
  private bytes = 0;
  private isReleased = false;

  constructor(
    private readonly memory: Memory,
    private readonly limitBytes: number,
    private readonly pools: readonly Pool[],
  ) {}

  charge(bytes: number): void {
    const beforeBytes = this.bytes;
    this.bytes += bytes;
    for (const pool of this.pools) pool.usedBytes += getPoolBytes(pool, this.bytes) - getPoolBytes(pool, beforeBytes);
  }

  /** Replaces a state by another one. Without `from`, adds a state; without `to`, removes a state. */
  replace(from: State | undefined, to: State | undefined): void {
    this.applyOrReject(from, to, 0);
  }

  /** Reserves bytes that are not part of a state. A negative number frees bytes. */
  reserve(bytes: number): void {
    this.applyOrReject(undefined, undefined, bytes);
  }

  /** Frees all memory. Later calls of all methods do nothing. Returns a function that undoes the release. */
  release(): () => void {
    if (this.isReleased) return () => {};
    const { otherBytes } = this;
    const states = [...this.states];
    for (const state of states) this.apply(state, undefined, 0);
    this.apply(undefined, undefined, -otherBytes);
    this.isReleased = true;
    return () => {
      this.isReleased = false;
      for (const state of states) this.apply(undefined, state, 0);
      this.apply(undefined, undefined, otherBytes);
    };
  }

  private applyOrReject(from: State | undefined, to: State | undefined, moreBytes: number): void {
    if (this.isReleased) return;
    const beforeBytes = this.bytes;
    this.apply(from, to, moreBytes);
    const message = this.findExceededLimit(beforeBytes);
    // A change that only removes entries is always allowed, although its new lists can need more memory for a moment.
    if (message === undefined || (from && to && onlyRemoves(from, to))) return;
    this.apply(to, from, -moreBytes);
    throw new StateTooLargeError(message);
  }

  private apply(from: State | undefined, to: State | undefined, moreBytes: number): void {
    if (to) this.states.push(to);
    if (from) this.states.splice(this.states.indexOf(from), 1);
    this.memory.objects.replace(from, to, this);
    this.otherBytes += moreBytes;
    this.charge(moreBytes);
  }

  /**
   * Returns a message about the limit that the last change exceeded; undefined if it exceeded no limit. `beforeBytes`: the memory of the sandbox before
   * the change.
   */
  private findExceededLimit(beforeBytes: number): string | undefined {
    if (this.bytes <= beforeBytes) return undefined;
    if (this.bytes > this.limitBytes)
      return `The sandbox would use ${formatMegabytes(this.bytes)} of memory, more than its limit of ${formatMegabytes(this.limitBytes)}: remove snapshots or entries of the state, or reset it with POST /_control/sandboxes/ID/reset`;
    const needed = this.pools.filter((pool) => getPoolBytes(pool, this.bytes) > getPoolBytes(pool, beforeBytes));
    const isFull = () => needed.some(({ usedBytes, totalBytes }) => usedBytes > totalBytes);
    if (isFull()) this.memory.onFull();
    if (!isFull()) return undefined;
    return 'The sandboxes together have reached their memory limit: remove sandboxes with DELETE /_control/sandboxes/ID, or reset large ones';
  }
}

/** Returns whether all entries of the state `to` are entries of `from`. */
function onlyRemoves(from: State, to: State): boolean {
  return Object.entries(to).every(([name, list]) => {
    if (from[name] === list) return true;
    const entries = new Set(from[name]);
    return list.every((entry) => entries.has(entry));
  });
}

function formatMegabytes(bytes: number): string {
  return `${Math.ceil(bytes / MEGABYTE)} MB`;
}
