import { normalizeName } from '../util/normalize-name.ts';
import type { Page } from './list-query.ts';

/** Returns the value of a property beside a list for a page; undefined if the page has none. */
type GetValue = (page: Page) => unknown;

/** The properties beside a list by normalized name. */
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
    ({ page, position }) => page - 1 + (position?.kind === 'page' ? position.first : 1),
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

function hasMore({ offset, entries, total }: Page): boolean {
  return offset + entries.length < total;
}

/** Returns whether a page or a list has a value for a property or a header, and the possible values. `name`: for example `totalCount` for `articlesCount`. */
export function getPageValues(name: string, page: Page, list: string): readonly unknown[] {
  const own = normalizeName(name);
  if (own === `${normalizeName(list)}count` || own === `total${normalizeName(list)}`) return [page.total];
  return FIELDS.flatMap(([names, getValue]) => (names.includes(own) ? [getValue(page)] : []));
}

/** Returns a `Link` header (RFC 8288) with the other pages; undefined without paging. `path` and `query`: those of the request. */
export function formatLinks(page: Page, path: string, query: Readonly<Record<string, string | readonly string[]>>) {
  const { position, limit } = page;
  if (!position || limit === undefined || limit <= 0) return undefined;
  const links = getLinkPositions(page, position.kind).map(([relation, value]) => {
    const search = new URLSearchParams();
    for (const [name, values] of Object.entries(query)) for (const text of [values].flat()) search.append(name, text);
    search.set(position.name, String(value));
    return `<${path}?${search}>; rel="${relation}"`;
  });
  return links.length > 0 ? links.join(', ') : undefined;
}

/** Returns the relations and positions of the other pages. */
function getLinkPositions({ offset, limit = 1, total, page, nextCursor, position }: Page, kind: string) {
  if (kind === 'cursor') return nextCursor === undefined ? [] : [['next', nextCursor] as const];
  const lastPage = Math.max(1, Math.ceil(total / limit));
  const first = position?.first ?? 0;
  const toValue = (number: number) => (kind === 'page' ? number - 1 + first : (number - 1) * limit);
  const next = offset + limit < total ? [['next', toValue(page + 1)] as const] : [];
  const previous = page > 1 ? [['prev', toValue(page - 1)] as const, ['first', toValue(1)] as const] : [];
  return [...next, ...(page < lastPage ? [['last', toValue(lastPage)] as const] : []), ...previous];
}
