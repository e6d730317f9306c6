import { EntryList } from '../../store/entry-list.ts';
import type { Entry } from '../../store/state.ts';
import { runAtOnce, type Steps, splitList } from '../../util/slices.ts';
import type { PathKey } from '../resource.ts';
import { createPropertyKey, getKeyValue, getProperty, getStoredKey } from './entry-values.ts';

/** The entries with the same values for some keys: one entry, or several in the order of the list. */
type Group = Entry | Entry[];

/**
 * The values of an entry for some keys: a text, or a number for a text such as `7`.
 * Numbers need less memory, and an index of them is created twice as fast.
 */
type IndexKey = string | number | undefined;

/** The entries of a list by their values for some keys, such as the id. */
interface KeyIndex {
  readonly keys: readonly PathKey[];
  readonly groups: Map<IndexKey, Group>;
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

/** Returns the key under which an index has the entries with some values. */
function toIndexKey(values: readonly (string | undefined)[]): IndexKey {
  const [first] = values;
  if (values.length > 1) return JSON.stringify(values);
  return first !== undefined && PLAIN_NUMBER.test(first) ? Number(first) : first;
}

/** Matches a whole number with up to 15 digits as JSON has it. Another text, such as `07`, is not the same id. */
const PLAIN_NUMBER = /^(?:0|[1-9]\d{0,14})$/;

function getIndexKey(entry: Entry, keys: readonly PathKey[]): IndexKey {
  const [only] = keys;
  if (keys.length === 1 && only) {
    const value = getStoredKey(entry, only);
    if (isPlainNumber(value)) return value;
  }
  return toIndexKey(keys.map((key) => getKeyValue(entry, key)));
}

function isPlainNumber(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value < MAX_PLAIN_NUMBER;
}

/** The first number with more than 15 digits. */
const MAX_PLAIN_NUMBER = 1e15;

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
  if (isPlainNumber(id)) return id;
  return typeof id !== 'boolean' && /^\d{1,15}$/.test(String(id)) ? Number(id) : undefined;
}

function addNumber(numbers: IdNumbers, id: unknown): void {
  const number = toNumber(id);
  if (number === undefined) return;
  numbers.count++;
  if (number !== id && String(number) !== id) numbers.unusual++;
  if (number >= numbers.highest) numbers.isRemoved = false;
  numbers.highest = Math.max(numbers.highest, number);
}

function removeNumber(numbers: IdNumbers, id: unknown): void {
  const number = toNumber(id);
  if (number === undefined) return;
  numbers.count--;
  if (number !== id && String(number) !== id) numbers.unusual--;
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
