import type { State } from '../../store/state.ts';

/** A counter of bytes, such as the quota of a sandbox. */
export interface Owner {
  /** Adds bytes, or removes them if negative. */
  charge(bytes: number): void;
}

type List = State[string];

/** The reference count of a list or an entry, the owner that counts its bytes, and its size. */
interface SharedObject {
  references: number;
  readonly owner: Owner;
  readonly bytes: number;
}

/** The owner of shared states, which counts no bytes. */
const NOBODY: Owner = { charge() {} };

/** The reference counts of the lists and entries of states. The bytes of an object in several states count once: for the owner of the first state. */
export class SharedObjects {
  private readonly objects = new Map<object, SharedObject>();
  private readonly shared = new WeakSet<object>();

  /** Marks a state from which sandboxes are created. The bytes of its lists count for no owner. */
  share(state: State): void {
    for (const list of Object.values(state)) this.shared.add(list);
  }

  /** Replaces a state by another one. Without `from`, adds a state; without `to`, removes a state. Compares each entry of lists that differ. */
  replace(from: State | undefined, to: State | undefined, owner: Owner): void {
    for (const name of Object.keys({ ...from, ...to })) {
      const [before, after] = [from?.[name], to?.[name]];
      if (before !== after) this.replaceList(before, after, owner);
    }
  }

  private replaceList(from: List | undefined, to: List | undefined, owner: Owner): void {
    if (!from || !to || this.objects.get(from)?.references !== 1 || this.objects.has(to) || this.shared.has(to)) {
      if (to) this.retainList(to, owner);
      if (from) this.releaseList(from);
      return;
    }
    // Most changes replace few entries of a list. The reference counts of equal entries at the start and at the end of the lists do not change.
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

/** Returns where two lists differ: from the index `start` up to `fromEnd` in `from`, and up to `toEnd` in `to`. Both ends are exclusive. */
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

/** The memory of values in V8 on a 64-bit machine, in bytes. A slot is a property or a list entry. Small integers need no memory beside the slot. */
const OBJECT_BYTES = 48;
const SLOT_BYTES = 8;
const NUMBER_BYTES = 16;
const STRING_BYTES = 24;

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
  if (typeof value === 'string') return STRING_BYTES + value.length;
  if (typeof value === 'number') return NUMBER_BYTES;
  if (typeof value !== 'object' || value === null) return 0;
  let bytes = OBJECT_BYTES;
  for (const part of Object.values(value)) bytes += SLOT_BYTES + measureValue(part);
  return bytes;
}
