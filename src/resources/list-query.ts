import type { Input } from '../application.ts';
import { DomainError } from '../application.ts';
import type { Route } from '../openapi/routes.ts';
import type { Entry } from '../store/state.ts';
import { normalizeName } from '../util/normalize-name.ts';
import { PAGING_NAMES } from '../util/paging-names.ts';
import { getOwn } from './entries.ts';

/** The names of query parameters by meaning, normalized. */
const PARAMETERS = {
  ...PAGING_NAMES,
  sort: ['sort', 'sortby', 'orderby', 'sortfield', 'sortkey', 'ordering'],
  order: ['order', 'sortorder', 'direction', 'sortdirection', 'sortdir', 'orderdirection', 'dir'],
} as const;

type Meaning = keyof typeof PARAMETERS;

/** The number of entries on a page if the contract has a page or a cursor, and the request does not say how many. */
const DEFAULT_LIMIT = 20;

/** A page of a list. */
export interface Page {
  readonly entries: readonly Entry[];
  /** The number of entries on all pages. */
  readonly total: number;
  /** The number of entries before the page. */
  readonly offset: number;
  /** The maximum number of entries on the page; undefined without paging. */
  readonly limit: number | undefined;
  /** The number of the page, from 1 on. */
  readonly page: number;
  /** The id of the last entry on the page, if there are more; undefined on the last page. */
  readonly nextCursor: string | undefined;
  /** The query parameters that the links of the page change: the one of the position, and the number for the first page. */
  readonly position:
    | { readonly name: string; readonly kind: 'offset' | 'page' | 'cursor'; readonly first: number }
    | undefined;
}

/** The parameters of a list operation. */
export interface ListParameters {
  /** The names of the parameters by meaning. */
  readonly byMeaning: Readonly<Partial<Record<Meaning, string>>>;
  /** The parameters that filter, with the names of the properties. */
  readonly filters: ReadonlyMap<string, string>;
  /** The default values of the parameters that sort and page. Filters have none: what a client creates is listed. */
  readonly defaults: Readonly<Record<string, string>>;
  /** The query parameters that a request must have. */
  readonly required: readonly string[];
  /** The query parameters that have no effect. */
  readonly ignored: readonly string[];
  /** The number of the first page: 0 if the contract allows it as the minimum or the default. */
  readonly firstPage: number;
}

/** Returns the value of a keyword of the schema at a JSON Pointer. */
type GetKeyword = (schema: string, keyword: string) => unknown;

/** Returns what the query parameters of an operation do. `properties`: the property names of an entry. */
export function readListParameters(
  route: Route,
  properties: readonly string[],
  getKeyword: GetKeyword,
): Omit<ListParameters, 'required'> {
  const parameters = route.parameters.filter((parameter) => parameter.in === 'query');
  const names = parameters.map(({ name }) => name);
  const filters = new Map<string, string>();
  const byMeaning: Partial<Record<Meaning, string>> = {};
  for (const name of names) {
    const own = normalizeName(name.replace(/\[\]$/, ''));
    const meaning = (Object.keys(PARAMETERS) as Meaning[]).find(
      (key) => (PARAMETERS[key] as readonly string[]).includes(own) && byMeaning[key] === undefined,
    );
    const property = properties.find((candidate) => normalizeName(candidate) === own);
    if (meaning) byMeaning[meaning] = name;
    else if (property !== undefined) filters.set(name, property);
  }
  // `order=name` without a parameter for the property sorts by the property.
  if (byMeaning.order !== undefined && byMeaning.sort === undefined) byMeaning.sort = byMeaning.order;
  const used = [...Object.values(byMeaning), ...filters.keys()];
  const getRule = (name: string | undefined, keyword: string) => {
    const parameter = parameters.find((candidate) => candidate.name === name);
    return parameter && getKeyword(`${parameter.pointer}/schema`, keyword);
  };
  const defaults = Object.values(byMeaning).map((name) => [name, getRule(name, 'default')] as const);
  return {
    byMeaning,
    filters,
    defaults: Object.fromEntries(
      defaults.flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]])),
    ),
    ignored: names.filter((name) => !used.includes(name)),
    firstPage: ['minimum', 'default'].some((keyword) => getRule(byMeaning.page, keyword) === 0) ? 0 : 1,
  };
}

