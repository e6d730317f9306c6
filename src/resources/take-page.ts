import { DomainError, type Input } from '../application.ts';
import type { Entry } from '../store/state.ts';
import { findOffset, type PagePosition, slicePage } from '../util/pages.ts';
import type { IdBounds, ListPage, ListParameters } from './list-query.ts';

/**
 * The number of entries on a page if a request sets no limit.
 * Applies only to operations with a page, offset or cursor parameter.
 */
const DEFAULT_LIMIT = 20;

/**
 * Returns the page of a list that the query parameters select.
 * If there is no limit, returns the newest `maxEntries` entries, which are last in the list.
 * In a list whose order the document describes, these are the first ones.
 * `getId`: a function that returns the id of an entry.
 * Throws a `DomainError` for an unknown cursor.
 */
export function takePage(
  entries: readonly Entry[],
  parameters: ListParameters,
  query: Input['query'],
  getId: (entry: Entry) => string | undefined,
): ListPage {
  const { byMeaning, firstPage, order, maxEntries = Number.POSITIVE_INFINITY } = parameters;
  const { limit, cursor, offset: before } = readPosition(parameters, query);
  const offset = cursor === undefined ? before : requireOffset(entries, cursor, byMeaning.cursor ?? '', getId);
  const start = limit === undefined && !order ? Math.max(offset, entries.length - maxEntries) : offset;
  const page = slicePage(entries, { offset: start, limit }, getId);
  return {
    ...page,
    ...(limit === undefined && { entries: page.entries.slice(0, maxEntries) }),
    position: getPosition(byMeaning, firstPage, query),
    isSorted: byMeaning.sort !== undefined && query[byMeaning.sort] !== undefined,
  };
}

/** Returns whether a query filters or sorts a list. */
export function hasSelection({ byMeaning, filters, order }: ListParameters, query: Input['query']): boolean {
  if (order?.property !== undefined && !order.isTime) return true;
  return [byMeaning.sort ?? '', ...filters.keys()].some((name) => query[name] !== undefined);
}

/** Which page a query selects: its maximum length, and the cursor or the number of entries before it. */
export function readPosition(
  { byMeaning, defaults, firstPage, bounds }: Pick<ListParameters, 'byMeaning' | 'defaults' | 'firstPage' | 'bounds'>,
  query: Input['query'],
): { readonly limit: number | undefined; readonly cursor: string | undefined; readonly offset: number } {
  const getNumber = (name: string | undefined) =>
    name === undefined || query[name] === undefined ? undefined : Number(query[name]);
  const { offset: offsetName, page: pageName, cursor: cursorName } = byMeaning;
  const isPaged = [pageName, cursorName, offsetName, bounds].some((one) => one !== undefined);
  const limit = getNumber(byMeaning.limit) ?? (isPaged ? DEFAULT_LIMIT : undefined);
  const page = Math.max(0, (getNumber(pageName) ?? firstPage) - firstPage);
  const cursor = cursorName === undefined || query[cursorName] === undefined ? '' : String(query[cursorName]);
  return {
    limit,
    cursor: cursor === '' || cursor === defaults[cursorName ?? ''] ? undefined : cursor,
    offset: Math.max(0, getNumber(offsetName) ?? page * (limit ?? 0)),
  };
}

/**
 * Returns the parameter that selects the page: the one that the query has, otherwise the first that the document has.
 */
function getPosition(
  { offset, page, cursor }: ListParameters['byMeaning'],
  firstPage: number,
  query: Input['query'],
): PagePosition | undefined {
  const positions: readonly PagePosition[] = [
    ...(cursor === undefined ? [] : [{ name: cursor, kind: 'cursor' as const, first: 0 }]),
    ...(page === undefined ? [] : [{ name: page, kind: 'page' as const, first: firstPage }]),
    ...(offset === undefined ? [] : [{ name: offset, kind: 'offset' as const, first: 0 }]),
  ];
  return positions.find(({ name }) => query[name] !== undefined) ?? positions[0];
}

/**
 * Returns the entries that were created before and after the entries whose ids a query has.
 * A number that is no id of an entry, such as that of a deleted one, is compared with the ids.
 * `entries`: in the order of creation.
 * Throws a `DomainError` for another unknown id.
 */
export function selectBetween(
  entries: readonly Entry[],
  { before, after }: IdBounds,
  query: Input['query'],
  getId: (entry: Entry) => string | undefined,
): readonly Entry[] {
  const getIndex = (name: string | undefined) => {
    const text = name === undefined ? '' : String(query[name] ?? '');
    if (text === '') return undefined;
    const index = entries.findIndex((entry) => getId(entry) === text);
    if (index !== -1 || !/^\d+$/.test(text)) return index === -1 ? requireOffset([], text, name ?? '', getId) : index;
    const next = entries.findIndex((entry) => Number(getId(entry)) > Number(text));
    return (next === -1 ? entries.length : next) - 0.5;
  };
  const [end = entries.length, start = -1] = [getIndex(before), getIndex(after)];
  return entries.filter((_entry, index) => index > start && index < end);
}

function requireOffset(
  entries: readonly Entry[],
  cursor: string,
  name: string,
  getId: (entry: Entry) => string | undefined,
): number {
  const offset = findOffset(entries, cursor, getId);
  if (offset !== undefined) return offset;
  throw new DomainError(
    'unknown-cursor',
    `query parameter ${name} ${JSON.stringify(cursor)} is not a cursor of this list: use the cursor from a response`,
  );
}
