import { createTooLargeError } from '../../store/backend.ts';
import type { State } from '../../store/state.ts';
import { isLongList, MEGABYTE } from '../../util/limits.ts';
import { type List, type Owner, SharedObjects, UNCOUNTED_OWNER } from './shared-objects.ts';

/**
 * The memory of a long list that is counted in advance, before a state contains the list.
 * Entries that other lists also contain do not count.
 * The quota is charged when a state with the list is added.
 */
class Reservation implements Owner {
  #bytes = 0;
  #isCharged = false;

  constructor(private readonly quota: Owner) {}

  charge(bytes: number): void {
    this.#bytes += bytes;
    if (this.#isCharged) this.quota.charge(bytes);
  }

  /** Adds the memory of the list to the quota, or subtracts it again. */
  setCharged(isCharged: boolean): void {
    if (isCharged !== this.#isCharged) this.quota.charge(isCharged ? this.#bytes : -this.#bytes);
    this.#isCharged = isCharged;
  }
}

/**
 * Long lists whose memory is counted in advance, before a state of a sandbox contains them.
 * The quota of the sandbox is charged when a state contains them.
 */
class ReservedLists {
  private readonly reservations = new Map<List, Reservation>();
  /** Resolves when the last call of `hold` has ended. */
  private last: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly objects: SharedObjects,
    private readonly quota: Owner,
  ) {}

  /**
   * Counts the long lists of a state in slices, between which the server handles other requests.
   * Then calls `run`, and forgets the lists when `run` has ended.
   * Concurrent calls count one state after the other.
   */
  hold<Result>(state: State, run: () => Promise<Result>): Promise<Result> {
    const lists = Object.values(state).filter(isLongList);
    if (lists.length === 0) return run();
    const ended = this.last.then(() => this.holdLists(lists, run));
    this.last = ended.catch(() => {});
    return ended;
  }

  /** Charges the quota for the lists of `state` that were counted in advance, or undoes the charge. */
  setCharged(state: State = {}, isCharged: boolean): void {
    for (const list of Object.values(state)) this.reservations.get(list)?.setCharged(isCharged);
  }

  private async holdLists<Result>(lists: readonly List[], run: () => Promise<Result>): Promise<Result> {
    for (const list of lists) this.reservations.set(list, new Reservation(this.quota));
    try {
      return await this.objects.hold(new Map(this.reservations), run);
    } finally {
      // A state of another sandbox can contain a list that this sandbox has not added.
      // The list counts for the sandbox that counted it first.
      for (const [list, reservation] of this.reservations) if (this.objects.has(list)) reservation.setCharged(true);
      this.reservations.clear();
    }
  }
}

/**
 * A memory limit for all sandboxes together.
 * Of each sandbox, only the bytes between `fromBytes` and `toBytes` count.
 * For example, with 32 kB and 1 MB, a sandbox of 500 kB counts as 468 kB.
 */
interface PoolLimits {
  readonly fromBytes: number;
  readonly toBytes: number;
  /** The limit for the sum of the bytes that count. */
  readonly totalBytes: number;
}

/** The memory limits of a server's sandboxes, in bytes. */
export interface MemoryLimits {
  /** The limit for one sandbox. */
  readonly sandboxBytes: number;
  /**
   * The limits for all sandboxes together.
   * The memory of a sandbox up to `fromBytes` of the first pool counts towards no limit, so each sandbox can always use
   * it.
   */
  readonly pools: readonly PoolLimits[];
}

/** The maximum number of sandboxes, not counting `default`. */
export const MAX_SANDBOXES = 10_000;

/**
 * The approximate memory of a sandbox without its state, in bytes.
 * In a measurement, 10,000 sandboxes with the same snapshot used 160 MB of heap.
 */
export const SANDBOX_BYTES = 16_000;

/**
 * The limit for the snapshots of the sandbox `default`, in bytes.
 * The state of this sandbox is limited only by the maximum size of a data file.
 */
export const DEFAULT_SNAPSHOTS_BYTES = 256 * MEGABYTE;

/**
 * The memory that each sandbox can always use, even if all sandboxes together have reached their limit, in bytes.
 * It is enough for `SANDBOX_BYTES` and about 30 entries of 500 bytes.
 */
const GUARANTEED_BYTES = 32 * 1024;

/** The maximum memory of a small sandbox, in bytes. */
const SMALL_BYTES = MEGABYTE;

/** The limit for one sandbox, in bytes. */
const SANDBOX_LIMIT_BYTES = 64 * MEGABYTE;

/** The limit for all sandboxes together, in bytes. */
const TOTAL_BYTES = 1_024 * MEGABYTE;

/**
 * The limit for all sandboxes together, counting only the first megabyte of each sandbox, in bytes.
 * A large sandbox uses only one megabyte of it, and leaves the rest to small sandboxes.
 */
const SMALL_TOTAL_BYTES = 256 * MEGABYTE;

/**
 * The limit for all sandboxes together, counting only the memory above the first megabyte of each sandbox, in bytes.
 * It is enough for seven sandboxes of 64 MB.
 */
const LARGE_TOTAL_BYTES = TOTAL_BYTES - SMALL_TOTAL_BYTES - MAX_SANDBOXES * GUARANTEED_BYTES;

/** The default memory limits of a server's sandboxes. They limit an estimate of the memory, not the measured heap. */
export const MEMORY_LIMITS: MemoryLimits = {
  sandboxBytes: SANDBOX_LIMIT_BYTES,
  pools: [
    { fromBytes: GUARANTEED_BYTES, toBytes: SMALL_BYTES, totalBytes: SMALL_TOTAL_BYTES },
    { fromBytes: SMALL_BYTES, toBytes: Number.POSITIVE_INFINITY, totalBytes: LARGE_TOTAL_BYTES },
  ],
};

/** A memory limit for all sandboxes together, with the bytes that are used. */
interface Pool extends PoolLimits {
  usedBytes: number;
}

/** Returns how many bytes of a sandbox count towards the limit of a pool. `bytes`: the memory of the sandbox. */
function getPoolBytes({ fromBytes, toBytes }: Pool, bytes: number): number {
  return Math.max(0, Math.min(bytes, toBytes) - fromBytes);
}

/** Counts the memory of the sandboxes of a server. An object that occurs in several states counts only once. */
export class Memory {
  readonly objects = new SharedObjects();
  private readonly pools: readonly Pool[];

