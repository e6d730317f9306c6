import { PAGING_NAMES } from '../util/pages.ts';
import { describeFilter } from './list-filters.ts';
import type { ListOrder, ListParameters } from './list-query.ts';

/** Returns `label: one, other` for texts, and nothing without texts. */
export function describe(label: string, texts: readonly string[]): readonly string[] {
  return texts.length > 0 ? [`${label}: ${texts.join(', ')}`] : [];
}

const PAGING = Object.keys(PAGING_NAMES) as (keyof typeof PAGING_NAMES)[];

/** Describes what the query parameters of an operation do with a list, and in which order it is without them. */
export function describeParameters({
  filters,
  byUser = new Map(),
  byMeaning,
  ignored,
  unsorted = [],
  bounds,
  order,
  orderFlag,
}: ListParameters): readonly string[] {
  return [
    ...describe('filters', [
      ...[...filters].map(([name, filter]) => describeFilter(name, filter)),
      ...[...byUser].map(([name, flag]) => `${name} (users with ${flag})`),
    ]),
    ...describe('sorted by', order ? [describeOrder(order)] : []),
    ...describe('sorts by', [
      ...(byMeaning.sort === undefined ? [] : [describeSort(byMeaning.sort, unsorted)]),
      ...(orderFlag ? [orderFlag.name] : []),
    ]),
    ...describe('pages by', [
      ...PAGING.flatMap((meaning) => byMeaning[meaning] ?? []),
      ...[bounds?.before, bounds?.after].filter((name) => name !== undefined),
    ]),
    ...describe('ignores', ignored),
  ];
}

/** Describes a sort parameter: `sort (ignores: relevance)`. */
function describeSort(name: string, unsorted: readonly string[]): string {
  return unsorted.length === 0 ? name : `${name} (ignores: ${unsorted.join(', ')})`;
}

/** Describes the order that the text of an operation names: `newest first`, `name` or `rating, descending`. */
function describeOrder({ property, isTime, isDescending }: ListOrder): string {
  if (property === undefined || isTime) return isDescending ? 'newest first' : 'oldest first';
  return isDescending ? `${property} descending` : property;
}
