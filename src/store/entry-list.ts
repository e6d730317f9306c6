import type { Entry, State } from './state.ts';

/** A change of a list: at the index `from`, the entries in `inserted` replace those in `removed`. */
export interface Splice {
  readonly from: number;
  readonly removed: readonly Entry[];
  readonly inserted: readonly Entry[];
}

/** The list from which another list was made, and the change between them. */
interface Origin {
  readonly list: EntryList;
  readonly splice: Splice;
}

/**
 * The maximum number of changes from which an array is created.
 * A copy of an array with 100,000 entries takes as long as 20 requests, so it is made for one change in 64 at most.
 */
const MAX_CHANGES = 64;

const listsByArray = new WeakMap<readonly Entry[], EntryList>();

/**
 * The entries of a collection in one version of the state, as an array that is created when it is first read.
 * A change returns another list and records what has changed, so that its cost does not depend on the length.
 * A list with an array forgets its changes, so that replaced entries do not stay in memory.
 */
export class EntryList {
  /** The entries, or the change that leads to them. */
  #content: readonly Entry[] | Origin;
  /** The number of changes since the last array. */
  readonly #changes: number;
  readonly length: number;

  private constructor(content: readonly Entry[] | Origin) {
    this.#content = content;
    if (isArray(content)) [this.length, this.#changes] = [content.length, 0];
    else {
      const { list, splice } = content;
      this.length = list.length + splice.inserted.length - splice.removed.length;
      this.#changes = isArray(list.#content) ? 1 : list.#changes + 1;
    }
  }

  /** Returns the list of an array that never changes. Returns the same list for the same array. */
  static of(entries: readonly Entry[]): EntryList {
    const known = listsByArray.get(entries);
    if (known) return known;
    const list = new EntryList(entries);
    listsByArray.set(entries, list);
    return list;
  }

  /** The entries as an array. */
  get entries(): readonly Entry[] {
    if (isArray(this.#content)) return this.#content;
    const splices: Splice[] = [];
    let content: readonly Entry[] | Origin = this.#content;
    for (; !isArray(content); content = content.list.#content) splices.push(content.splice);
    const entries = [...content];
    // An assignment is faster than `splice`, and does not move the other entries.
    for (const { from, removed, inserted } of splices.reverse())
      if (removed.length === 1 && inserted.length === 1) entries[from] = inserted[0] as Entry;
      else entries.splice(from, removed.length, ...inserted);
    this.#content = entries;
    listsByArray.set(entries, this);
    return entries;
  }

  /** Whether `entries` returns an array that exists already. */
  get hasArray(): boolean {
    return isArray(this.#content);
  }

  /** Returns the list with another entry at the end. */
  append(entry: Entry): EntryList {
    return this.#splice({ from: this.length, removed: [], inserted: [entry] });
  }

  /** Returns the list with `entry` in the place of `current`, which must be in the list. */
  replace(current: Entry, entry: Entry): EntryList {
    if (current === entry) return this;
    return this.#splice({ from: this.#indexOf(current), removed: [current], inserted: [entry] });
  }

  /** Returns the list without an entry, which must be in the list. */
  remove(entry: Entry): EntryList {
    return this.#splice({ from: this.#indexOf(entry), removed: [entry], inserted: [] });
  }

  /** Returns the changes that lead from an earlier list to this one. Returns undefined if they are not known. */
  findChanges(earlier: EntryList): readonly Splice[] | undefined {
    const splices: Splice[] = [];
    for (let list: EntryList = this; list !== earlier; ) {
      const content = list.#content;
      if (isArray(content)) return undefined;
      splices.push(content.splice);
      list = content.list;
    }
    return splices.reverse();
  }

  #splice(splice: Splice): EntryList {
    const next = new EntryList({ list: this, splice });
    if (next.#changes > MAX_CHANGES) void next.entries;
    return next;
  }

  #indexOf(entry: Entry): number {
    const later: Splice[] = [];
    let content = this.#content;
    for (; !isArray(content); content = content.list.#content) {
      const { from, removed, inserted } = content.splice;
      const index = inserted.indexOf(entry);
      if (index !== -1) return move(from + index, later);
      if (removed.includes(entry)) throw new Error(NOT_FOUND);
      later.push(content.splice);
    }
    const index = content.indexOf(entry);
    if (index === -1) throw new Error(NOT_FOUND);
    return move(index, later);
  }
}

const NOT_FOUND = 'a list does not have the entry to replace or to remove';

// `Array.isArray` does not narrow the type of a read-only array.
function isArray(content: readonly Entry[] | Origin): content is readonly Entry[] {
  return Array.isArray(content);
}

/** Returns the index of an entry after changes of other entries. `later`: the changes, the last one first. */
function move(index: number, later: readonly Splice[]): number {
  return later.reduceRight(
    (at, { from, removed, inserted }) => (from <= at ? at + inserted.length - removed.length : at),
    index,
  );
}

/** The lists of states that had no array when `setList` created the state, by the name of the collection. */
const listsByState = new WeakMap<State, ReadonlyMap<string, EntryList>>();

/** Returns a list of a state. Returns an empty list if the state has none with this name. */
export function getList(state: State, name: string): EntryList {
  return listsByState.get(state)?.get(name) ?? EntryList.of(getArray(state, name));
}

function getArray(state: State, name: string): readonly Entry[] {
  return Object.hasOwn(state, name) ? (state[name] ?? NO_ENTRIES) : NO_ENTRIES;
}

const NO_ENTRIES: readonly Entry[] = [];

/**
 * Returns a copy of a state with another list.
 * The property of a list without an array is a getter, so that the array is only created if it is read.
 */
export function setList(state: State, name: string, list: EntryList): State {
  const lists = new Map([...(listsByState.get(state) ?? []), [name, list] as const]);
  const next: Record<string, readonly Entry[]> = {};
  for (const key of new Set([...Object.keys(state), name])) {
    const own = lists.get(key);
    if (own?.hasArray) lists.delete(key);
    if (own && !own.hasArray)
      Object.defineProperty(next, key, { get: () => own.entries, enumerable: true, configurable: true });
    else setProperty(next, key, own?.entries ?? getArray(state, key));
  }
  listsByState.set(next, lists);
  return next;
}

/** Sets a property. An assignment of `__proto__` would set the prototype, and `defineProperty` is slow. */
function setProperty(object: Record<string, readonly Entry[]>, key: string, value: readonly Entry[]): void {
  if (key === '__proto__') Object.defineProperty(object, key, { value, enumerable: true, configurable: true });
  else object[key] = value;
}

/** Returns whether two states have the same list, without creating its array. */
export function hasSameList(state: State, other: State, name: string): boolean {
  const isMissing = !Object.hasOwn(state, name);
  if (isMissing || !Object.hasOwn(other, name)) return isMissing === !Object.hasOwn(other, name);
  const isListed = listsByState.get(state)?.has(name) || listsByState.get(other)?.has(name);
  return isListed ? getList(state, name) === getList(other, name) : state[name] === other[name];
}

/**
 * Returns the changes of a list between two states.
 * Compares the entries by identity, because an entry is never changed in place.
 * The cost depends on the number of the changes, if `setList` has made them.
 */
export function findListChanges(previous: State, next: State, name: string): readonly Splice[] {
  const [before, after] = [getList(previous, name), getList(next, name)];
  if (before === after) return [];
  const known = after.findChanges(before);
  if (known) return known.reduce(joinAppended, []);
  const [from, to] = [before.entries, after.entries];
  const { start, fromEnd, toEnd } = findDifference(from, to);
  return [{ from: start, removed: from.slice(start, fromEnd), inserted: to.slice(start, toEnd) }];
}

/** Adds a change to a list of changes. Entries that follow those of the last change become part of it. */
function joinAppended(changes: readonly Splice[], change: Splice): readonly Splice[] {
  const last = changes.at(-1);
  if (!last || change.removed.length > 0 || change.from !== last.from + last.inserted.length)
    return [...changes, change];
  return [...changes.slice(0, -1), { ...last, inserted: [...last.inserted, ...change.inserted] }];
}

/**
 * Returns the indexes between which two lists differ.
 * Before index `start`, both lists are equal.
 * They are equal again from index `fromEnd` in `from`, and from index `toEnd` in `to`.
 * Compares entries by identity.
 */
export function findDifference(from: readonly Entry[], to: readonly Entry[]) {
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
