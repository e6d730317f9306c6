import type { StateText } from './data-file.ts';
import { findListChanges, getCollection, hasSameList } from './entry-list.ts';
import type { Entry, State } from './state.ts';

/** A change of a list: the index of the first difference, the number of entries removed there, and the new entries. */
type ListChange = readonly [from: number, removed: number, inserted: readonly Entry[]];

/**
 * The difference between two states.
 * For each collection that differs: one change, or several changes that are applied one after the other.
 * For example `{ pets: [4, 1, []] }`: the fifth pet is removed.
 */
export type StateChange = Readonly<Record<string, ListChange | readonly ListChange[]>>;

/**
 * Returns the difference between two states.
 * Compares entries by identity, because an entry is never changed in place.
 * A collection that only the previous state has becomes empty.
 */
export function compareStates(previous: State, next: State): StateChange {
  const changed: [name: string, change: StateChange[string]][] = [];
  for (const name of new Set([...Object.keys(previous), ...Object.keys(next)])) {
    if (hasSameList(previous, next, name)) continue;
    const changes = findListChanges(previous, next, name).map(
      ({ from, removed, inserted }): ListChange => [from, removed.length, inserted],
    );
    const [first = [0, 0, []]] = changes;
    changed.push([name, changes.length > 1 ? changes : first]);
  }
  return Object.fromEntries(changed);
}

function listChanges(change: StateChange): readonly (readonly [name: string, ...ListChange])[] {
  return Object.entries(change).flatMap(([name, value]) =>
    (isListChange(value) ? [value] : value).map((one) => [name, ...one] as const),
  );
}

function isListChange(value: StateChange[string]): value is ListChange {
  return typeof value[0] === 'number';
}

/** Returns the number of entries that a change inserts into all collections. */
export function countInserted(change: StateChange): number {
  return listChanges(change).reduce((sum, [, , , inserted]) => sum + inserted.length, 0);
}

/**
 * Returns the number of new entries in a change.
 * An inserted entry is not new if the state before the change has it: the entry has only moved.
 * `previous`: the state before the change.
 */
export function countNew(previous: State, change: StateChange): number {
  let count = 0;
  const known = new Map(Object.keys(change).map((name) => [name, new Set(previous[name])]));
  for (const [name, , , inserted] of listChanges(change)) {
    const before = known.get(name);
    for (const entry of inserted) if (!before?.has(entry)) count++;
  }
  return count;
}

/**
 * The maximum number of arguments for `splice`.
 * V8 limits the arguments of a function call, depending on the size of its stack.
 */
const MAX_ARGUMENTS = 10_000;

interface Replacement {
  readonly from: number;
  readonly removed: number;
  readonly inserted: readonly Entry[];
}

/** Replaces entries of a list. Changes `list` in place, or returns a new list if there are many new entries. */
function replaceEntries(list: Entry[], { from, removed, inserted }: Replacement): Entry[] {
  if (inserted.length > MAX_ARGUMENTS) return [...list.slice(0, from), ...inserted, ...list.slice(from + removed)];
  list.splice(from, removed, ...inserted);
  return list;
}

/**
 * Applies changes to a state, and returns the new state.
 * Copies each changed list only once, because a log can have thousands of changes of a long list.
 */
export function applyChanges(state: State, changes: readonly StateChange[]): State {
  const lists = new Map<string, Entry[]>();
  for (const [name, from, removed, inserted] of changes.flatMap(listChanges)) {
    const list = lists.get(name) ?? [...getCollection(state, name)];
    lists.set(name, replaceEntries(list, { from, removed, inserted }));
  }
  return { ...state, ...Object.fromEntries(lists) };
}

/**
 * Returns the names of the lists in `state` that the current contract does not define.
 * These lists come from an earlier version of the contract.
 */
export function findOtherLists(state: State, collections: readonly string[]): readonly string[] {
  const names = new Set(collections);
  return Object.keys(state).filter((name) => !names.has(name));
}

