import { describe, expect, it } from 'vitest';
import { createList, createObject, createResourcePaths, refer } from '../support/fixtures/api-document.ts';
import { explainApi } from '../support/harness/explain-api.ts';
import { startApi } from '../support/harness/start-api.ts';

const TEXT = { type: 'string' };
const INTEGER = { type: 'integer' };

const Author = createObject({ 'id!': INTEGER, 'name!': TEXT, 'bio!': TEXT });
const Book = createObject({ 'id!': INTEGER, 'title!': TEXT, 'authorId!': INTEGER, author: refer('Author') });
const Order = createObject({
  'id!': INTEGER,
  'items!': createList(createObject({ 'bookId!': INTEGER, 'quantity!': INTEGER, book: refer('Book') })),
});

const API = {
  paths: {
    ...createResourcePaths('/authors/{authorId}', refer('Author'), createObject({ 'name!': TEXT, bio: TEXT })),
    ...createResourcePaths('/books/{bookId}', refer('Book'), createObject({ 'title!': TEXT, 'authorId!': INTEGER })),
    ...createResourcePaths(
      '/orders/{orderId}',
      refer('Order'),
      createObject({ 'items!': createList(createObject({ 'bookId!': INTEGER, 'quantity!': INTEGER })) }),
    ),
    '/dashboard': { get: { response: createObject({ 'latestBook!': refer('Book'), 'bookCount!': INTEGER }) } },
  },
  schemas: { Author, Book, Order },
};

async function start() {
  const { ask } = await startApi(API);
  await ask('POST', '/authors', { name: 'Ann' });
  await ask('POST', '/authors', { name: 'Bob', bio: 'Writes' });
  const getMocked = async (path: string) => (await ask('GET', path)).headers.get('x-mocked');
  return { ask, getMocked };
}

describe('A generated value in an entry that another entry shows', () => {
  it('is listed in X-Mocked with its place in the response', async () => {
    const { ask, getMocked } = await start();
    const { headers } = await ask('POST', '/books', { title: 'a', authorId: 1 });
    expect(headers.get('x-mocked')).toBe('/author/bio');
    expect(await getMocked('/books/1')).toBe('/author/bio');
    expect(await getMocked('/books')).toBe('/*/author/bio');
    expect(await getMocked('/dashboard')).toBe('/latestBook/author/bio');
  });

  it('is listed for the lines of an entry', async () => {
    const { ask, getMocked } = await start();
    await ask('POST', '/books', { title: 'a', authorId: 1 });
    await ask('POST', '/orders', { items: [{ bookId: 1, quantity: 2 }] });
    expect(await getMocked('/orders/1')).toBe('/items/*/book/author/bio');
  });

  it('is the id of the first entry if the entry lacks a required id, which is listed too', async () => {
    const books = createResourcePaths(
      '/books/{bookId}',
      refer('Book'),
      createObject({ 'title!': TEXT, authorId: INTEGER }),
    );
    const { ask } = await startApi({ ...API, paths: { ...API.paths, ...books } });
    const post = async () => (await ask('POST', '/books', { title: 'a' })).headers.get('x-mocked');
    expect(await post()).toBe('/authorId');
    await ask('POST', '/authors', { name: 'Ann', bio: 'Writes' });
    expect(await post()).toBe('/authorId');
    const { body, headers } = await ask('GET', '/books/2');
    expect(body).toMatchObject({ authorId: 1, author: { name: 'Ann' } });
    expect(headers.get('x-mocked')).toBe('/authorId');
  });

  it('is not listed if the shown entry has the value', async () => {
    const { ask, getMocked } = await start();
    await ask('POST', '/books', { title: 'a', authorId: 2 });
    expect(await getMocked('/books/1')).toBeNull();
    await ask('PATCH', '/books/1', { authorId: 1 });
    expect(await getMocked('/books/1')).toBe('/author/bio');
    await ask('PATCH', '/authors/1', { bio: 'Reads' });
    expect(await getMocked('/books/1')).toBeNull();
  });

  it('is explained', async () => {
    const explained = await explainApi(API);
    expect(explained['GET /books']).toContain('generates if missing: author.bio');
    expect(explained['POST /books']).toContain('generates if missing: author.bio');
  });
});
