import type { Input } from '../application.ts';
import type { Entry } from '../store/state.ts';
import { normalizeName } from '../util/names.ts';
import { getOwn } from './entry-values.ts';
import { compareTexts } from './list-filters.ts';
import { type ListParameters, readPosition } from './list-query.ts';

/** A function that returns a stored entry with the generated properties that clients see in responses. */
type Complete = (entry: Entry) => Entry;

/**
 * Sorts entries by the sort parameter of a query.
 * Supports `name`, `-name`, `name:desc`, `name,desc` and `name desc`, also with `descending`.
 * Returns a new array. The order of the entries behind the page that the query selects is undefined.
 * In ascending order, entries without the property are last.
 */
export function sortEntries(
  entries: readonly Entry[],
  parameters: ListParameters,
  query: Input['query'],
  complete: Complete,
): readonly Entry[] {
  const { byMeaning } = parameters;
  const text = byMeaning.sort === undefined ? undefined : query[byMeaning.sort];
  if (text === undefined) return entries;
  const order = byMeaning.order === undefined ? '' : String(query[byMeaning.order] ?? '');
  // In `sort=name&sort=age,desc`, a direction can also be an entry of its own.
  const keys = parseSortKeys([text].flat().join(','));
  const isReversed = /^desc/i.test(order) && byMeaning.order !== byMeaning.sort;
  const properties = findSortProperties(entries, new Set(keys.map(({ name }) => name)), complete);
  const known = keys.flatMap(({ name, isDescending }) => {
    const property = properties.get(name);
    return property === undefined ? [] : [{ property, factor: isDescending !== isReversed ? -1 : 1 }];
  });
  if (known.length === 0) return entries;
  const rows: readonly Row[] = entries.map((entry) => ({
    entry,
    values: known.map(({ property }) => read(entry, property)),
  }));
  const { limit, cursor, offset } = readPosition(parameters, query);
  const end = limit === undefined || cursor !== undefined ? rows.length : offset + limit;
  return sortFirst(rows, end, compareRows).map(({ entry }) => entry);

  function compareRows(a: Row, b: Row): number {
    for (let index = 0; index < known.length; index++) {
      const result = compareValues(a.values[index], b.values[index]) * (known[index]?.factor ?? 1);
      if (result !== 0) return result;
    }
    return 0;
  }

  /** Returns the stored value of a property, or the generated one. */
  function read(entry: Entry, property: string): unknown {
    const own = getOwn(entry, property);
    return own === undefined ? getOwn(complete(entry), property) : own;
  }
}

/** An entry, and its values for the sort keys. */
interface Row {
  readonly entry: Entry;
  readonly values: readonly unknown[];
}

/** The maximum number of entries that are inserted one by one at their place. */
const MAX_INSERTED = 1_000;

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
  if (count > MAX_INSERTED || count * 4 > values.length) return values.toSorted(compare);
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

/** Returns the keys in a text, with normalized names. */
function parseSortKeys(text: string): readonly { readonly name: string; readonly isDescending: boolean }[] {
  const parts = text.split(/[,\s]+/).filter(Boolean);
  const keys: { name: string; isDescending: boolean }[] = [];
  for (const part of parts) {
    const [, sign, name = '', direction] = /^([-+]?)([^:]*?)(?:[:.]((?:asc|desc)(?:ending)?))?$/i.exec(part) ?? [];
    const last = keys.at(-1);
    if (/^(asc|desc)(ending)?$/i.test(name) && last) last.isDescending = /^desc/i.test(name);
    else keys.push({ name: normalizeName(name), isDescending: sign === '-' || /^desc/i.test(direction ?? '') });
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

/** Compares two values for the order of a list. A value that is undefined is last. */
export function compareValues(a: unknown, b: unknown): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  if (a === undefined || b === undefined) return a === b ? 0 : a === undefined ? 1 : -1;
  if (typeof a === 'string' && typeof b === 'string') return compareTexts(a, b);
  return compareTexts(String(a), String(b));
}
