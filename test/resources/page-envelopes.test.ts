import { expect, it } from 'vitest';
import {
  createList,
  createObject,
  createResourcePaths,
  type Paths,
  type Schema,
} from '../support/fixtures/api-document.ts';
import { writeDocument } from '../support/fixtures/other-document.ts';
import { explainApi } from '../support/harness/explain-api.ts';
import { startApi } from '../support/harness/start-api.ts';
import { createFetchClient, startStorefront, type TestShop } from '../support/harness/start-storefront.ts';

const INTEGER = { type: 'integer' };
const BOOLEAN = { type: 'boolean' };
const URL_OR_NULL = { type: ['string', 'null'], format: 'uri' };
const Book = createObject({ id: INTEGER, 'title!': { type: 'string' } });

/** Returns the operations for books, whose list has this response. `query`: the schemas of the query parameters. */
function createPaths(response: Schema, query: Readonly<Record<string, Schema>>): Paths {
  return {
    ...createResourcePaths('/books/{id}', Book),
    '/books': { get: { response, query }, post: { status: 201, request: Book, response: Book } },
  };
}

/** Creates books with the titles `a`, `b` and so on. */
async function addBooks({ ask }: Pick<TestShop, 'ask'>, count: number) {
  for (const title of [...'abcdefg'].slice(0, count)) await ask('POST', '/books', { title });
}

it('an envelope of Django REST framework has the total, and the URLs of the neighbouring pages or null', async () => {
  const Page = createObject({
    'count!': INTEGER,
    next: URL_OR_NULL,
    previous: URL_OR_NULL,
    'results!': createList(Book),
  });
  const shop = await startApi({
    paths: createPaths(Page, { page: INTEGER, page_size: INTEGER, title: { type: 'string' } }),
  });
  await addBooks(shop, 3);
  const read = async (query: string) => (await shop.ask('GET', `/books?${query}`)).body;
  const url = (page: number) => `${shop.url}/books?page=${page}&page_size=1`;
  expect(await read('page=1&page_size=1')).toMatchObject({ count: 3, next: url(2), previous: null });
  expect(await read('page=2&page_size=1')).toMatchObject({ count: 3, next: url(3), previous: url(1) });
  expect(await read('page=3&page_size=1')).toMatchObject({ count: 3, next: null, previous: url(2) });
  expect(await read('page_size=1&title=b')).toMatchObject({ count: 1, next: null, previous: null });
});

it('the URL of a page is one of the sandbox, and keeps the other parameters', async () => {
  const Page = createObject({
    'results!': createList(Book),
    links: createObject({
      next: URL_OR_NULL,
      prev: URL_OR_NULL,
      first: URL_OR_NULL,
      last: URL_OR_NULL,
      self: URL_OR_NULL,
    }),
  });
  const shop = await startApi({
    paths: createPaths(Page, { offset: INTEGER, limit: INTEGER, sort: { type: 'string' } }),
  });
  const { ask } = { ask: createFetchClient(`${shop.url}/_sandbox/w1`) };
  await addBooks({ ask }, 5);
  const { body } = await ask('GET', '/books?sort=-title&limit=2&offset=1');
  const url = (offset: number) => `${shop.url}/_sandbox/w1/books?sort=-title&limit=2&offset=${offset}`;
  expect(body.links).toEqual({ next: url(3), prev: url(0), first: url(0), last: url(4), self: url(1) });
  expect((await shop.ask('GET', '/books', undefined, { Host: 'localhost' })).body.links.next).toBeNull();
});

it('a link object has the URL as href, and is left out at the end', async () => {
  const link = createObject({ 'href!': { type: 'string', format: 'uri' } });
  const Page = createObject({ 'items!': createList(Book), _links: createObject({ next: link, self: link }) });
  const shop = await startApi({ paths: createPaths(Page, { page: INTEGER, limit: INTEGER }) });
  await addBooks(shop, 2);
  const self = (page: number) => ({ href: `${shop.url}/books?page=${page}&limit=1` });
  expect((await shop.ask('GET', '/books?page=1&limit=1')).body._links).toEqual({ next: self(2), self: self(1) });
  expect((await shop.ask('GET', '/books?page=2&limit=1')).body._links).toEqual({ self: self(2) });
});

it('a text with the name next is a cursor if the operation has a parameter for cursors', async () => {
  const Page = createObject({ 'items!': createList(Book), next: { type: ['string', 'null'] }, has_more: BOOLEAN });
  const shop = await startApi({ paths: createPaths(Page, { cursor: { type: 'string' }, limit: INTEGER }) });
  await addBooks(shop, 2);
  expect((await shop.ask('GET', '/books?limit=1')).body).toMatchObject({ next: '1', has_more: true });
  expect((await shop.ask('GET', '/books?limit=1&cursor=1')).body).toMatchObject({ next: null, has_more: false });
});

it('page numbers beside a list are numbers, or null at the ends', async () => {
  const number = { type: ['integer', 'null'] };
  const Page = createObject({
    'docs!': createList(Book),
    nextPage: number,
    prevPage: number,
    totalPages: INTEGER,
    hasNextPage: BOOLEAN,
  });
  const shop = await startApi({ paths: createPaths(Page, { page: INTEGER, limit: INTEGER }) });
  await addBooks(shop, 3);
  const { docs: _, ...first } = (await shop.ask('GET', '/books?limit=2')).body;
  expect(first).toEqual({ nextPage: 2, prevPage: null, totalPages: 2, hasNextPage: true });
  const { docs: __, ...second } = (await shop.ask('GET', '/books?limit=2&page=2')).body;
  expect(second).toEqual({ nextPage: null, prevPage: 1, totalPages: 2, hasNextPage: false });
});

