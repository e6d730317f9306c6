import { describe, expect, it } from 'vitest';
import { createList, createObject, type OperationParts, type Schema } from '../support/fixtures/api-document.ts';
import { describeCase, requestLists } from '../support/harness/list-cases.ts';
import { startApi } from '../support/harness/start-api.ts';

const TEXT = { type: 'string' };
const INTEGER = { type: 'integer' };
const Pet = createObject({ 'id!': { ...INTEGER, readOnly: true } });
const PETS = createList(Pet);

/** Schemas by the names of properties or parameters. */
type Properties = Readonly<Record<string, Schema>>;

const getIds = (list: readonly { readonly id: number }[]) => list.map(({ id }) => id);

const FIVE = [1, 2, 3, 4, 5].map((id) => ({ id }));

/** Starts a server with pets, whose list has these parts. Returns a function that lists them. */
async function startPets(get: OperationParts, entries: readonly object[] = FIVE) {
  const examples = Object.fromEntries(entries.entries());
  const { ask } = await startApi({
    paths: { '/pets': { get: { response: PETS, ...get } }, '/pets/{petId}': { get: { response: Pet, examples } } },
  });
  return (search: string) => ask('GET', `/pets?${search}`);
}

/** Two ways to select a page: `limit` and `offset`, or `page` and `pageSize`. */
const BOTH = {
  limit: { ...INTEGER, default: 3 },
  offset: { ...INTEGER, default: 0 },
  page: INTEGER,
  pageSize: INTEGER,
};

/** Query parameters, queries, and the ids of the pets on the page. */
const pages: readonly (readonly [query: Properties, search: string, ids: readonly number[]])[] = [
  [{ limit: INTEGER }, 'limit=2', [1, 2]],
  [{ limit: INTEGER }, 'limit=0', []],
  [{ limit: INTEGER }, '', [1, 2, 3, 4, 5]],
  [{ limit: INTEGER, offset: INTEGER }, 'limit=2&offset=3', [4, 5]],
  [{ limit: INTEGER, offset: INTEGER }, 'offset=9', []],
  [{ take: INTEGER, skip: INTEGER }, 'take=1&skip=1', [2]],
  [{ page: INTEGER, per_page: INTEGER }, 'per_page=2', [1, 2]],
  [{ page: INTEGER, per_page: INTEGER }, 'page=1&per_page=2', [1, 2]],
  [{ page: INTEGER, per_page: INTEGER }, 'page=3&per_page=2', [5]],
  [{ page: INTEGER, per_page: INTEGER }, 'page=4&per_page=2', []],
  [{ page: { ...INTEGER, minimum: 0 }, size: INTEGER }, 'page=0&size=2', [1, 2]],
  [{ page: { ...INTEGER, minimum: 0 }, size: INTEGER }, 'page=1&size=2', [3, 4]],
  [{ page: { ...INTEGER, default: 0 }, size: INTEGER }, 'page=1&size=2', [3, 4]],
  [{ page: { ...INTEGER, minimum: 1 }, pageSize: INTEGER }, 'page=2&pageSize=2', [3, 4]],
  [{ starting_after: TEXT, limit: INTEGER }, 'limit=2', [1, 2]],
  [{ starting_after: TEXT, limit: INTEGER }, 'limit=2&starting_after=2', [3, 4]],
  [{ cursor: TEXT, limit: INTEGER }, 'limit=2&cursor=4', [5]],
  [{ cursor: { type: 'string', default: 'start' }, limit: INTEGER }, 'limit=2', [1, 2]],
  [{ limit: { ...INTEGER, default: 3 } }, '', [1, 2, 3]],
  [BOTH, '', [1, 2, 3]],
  [BOTH, 'page=2', [4, 5]],
  [BOTH, 'page=2&pageSize=2', [3, 4]],
  [BOTH, 'page=1&pageSize=2', [1, 2]],
  [BOTH, 'limit=1&offset=1', [2]],
];

describe('A list', () => {
  it('has the page that the parameters name', async () => {
    const responses = await requestLists(
      pages.map(([query, search]) => ({ query, search })),
      { entry: Pet, entries: FIVE },
    );
    const ids = Object.entries(responses).map(([text, { body }]) => [text, getIds(body)]);
    const expected = pages.map(([query, search, own]) => [describeCase({ query, search }), own]);
    expect(Object.fromEntries(ids)).toEqual(Object.fromEntries(expected));
  });

  it('refuses an unknown cursor with a 400', async () => {
    const get = await startPets({ query: { cursor: TEXT } });
    expect(await get('cursor=77')).toMatchObject({
      status: 400,
      body: { detail: expect.stringContaining('query parameter cursor "77" is not a cursor of this list') },
    });
  });

  it('has a header Link with the other pages, as far as they fit in it', async () => {
    const get = await startPets({ query: { page: INTEGER, per_page: INTEGER, note: TEXT }, headers: { Link: TEXT } });
    expect((await get('per_page=2')).headers.get('link')).toContain('</pets?per_page=2&page=2>; rel="next"');
    const next = `</pets?per_page=2&note=${'x'.repeat(3_000)}&page=2>; rel="next"`;
    expect((await get(`per_page=2&note=${'x'.repeat(3_000)}`)).headers.get('link')).toBe(next);
    expect((await get(`per_page=2&note=${'x'.repeat(5_000)}`)).headers.get('link')).toBeNull();
  });

  it('has 20 entries on a page if neither the request nor the document has a number', async () => {
    const entries = Array.from({ length: 21 }, (_, index) => ({ id: index + 1 }));
    const get = await startPets({ query: { page: INTEGER } }, entries);
    expect((await get('')).body).toEqual(entries.slice(0, 20));
    expect((await get('page=2')).body).toEqual([{ id: 21 }]);
  });
});

