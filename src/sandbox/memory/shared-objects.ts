import { findDifference } from '../../store/entry-list.ts';
import type { State } from '../../store/state.ts';
import { isLongList } from '../../util/limits.ts';
import { runAtOnce, runInSlices, type Steps, splitList } from '../../util/slices.ts';
import { measureValue, OBJECT_BYTES, SLOT_BYTES } from '../journal/recorded-request.ts';

/** An object that counts the memory of states, such as the memory quota of a sandbox. */
export interface Owner {
  /** Adds bytes to the counted memory. A negative number subtracts bytes. */
  charge(bytes: number): void;
}

/** A collection of a state. */
export type List = State[string];

/**
 * The reference count of a list or an entry.
 * `owner`: the quota that is charged for the memory.
 * `bytes`: the memory of the list or the entry.
 */
interface SharedObject {
  references: number;
  readonly owner: Owner;
  readonly bytes: number;
}

/** The owner of states that count towards no quota, such as the default data. */
export const UNCOUNTED_OWNER: Owner = { charge() {} };

/**
 * Counts references to the lists and entries of states.
 * An object that occurs in several states counts only once, for the owner of the first of these states.
 */
export class SharedObjects {
  private readonly objects = new Map<object, SharedObject>();
  private readonly shared = new WeakSet<object>();
  /** The lists whose entries are still being counted, each with the remaining steps. */
  private readonly counting = new Map<List, Steps<void>>();
  /** The long lists that no state contains anymore, each with the remaining steps to release its entries. */
  private readonly releasing = new Map<List, Steps<void>>();

  /**
   * Marks a state from which sandboxes are created, such as the default data.
   * The memory of its lists counts for no owner.
   */
  share(state: State): void {
    for (const list of Object.values(state)) this.shared.add(list);
  }

  /** Returns whether `share` has marked a list. */
  isShared(list: List): boolean {
    return this.shared.has(list);
  }

  /** Returns whether a state contains the list, or a call of `hold` is using it. */
  has(list: List): boolean {
    return this.objects.has(list);
  }

  /**
   * Adds references to lists while `run` is running.
   * First counts the entries of the lists in slices, between which the server handles other requests.
   * Therefore, a call of `replace` in `run` is fast even for long lists.
   * `owners`: the lists with their owners.
   */
  async hold<Result>(owners: ReadonlyMap<List, Owner>, run: () => Promise<Result>): Promise<Result> {
    for (const [list, owner] of owners) await runInSlices(this.retainList(list, owner));
    try {
      return await run();
    } finally {
      for (const list of owners.keys()) this.releaseList(list);
    }
  }

  /**
   * Frees the memory of all entries that no state contains anymore.
   * Without this call, the entries of long lists are freed later, in slices.
   */
  finishReleases(): void {
    for (const steps of this.releasing.values()) runAtOnce(steps);
    this.releasing.clear();
  }

  /**
   * Counts the state `to` instead of the state `from`.
   * If `from` is undefined, only adds `to`.
   * If `to` is undefined, only removes `from`.
   * Takes time in proportion to the length of the lists that differ.
   */
  replace(from: State | undefined, to: State | undefined, owner: Owner): void {
    for (const name of Object.keys({ ...from, ...to })) {
      const [before, after] = [from, to].map((state) =>
        state && Object.hasOwn(state, name) ? state[name] : undefined,
      );
      if (before !== after) this.replaceList(before, after, owner);
    }
  }

  private replaceList(from: List | undefined, to: List | undefined, owner: Owner): void {
    const isKnown = to !== undefined && (this.objects.has(to) || this.shared.has(to) || this.releasing.has(to));
    if (!from || !to || this.objects.get(from)?.references !== 1 || isKnown) {
      if (to) runAtOnce(this.retainList(to, owner));
      if (from) this.releaseList(from);
      return;
    }
    // Most changes replace only a few entries of a list.
    // The equal entries at the start and at the end of both lists keep their reference counts.
    const { start, fromEnd, toEnd } = findDifference(from, to);
    this.retain(to, owner, measureList);
    for (const entry of to.slice(start, toEnd)) this.retain(entry, owner, measureEntry);
    this.releaseEntries(from.slice(start, fromEnd));
    this.release(from);
  }

  /**
   * Adds a reference to a list, and counts its entries.
   * If another call has begun to count the entries, continues that count.
   * If the entries are still being released, releases them first, so that they count for the new owner.
   */
  private *retainList(list: List, owner: Owner): Steps<void> {
    // Between two steps, another call can add and release the list again.
    while (this.releasing.get(list)?.next().done === false) yield;
    const counted = this.shared.has(list) ? UNCOUNTED_OWNER : owner;
    if (this.retain(list, counted, measureList)) this.counting.set(list, this.countEntries(list, counted));
    const steps = this.counting.get(list);
    while (steps && !steps.next().done) yield;
  }

  private *countEntries(list: List, owner: Owner): Steps<void> {
    for (const [part] of splitList(list)) {
      for (const entry of part) this.retain(entry, owner, measureEntry);
      yield;
    }
    this.counting.delete(list);
  }

  private releaseList(list: List): void {
    if (this.release(list)) this.releaseEntries(list);
  }

  private releaseEntries(entries: List): void {
    const steps = this.releaseInSteps(entries);
    if (isLongList(entries)) {
      this.releasing.set(entries, steps);
      void runInSlices(steps).then(() => {
        // The list can have been added and released again in the meantime.
        if (this.releasing.get(entries) === steps) this.releasing.delete(entries);
      });
    } else runAtOnce(steps);
  }

  private *releaseInSteps(entries: List): Steps<void> {
    for (const [part] of splitList(entries)) {
      for (const entry of part) this.release(entry);
      yield;
    }
  }

  /** Adds a reference to an object. Returns whether it is the first reference. */
  private retain<Counted extends object>(object: Counted, owner: Owner, measure: (object: Counted) => number): boolean {
    const known = this.objects.get(object);
    if (known) {
      known.references++;
      return false;
    }
    const bytes = owner === UNCOUNTED_OWNER ? 0 : measure(object);
    this.objects.set(object, { references: 1, owner, bytes });
    owner.charge(bytes);
    return true;
  }

  /** Removes a reference to an object. Returns whether it was the last reference. */
  private release(object: object): boolean {
    const known = this.objects.get(object);
    if (!known || --known.references > 0) return false;
    this.objects.delete(object);
    known.owner.charge(-known.bytes);
    return true;
  }
}

/** The memory of one reference count (a map entry and its value), in bytes. */
const COUNTED_BYTES = 100;

/** Returns the approximate memory of a list without its entries, in bytes. */
function measureList(list: List): number {
  return COUNTED_BYTES + OBJECT_BYTES + list.length * SLOT_BYTES;
}

/** Returns the approximate memory of an entry of a list with all its values, in bytes. */
function measureEntry(entry: object): number {
  return COUNTED_BYTES + measureValue(entry);
}