/** Completes an entry, so that it has the generated properties that a client sees. */
export type Complete = (entry: Entry) => Entry;

/** Returns the entries that match the filters in a query. An entry without the property of a required filter matches: the filter may mean something else. */
export function filterEntries(
  entries: readonly Entry[],
  { filters, required }: ListParameters,
  query: Input['query'],
  complete: Complete,
): readonly Entry[] {
  const wanted = [...filters].flatMap(([name, property]) => {
    const value = query[name];
    const isRequired = required.includes(name);
    return value === undefined ? [] : [{ property, isRequired, values: [value].flat().map(String) }];
  });
  if (wanted.length === 0) return entries;
  return entries.filter((entry) =>
    wanted.every(({ property, isRequired, values }) => {
      const own = getOwn(entry, property);
      return own === undefined
        ? isRequired || matches(getOwn(complete(entry), property), values)
        : matches(own, values);
    }),
  );
}

/** Returns whether a value is one of the texts. A list matches if one of its values does; an object, if one of its scalar properties does. */
function matches(value: unknown, texts: readonly string[]): boolean {
  if (Array.isArray(value)) return value.some((inner) => matches(inner, texts));
  if (typeof value === 'object' && value !== null)
    return Object.values(value).some((inner) => typeof inner !== 'object' && matches(inner, texts));
  if (typeof value === 'number') return texts.some((text) => text.trim() !== '' && Number(text) === value);
  return texts.includes(String(value));
}

/** Returns the page of a list that a query asks for. `getId`: returns the id of an entry. Throws a `DomainError` for an unknown cursor. */
export function takePage(
  entries: readonly Entry[],
  { byMeaning, defaults, firstPage }: ListParameters,
  query: Input['query'],
  getId: (entry: Entry) => string | undefined,
): Page {
  const getNumber = (name: string | undefined) =>
    name === undefined || query[name] === undefined ? undefined : Number(query[name]);
  const { offset: offsetName, page: pageName, cursor: cursorName } = byMeaning;
  const isPaged = pageName !== undefined || cursorName !== undefined || offsetName !== undefined;
  const limit = getNumber(byMeaning.limit) ?? (isPaged ? DEFAULT_LIMIT : undefined);
  const page = Math.max(0, (getNumber(pageName) ?? firstPage) - firstPage);
  const cursor = cursorName === undefined || query[cursorName] === undefined ? undefined : String(query[cursorName]);
  const start =
    cursor !== undefined && cursor !== '' && cursor !== defaults[cursorName ?? '']
      ? findCursor(entries, cursor, cursorName ?? '', getId)
      : Math.max(0, getNumber(offsetName) ?? page * (limit ?? 0));
  const shown = limit === undefined ? entries.slice(start) : entries.slice(start, start + Math.max(0, limit));
  const hasMore = limit !== undefined && start + shown.length < entries.length;
  const last = shown.at(-1);
  return {
    entries: shown,
    total: entries.length,
    offset: start,
    limit,
    page: limit === undefined || limit <= 0 ? 1 : Math.floor(start / limit) + 1,
    nextCursor: hasMore && last ? getId(last) : undefined,
    position: getPosition(byMeaning, firstPage),
  };
}

function getPosition({ offset, page, cursor }: ListParameters['byMeaning'], firstPage: number): Page['position'] {
  if (cursor !== undefined) return { name: cursor, kind: 'cursor', first: 0 };
  if (page !== undefined) return { name: page, kind: 'page', first: firstPage };
  return offset === undefined ? undefined : { name: offset, kind: 'offset', first: 0 };
}

function findCursor(
  entries: readonly Entry[],
  cursor: string,
  name: string,
  getId: (entry: Entry) => string | undefined,
): number {
  const index = entries.findIndex((entry) => getId(entry) === cursor);
  if (index !== -1) return index + 1;
  throw new DomainError(
    'unknown-cursor',
    `query parameter ${name} ${JSON.stringify(cursor)} is not a cursor of this list: use the cursor from a response`,
  );
}
