import { StateTooLargeError } from '../../store/backend.ts';
import type { State } from '../../store/state.ts';
import { MEGABYTE } from '../../util/limits.ts';
import { type Owner, SharedObjects } from './shared-objects.ts';

/** A limit for the part of each sandbox's memory that lies between two sizes. */
export interface PoolLimits {
  readonly fromBytes: number;
  readonly toBytes: number;
  /** The limit for these parts of all sandboxes together. */
  readonly totalBytes: number;
}

/** The memory limits of a server's sandboxes, in bytes. */
export interface MemoryLimits {
  /** The limit for one sandbox. */
  readonly sandboxBytes: number;
  /** The limits for all sandboxes together, by size. What lies in no pool is guaranteed to each sandbox. */
  readonly pools: readonly PoolLimits[];
}

/** The memory that lies between two sizes of each sandbox. */
class Pool {
  private usedBytes = 0;

  constructor(private readonly limits: PoolLimits) {}

  get isOverLimit(): boolean {
    return this.usedBytes > this.limits.totalBytes;
  }

  /** Records that a sandbox uses another number of bytes than before. */
  charge(beforeBytes: number, afterBytes: number): void {
    this.usedBytes += this.getGrowth(beforeBytes, afterBytes);
  }

  /** Returns how many more bytes of this pool a sandbox uses than before. */
  getGrowth(beforeBytes: number, afterBytes: number): number {
    const { fromBytes, toBytes } = this.limits;
    const getPart = (bytes: number) => Math.max(0, Math.min(bytes, toBytes) - fromBytes);
    return getPart(afterBytes) - getPart(beforeBytes);
  }
}

/** Counts the memory of the sandboxes of a server. What several states share is counted once. */
export class Memory {
  readonly objects = new SharedObjects();
  private readonly pools: readonly Pool[];

  /** `onFull` is called before a change is rejected because of the memory of other sandboxes: it may remove some. */
  constructor(
    private readonly limits: MemoryLimits,
    readonly onFull: () => void,
  ) {
    this.pools = limits.pools.map((pool) => new Pool(pool));
  }

  /**
   * Creates the quota of a sandbox with a state and other bytes. It replaces the quota `old`, which is released. Throws a `StateTooLargeError` if a
   * limit is exceeded; then `old` stays as it is.
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
 * The memory of a sandbox: its state, its snapshots and its faults. A method that adds memory throws a `StateTooLargeError` if a limit is exceeded; then
 * nothing changes.
 */
export class MemoryQuota implements Owner {
  /** The current state and the snapshots; a state can occur several times. */
  private readonly states: State[] = [];
  private otherBytes = 0;
  /** All bytes that count for this sandbox. */
  private bytes = 0;
  private isReleased = false;

  constructor(
    private readonly memory: Memory,
    private readonly limitBytes: number,
    private readonly pools: readonly Pool[],
  ) {}

  charge(bytes: number): void {
    for (const pool of this.pools) pool.charge(this.bytes, this.bytes + bytes);
    this.bytes += bytes;
  }

  /** Replaces a state by another one; undefined is no state. */
  replace(from: State | undefined, to: State | undefined): void {
    if (this.isReleased) return;
    const beforeBytes = this.bytes;
    this.swap(from, to);
    const message = this.findExceededLimit(beforeBytes);
    // Removing entries creates new lists of the other entries, whose memory counts: it is always allowed.
    if (message === undefined || (from && to && onlyRemoves(from, to))) return;
    this.swap(to, from);
    throw new StateTooLargeError(message);
  }

  /** Reserves bytes that belong to no state, or frees them if negative. */
  reserve(bytes: number): void {
    if (this.isReleased) return;
    const beforeBytes = this.bytes;
    this.addOther(bytes);
    const message = this.findExceededLimit(beforeBytes);
    if (message === undefined) return;
    this.addOther(-bytes);
    throw new StateTooLargeError(message);
  }

  /** Frees all memory. Later calls do nothing. Returns a function that undoes the release. */
  release(): () => void {
    if (this.isReleased) return () => {};
    const { otherBytes } = this;
    const states = [...this.states];
    for (const state of states) this.swap(state, undefined);
    this.addOther(-otherBytes);
    this.isReleased = true;
    return () => {
      this.isReleased = false;
      for (const state of states) this.swap(undefined, state);
      this.addOther(otherBytes);
    };
  }

  private swap(from: State | undefined, to: State | undefined): void {
    if (to) this.states.push(to);
    if (from) this.states.splice(this.states.indexOf(from), 1);
    this.memory.objects.replace(from, to, this);
  }

  private addOther(bytes: number): void {
    this.otherBytes += bytes;
    this.charge(bytes);
  }

  /** Describes the limit that the growth of this sandbox exceeds; undefined if it exceeds none. */
  private findExceededLimit(beforeBytes: number): string | undefined {
    if (this.bytes <= beforeBytes) return undefined;
    if (this.bytes > this.limitBytes)
      return `The sandbox would take ${formatMegabytes(this.bytes)} of memory, more than its limit of ${formatMegabytes(this.limitBytes)}: remove snapshots or entries of the state, or reset it with POST /_control/sandboxes/ID/reset`;
    const needed = this.pools.filter((pool) => pool.getGrowth(beforeBytes, this.bytes) > 0);
    const isFull = () => needed.some(({ isOverLimit }) => isOverLimit);
    if (isFull()) this.memory.onFull();
    if (!isFull()) return undefined;
    return 'The sandboxes together have reached their memory limit: remove sandboxes with DELETE /_control/sandboxes/ID, or reset large ones';
  }
}

/** Whether all entries of a state are entries of another one. */
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
