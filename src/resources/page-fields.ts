import { normalizeName } from '../util/normalize-name.ts';
import { getPageNumber } from '../util/pages.ts';
import type { ListPage } from './list-query.ts';

/** A function that calculates a property such as `total` from a page of a list. Returns undefined if the page has no value for it. */
type GetValue = (page: ListPage) => unknown;

/** The properties and headers that describe a page, such as `total`. Each item has their normalized names, and a function that returns their value. */
const FIELDS: readonly (readonly [names: readonly string[], getValue: GetValue])[] = [
  [
    [
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
    ],
    ({ total }) => total,
  ],
  [
    ['count', 'size', 'numberofelements', 'resultcount', 'itemcount', 'returned', 'pagecount', 'length'],
    ({ entries }) => entries.length,
  ],
  [
    ['limit', 'perpage', 'pagesize', 'itemsperpage', 'pagelimit', 'xperpage'],
    ({ limit, entries }) => limit ?? entries.length,
  ],
  [['offset', 'skip', 'start', 'startindex'], ({ offset }) => offset],
  [
    ['page', 'pagenumber', 'currentpage', 'number', 'pageindex', 'xpage'],
    (page) => getPageNumber(page) - 1 + (page.position?.kind === 'page' ? page.position.first : 1),
  ],
  [
    ['pages', 'totalpages', 'pagecount', 'lastpage', 'numpages', 'xtotalpages'],
    ({ total, limit }) => (limit === undefined || limit <= 0 ? 1 : Math.ceil(total / limit)),
  ],
  [['hasmore', 'hasnext', 'hasnextpage', 'more'], (page) => hasMore(page)],
  [['hasprevious', 'hasprevpage', 'hasprev'], ({ offset }) => offset > 0],
  [['first'], ({ offset }) => offset === 0],
  [['last'], (page) => !hasMore(page)],
  [['empty'], ({ total }) => total === 0],
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
      'nextmarker',
    ],
    ({ nextCursor }) => nextCursor ?? null,
  ],
  [['nextcursor', 'nextpagetoken', 'nexttoken', 'endcursor'], ({ nextCursor }) => nextCursor ?? ''],
];

function hasMore({ offset, entries, total }: ListPage): boolean {
  return offset + entries.length < total;
}

/**
 * Returns the possible values of a property or header that describes a page, such as `totalCount` or `X-Total-Count`. Returns an empty array for an unknown
 * name. `list`: the property with the list. If it is `articles`, the property `articlesCount` is the total.
 */
export function getPageValues(name: string, page: ListPage, list: string): readonly unknown[] {
  const own = normalizeName(name);
  if (own === `${normalizeName(list)}count` || own === `total${normalizeName(list)}`) return [page.total];
  return FIELDS.flatMap(([names, getValue]) => (names.includes(own) ? [getValue(page)] : []));
}