const BOOLEAN = { type: 'boolean' };
const PAGED = { page: INTEGER, limit: INTEGER, cursor: TEXT };

/** Properties beside a list, query parameters, a query, and the values of the properties. */
const fields: readonly (readonly [properties: Properties, query: Properties, search: string, expected: object])[] = [
  [{ 'total!': INTEGER }, { limit: INTEGER }, 'limit=2', { total: 5 }],
  [{ 'count!': INTEGER }, { limit: INTEGER }, 'limit=2', { count: 2 }],
  [{ 'totalPages!': INTEGER, 'page!': INTEGER }, PAGED, 'page=2&limit=2', { totalPages: 3, page: 2 }],
  [
    { 'offset!': INTEGER, 'limit!': INTEGER },
    { offset: INTEGER, limit: INTEGER },
    'offset=1&limit=3',
    {
      offset: 1,
      limit: 3,
    },
  ],
  [{ 'has_more!': BOOLEAN }, { limit: INTEGER, starting_after: TEXT }, 'limit=2', { has_more: true }],
  [{ 'has_more!': BOOLEAN }, { limit: INTEGER, starting_after: TEXT }, 'limit=2&starting_after=3', { has_more: false }],
  [{ 'next_cursor!': TEXT }, { limit: INTEGER, cursor: TEXT }, 'limit=2', { next_cursor: '2' }],
  [
    { 'next_cursor!': { type: ['string', 'null'] } },
    { limit: INTEGER, cursor: TEXT },
    'limit=2&cursor=3',
    { next_cursor: null },
  ],
  [{ 'next_cursor!': TEXT }, { limit: INTEGER, cursor: TEXT }, 'limit=2&cursor=3', { next_cursor: '' }],
  [
    { 'paging!': createObject({ next: TEXT, previous: TEXT }) },
    { limit: INTEGER, cursor: TEXT },
    'limit=2',
    { paging: { next: '2' } },
  ],
  [
    { 'paging!': createObject({ next: TEXT, previous: TEXT }) },
    { limit: INTEGER, cursor: TEXT },
    'limit=2&cursor=4',
    { paging: {} },
  ],
  [
    { 'paging!': createObject({ 'next!': TEXT }) },
    { limit: INTEGER, start_cursor: TEXT },
    'limit=2&start_cursor=4',
    { paging: { next: '' } },
  ],
  [
    { 'first!': BOOLEAN, 'last!': BOOLEAN, 'empty!': BOOLEAN, 'totalElements!': INTEGER },
    { page: { ...INTEGER, minimum: 0 }, size: INTEGER },
    'page=0&size=2',
    { first: true, last: false, empty: false, totalElements: 5 },
  ],
  [
    { 'first!': BOOLEAN, 'last!': BOOLEAN, 'number!': INTEGER },
    { page: { ...INTEGER, minimum: 0 }, size: INTEGER },
    'page=2&size=2',
    { first: false, last: true, number: 2 },
  ],
  [
    { 'pagination!': createObject({ 'total!': INTEGER, 'per_page!': INTEGER, 'current_page!': INTEGER }) },
    { page: INTEGER, per_page: INTEGER },
    'page=2&per_page=2',
    { pagination: { total: 5, per_page: 2, current_page: 2 } },
  ],
];

