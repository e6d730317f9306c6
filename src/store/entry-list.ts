import type { Entry, State } from './state.ts';

/** A change of a list: at the index `from`, the entries in `inserted` replace those in `removed`. */
interface Splice {
  readonly from: number;
  readonly removed: readonly Entry[];
  readonly inserted: readonly Entry[];
}

/** A version of a list: the change that leads to it, and the version before. */
interface Version {
  readonly splice: Splice | undefined;
  /** Undefined for a list that was not made from another one, and for a version that was forgotten. */
  previous: Version | undefined;
  /** The number of versions before this one. */
  readonly number: number;
}

/**
 * The number of changes after which the version before as many changes is forgotten, so that replaced entries do not
 * stay in memory. The lists before and after a commit with more changes are compared entry by entry.
 */
const KEPT_VERSIONS = 1_024;

/** The maximum number of entries in a chunk. A change copies one chunk and the list of all chunks. */
const CHUNK_LENGTH = 512;

type Chunks = readonly (readonly Entry[])[];

const listsByArray = new WeakMap<readonly Entry[], EntryList>();

/**
 * The entries of a collection in one version of the state, as an array that is created when it is first read.
 * A change returns another list that shares all chunks of entries but one, and records what has changed.
 * So the cost of a change hardly depends on the length of the list.
 */
export class EntryList {
  /** At least one of these two has the entries. */
  #array: readonly Entry[] | undefined;
  #chunks: Chunks | undefined;
  readonly #version: Version;
  readonly length: number;

  private constructor(content: { readonly array: readonly Entry[] } | { readonly chunks: Chunks }, version: Version) {
    this.#version = version;
    if ('array' in content) {
      this.#array = content.array;
      this.length = content.array.length;
    } else {
      this.#chunks = content.chunks;
      this.length = content.chunks.reduce((length, chunk) => length + chunk.length, 0);
    }
  }

  /** Returns the list of an array that never changes. Returns the same list for the same array. */
  static of(array: readonly Entry[]): EntryList {
    const known = listsByArray.get(array);
    if (known) return known;
    const list = new EntryList({ array }, { splice: undefined, previous: undefined, number: 0 });
    listsByArray.set(array, list);
    return list;
  }

  /** The entries as an array. */
  get entries(): readonly Entry[] {
    if (!this.#array) {
      this.#array = NO_ENTRIES.concat(...(this.#chunks ?? []));
      listsByArray.set(this.#array, this);
    }
    return this.#array;
  }

  /** Whether `entries` returns an array that exists already. */
  get hasArray(): boolean {
    return this.#array !== undefined;
  }

  /** Returns the list with another entry at the end. */
  append(entry: Entry): EntryList {
    const chunks = this.#getChunks();
    const last = chunks.at(-1);
    const isFull = last === undefined || last.length >= CHUNK_LENGTH;
    const next = isFull ? [...chunks, [entry]] : chunks.with(-1, [...last, entry]);
    return this.#change(next, { from: this.length, removed: [], inserted: [entry] });
  }

  /** Returns the list with `entry` in the place of `current`, which must be in the list. */
  replace(current: Entry, entry: Entry): EntryList {
    if (current === entry) return this;
    const { chunks, chunk, at, from, index } = this.#find(current);
    const next = chunks.with(at, chunk.with(index, entry));
    return this.#change(next, { from, removed: [current], inserted: [entry] });
  }

  /** Returns the list without an entry, which must be in the list. */
  remove(entry: Entry): EntryList {
    const { chunks, chunk, at, from, index } = this.#find(entry);
    const next = chunk.length === 1 ? chunks.toSpliced(at, 1) : chunks.with(at, chunk.toSpliced(index, 1));
    return this.#change(next, { from, removed: [entry], inserted: [] });
  }

  /** Returns the changes that lead from an earlier list to this one. Returns undefined if they are not known. */
  findChanges(earlier: EntryList): readonly Splice[] | undefined {
    const splices: Splice[] = [];
    for (let version = this.#version; version !== earlier.#version; ) {
      if (!version.previous || !version.splice) return undefined;
      splices.push(version.splice);
      version = version.previous;
    }
    return splices.reverse();
  }

  #getChunks(): Chunks {
    if (!this.#chunks) {
      const { entries } = this;
      const starts = Array.from(
        { length: Math.ceil(entries.length / CHUNK_LENGTH) },
        (_, index) => index * CHUNK_LENGTH,
      );
      this.#chunks = starts.map((start) => entries.slice(start, start + CHUNK_LENGTH));
    }
    return this.#chunks;
  }