  /**
   * `onFull`: called if a change would exceed a limit of all sandboxes together.
   * The callback can remove sandboxes, so that the change succeeds. `isFull`: returns whether it would still fail.
   */
  constructor(
    private readonly limits: MemoryLimits,
    readonly onFull: (isFull: () => boolean) => void,
  ) {
    this.pools = limits.pools.map((pool) => ({ ...pool, usedBytes: 0 }));
  }

  /**
   * Creates the memory quota of a new sandbox.
   * `state`: its initial state.
   * `otherBytes`: its memory in addition to the state.
   * `old`: the quota of the sandbox that it replaces, if any.
   * Releases `old`, except if a limit is exceeded: then throws an `insufficient-storage` problem.
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

  /**
   * Counts the long lists of a shared state in slices, between which the server handles other requests.
   * Then calls `run`, which can create a sandbox from the state without delay.
   */
  countShared<Result>(state: State, run: () => Promise<Result>): Promise<Result> {
    const lists = Object.values(state).filter((list) => isLongList(list) && this.objects.isShared(list));
    return lists.length === 0 ? run() : this.objects.hold(new Map(lists.map((list) => [list, UNCOUNTED_OWNER])), run);
  }

  /** Creates a quota with its own limit. The limits for all sandboxes together do not apply to it. */
  createSeparateQuota(limitBytes: number): MemoryQuota {
    return new MemoryQuota(this, limitBytes, []);
  }
}

/**
 * Counts and limits the memory of a sandbox: its state, its snapshots and its faults.
 * If a call would exceed a limit, it throws an `insufficient-storage` problem and changes nothing.
 */
export class MemoryQuota implements Owner {
  /** The current state and the states of the snapshots. The list can contain the same state several times. */
  private readonly states: State[] = [];
  private otherBytes = 0;
  private bytes = 0;
  private readonly reserved: ReservedLists;
  private isReleased = false;

