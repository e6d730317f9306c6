/** A page of a list. */
export interface Page<Entry> {
  readonly entries: readonly Entry[];
  /** The number of entries on all pages. */
  readonly total: number;
  /** The number of entries before the page. */
  readonly offset: number;
  /** The maximum number of entries on a page. Undefined if the list is not divided into pages. */
  readonly limit: number | undefined;
  /** The id of the last entry on the page. Undefined on the last page of the list. */
  readonly nextCursor: string | undefined;
}

/** The query parameter that selects a page, such as `page` or `offset`. `first`: its value for the first page. */
export interface PagePosition {
  readonly name: string;
  readonly kind: 'offset' | 'page' | 'cursor';
  readonly first: number;
}

/** Returns the id of an entry. */
type GetId<Entry> = (entry: Entry) => string | undefined;

/**
 * Returns the number of entries up to and including the entry with the given `id`.
 * Returns undefined if there is no such entry.
 */
export function findOffset<Entry>(entries: readonly Entry[], id: string, getId: GetId<Entry>): number | undefined {
  const index = entries.findIndex((entry) => getId(entry) === id);
  return index === -1 ? undefined : index + 1;
}

/** Returns the page that starts at the index `offset` and has at most `limit` entries. */
export function slicePage<Entry>(
  entries: readonly Entry[],
  { offset, limit }: Pick<Page<Entry>, 'offset' | 'limit'>,
  getId: GetId<Entry>,
): Page<Entry> {
  const shown = limit === undefined ? entries.slice(offset) : entries.slice(offset, offset + Math.max(0, limit));
  const hasMore = limit !== undefined && offset + shown.length < entries.length;
  const last = shown.at(-1);
  const nextCursor = hasMore && last !== undefined ? getId(last) : undefined;
  return { entries: shown, total: entries.length, offset, limit, nextCursor };
}

/** Returns the number of a page. The first page has the number 1. */
export function getPageNumber({ offset, limit }: Pick<Page<unknown>, 'offset' | 'limit'>): number {
  return limit === undefined || limit <= 0 ? 1 : Math.floor(offset / limit) + 1;
}

/**
 * The maximum length of a `Link` header, in characters.
 * Clients accept 8 or 16 kB for all headers together.
 * One link always fits, even with 512 characters of nine bytes each in its query.
 */
const MAX_LINK_LENGTH = 5_000;

/** The values of query parameters by name. */
type Query = Readonly<Record<string, string | readonly string[] | undefined>>;

/**
 * Returns a `Link` header (RFC 8288) with links to other pages.
 * The next page comes first, followed by as many links as fit.
 * Returns undefined if the list has no pages, or if no link fits.
 * `path` and `query`: the path and the query of the current request.
 */
export function formatLinks(
  page: Page<unknown>,
  position: PagePosition | undefined,
  { path, query }: { readonly path: string; readonly query: Query },
): string | undefined {
  if (!position || page.limit === undefined || page.limit <= 0) return undefined;
  const links = getLinkPositions(page, position).map(
    ([relation, value]) => `<${formatPageUrl(path, query, position, value)}>; rel="${relation}"`,
  );
  return links.reduce<string | undefined>((header, link) => {
    const longer = header === undefined ? link : `${header}, ${link}`;
    return longer.length <= MAX_LINK_LENGTH ? longer : header;
  }, undefined);
}

/** The relation of a page to the current page (RFC 8288). */
export type LinkRelation = 'next' | 'prev' | 'first' | 'last' | 'self';

/**
 * Returns the URL of a page, with the other parameters of the current request.
 * Returns undefined if there is no such page, such as the next page of the last one.
 * `url` and `query`: the URL of the current request without its query, and the query.
 */
export function getPageUrl(
  page: Page<unknown>,
  position: PagePosition | undefined,
  relation: LinkRelation,
  { url, query }: { readonly url: string; readonly query: Query },
): string | undefined {
  if (relation === 'self' || !position || page.limit === undefined || page.limit <= 0)
    return relation === 'next' || relation === 'prev' ? undefined : formatPageUrl(url, query);
  const found = getLinkPositions(page, position).find(([name]) => name === relation);
  if (found) return formatPageUrl(url, query, position, found[1]);
  // The first page has no link to itself, and neither has the last one.
  const isHere = relation === 'first' ? page.offset === 0 : relation === 'last' && page.nextCursor === undefined;
  return isHere ? formatPageUrl(url, query) : undefined;
}

function formatPageUrl(path: string, query: Query, position?: PagePosition, value: string | number = ''): string {
  const search = new URLSearchParams();
  for (const [name, values] of Object.entries(query))
    for (const text of [values ?? []].flat()) search.append(name, text);
  if (position) search.set(position.name, String(value));
  return search.size === 0 ? path : `${path}?${search}`;
}

/**
 * Returns the links to other pages: pairs of a relation (`next`, `prev`, `first` or `last`) and the value of the query
 * parameter that selects the page.
 */
function getLinkPositions(page: Page<unknown>, { kind, first }: PagePosition) {
  const { offset, limit = 1, total, nextCursor } = page;
  if (kind === 'cursor') return nextCursor === undefined ? [] : [['next', nextCursor] as const];
  const number = getPageNumber(page);
  const lastPage = Math.max(1, Math.ceil(total / limit));
  const isPage = kind === 'page';
  const toValue = (index: number) => (isPage ? index - 1 + first : (index - 1) * limit);
  const next = offset + limit < total ? [['next', isPage ? toValue(number + 1) : offset + limit] as const] : [];
  const before = isPage ? toValue(number - 1) : Math.max(0, offset - limit);
  const previous = offset > 0 ? [['prev', before] as const, ['first', toValue(1)] as const] : [];
  return [...next, ...(number < lastPage ? [['last', toValue(lastPage)] as const] : []), ...previous];
}

/**
 * The usual names of query parameters that select a page of a list, in the form that `normalizeName` returns.
 * `limit`: the maximum number of entries.
 * `offset`: the number of entries before the page.
 * `page`: the number of the page.
 * `cursor`: the id of the last entry before the page, or a similar position.
 */
export const PAGING_NAMES = {
  limit: [
    'limit',
    'perpage',
    'pagesize',
    'size',
    'maxresults',
    'top',
    'first',
    'take',
    'count',
    'pagelimit',
    'itemsperpage',
  ],
  offset: ['offset', 'skip', 'start', 'startindex', 'pageoffset'],
  page: ['page', 'pagenumber', 'pagenum', 'pageno', 'pageindex', 'zerobasedpage'],
  cursor: [
    'cursor',
    'after',
    'startingafter',
    'pagetoken',
    'nextpagetoken',
    'continuationtoken',
    'nexttoken',
    'marker',
    'startafter',
    'pagecursor',
    'iterator',
    'startcursor',
    'nextcursor',
    'aftercursor',
    'paginationtoken',
    'scrollid',
    'bookmark',
    'afterid',
    'lastid',
  ],
} as const;
