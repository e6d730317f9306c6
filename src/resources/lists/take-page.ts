import { DomainError, type Input } from '../../application.ts';
import type { Entry } from '../../store/state.ts';
import { toIsoTime } from '../../util/iso-time.ts';
import { findOffset, type PagePosition, slicePage } from '../../util/pages.ts';
import { getOwn } from '../entries/entry-values.ts';
import type { CursorKind, IdBounds, ListPage, ListParameters } from './list-query.ts';

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
  const findStart = (text: string) =>
    parameters.cursorKind
      ? findCursorStart(entries, parameters.cursorKind, text)
      : requireOffset(entries, text, byMeaning.cursor ?? '', getId);
  const offset = cursor === undefined ? before : findStart(cursor);
  const start = limit === undefined && !order ? Math.max(offset, entries.length - maxEntries) : offset;
  const toCursor = (entry: Entry) =>
    parameters.cursorKind ? createCursor(entries, parameters.cursorKind, entry) : getId(entry);
  const page = slicePage(entries, { offset: start, limit }, toCursor);
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
  // Of two parameters with the same effect, the one that differs from its default value counts.
  const isSet = (name: string | undefined) =>
    name !== undefined && query[name] !== undefined && String(query[name]) !== defaults[name];
  const limitName = isSet(byMeaning.pageSize) ? byMeaning.pageSize : byMeaning.limit;
  const limit = getNumber(limitName) ?? (isPaged ? DEFAULT_LIMIT : undefined);
  const page = Math.max(0, (getNumber(pageName) ?? firstPage) - firstPage);
  const before = isSet(pageName) && !isSet(offsetName) ? undefined : getNumber(offsetName);
  const cursor = cursorName === undefined || query[cursorName] === undefined ? '' : String(query[cursorName]);
  return {
    limit,
    cursor: cursor === '' || cursor === defaults[cursorName ?? ''] ? undefined : cursor,
    offset: Math.max(0, before ?? page * (limit ?? 0)),
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

/** A time of a cursor, and the number of entries with this time before the next page: `…45.120003Z` for 3. */
const TIME_CURSOR = /^(.*\.\d{3})(\d{3})Z$/;

/** Returns the number of entries up to a cursor. Entries with the time of the cursor are before it. */
function findCursorStart(entries: readonly Entry[], cursor: CursorKind, text: string): number {
  if (cursor.kind === 'offset') return Math.max(0, Math.floor(Number(text)) || 0);
  const [, time = '', count = ''] = TIME_CURSOR.exec(text) ?? [];
  const times = entries.map((entry) => getTime(entry, cursor.property));
  const at = Date.parse(time === '' ? text : `${time}Z`);
  const equal = times.flatMap((one, index) => (one === at ? [index] : []));
  const [first = -1] = equal;
  if (first !== -1) return first + (Number(count) || equal.length);
  const isDescending = (times[0] ?? 0) > (times.at(-1) ?? 0);
  const next = times.findIndex((one) => (isDescending ? one < at : one > at));
  return next === -1 ? entries.length : next;
}

/** Returns the cursor of the page after an entry. */
function createCursor(entries: readonly Entry[], cursor: CursorKind, last: Entry): string {
  const index = entries.indexOf(last);
  if (cursor.kind === 'offset') return String(index + 1);
  const text = String(getOwn(last, cursor.property) ?? '');
  const time = getTime(last, cursor.property);
  const equal = entries.flatMap((entry, place) => (getTime(entry, cursor.property) === time ? [place] : []));
  const count = equal.indexOf(index) + 1;
  // Several entries can be created in the same millisecond.
  return count === equal.length ? text : `${toIsoTime(time).slice(0, -1)}${String(count).padStart(3, '0')}Z`;
}

function getTime(entry: Entry, property: string): number {
  return Date.parse(String(getOwn(entry, property) ?? ''));
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
