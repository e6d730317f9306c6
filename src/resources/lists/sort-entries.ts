import type { Input } from '../../application.ts';
import type { Route } from '../../openapi/routes.ts';
import type { Entry } from '../../store/state.ts';
import { normalizeName } from '../../util/names.ts';
import { getProperty } from '../entries/entry-values.ts';
import { findCreatedName, findUpdatedName } from '../entries/server-values.ts';
import { compareTexts } from './filter-entries.ts';
import type { FilterProperty } from './list-filters.ts';
import { type ListOrder, type ListParameters, listValues, type QueryField } from './list-query.ts';
import type { GetKeyword } from './parameter-filters.ts';
import { readPosition } from './take-page.ts';

/** A function that returns a stored entry with the generated properties that clients see in responses. */
type Complete = (entry: Entry) => Entry;

/**
 * Sorts entries by the sort parameter of a query, or else in the order that the document describes.
 * Supports `name`, `-name`, `name:desc`, `name,desc` and `name desc`, also with `descending`, and `findSortWord`.
 * Returns a new array. The order of the entries behind the page that the query selects is undefined.
 * In ascending order, entries without the property are last. The values of an `enum` have the order of the document.
 */
export function sortEntries(
  entries: readonly Entry[],
  parameters: ListParameters,
  query: Input['query'],
  complete: Complete,
): readonly Entry[] {
  const known = findSorters(entries, parameters, query, complete);
  const order = known.length === 0 ? getOrder(parameters, query) : undefined;
  const { limit, cursor, offset } = readPosition(parameters, query);
  const end = limit === undefined || cursor !== undefined ? entries.length : offset + limit;
  if (!order) return sortBy(entries, known, end, complete);
  // Of entries with the same time, the last one is the newest.
  const list = order.isDescending && (order.isTime || order.property === undefined) ? entries.toReversed() : entries;
  return sortBy(list, createSorters(order, parameters), end, complete);
}

/** How a list is sorted. `factor`: -1 for a descending order. `ranks`: the places of the values of an `enum`. */
interface Sorter {
  readonly property: string;
  readonly factor: number;
  readonly ranks: ReadonlyMap<unknown, number> | undefined;
}

/** Returns the order of a list for a query that has no property to sort by; undefined for the order of creation. */
function getOrder({ order, orderFlag }: ListParameters, query: Input['query']): ListOrder | undefined {
  const value = orderFlag && query[orderFlag.name];
  if (!orderFlag || (value !== 'true' && value !== 'false')) return order;
  const { isDescending } = orderFlag.order;
  return { ...orderFlag.order, isDescending: value === 'true' ? isDescending : !isDescending };
}

function createSorters({ property, isDescending }: ListOrder, { properties }: ListParameters): readonly Sorter[] {
  if (property === undefined) return [];
  const values = properties.find(({ name, path = name }) => path === property)?.values;
  return [{ property, factor: isDescending ? -1 : 1, ranks: values && createRanks(values) }];
}

function createRanks(values: readonly unknown[]): ReadonlyMap<unknown, number> {
  return new Map(values.map((value, index) => [value, index]));
}

/** Returns what the sort parameter of a query names. */
function findSorters(
  entries: readonly Entry[],
  { byMeaning, properties }: ListParameters,
  query: Input['query'],
  complete: Complete,
): readonly Sorter[] {
  const text = byMeaning.sort === undefined ? undefined : query[byMeaning.sort];
  if (text === undefined) return [];
  const order = byMeaning.order === undefined ? '' : String(query[byMeaning.order] ?? '');
  // In `sort=name&sort=age,desc`, a direction can also be an entry of its own.
  const keys = parseSortKeys([text].flat().join(','));
  const isReversed = /^desc/i.test(order) && byMeaning.order !== byMeaning.sort;
  const names = findSortProperties(entries, new Set(keys.map(({ name }) => name)), complete);
  return keys.flatMap(({ name, part, isDescending }) => {
    const own = names.get(name);
    const word =
      own === undefined ? findSortWord(part, properties) : { property: own, isDescending, isDirected: false };
    if (!word) return [];
    const { property } = word;
    const factor = word.isDescending !== (isReversed && !word.isDirected) ? -1 : 1;
    const { values, path = property } = properties.find((one) => one.name === property) ?? {};
    return [{ property: path, factor, ranks: values && createRanks(values) }];
  });
}

