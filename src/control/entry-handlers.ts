import type { Table } from '../application.ts';
import type { Entry, State } from '../store/state.ts';
import { HttpProblemError } from '../util/problem.ts';
import { runInSlices, type Steps, splitList } from '../util/slices.ts';
import type { ControlHandlers, ControlParts } from './handler.ts';
import { formatNames, getSandbox } from './handler.ts';

/** The default number of entries on a page. */
const PAGE_ENTRIES = 50;

/** The default number of search results in an explanation. */
const EXPLAINED_RESULTS = 10;

/** The handlers of the control API for the entries of a collection, by operationId. */
export const entryHandlers = {
  async listEntries({ path, query }, parts) {
    const { state } = getSandbox(path.id, parts).store.read();
    const table = getTable(path.collection, parts);
    const list = state[path.collection] ?? [];
    const search = String(query.search ?? '').toLowerCase();
    const isMatch = createSearch(search, (entry) => table.getCells(entry, state));
    const positions = search === '' ? undefined : await runInSlices(findPositions(list, isMatch));
    const [offset, limit] = [Number(query.offset ?? 0), Number(query.limit ?? PAGE_ENTRIES)];
    const shown = positions?.slice(offset, offset + limit) ?? getRange(offset, Math.min(offset + limit, list.length));
    const summary = table.summarize?.(state);
    return {
      total: positions?.length ?? list.length,
      columns: [...table.columns],
      entries: shown.map((position) => toRow(list, position, { table, state })),
      ...(summary ? { summary: [...summary] } : {}),
    };
  },
  async explainSearch({ path, query }, parts) {
    const { state } = getSandbox(path.id, parts).store.read();
    const { collection } = path;
    const table = getTable(collection, parts);
    const { explainSearch } = parts.application();
    const explain = Object.hasOwn(explainSearch, collection) ? explainSearch[collection] : undefined;
    if (!explain) {
      const remedy = `Collections with a search: ${formatNames(Object.keys(explainSearch)) || 'none'}`;
      throw new HttpProblemError({
        code: 'no-search',
        detail: `Clients cannot search the collection ${collection}. ${remedy}.`,
      });
    }
    const limit = Number(query.limit ?? EXPLAINED_RESULTS);
    const { results, ...explanation } = await explain(state, { term: String(query.term), limit });
    const list = state[collection] ?? [];
    return {
      ...explanation,
      columns: [...table.columns],
      results: results.map(({ position, ...result }) => ({ ...toRow(list, position, { table, state }), ...result })),
    };
  },
} satisfies Partial<ControlHandlers>;

/**
 * Returns the table in which the console shows a collection.
 * Throws a `HttpProblemError` if the collection does not exist.
 */
function getTable(collection: string, { application, collections }: ControlParts): Table {
  const table = application().getTable(collection);
  if (table) return table;
  const remedy =
    collections().length > 0 ? `Use one of ${formatNames(collections())}` : 'The contract has no collections';
  throw new HttpProblemError({
    code: 'unknown-collection',
    detail: `Collection ${collection} does not exist. ${remedy}.`,
  });
}

function toRow(
  list: readonly Entry[],
  position: number,
  { table, state }: { readonly table: Table; readonly state: State },
) {
  const entry = list[position] as Entry;
  return { position, entry, cells: [...table.getCells(entry, state)] };
}

function getRange(from: number, to: number): readonly number[] {
  return Array.from({ length: Math.max(0, to - from) }, (_, index) => from + index);
}

/**
 * Returns the indexes of the entries for which `isMatch` returns true.
 * Yields after each part of the list, so that the server can handle other requests.
 */
function* findPositions(list: readonly Entry[], isMatch: (entry: Entry) => boolean): Steps<readonly number[]> {
  const positions: number[] = [];
  for (const [part, start] of splitList(list)) {
    for (const [index, entry] of part.entries()) if (isMatch(entry)) positions.push(start + index);
    yield;
  }
  return positions;
}

/**
 * Creates a function that returns whether a value or a table cell of an entry contains `search`.
 * `search` is in lower case.
 */
function createSearch(search: string, getCells: (entry: Entry) => readonly unknown[]): (entry: Entry) => boolean {
  const hasText = (value: unknown): boolean => {
    if (typeof value === 'string') return value.toLowerCase().includes(search);
    if (typeof value !== 'object' || value === null) return String(value).includes(search);
    return Object.values(value).some(hasText);
  };
  return (entry) => hasText(entry) || getCells(entry).some(hasText);
}