  #change(chunks: Chunks, splice: Splice): EntryList {
    const version = { splice, previous: this.#version, number: this.#version.number + 1 };
    if (version.number % KEPT_VERSIONS === 0) forgetBefore(version);
    return new EntryList({ chunks }, version);
  }

  /** Returns the chunk of an entry, its place among the chunks, and the index of the entry in chunk and list. */
  #find(entry: Entry) {
    const chunks = this.#getChunks();
    const guess = guessChunk(chunks, entry);
    for (let distance = 0; distance < chunks.length; distance++)
      for (const at of distance === 0 ? [guess] : [guess - distance, guess + distance]) {
        const chunk = chunks[at] ?? NO_ENTRIES;
        const index = chunk.indexOf(entry);
        if (index === -1) continue;
        let from = index;
        for (let before = 0; before < at; before++) from += chunks[before]?.length ?? 0;
        return { chunks, chunk, at, index, from };
      }
    throw new Error('a list does not have the entry to replace or to remove');
  }
}

/** Returns the index of the chunk that has an entry, if ids are numbers that grow evenly; otherwise any index. */
function guessChunk(chunks: Chunks, { id }: Entry): number {
  const [first, last] = [chunks[0]?.[0]?.id, chunks.at(-1)?.at(-1)?.id];
  if (typeof id !== 'number' || typeof first !== 'number' || typeof last !== 'number' || first >= last) return 0;
  const index = Math.floor(((id - first) / (last - first)) * chunks.length);
  return Math.max(0, Math.min(chunks.length - 1, index));
}

/** Forgets the versions that are more than `KEPT_VERSIONS` changes before a version. */
function forgetBefore(version: Version): void {
  let oldest: Version | undefined = version;
  for (let count = 0; oldest && count < KEPT_VERSIONS; count++) oldest = oldest.previous;
  if (oldest) oldest.previous = undefined;
}

/** The lists of states that had no array when `setList` created the state, by the name of the collection. */
const listsByState = new WeakMap<State, ReadonlyMap<string, EntryList>>();

/** Returns a list of a state. Returns an empty list if the state has none with this name. */
export function getList(state: State, name: string): EntryList {
  return listsByState.get(state)?.get(name) ?? EntryList.of(getCollection(state, name));
}

/**
 * Returns the entries of a collection. Returns an empty list if the state does not have it.
 * `state[name]` would be a function for `constructor`, which all objects inherit.
 */
export function getCollection(state: State, name: string): readonly Entry[] {
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
    if (own && !own.hasArray) {
      Object.defineProperty(next, key, getDescriptor(key));
      continue;
    }
    lists.delete(key);
    setProperty(next, key, own?.entries ?? getCollection(state, key));
  }
  listsByState.set(next, lists);
  return next;
}

/**
 * The property of a list that has no array yet, by the name of the collection.
 * All states share it: V8 keeps an object with a getter of its own in memory until the next full garbage collection.
 */
const descriptors = new Map<string, PropertyDescriptor & ThisType<State>>();

function getDescriptor(name: string): PropertyDescriptor & ThisType<State> {
  const known = descriptors.get(name);
  if (known) return known;
  const descriptor: PropertyDescriptor & ThisType<State> = {
    get() {
      return listsByState.get(this)?.get(name)?.entries;
    },
    enumerable: true,
    configurable: true,
  };
  descriptors.set(name, descriptor);
  return descriptor;
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
  const after = listsByState.get(next)?.get(name) ?? listsByArray.get(getCollection(next, name));
  const known = after?.findChanges(getList(previous, name));
  if (known) return joinAppended(known);
  const [from, to] = [getCollection(previous, name), getCollection(next, name)];
  if (from === to) return [];
  const { start, fromEnd, toEnd } = findDifference(from, to);
  return [{ from: start, removed: from.slice(start, fromEnd), inserted: to.slice(start, toEnd) }];
}

/** Joins changes: entries that follow those of the change before become part of it. */
function joinAppended(changes: readonly Splice[]): readonly Splice[] {
  const joined: (Splice & { readonly inserted: Entry[] })[] = [];
  for (const { from, removed, inserted } of changes) {
    const last = joined.at(-1);
    if (last && removed.length === 0 && from === last.from + last.inserted.length) last.inserted.push(...inserted);
    else joined.push({ from, removed, inserted: [...inserted] });
  }
  return joined;
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
