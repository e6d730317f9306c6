import { normalizeName } from '../../util/names.ts';
import { getPageNumber, type LinkRelation } from '../../util/pages.ts';
import type { ListPage } from './list-query.ts';

/** The property or header of a page whose values are needed, and what stands around it. */
interface PageField {
  readonly name: string;
  /** The property with the list. If it is `articles`, the property `articlesCount` is the total. */
  readonly list: string;
  /** The names of all properties of the object that has the field. */
  readonly siblings?: readonly string[];
  /** The name of the object that has the field, such as `sort`; empty for the whole body. */
  readonly parent?: string;
}

/**
 * A function that calculates a property such as `total` from a page of a list.
 * Returns undefined if the page has no value for it.
 * `names`: see `siblings`.
 */
type GetValue = (page: ListPage, names: readonly string[]) => unknown;

/** Names of the total number of entries on all pages. */
const TOTALS = [
  'total',
  'totalcount',
  'totalitems',
  'totalresults',
  'totalelements',
  'totalrecords',
  'totalhits',
  'totalsize',
  'found',
  'outof',
  'xtotalcount',
  'xtotal',
  'xpaginationcount',
];

/** Names of properties beside which `size` is the size of a page. */
const SIZED_BESIDE = ['numberofelements', 'totalelements', 'page', 'pagenumber', 'currentpage', 'totalpages'];

/** Returns whether a property is the number of all entries by its name, such as `total`. */
export function isTotalName(name: string): boolean {
  return TOTALS.includes(normalizeName(name)) || normalizeName(name) === 'count';
}

/**
 * The properties and headers that describe a page, such as `total`.
 * Each item has their normalized names, and a function that returns their value.
 */
const FIELDS: readonly (readonly [names: readonly string[], getValue: GetValue])[] = [
  [TOTALS, ({ total }) => total],
  // Beside links to the neighbouring pages, a count is the total, as in Django REST framework.
  [
    ['count'],
    ({ total, entries }, names) =>
      names.some((name) => ['next', 'previous', 'prev'].includes(name)) && !names.some((name) => TOTALS.includes(name))
        ? total
        : entries.length,
  ],
  // Beside the number of the page, or of all elements as in Spring, the size is the limit.
  [
    ['size'],
    ({ limit, entries }, names) =>
      names.some((name) => SIZED_BESIDE.includes(name)) ? (limit ?? entries.length) : entries.length,
  ],
  // Beside the total, a count of pages is meant, not one of the entries on the page.
  [['pagecount'], (page, names) => (names.some((name) => TOTALS.includes(name)) ? countPages(page) : undefined)],
  [
    ['numberofelements', 'resultcount', 'results', 'itemcount', 'returned', 'pagecount', 'length'],
    ({ entries }) => entries.length,
  ],
  [
    ['limit', 'perpage', 'pagesize', 'itemsperpage', 'pagelimit', 'currentlimit', 'xperpage'],
    // A client divides by it.
    ({ limit, entries }) => limit ?? Math.max(1, entries.length),
  ],
  [['offset', 'skip', 'start', 'startindex', 'currentoffset'], ({ offset }) => offset],
  [['from'], ({ offset, entries }, names) => (isRange(names) ? (entries.length > 0 ? offset + 1 : null) : undefined)],
  [
    ['to'],
    ({ offset, entries }, names) =>
      isRange(names) ? (entries.length > 0 ? offset + entries.length : null) : undefined,
  ],
  [['page', 'pagenumber', 'currentpage', 'number', 'xpage'], (page) => toPageValue(page, 0)],
  [['pageindex'], (page) => (page.position?.kind === 'page' ? toPageValue(page, 0) : getPageNumber(page) - 1)],
  [['zerobasedpage', 'zerobasedpagenumber', 'zeroindexedpage'], (page) => getPageNumber(page) - 1],
  [['pages', 'totalpages', 'totalpage', 'pagecount', 'pagestotal', 'numpages', 'xtotalpages'], countPages],
  [['lastpage'], (page) => toPageValue(page, Math.max(1, countPages(page)) - getPageNumber(page))],
  [['hasmore', 'hasnext', 'hasnextpage', 'hasmoreitems', 'hasmoreresults', 'more'], (page) => hasMore(page)],
  [['hasprevious', 'hasprevpage', 'hasprev', 'haspreviouspage'], ({ offset }) => offset > 0],
  [['first', 'isfirst', 'isfirstpage'], ({ offset }) => offset === 0],
  [['last', 'islast', 'islastpage'], (page) => !hasMore(page)],
  [['empty'], ({ entries }) => entries.length === 0],
  [['paged'], ({ limit }) => limit !== undefined],
  [['unpaged'], ({ limit }) => limit === undefined],
  [['nextpage', 'next', 'nextpagenumber'], (page) => (hasMore(page) ? toPageValue(page, 1) : null)],
  [
    ['previouspage', 'prevpage', 'previous', 'prev', 'previouspagenumber'],
    (page) => (page.offset > 0 ? toPageValue(page, -1) : null),
  ],
  [['nextoffset'], (page) => (hasMore(page) ? page.offset + page.entries.length : null)],
  [
    [
      'cursor',
      'nextcursor',
      'nextpagetoken',
      'nexttoken',
      'continuationtoken',
      'nextpage',
      'next',
      'endcursor',
      'after',
      'iterator',
      'marker',
      'nextmarker',
      'paginationtoken',
      'scrollid',
      'bookmark',
    ],
    ({ nextCursor }) => nextCursor ?? null,
  ],
  [['nextcursor', 'nextpagetoken', 'nexttoken', 'endcursor'], ({ nextCursor }) => nextCursor ?? ''],
  [['cursor', 'nextcursor'], ({ nextCursor }) => (nextCursor === undefined ? undefined : Number(nextCursor))],
  // A cursor only leads forward.
  [['previouscursor', 'prevcursor', 'previouspagetoken', 'prevpagetoken', 'previoustoken'], () => null],
];

