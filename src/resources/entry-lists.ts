import { EntryList } from '../store/entry-list.ts';
import type { Entry } from '../store/state.ts';
import { runAtOnce, type Steps, splitList } from '../util/slices.ts';
import { createPropertyKey, getKeyValue, getProperty } from './entry-values.ts';
import type { PathKey } from './resource.ts';

/** The entries with the same values for some keys: one entry, or several in the order of the list. */
type Group = Entry | Entry[];

/** The entries of a list by their values for some keys, such as the id. */
interface KeyIndex {
  readonly keys: readonly PathKey[];
  readonly groups: Map<string | undefined, Group>;
}

/** The ids of a list that are whole numbers. */
interface IdNumbers {
  count: number;
  /** The number of these ids that are written in another way than a number in JSON, such as `"07"`. */
  unusual: number;
  highest: number;
  /** Whether the entry with the highest id was removed, so that the highest id must be found again. */
  isRemoved: boolean;
}

/** What is known about a list of entries. */
interface Indexes {
  /** By the names of the keys. */
  readonly byKeys: Map<string, KeyIndex>;
  /** By the property with the id. */
  readonly numbers: Map<string, IdNumbers>;
}

/**
 * The indexes of each list. They are created when they are first used.
 * A change of a list moves its indexes to the new list and updates them there, so that the cost of a change does not
 * depend on the length of the list. If the old list is read again, its indexes are created again.
 */
const indexesByList = new WeakMap<EntryList, Indexes>();

function getIndexes(list: EntryList): Indexes {
  const known = indexesByList.get(list);
  if (known) return known;
  const indexes: Indexes = { byKeys: new Map(), numbers: new Map() };
  indexesByList.set(list, indexes);
  return indexes;
}

/** Moves the indexes of a list to its next version. Returns them; undefined if the list has none. */
function moveIndexes(from: EntryList, to: EntryList): Indexes | undefined {
  const indexes = indexesByList.get(from);
  indexesByList.delete(from);
  if (indexes) indexesByList.set(to, indexes);
  return indexes;
}

/** Returns the text under which an index has the entries with some values. */
function toIndexKey(values: readonly (string | undefined)[]): string | undefined {
  return values.length === 1 ? values[0] : JSON.stringify(values);
}

function getIndexKey(entry: Entry, keys: readonly PathKey[]): string | undefined {
  const [only, ...others] = keys;
  return only && others.length === 0
    ? getKeyValue(entry, only)
    : toIndexKey(keys.map((key) => getKeyValue(entry, key)));
}

function getKeyIndex(list: EntryList, keys: readonly PathKey[]): KeyIndex {
  return getIndexes(list).byKeys.get(getIndexName(keys)) ?? runAtOnce(indexInSteps(list, keys));
}

function getIndexName(keys: readonly PathKey[]): string {
  const [only, ...others] = keys;
  if (only && others.length === 0) return only.property ?? `/${only.name}`;
  return keys.map(({ property, name }) => property ?? `/${name}`).join(' ');
}

/** Creates the index of a list by the values of its entries for some keys, if there is none yet. */
export function* indexInSteps(list: EntryList, keys: readonly PathKey[]): Steps<KeyIndex> {
  const name = getIndexName(keys);
  const known = getIndexes(list).byKeys.get(name);
  if (known) return known;
  const index: KeyIndex = { keys, groups: new Map() };
  for (const [part] of splitList(list.entries)) {
    for (const entry of part) addToIndex(index, entry);
    yield;
  }
  // A change in the meantime has moved the other indexes to the next list.
  getIndexes(list).byKeys.set(name, index);
  return index;
}

function addToIndex({ keys, groups }: KeyIndex, entry: Entry): void {
  const key = getIndexKey(entry, keys);
  const group = groups.get(key);
  if (group === undefined) groups.set(key, entry);
  else if (Array.isArray(group)) group.push(entry);
  else groups.set(key, [group, entry]);
}

function removeFromIndex({ keys, groups }: KeyIndex, entry: Entry): void {
  const key = getIndexKey(entry, keys);
  const rest = [groups.get(key) ?? []].flat().filter((other) => other !== entry);
  if (rest.length > 0) groups.set(key, rest);
  else groups.delete(key);
}

/**
 * Returns the entries with some values, in the order of the list.
 * The cost depends on the number of these entries only.
 * `values`: the value for each key, as `getKeyValue` returns it.
 */
export function findByKeys(
  list: EntryList,
  keys: readonly PathKey[],
  values: readonly (string | undefined)[],
): readonly Entry[] {
  const group = getKeyIndex(list, keys).groups.get(toIndexKey(values));
  return group === undefined ? [] : [group].flat();
}

