import type { State } from '../../store/state.ts';
import { entryBytes, listBytes } from './size.ts';

/** Whom the bytes of an object count for. */
export interface Owner {
  /** Adds bytes, or removes them where negative. */
  charge(bytes: number): void;
}

type List = State[string];

/** An object that states have: how many, for whom it counts, and its size. */
interface SharedObject {
  holders: number;
  readonly owner: Owner;
  readonly bytes: number;
}

/** For whom shared states count. */
const NOBODY: Owner = { charge() {} };

/** The lists of states and their entries. An object that several states have counts once: for the first owner. */
export class SharedObjects {
  readonly #objects = new Map<object, SharedObject>();
  readonly #shared = new WeakSet<object>();

  /** Marks a state as shared: it counts for no owner from now on. */
  share(state: State): void {
    for (const list of Object.values(state)) this.#shared.add(list);
  }

  /** Holds one state in place of another; undefined stands for no state. Costs a comparison for each entry of the lists that differ. */
  replace(from: State | undefined, to: State | undefined, owner: Owner): void {
    for (const name of Object.keys({ ...from, ...to })) {
      const [before, after] = [from?.[name], to?.[name]];
      if (before && after) this.#replaceList(before, after, owner);
      else if (after) this.#retainList(after, owner);
      else if (before) this.#dropList(before);
    }
  }

  #replaceList(from: List, to: List, owner: Owner): void {
    if (from === to) return;
    if (this.#objects.get(from)?.holders !== 1 || this.#objects.has(to) || this.#shared.has(to)) {
      this.#retainList(to, owner);
      this.#dropList(from);
      return;
    }
    // A change replaces few entries of a list without other holders: the common first and last entries stay held.
    const { start, fromEnd, toEnd } = differenceBetween(from, to);
    this.#retain(to, owner, listBytes);
    for (const entry of to.slice(start, toEnd)) this.#retain(entry, owner, entryBytes);
    for (const entry of from.slice(start, fromEnd)) this.#drop(entry);
    this.#drop(from);
  }

  #retainList(list: List, owner: Owner): void {
    const counted = this.#shared.has(list) ? NOBODY : owner;
    if (!this.#retain(list, counted, listBytes)) return;
    for (const entry of list) this.#retain(entry, counted, entryBytes);
  }

  #dropList(list: List): void {
    if (!this.#drop(list)) return;
    for (const entry of list) this.#drop(entry);
  }

  /** Adds a holder of an object; whether it is the first one. */
  #retain<Counted extends object>(object: Counted, owner: Owner, sizeOf: (object: Counted) => number): boolean {
    const known = this.#objects.get(object);
    if (known) {
      known.holders++;
      return false;
    }
    const bytes = sizeOf(object);
    this.#objects.set(object, { holders: 1, owner, bytes });
    owner.charge(bytes);
    return true;
  }

  /** Removes a holder of an object; whether it was the last one. */
  #drop(object: object): boolean {
    const known = this.#objects.get(object);
    if (!known || --known.holders > 0) return false;
    this.#objects.delete(object);
    known.owner.charge(-known.bytes);
    return true;
  }
}

/** Where two lists differ: from `start` on, up to `fromEnd` in the one and `toEnd` in the other. */
function differenceBetween(from: List, to: List): { start: number; fromEnd: number; toEnd: number } {
  const shorter = Math.min(from.length, to.length);
  let start = 0;
  while (start < shorter && from[start] === to[start]) start++;
  let [fromEnd, toEnd] = [from.length, to.length];
  while (fromEnd > start && toEnd > start && from[fromEnd - 1] === to[toEnd - 1]) {
    fromEnd--;
    toEnd--;
  }
  return { start, fromEnd, toEnd };
}
