import type { Input } from '../application.ts';
import type { Entry } from '../store/state.ts';
import { normalizeName } from '../util/normalize-name.ts';
import type { Complete, ListParameters } from './list-query.ts';

/**
 * Sorts entries by the sort parameter of a query.
 * Supports `name`, `-name`, `name:desc`, `name,desc` and `name desc`, also with `descending`.
 * Returns a new array.
 * In ascending order, entries without the property are last.
 */
export function sortEntries(
  entries: readonly Entry[],
  { byMeaning }: ListParameters,
  query: Input['query'],
  complete: Complete,
): readonly Entry[] {
  const text = byMeaning.sort === undefined ? undefined : query[byMeaning.sort];
  if (text === undefined) return entries;
  const order = byMeaning.order === undefined ? '' : String(query[byMeaning.order] ?? '');
  // In `sort=name&sort=age,desc`, a direction can also be an entry of its own.
  const keys = parseSortKeys([text].flat().join(','));
  const isReversed = /^desc/i.test(order) && byMeaning.order !== byMeaning.sort;
  // The object has no prototype, so that a property with a name such as `constructor` has no inherited value.
  const rows = entries.map((entry) => ({
    entry,
    values: Object.assign(Object.create(null), complete(entry), entry) as Entry,
  }));
  const properties = findSortProperties(rows, new Set(keys.map(({ name }) => name)));
  const known = keys.flatMap(({ name, isDescending }) => {
    const property = properties.get(name);
    return property === undefined ? [] : [{ property, factor: isDescending !== isReversed ? -1 : 1 }];
  });
  if (known.length === 0) return entries;
  rows.sort((a, b) => {
    for (const { property, factor } of known) {
      const result = compare(a.values[property], b.values[property]) * factor;
      if (result !== 0) return result;
    }
    return 0;
  });
  return rows.map(({ entry }) => entry);
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
 * Reads the entries once, because a query can have thousands of names that no entry has.
 */
function findSortProperties(
  rows: readonly { readonly values: Entry }[],
  names: ReadonlySet<string>,
): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  const seen = new Set<string>();
  for (const { values } of rows) {
    if (found.size === names.size) break;
    for (const property of Object.keys(values)) {
      if (seen.has(property)) continue;
      seen.add(property);
      const name = normalizeName(property);
      if (names.has(name) && !found.has(name)) found.set(name, property);
    }
  }
  return found;
}

function compare(a: unknown, b: unknown): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  if (a === undefined || b === undefined) return a === b ? 0 : a === undefined ? 1 : -1;
  const [left, right] = [String(a), String(b)];
  return left < right ? -1 : Number(left > right);
}
