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
  ],
} as const;
