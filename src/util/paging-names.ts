/**
 * Names of query parameters that select a page of a list: its size (`limit`), the number of entries before it (`offset`), its number (`page`), or the entry
 * before it (`cursor`). The names are normalized by `normalizeName`.
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
  page: ['page', 'pagenumber', 'pagenum', 'pageno', 'pageindex'],
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