/**
 * Returns `next` plus the lists of `current` that the contract does not define.
 * The store calls this before each commit, so that no change and no reset removes these lists.
 */
export function keepOtherLists(current: State, next: State, collections: readonly string[]): State {
  const lost = Object.keys(current).filter((name) => !Object.hasOwn(next, name) && !collections.includes(name));
  if (lost.length === 0) return next;
  return { ...next, ...Object.fromEntries(lost.map((name) => [name, current[name] ?? []])) };
}

/**
 * Returns a copy of default data in which each missing list is empty.
 * A reset to this copy empties these lists, because `keepOtherLists` does not keep them.
 */
export function addEmptyLists(defaults: State, names: readonly string[]): State {
  return { ...Object.fromEntries(names.map((name) => [name, []])), ...defaults };
}

/** The approximate length of the pieces in which a text is written, in characters. */
const PIECE_LENGTH = 128_000;

/**
 * Creates the JSON text of a state, in UTF-8.
 * Stores the texts of its entries, because the next state has most of them too.
 * Compares states and entries by identity, because they are never changed in place.
 */
export class StateTexts {
  /**
   * The texts of the files from which states were read.
   * `getPieces` yields these texts unchanged, and creates the texts of other states.
   */
  readonly sources = new WeakMap<State, StateText>();

  /** The texts of entries, as long as the entries are in memory. */
  readonly #texts = new WeakMap<Entry, string>();

  /**
   * `getCollections` returns the names of the collections, in the order of the data file.
   * In a text, all other lists follow the collections.
   */
  constructor(private readonly getCollections: () => readonly string[]) {}

  /** Returns how many bytes longer the text of a state can be after a change. The result is an upper limit. */
  measureChange(change: StateChange): number {
    const inserted = listChanges(change).flatMap(([, , , entries]) => entries);
    return inserted.reduce((bytes, entry) => bytes + Buffer.byteLength(this.#printEntry(entry)) + LIST_BYTES, 0);
  }

  /**
   * Yields the UTF-8 text of a state, in pieces of about 128 kB.
   * Creates the text of an entry only once, even if several states contain the entry.
   */
  *getPieces(state: State): Generator<Buffer> {
    const text = this.sources.get(state)?.text;
    if (text) yield* splitText(text);
    else yield* joinParts(this.#getParts(state));
  }

  /** Returns the JSON text of a list entry, with line break and indentation. */
  #printEntry(entry: Entry): string {
    let text = this.#texts.get(entry);
    if (text === undefined) {
      text = `\n    ${JSON.stringify(entry, null, 2).replaceAll('\n', '\n    ')}`;
      this.#texts.set(entry, text);
    }
    return text;
  }

  *#getParts(state: State): Generator<string> {
    let separator = '{';
    for (const name of new Set([...this.getCollections(), ...Object.keys(state)])) {
      yield `${separator}\n  ${JSON.stringify(name)}: [`;
      const entries = getCollection(state, name);
      for (const [index, entry] of entries.entries()) yield (index === 0 ? '' : ',') + this.#printEntry(entry);
      yield entries.length === 0 ? ']' : '\n  ]';
      separator = ',';
    }
    yield separator === '{' ? '{}\n' : '\n}\n';
  }
}

/**
 * The maximum number of bytes that an entry needs besides its own text: for a comma, and for the line break at the end
 * of the list.
 */
const LIST_BYTES = 4;

function* splitText(text: Buffer): Generator<Buffer> {
  for (let at = 0; at < text.length; at += PIECE_LENGTH) yield text.subarray(at, at + PIECE_LENGTH);
}

function* joinParts(parts: Iterable<string>): Generator<Buffer> {
  let text = '';
  for (const part of parts) {
    text += part;
    if (text.length < PIECE_LENGTH) continue;
    yield Buffer.from(text);
    text = '';
  }
  yield Buffer.from(text);
}