/** Returns entries of which those before the index `end` are sorted. */
function sortBy(
  entries: readonly Entry[],
  sorters: readonly Sorter[],
  end: number,
  complete: Complete,
): readonly Entry[] {
  const [first] = sorters;
  if (!first) return entries;
  if (sortsFew(entries.length, end)) return sortFirst(entries, end, compareEntries);
  const rows = entries.map((entry): Row => ({ entry, value: read(entry, first) }));
  return rows.toSorted(compareRows).map(({ entry }) => entry);

  function compareRows(a: Row, b: Row): number {
    return compareValues(a.value, b.value, first?.factor) || compareEntries(a.entry, b.entry);
  }

  function compareEntries(a: Entry, b: Entry): number {
    for (const key of sorters) {
      const result = compareValues(read(a, key), read(b, key), key.factor);
      if (result !== 0) return result;
    }
    return 0;
  }

  /** Returns the stored value of a property, or the generated one. A value of an `enum` is its place. */
  function read(entry: Entry, { property, ranks }: Sorter): unknown {
    const own = getProperty(entry, property);
    const value = own === undefined ? getProperty(complete(entry), property) : own;
    return value === null ? undefined : (ranks?.get(value) ?? value);
  }
}

/** An entry, and its value for the first sort key. */
interface Row {
  readonly entry: Entry;
  readonly value: unknown;
}

/** The maximum number of entries that are inserted one by one at their place. */
const MAX_INSERTED = 1_000;

/** Returns whether the first `count` of so many values are sorted without sorting the others. */
function sortsFew(length: number, count: number): boolean {
  return count <= MAX_INSERTED && count * 4 <= length;
}

/**
 * Returns a copy of a list whose first `count` values are sorted.
 * The order of the others is undefined, because sorting a long list costs more than finding its first values.
 * The order of equal values is kept.
 */
export function sortFirst<Value>(
  values: readonly Value[],
  count: number,
  compare: (a: Value, b: Value) => number,
): readonly Value[] {
  if (!sortsFew(values.length, count)) return values.toSorted(compare);
  const first: Value[] = [];
  const others: Value[] = [];
  for (const value of values) {
    const last = first.at(-1);
    if (first.length >= count && (last === undefined || compare(value, last) >= 0)) {
      others.push(value);
      continue;
    }
    let [low, high] = [0, first.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (compare(value, first[middle] as Value) < 0) high = middle;
      else low = middle + 1;
    }
    first.splice(low, 0, value);
    if (first.length > count) others.push(...first.splice(count));
  }
  return [...first, ...others];
}

/** A part of a sort parameter, such as `-createdAt`, and the normalized name in it. */
interface SortKey {
  readonly part: string;
  readonly name: string;
  isDescending: boolean;
}

/** Returns the keys in a text, with normalized names. */
function parseSortKeys(text: string): readonly SortKey[] {
  const parts = text.split(/[,\s]+/).filter(Boolean);
  const keys: SortKey[] = [];
  for (const part of parts) {
    const [, sign, name = '', direction] = /^([-+]?)([^:]*?)(?:[:.]((?:asc|desc)(?:ending)?))?$/i.exec(part) ?? [];
    const last = keys.at(-1);
    if (/^(asc|desc)(ending)?$/i.test(name) && last) last.isDescending = /^desc/i.test(name);
    else keys.push({ part, name: normalizeName(name), isDescending: sign === '-' || /^desc/i.test(direction ?? '') });
  }
  // A repeated key has no effect. A query of 64 kB could repeat a key thousands of times.
  const names = new Set<string>();
  return keys.filter(({ name }) => !names.has(name) && names.add(name));
}

