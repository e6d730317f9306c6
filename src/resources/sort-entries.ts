import type { Input } from '../application.ts';
import type { Entry } from '../store/state.ts';
import { normalizeName } from '../util/normalize-name.ts';
import type { Complete, ListParameters } from './list-query.ts';

/**
 * Sorts entries by the sort parameter of a query.
 * Supports `name`, `-name`, `name:desc`, `name,desc` and `name desc`.
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
  const known = keys.flatMap(({ name, isDescending }) => {
    const property = findSortProperty(rows, name);
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

function parseSortKeys(text: string): readonly { readonly name: string; readonly isDescending: boolean }[] {
  const parts = text.split(/[,\s]+/).filter(Boolean);
  const keys: { name: string; isDescending: boolean }[] = [];
  for (const part of parts) {
    const [, sign, name = '', direction] = /^([-+]?)([^:]*?)(?:[:.](asc|desc))?$/i.exec(part) ?? [];
    const last = keys.at(-1);
    if (/^(asc|desc)$/i.test(name) && last) last.isDescending = /^desc$/i.test(name);
    else keys.push({ name, isDescending: sign === '-' || /^desc$/i.test(direction ?? '') });
  }
  // A repeated key has no effect. A query of 64 kB could repeat a key thousands of times.
  const names = new Set<string>();
  return keys.filter(({ name }) => !names.has(normalizeName(name)) && names.add(normalizeName(name)));
}

function findSortProperty(rows: readonly { readonly values: Entry }[], name: string): string | undefined {
  const wanted = normalizeName(name);
  for (const { values } of rows) {
    const found = Object.keys(values).find((property) => normalizeName(property) === wanted);
    if (found !== undefined) return found;
  }
  return undefined;
}

function compare(a: unknown, b: unknown): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  if (a === undefined || b === undefined) return a === b ? 0 : a === undefined ? 1 : -1;
  const [left, right] = [String(a), String(b)];
  return left < right ? -1 : Number(left > right);
}
