import { normalizeName } from '../util/normalize-name.ts';
import { getPageNumber } from '../util/pages.ts';
import type { ListPage } from './list-query.ts';

/** Returns the value of a property that describes a page; undefined if the page has no such value. */
type GetValue = (page: ListPage) => unknown;

/** The properties and headers that describe a page of a list: their normalized names, and a function that returns the value. */
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
 * Returns the possible values of a property or a header that describes a page of a list; an empty array if the name is unknown. `name`: for example
 * `totalCount` or `X-Total-Count`. `list`: the name of the property with the list: `articlesCount` is the total for `articles`.
 */
export function getPageValues(name: string, page: ListPage, list: string): readonly unknown[] {
  const own = normalizeName(name);
  if (own === `${normalizeName(list)}count` || own === `total${normalizeName(list)}`) return [page.total];
  return FIELDS.flatMap(([names, getValue]) => (names.includes(own) ? [getValue(page)] : []));
}