/** The properties of an object that says how a list is sorted, as in Spring. */
const SORT_FIELDS: Readonly<Record<string, (page: ListPage) => boolean>> = {
  sorted: ({ isSorted }) => isSorted,
  unsorted: ({ isSorted }) => !isSorted,
  empty: ({ isSorted }) => !isSorted,
};

/** Normalized names of properties with the URL of a page, by the relation of the page to the current one. */
const LINKS: Readonly<Record<LinkRelation, readonly string[]>> = {
  next: withEndings('next'),
  prev: [...withEndings('previous'), ...withEndings('prev')],
  first: withEndings('first'),
  last: withEndings('last'),
  self: withEndings('self'),
};

function withEndings(name: string): readonly string[] {
  const endings = ['', 'url', 'uri', 'link', 'href', 'page', 'pageurl', 'pageuri', 'pagelink', 'pagehref'];
  return endings.map((ending) => name + ending);
}

/** Returns whether properties such as `from`, `to` and `total` count the entries of a page. */
function isRange(names: readonly string[]): boolean {
  return names.includes('from') && names.includes('to') && names.some((name) => /total|page/.test(name));
}

function hasMore({ offset, entries, total }: ListPage): boolean {
  return offset + entries.length < total;
}

function countPages({ total, limit }: ListPage): number {
  return limit === undefined || limit <= 0 ? Math.min(1, total) : Math.ceil(total / limit);
}

/** Returns the value of the parameter that selects a page. `distance`: 0 for the current page, 1 for the next one. */
function toPageValue(page: ListPage, distance: number): number {
  return getPageNumber(page) - 1 + distance + (page.position?.kind === 'page' ? page.position.first : 1);
}

/**
 * Returns the relation to which a property with a URL refers: `next` for `nextPageUrl` and `@odata.nextLink`.
 * Returns undefined for any other property.
 */
export function getLinkRelation(name: string): LinkRelation | undefined {
  const own = normalizeName(name).replace(/^odata/, '');
  return (Object.keys(LINKS) as LinkRelation[]).find((relation) => LINKS[relation].includes(own));
}

/** Returns whether a property describes a page, such as `total` or `nextPage`. */
export function isPageName(name: string): boolean {
  const own = normalizeName(name);
  return getLinkRelation(name) !== undefined || own === 'count' || FIELDS.some(([known]) => known.includes(own));
}

/**
 * Returns the possible values of a property or header that describes a page, such as `totalCount` or `X-Total-Count`,
 * the best first.
 * Returns an empty array for an unknown name.
 */
export function getPageValues(
  { name, list, siblings = [], parent = '' }: PageField,
  page: ListPage,
): readonly unknown[] {
  const own = normalizeName(name);
  const getSorted = normalizeName(parent) === 'sort' ? SORT_FIELDS[own] : undefined;
  if (getSorted) return [getSorted(page)];
  if (own === `${normalizeName(list)}count` || own === `total${normalizeName(list)}`) return [page.total];
  const names = siblings.map(normalizeName);
  const values = FIELDS.flatMap(([known, getValue]) => (known.includes(own) ? [getValue(page, names)] : []));
  return values.filter((value) => value !== undefined);
}

/**
 * Returns the page that an object such as `next: { page, limit }` describes.
 * Returns null if there is no such page, and undefined for another object.
 * `names`: the properties of the object.
 */
export function findNeighbour(name: string, names: readonly string[], page: ListPage): ListPage | null | undefined {
  const relation = getLinkRelation(name);
  const isPage = names.some((one) => ['page', 'pagenumber', 'offset', 'skip'].includes(normalizeName(one)));
  if ((relation !== 'next' && relation !== 'prev') || !isPage) return undefined;
  const { limit = 0, offset, total } = page;
  const other = relation === 'next' ? offset + limit : Math.max(0, offset - limit);
  return limit === 0 || other === offset || other >= total ? null : { ...page, offset: other };
}