/**
 * Returns the properties of the entries whose normalized name is one of `names`, by this name.
 * Reads the entries at most twice, because a query can have thousands of names that no entry has.
 */
function findSortProperties(
  entries: readonly Entry[],
  names: ReadonlySet<string>,
  complete: Complete,
): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  const seen = new Set<string>();
  const read = (shown: Entry) => {
    for (const property of Object.keys(shown)) {
      if (seen.has(property)) continue;
      seen.add(property);
      const name = normalizeName(property);
      if (names.has(name) && !found.has(name)) found.set(name, property);
    }
    return found.size === names.size;
  };
  // A property that only responses have is generated.
  if (!entries.some(read)) entries.some((entry) => read(complete(entry)));
  return found;
}

/** Names of numbers by which entries are popular, without uppercase letters and separators. */
export const POPULAR_NAMES = [
  'popularity',
  'rating',
  'averagerating',
  'score',
  'likes',
  'likecount',
  'likescount',
  'views',
  'viewcount',
  'votes',
];

/** Words for an order, with functions that return the property. */
const SORT_WORDS: readonly (readonly [words: RegExp, find: FindName, isDescending: boolean])[] = [
  [/^(?:most)?(?:newest|latest|recent|new)(?:first)?$|^recently(?:added|created)$/, findCreatedName, true],
  [/^(?:oldest|earliest)(?:first)?$/, findCreatedName, false],
  [/^(?:recently|last)(?:updated|modified|changed)$/, findUpdatedName, true],
  [/^(?:most)?(?:popular|trending)$|^top$|^best$|^(?:top|best|highest)rated$/, findAny(POPULAR_NAMES), true],
  [/^(?:alphabetical(?:ly)?|alpha|az)$/, findAny(['name', 'title']), false],
  [/^za$/, findAny(['name', 'title']), true],
  [/^cheapest$|^lowestprice$/, findAny(['price', 'pricecents', 'amount']), false],
  [/^mostexpensive$|^highestprice$/, findAny(['price', 'pricecents', 'amount']), true],
];

type FindName = (names: readonly string[]) => string | undefined;

/** Returns a function that returns the first property with one of several names. */
function findAny(wanted: readonly string[]): FindName {
  return (names) =>
    wanted.map((one) => names.find((name) => normalizeName(name) === one)).find((name) => name !== undefined);
}

/** Directions at the end of a word for an order, without uppercase letters and separators. */
const DIRECTIONS = /^(.+?)(?:(asc(?:ending)?|lowtohigh|lowhigh|az)|desc(?:ending)?|hightolow|highlow|za)$/;

/** The ends of names of times and dates: `created` is `createdAt`, and `due` is `dueDate`. */
const TIME_ENDS = ['at', 'date', 'on', 'time', 'datetime'];

/** The units at the end of a name: `price` is `priceCents`. */
const UNIT_ENDS = [
  'cents',
  'incents',
  'minor',
  'amount',
  'value',
  'usd',
  'eur',
  'ms',
  'seconds',
  'minutes',
  'hours',
  'days',
];

/** What a value of a sort parameter names. `isDirected`: whether it also names the direction. */
interface SortWord {
  readonly property: string;
  readonly isDescending: boolean;
  readonly isDirected: boolean;
}

/**
 * Returns the property and the direction that a value of a sort parameter names: `createdAt` for `newest`, and `price`
 * for `price_asc` and `price-high-to-low`.
 * Returns undefined if it names none.
 */