const Sort = createObject({ empty: BOOLEAN, sorted: BOOLEAN, unsorted: BOOLEAN });
const SpringPage = createObject({
  'content!': createList(Book),
  totalElements: INTEGER,
  totalPages: INTEGER,
  number: INTEGER,
  size: INTEGER,
  numberOfElements: INTEGER,
  first: BOOLEAN,
  last: BOOLEAN,
  empty: BOOLEAN,
  sort: Sort,
  pageable: createObject({
    offset: INTEGER,
    pageNumber: INTEGER,
    pageSize: INTEGER,
    paged: BOOLEAN,
    unpaged: BOOLEAN,
    sort: Sort,
  }),
});

it('a page of Spring counts from 0 if a description says so, and describes itself', async () => {
  const query = (description: string) => ({
    page: { ...INTEGER, description },
    size: INTEGER,
    sort: { type: 'string' },
  });
  const shop = await startApi({ paths: createPaths(SpringPage, query('Zero-based page index (0..N)')) });
  await addBooks(shop, 3);
  const sort = { empty: true, sorted: false, unsorted: true };
  const { content, ...page } = (await shop.ask('GET', '/books?page=1&size=2')).body;
  expect(content).toEqual([{ id: 3, title: 'c' }]);
  expect(page).toEqual({
    totalElements: 3,
    totalPages: 2,
    number: 1,
    size: 2,
    numberOfElements: 1,
    first: false,
    last: true,
    empty: false,
    sort,
    pageable: { offset: 2, pageNumber: 1, pageSize: 2, paged: true, unpaged: false, sort },
  });
  expect((await shop.ask('GET', '/books?sort=title,desc')).body).toMatchObject({ number: 0, sort: { sorted: true } });
});

it.each([
  ['The page to return, starts at 0', 'b'],
  ['0-indexed', 'b'],
  ['The first page is 0.', 'b'],
  ['The number of the page', 'a'],
  ['One-based index', 'a'],
])('the page 1 of an operation with the description %j is the right one', async (description, title) => {
  const shop = await startApi({
    paths: createPaths(createList(Book), { page: { ...INTEGER, description }, size: INTEGER }),
  });
  await addBooks(shop, 2);
  expect((await shop.ask('GET', '/books?page=1&size=1')).body).toMatchObject([{ title }]);
});

it.each([
  ['form', 'page=1&size=2', 'size=2'],
  ['deepObject', 'pageable[page]=1&pageable[size]=2', 'pageable[size]=2'],
])('an object parameter of the style %s pages by its properties, from 0', async (style, second, first) => {
  const Pageable = createObject({ page: INTEGER, size: INTEGER });
  const body = (schema: Schema) => ({ description: 'd', content: { 'application/json': { schema } } });
  const id = { name: 'id', in: 'path', required: true, schema: INTEGER };
  const contract = await writeDocument({
    paths: {
      '/books': {
        get: {
          parameters: [{ name: 'pageable', in: 'query', style, schema: Pageable }],
          responses: { 200: body(SpringPage) },
        },
        post: { requestBody: { content: { 'application/json': { schema: Book } } }, responses: { 201: body(Book) } },
      },
      '/books/{id}': { get: { parameters: [id], responses: { 200: body(Book) } } },
    },
  });
  const shop = await startStorefront({ contract });
  await addBooks(shop, 3);
  expect((await shop.ask('GET', `/books?${first}`)).body).toMatchObject({ number: 0, content: [{ id: 1 }, { id: 2 }] });
  expect((await shop.ask('GET', `/books?${second}`)).body).toMatchObject({ number: 1, content: [{ id: 3 }] });
});

it('page numbers count from 0 if their names or the example of the parameter say so', async () => {
  const Page = createObject({
    'results!': createList(Book),
    pageIndex: INTEGER,
    zeroBasedPage: INTEGER,
    pageCount: INTEGER,
    totalCount: INTEGER,
    lastPage: INTEGER,
  });
  for (const [name, schema] of [
    ['pageIndex', INTEGER],
    ['zeroBasedPage', INTEGER],
    ['page', { ...INTEGER, example: 0 }],
  ] as const) {
    const shop = await startApi({ paths: createPaths(Page, { [name]: schema, limit: INTEGER }) });
    await addBooks(shop, 5);
    const { body } = await shop.ask('GET', `/books?${name}=1&limit=2`);
    expect(body, name).toMatchObject({
      results: [{ title: 'c' }, { title: 'd' }],
      pageIndex: 1,
      zeroBasedPage: 1,
      pageCount: 3,
      totalCount: 5,
      lastPage: 2,
    });
  }
});

it('a list that an envelope describes as an object is explained as omitted', async () => {
  const Envelope = createObject({ 'success!': BOOLEAN, data: { type: 'object' } });
  const paths = createPaths({ allOf: [Envelope, createObject({ data: createList(Book) })] }, {});
  const { ask } = await startApi({ paths });
  await addBooks({ ask }, 1);
  expect((await ask('GET', '/books')).body).toEqual({ success: true });
  expect((await explainApi({ paths }))['GET /books']).toBe(
    'real: lists books (omits, because its schemas exclude each other: data)',
  );
});

it('an object with the name of a page number describes the page', async () => {
  const page = createObject({ page: INTEGER, size: INTEGER, totalElements: INTEGER, totalPages: INTEGER });
  const Page = createObject({ 'content!': createList(Book), 'page!': page });
  const shop = await startApi({ paths: createPaths(Page, { page: { ...INTEGER, default: 0 }, size: INTEGER }) });
  await addBooks(shop, 3);
  const { body } = await shop.ask('GET', '/books?page=1&size=2');
  expect(body).toMatchObject({
    content: [{ title: 'c' }],
    page: { page: 1, size: 2, totalElements: 3, totalPages: 2 },
  });
});