/** Returns a list with another entry at the end. */
export function appendEntry(list: EntryList, entry: Entry): EntryList {
  const next = list.append(entry);
  const indexes = moveIndexes(list, next);
  for (const index of indexes?.byKeys.values() ?? []) addToIndex(index, entry);
  for (const [property, numbers] of indexes?.numbers ?? []) addNumber(numbers, getProperty(entry, property));
  return next;
}

/** Returns a list with `entry` in the place of `current`. */
export function replaceEntry(list: EntryList, current: Entry, entry: Entry): EntryList {
  const next = list.replace(current, entry);
  const { byKeys, numbers } = moveIndexes(list, next) ?? {};
  for (const [name, { keys, groups }] of byKeys ?? []) {
    const key = getIndexKey(current, keys);
    const group = groups.get(key);
    // The place of the entry among those with its new values is not known.
    if (key !== getIndexKey(entry, keys)) byKeys?.delete(name);
    else if (Array.isArray(group)) group[group.indexOf(current)] = entry;
    else groups.set(key, entry);
  }
  for (const property of numbers?.keys() ?? [])
    if (getProperty(current, property) !== getProperty(entry, property)) numbers?.delete(property);
  return next;
}

/** Returns a list without some of its entries. */
export function withoutEntries(list: EntryList, removed: ReadonlySet<Entry>): EntryList {
  const [first] = removed;
  const next =
    removed.size === 1 && first
      ? list.remove(first)
      : EntryList.of(list.entries.filter((entry) => !removed.has(entry)));
  // Many entries of one group are removed faster by creating the index again.
  if (removed.size > MAX_REMOVED) return next;
  const indexes = moveIndexes(list, next);
  for (const entry of removed) {
    for (const index of indexes?.byKeys.values() ?? []) removeFromIndex(index, entry);
    for (const [property, numbers] of indexes?.numbers ?? []) removeNumber(numbers, getProperty(entry, property));
  }
  return next;
}

/** The maximum number of entries that are removed from the indexes one by one. */
const MAX_REMOVED = 100;

/** Returns a whole number, such as 7, or that of a text such as `"7"`. Returns undefined for other ids. */
function toNumber(id: unknown): number | undefined {
  return typeof id !== 'boolean' && /^\d{1,15}$/.test(String(id)) ? Number(id) : undefined;
}

function addNumber(numbers: IdNumbers, id: unknown): void {
  const number = toNumber(id);
  if (number === undefined) return;
  numbers.count++;
  if (String(number) !== String(id)) numbers.unusual++;
  if (number >= numbers.highest) numbers.isRemoved = false;
  numbers.highest = Math.max(numbers.highest, number);
}

function removeNumber(numbers: IdNumbers, id: unknown): void {
  const number = toNumber(id);
  if (number === undefined) return;
  numbers.count--;
  if (String(number) !== String(id)) numbers.unusual--;
  if (number === numbers.highest) numbers.isRemoved = true;
}

function countNumbers(list: EntryList, property: string): IdNumbers {
  const numbers: IdNumbers = { count: 0, unusual: 0, highest: 0, isRemoved: false };
  for (const entry of list.entries) addNumber(numbers, getProperty(entry, property));
  return numbers;
}

/** The maximum number of ids that are searched for, one after the other, when the highest one was removed. */
const MAX_SEARCHED = 1_000;

/** Returns the highest id after the entry with this id was removed. Returns undefined if it is far below. */
function findHighest(list: EntryList, property: string, { highest, unusual }: IdNumbers): number | undefined {
  if (unusual > 0) return undefined;
  const keys = [createPropertyKey(property, '')];
  for (let number = highest; number > highest - MAX_SEARCHED && number > 0; number--)
    if (findByKeys(list, keys, [String(number)]).length > 0) return number;
  return undefined;
}

/**
 * Returns the highest id that is a whole number, 0 if there is none, and whether all ids are such numbers.
 * `property`: the property with the id; undefined if entries have none.
 */
export function getIdNumbers(
  list: EntryList,
  property: string | undefined,
): { readonly highest: number; readonly areAll: boolean } {
  if (property === undefined) return { highest: 0, areAll: false };
  const { numbers } = getIndexes(list);
  let known = numbers.get(property);
  if (known?.isRemoved) {
    const highest = findHighest(list, property, known);
    known = highest === undefined ? undefined : { ...known, highest, isRemoved: false };
  }
  known ??= countNumbers(list, property);
  numbers.set(property, known);
  return { highest: known.highest, areAll: list.length > 0 && known.count === list.length };
}