function findSortWord(text: string, properties: readonly FilterProperty[]): SortWord | undefined {
  const names = properties.map(({ name }) => name);
  const isReversed = text.startsWith('-');
  const word = normalizeName(text);
  const own = findSortName(word, properties);
  if (own !== undefined) return { property: own, isDescending: isReversed, isDirected: isReversed };
  const toKey = (property: string, isDescending: boolean) => ({
    property,
    isDescending: isDescending !== isReversed,
    isDirected: true,
  });
  for (const [words, find, isDescending] of SORT_WORDS) {
    const property = words.test(word) ? find(names) : undefined;
    if (property !== undefined) return toKey(property, isDescending);
  }
  const [, base = '', ascending] = DIRECTIONS.exec(word) ?? [];
  const directed = base === '' ? undefined : findSortName(base, properties);
  return directed === undefined ? undefined : toKey(directed, ascending === undefined);
}

/** Returns the property that a word names: `createdAt` for `created`, and the only time of an entry for `date`. */
export function findSortName(word: string, properties: readonly FilterProperty[]): string | undefined {
  const times = properties.filter(({ isTime }) => isTime);
  const only = /^(?:date|time)$/.test(word) && times.length === 1 ? times[0] : undefined;
  const isNamed = ({ name }: FilterProperty) => normalizeName(name) === word;
  const isTime = ({ name }: FilterProperty) => TIME_ENDS.some((end) => normalizeName(name) === word + end);
  // A price in cents has the order of the price.
  const inUnit = properties.filter(({ name }) => UNIT_ENDS.some((end) => normalizeName(name) === word + end));
  const measured = inUnit.length === 1 ? inUnit[0] : undefined;
  return (properties.find(isNamed) ?? times.find(isTime) ?? only ?? measured)?.name;
}

/**
 * Adds to list parameters the values of the sort parameter that name no property of an entry, such as `relevance`.
 * If no value names one, the parameter has no effect.
 */
export function omitUnsorted(
  parameters: ListParameters,
  fields: readonly QueryField[],
  getKeyword: GetKeyword,
): ListParameters {
  const { properties, ignored } = parameters;
  const { sort, order, ...byMeaning } = parameters.byMeaning;
  const field = fields.find(({ name }) => name === sort);
  const values = field ? listValues(field, getKeyword) : [];
  const names = new Set(properties.map(({ name }) => normalizeName(name)));
  const isKnown = ({ name, part }: SortKey) => names.has(name) || findSortWord(part, properties) !== undefined;
  const unsorted = values.filter((value) => !parseSortKeys(value).some(isKnown));
  if (properties.length === 0 || unsorted.length === 0) return parameters;
  if (unsorted.length < values.length) return { ...parameters, unsorted };
  const unused = [sort, order].filter((name) => name !== undefined);
  return { ...parameters, byMeaning, ignored: [...new Set([...ignored, ...unused])] };
}

/** Returns the query parameters of a request that have no effect, such as `color` and `sort=relevance`. */
export function listIgnored(
  { ignored, byMeaning: { sort = '' }, unsorted = [] }: ListParameters,
  query: Input['query'],
): readonly string[] {
  const value = String(query[sort]);
  return [
    ...ignored.filter((name) => query[name] !== undefined),
    ...(unsorted.includes(value) ? [`${sort}=${value}`] : []),
  ];
}

/**
 * Compares two values for the order of a list. A value that is undefined is last.
 * `factor`: -1 for descending order.
 */
export function compareValues(a: unknown, b: unknown, factor = 1): number {
  if (typeof a === 'number' && typeof b === 'number') return (a - b) * factor;
  if (a === undefined || b === undefined) return a === b ? 0 : a === undefined ? 1 : -1;
  if (typeof a === 'string' && typeof b === 'string') return compareTexts(a, b) * factor;
  return compareTexts(String(a), String(b)) * factor;
}

/** Describes a query parameter, or a property of the body of a QUERY, that has no effect. */
export function describeIgnored({ method }: Route, name: string): string {
  const kind = method === 'QUERY' ? 'property' : 'query parameter';
  return `${kind} ${name} has no effect: no property matches it`;
}
