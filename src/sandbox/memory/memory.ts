import { StateTooLargeError } from '../../store/backend.ts';
import type { State } from '../../store/state.ts';
import { MEGABYTE } from '../../util/limits.ts';
import { type Owner, SharedObjects } from './shared-objects.ts';

/** A limit for the part of each sandbox's memory that lies between two sizes. */
export interface PoolLimits {
  readonly fromBytes: number;
  readonly toBytes: number;
  /** What these parts of all sandboxes may take together. */
  readonly totalBytes: number;
}

/** How much memory the states of sandboxes may take, in bytes. */
export interface MemoryLimits {
  /** What one sandbox may hold. */
  readonly sandboxBytes: number;
  /** What the sandboxes may hold together, by size. What lies in no pool is guaranteed to each sandbox. */
  readonly pools: readonly PoolLimits[];
}

/** The memory that lies between two sizes of each sandbox. */
class Pool {
  readonly #limits: PoolLimits;
  #usedBytes = 0;

  constructor(limits: PoolLimits) {
    this.#limits = limits;
  }

  get isOverLimit(): boolean {
    return this.#usedBytes > this.#limits.totalBytes;
  }

  /** Records that a sandbox holds another number of bytes than before. */
  charge(beforeBytes: number, afterBytes: number): void {
    this.#usedBytes += this.#partOf(afterBytes) - this.#partOf(beforeBytes);
  }

  /** Whether a sandbox needs more of this pool than before. */
  isNeeded(beforeBytes: number, afterBytes: number): boolean {
    return this.#partOf(afterBytes) > this.#partOf(beforeBytes);
  }

  #partOf(bytes: number): number {
    const { fromBytes, toBytes } = this.#limits;
    return Math.max(0, Math.min(bytes, toBytes) - fromBytes);
  }
}

/** Counts the memory that sandboxes take. What several states share is counted once. */
export class Memory {
  readonly objects = new SharedObjects();
  readonly pools: readonly Pool[];

  /** `onFull` is called before a change is refused because of what others hold: it may close their accounts. */
  constructor(
    readonly limits: MemoryLimits,
    readonly onFull: () => void,
  ) {
    this.pools = limits.pools.map((pool) => new Pool(pool));
  }

  /**
   * Opens an account that holds a state and other bytes, in place of `old`, which is closed. Throws a `StateTooLargeError` where that is too much;
   * then `old` stays open.
   */
  openFor(state: State, otherBytes: number, old?: Account): Account {
    const account = new Account(this, this.limits.sandboxBytes, this.pools);
    const reopen = old?.close();
    try {
      account.add(otherBytes);
      account.replace(undefined, state);
      return account;
    } catch (error) {
      account.close();
      reopen?.();
      throw error;
    }
  }

  /** An account with a limit of its own, which takes nothing from the others. */
  openApart(limitBytes: number): Account {
    return new Account(this, limitBytes, []);
  }

  /** Marks a state as one that sandboxes are made from: it counts for none of them. */
  share(state: State): void {
    this.objects.share(state);
  }
}

/** What a sandbox holds: its state, its snapshots and its faults. A method that adds throws a `StateTooLargeError` where that would be too much, and changes nothing. */
export class Account implements Owner {
  readonly #memory: Memory;
  readonly #limitBytes: number;
  readonly #pools: readonly Pool[];
  /** How often each state is held. */
  readonly #states = new Map<State, number>();
  #bytes = 0;
  #otherBytes = 0;
  #isClosed = false;

  constructor(memory: Memory, limitBytes: number, pools: readonly Pool[]) {
    this.#memory = memory;
    this.#limitBytes = limitBytes;
    this.#pools = pools;
  }

  /** What the sandbox was the first to hold. */
  get bytes(): number {
    return this.#bytes;
  }

  charge(bytes: number): void {
    for (const pool of this.#pools) pool.charge(this.#bytes, this.#bytes + bytes);
    this.#bytes += bytes;
  }

  /** Holds one state in place of another; undefined stands for no state. */
  replace(from: State | undefined, to: State | undefined): void {
    if (this.#isClosed) return;
    const before = this.#bytes;
    this.#swap(from, to);
    this.#orTakeBack(before, () => {
      // A removal makes new lists, which count, of entries that are there: it always works.
      if (from && to && onlyRemoves(from, to)) return false;
      this.#swap(to, from);
      return true;
    });
  }

  /** Adds bytes that belong to no state, or removes them where negative. */
  readonly add = (bytes: number): void => {
    if (this.#isClosed) return;
    const before = this.#bytes;
    this.#addOther(bytes);
    this.#orTakeBack(before, () => {
      this.#addOther(-bytes);
      return true;
    });
  };

  /** Releases everything. Later calls do nothing. Returns a function that holds it all again. */
  close(): () => void {
    if (this.#isClosed) return () => {};
    const states = [...this.#states].flatMap(([state, holders]) => Array<State>(holders).fill(state));
    const otherBytes = this.#otherBytes;
    for (const state of states) this.#swap(state, undefined);
    this.#addOther(-otherBytes);
    this.#isClosed = true;
    return () => {
      this.#isClosed = false;
      for (const state of states) this.#swap(undefined, state);
      this.#addOther(otherBytes);
    };
  }

  #swap(from: State | undefined, to: State | undefined): void {
    if (to) this.#states.set(to, (this.#states.get(to) ?? 0) + 1);
    if (from) {
      const holders = (this.#states.get(from) ?? 0) - 1;
      if (holders > 0) this.#states.set(from, holders);
      else this.#states.delete(from);
    }
    this.#memory.objects.replace(from, to, this);
  }

  #addOther(bytes: number): void {
    this.#otherBytes += bytes;
    this.charge(bytes);
  }

  /** Throws where a change adds to what the sandbox held before, that is too much, and the change is taken back. */
  #orTakeBack(beforeBytes: number, takeBack: () => boolean): void {
    if (this.#bytes <= beforeBytes) return;
    const message = this.#tooLargeText() ?? this.#fullText(beforeBytes);
    if (message === undefined) return;
    if (takeBack()) throw new StateTooLargeError(message);
  }

  #tooLargeText(): string | undefined {
    if (this.#bytes <= this.#limitBytes) return undefined;
    return `The sandbox would take ${megabytes(this.#bytes)} of memory, more than its limit of ${megabytes(this.#limitBytes)}: remove snapshots or entries of the state, or reset it with POST /_control/sandboxes/ID/reset`;
  }

  #fullText(beforeBytes: number): string | undefined {
    const needed = this.#pools.filter((pool) => pool.isNeeded(beforeBytes, this.#bytes));
    const isFull = () => needed.some(({ isOverLimit }) => isOverLimit);
    if (isFull()) this.#memory.onFull();
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

function megabytes(bytes: number): string {
  return `${Math.ceil(bytes / MEGABYTE)} MB`;
}
