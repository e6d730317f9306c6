import type { State } from '../../store/state.ts';

/** Counts the bytes of objects. */
export interface Owner {
  /** Adds bytes, or removes them if negative. */
  charge(bytes: number): void;
}

type List = State[string];

/** An object of states: the number of references to it, its owner, and its size. */
interface SharedObject {
  references: number;
  readonly owner: Owner;
  readonly bytes: number;
}

/** The owner of shared states. */
const NOBODY: Owner = { charge() {} };

/** The lists of states and their entries, with reference counts. An object of several states counts once: for its first owner. */
export class SharedObjects {
  private readonly objects = new Map<object, SharedObject>();
  private readonly shared = new WeakSet<object>();

  /** Marks a state that sandboxes are created from: it counts for no owner from now on. */
  share(state: State): void {
    for (const list of Object.values(state)) this.shared.add(list);
  }

  /** Replaces a state by another one; undefined is no state. Costs a comparison for each entry of the lists that differ. */
  replace(from: State | undefined, to: State | undefined, owner: Owner): void {
    for (const name of Object.keys({ ...from, ...to })) {
      const [before, after] = [from?.[name], to?.[name]];
      if (before && after) this.replaceList(before, after, owner);
      else if (after) this.retainList(after, owner);
      else if (before) this.releaseList(before);
    }
  }

  private replaceList(from: List, to: List, owner: Owner): void {
    if (from === to) return;
    if (this.objects.get(from)?.references !== 1 || this.objects.has(to) || this.shared.has(to)) {
      this.retainList(to, owner);
      this.releaseList(from);
      return;
    }
    // A change replaces few entries of a list without other references: the references to the first and last entries in common stay.
    const { start, fromEnd, toEnd } = findDifference(from, to);
    this.retain(to, owner, measureList);
    for (const entry of to.slice(start, toEnd)) this.retain(entry, owner, measureEntry);
    for (const entry of from.slice(start, fromEnd)) this.release(entry);
    this.release(from);
  }

  private retainList(list: List, owner: Owner): void {
    const counted = this.shared.has(list) ? NOBODY : owner;
    if (!this.retain(list, counted, measureList)) return;
    for (const entry of list) this.retain(entry, counted, measureEntry);
  }

  private releaseList(list: List): void {
    if (!this.release(list)) return;
    for (const entry of list) this.release(entry);
  }

  /** Adds a reference to an object. Returns whether it is the first one. */
  private retain<Counted extends object>(object: Counted, owner: Owner, measure: (object: Counted) => number): boolean {
    const known = this.objects.get(object);
    if (known) {
      known.references++;
      return false;
    }
    const bytes = measure(object);
    this.objects.set(object, { references: 1, owner, bytes });
    owner.charge(bytes);
    return true;
  }

  /** Removes a reference to an object. Returns whether it was the last one. */
  private release(object: object): boolean {
    const known = this.objects.get(object);
    if (!known || --known.references > 0) return false;
    this.objects.delete(object);
    known.owner.charge(-known.bytes);
    return true;
  }
}

/** Returns where two lists differ: from `start` up to, but not including, `fromEnd` and `toEnd`. */
function findDifference(from: List, to: List) {
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

/** Memory of V8's values on a 64-bit machine, in bytes: an object or a list, one of its properties or entries, a number that is no small integer, a text. */
const OBJECT_BYTES = 48;
const SLOT_BYTES = 8;
const NUMBER_BYTES = 16;
const TEXT_BYTES = 24;

/** The memory of a reference count, in bytes: an entry of a map and its record. */
const COUNTED_BYTES = 100;

/** Returns the approximate memory of a list without its entries, in bytes. */
function measureList(list: List): number {
  return COUNTED_BYTES + OBJECT_BYTES + list.length * SLOT_BYTES;
}

/** Returns the approximate memory of an entry of a list with all its values, in bytes. */
function measureEntry(entry: object): number {
  return COUNTED_BYTES + measureValue(entry);
}

function measureValue(value: unknown): number {
  if (typeof value === 'string') return TEXT_BYTES + value.length;
  if (typeof value === 'number') return NUMBER_BYTES;
  if (typeof value !== 'object' || value === null) return 0;
  let bytes = OBJECT_BYTES;
  for (const part of Object.values(value)) bytes += SLOT_BYTES + measureValue(part);
  return bytes;
}