  constructor(
    private readonly memory: Memory,
    private readonly limitBytes: number,
    private readonly pools: readonly Pool[],
  ) {
    this.reserved = new ReservedLists(memory.objects, this);
  }

  charge(bytes: number): void {
    const beforeBytes = this.bytes;
    this.bytes += bytes;
    for (const pool of this.pools) pool.usedBytes += getPoolBytes(pool, this.bytes) - getPoolBytes(pool, beforeBytes);
  }

  /**
   * Counts the state `to` instead of the state `from`.
   * If `from` is undefined, only adds `to`.
   * If `to` is undefined, only removes `from`.
   */
  replace(from: State | undefined, to: State | undefined): void {
    this.applyOrReject(from, to, 0);
  }

  /**
   * Counts the long lists of a state in slices, between which the server handles other requests.
   * Then calls `run`, which can add the state without delay.
   * Only then, the lists use memory of the quota, and the limits are checked.
   * Concurrent calls count one state after the other.
   */
  countInSlices<Result>(state: State, run: () => Promise<Result>): Promise<Result> {
    return this.reserved.hold(state, run);
  }

  /** Reserves memory that is not part of a state, in bytes. A negative number frees memory. */
  reserve(bytes: number): void {
    this.applyOrReject(undefined, undefined, bytes);
  }

  /**
   * Frees all memory of the sandbox.
   * Later calls of all methods have no effect.
   * Returns a function that undoes the release.
   */
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
    this.reserved.setCharged(to, true);
    let message = this.findExceededLimit(beforeBytes);
    if (message !== undefined) {
      this.memory.objects.finishReleases();
      message = this.findExceededLimit(beforeBytes);
    }
    // A change that only removes entries is always allowed, even if its new lists need more memory than they free at
    // first.
    if (message === undefined || (from && to && onlyRemoves(from, to))) return;
    this.apply(to, from, -moreBytes);
    this.reserved.setCharged(to, false);
    throw createTooLargeError(message);
  }

  private apply(from: State | undefined, to: State | undefined, moreBytes: number): void {
    if (to) this.states.push(to);
    if (from) this.states.splice(this.states.indexOf(from), 1);
    this.memory.objects.replace(from, to, this);
    this.otherBytes += moreBytes;
    this.charge(moreBytes);
  }

  /**
   * Returns an error message if the last change exceeded a limit.
   * Returns undefined if it exceeded no limit.
   * `beforeBytes`: the memory of the sandbox before the change.
   */
  private findExceededLimit(beforeBytes: number): string | undefined {
    if (this.bytes <= beforeBytes) return undefined;
    if (this.bytes > this.limitBytes)
      return `The sandbox would use ${formatMegabytes(this.bytes)} of memory, more than its limit of ${formatMegabytes(this.limitBytes)}: remove snapshots or entries of the state, or reset it with POST /_control/sandboxes/ID/reset`;
    const needed = this.pools.filter((pool) => getPoolBytes(pool, this.bytes) > getPoolBytes(pool, beforeBytes));
    const isFull = () => needed.some(({ usedBytes, totalBytes }) => usedBytes > totalBytes);
    if (isFull()) this.memory.onFull(isFull);
    if (!isFull()) return undefined;
    return 'The sandboxes together have reached their memory limit: remove sandboxes with DELETE /_control/sandboxes/ID, or reset large sandboxes with POST /_control/sandboxes/ID/reset';
  }
}

/** Returns whether the change from `from` to `to` only removes entries. */
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