describe('A wrapped list', () => {
  it('has properties about the page', async () => {
    const cases = fields.map(([properties, query, search, own]) => {
      const one = { query, search, response: createObject({ 'data!': PETS, ...properties }) };
      return { one, own };
    });
    const responses = await requestLists(
      cases.map(({ one }) => one),
      { entry: Pet, entries: FIVE },
    );
    const bodies = Object.entries(responses).map(([text, { body }]) => [text, body]);
    const expected = cases.map(({ one, own }) => [describeCase(one), { data: expect.any(Array), ...own }]);
    expect(Object.fromEntries(bodies)).toEqual(Object.fromEntries(expected));
  });

  it('has the size of a page beside its number', async () => {
    const response = createObject({ 'data!': PETS, meta: createObject({ 'page!': INTEGER, 'size!': INTEGER }) });
    const get = await startPets({ query: { page: INTEGER, size: { ...INTEGER, default: 10 } }, response });
    expect((await get('')).body.meta).toEqual({ page: 1, size: 10 });
  });

  it('leads through all pages by cursors that are times, also if entries have the same time', async () => {
    const time = { type: 'string', format: 'date-time' };
    const Note = createObject({ 'id!': TEXT, createdAt: time });
    const response = createObject({ 'data!': createList(Note), nextCursor: { ...time, type: ['string', 'null'] } });
    const { ask } = await startApi({
      paths: {
        '/notes': {
          get: { response, query: { limit: INTEGER, cursor: time } },
          post: { request: createObject({ id: TEXT }), response: Note },
        },
        '/notes/{noteId}': { get: { response: Note } },
      },
    });
    for (const id of ['a', 'b', 'c', 'd']) await ask('POST', '/notes', { id });
    const ids: string[] = [];
    for (let query = 'limit=1'; ids.length < 9; ) {
      const { body } = await ask('GET', `/notes?${query}`);
      ids.push(...body.data.map(({ id }: { readonly id: string }) => id));
      if (!body.nextCursor) break;
      query = `limit=1&cursor=${encodeURIComponent(body.nextCursor)}`;
    }
    expect(ids).toEqual(['a', 'b', 'c', 'd']);
    const { body } = await ask('GET', '/notes/d');
    expect((await ask('GET', `/notes?cursor=${body.createdAt}`)).body.data).toEqual([]);
  });

  it('has cursors that are numbers of entries if only integers are allowed, and ids are texts', async () => {
    const Note = createObject({ 'id!': TEXT });
    const response = createObject({ 'data!': createList(Note), nextCursor: INTEGER });
    const query = { limit: INTEGER, cursor: { ...INTEGER, default: 0 } };
    const examples = Object.fromEntries(['a', 'b', 'c'].map((id) => [id, { id }]));
    const { ask } = await startApi({
      paths: { '/notes': { get: { response, query } }, '/notes/{noteId}': { get: { response: Note, examples } } },
    });
    expect((await ask('GET', '/notes?limit=2')).body).toEqual({ data: [{ id: 'a' }, { id: 'b' }], nextCursor: 2 });
    expect((await ask('GET', '/notes?limit=2&cursor=2')).body).toMatchObject({ data: [{ id: 'c' }] });
  });

  it.each([
    ['cursor', ''],
    ['before', 'The cursor of the previous page'],
  ])('leads through all pages by its cursor in %s', async (name, description) => {
    const response = createObject({ 'data!': PETS, 'next_cursor!': { type: ['string', 'null'] } });
    const query = { limit: INTEGER, [name]: TEXT };
    const get = await startPets({ query, response, descriptions: { [name]: description } });
    const ids: number[] = [];
    for (let cursor: string | null = ''; cursor !== null && ids.length < 9; ) {
      const { body } = await get(`limit=2&${name}=${cursor}`);
      ids.push(...getIds(body.data));
      cursor = body.next_cursor;
    }
    expect(ids).toEqual([1, 2, 3, 4, 5]);
  });
});

/** The relations and the targets of a header `Link`. */
function parseLinks(header: string | null): Readonly<Record<string, string>> {
  const links = [...(header ?? '').matchAll(/<([^>]*)>; rel="(\w+)"/g)];
  return Object.fromEntries(links.map(([, target = '', relation = '']) => [relation, target]));
}

describe('The headers of a list', () => {
  it('have the total if the document has X-Total-Count', async () => {
    const get = await startPets({ query: { limit: INTEGER }, headers: { 'X-Total-Count': INTEGER } });
    expect((await get('limit=2')).headers.get('x-total-count')).toBe('5');
  });

  it('have links to the other pages if the document has Link', async () => {
    const get = await startPets({ query: { page: INTEGER, limit: INTEGER }, headers: { Link: TEXT } });
    expect(parseLinks((await get('page=2&limit=2')).headers.get('link'))).toEqual({
      next: '/pets?page=3&limit=2',
      prev: '/pets?page=1&limit=2',
      first: '/pets?page=1&limit=2',
      last: '/pets?page=3&limit=2',
    });
  });

  it('have a link with the offset of the next page', async () => {
    const get = await startPets({ query: { offset: INTEGER, limit: INTEGER }, headers: { Link: TEXT } });
    expect(parseLinks((await get('limit=2')).headers.get('link'))).toEqual({
      next: '/pets?limit=2&offset=2',
      last: '/pets?limit=2&offset=4',
    });
  });

  it('have links that lead to the last page', async () => {
    const get = await startPets({ query: { page: INTEGER, limit: INTEGER }, headers: { Link: TEXT } });
    const ids: number[] = [];
    for (let path: string | undefined = '/pets?limit=2'; path !== undefined; ) {
      const { headers, body } = await get(path.replace('/pets?', ''));
      ids.push(...getIds(body));
      path = parseLinks(headers.get('link')).next;
    }
    expect(ids).toEqual([1, 2, 3, 4, 5]);
  });

  it('have no link on the only page', async () => {
    const get = await startPets({ query: { page: INTEGER, limit: INTEGER }, headers: { Link: TEXT } });
    expect((await get('limit=9')).headers.get('link')).toBeNull();
  });
});
