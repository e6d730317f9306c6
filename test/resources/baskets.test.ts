import { describe, expect, it } from 'vitest';
import { createList, createObject, createResourcePaths, type Paths, refer } from '../support/fixtures/api-document.ts';
import { explainApi } from '../support/harness/explain-api.ts';
import { startApi } from '../support/harness/start-api.ts';

const TEXT = { type: 'string' };
const INTEGER = { type: 'integer' };
const NUMBER = { type: 'number' };

const schemas = {
  Book: createObject({ 'id!': INTEGER, 'title!': TEXT, 'price!': NUMBER }),
  Item: createObject({
    'id!': INTEGER,
    'bookId!': INTEGER,
    'quantity!': INTEGER,
    'price!': NUMBER,
    'subtotal!': NUMBER,
    'bookTitle!': TEXT,
    'book!': refer('Book'),
  }),
  Basket: createObject({ 'items!': createList(refer('Item')), 'total!': NUMBER, 'itemCount!': INTEGER }),
  Line: createObject({ 'bookId!': INTEGER, 'quantity!': INTEGER, 'price!': NUMBER }),
  Invoice: createObject({ 'id!': INTEGER, 'items!': createList(refer('Line')), 'total!': NUMBER, note: TEXT }),
};

const NewItem = createObject({ 'bookId!': INTEGER, 'quantity!': INTEGER });
const NewInvoice = createObject({ 'items!': createList(NewItem) });

const Bag = createObject({
  'items!': createList(createObject({ 'bookId!': INTEGER, 'quantity!': INTEGER, price: { type: 'number' } })),
  'total!': { type: 'number' },
});

const PATHS: Paths = {
  ...createResourcePaths('/books/{bookId}', refer('Book'), createObject({ 'title!': TEXT, 'price!': NUMBER })),
  '/basket': { get: { response: refer('Basket') }, delete: { status: 204 } },
  '/basket/items': { post: { status: 201, request: NewItem, response: refer('Basket'), alsoStatus: [404] } },
  '/basket/items/{itemId}': {
    put: { request: createObject({ 'quantity!': INTEGER }), response: refer('Basket') },
    delete: { status: 204 },
  },
  '/basket/checkout': {
    post: { status: 201, request: createObject({ note: TEXT }), response: refer('Invoice'), alsoStatus: [409] },
  },
  '/invoices': {
    get: { response: createList(refer('Invoice')) },
    post: { status: 201, request: NewInvoice, response: refer('Invoice'), alsoStatus: [422] },
  },
  '/invoices/{invoiceId}': { get: { response: refer('Invoice') } },
  '/wishlist': {
    get: { response: createList(refer('Book')) },
    post: { status: 201, request: createObject({ 'bookId!': INTEGER }), response: createList(refer('Book')) },
  },
  '/wishlist/{bookId}': { delete: { status: 204 } },
  '/watchlist': {
    get: { response: createList(refer('Book')) },
    post: {
      request: createObject({ 'bookId!': INTEGER }),
      response: createObject({ 'success!': { type: 'boolean' }, 'message!': TEXT }),
      errors: [],
    },
  },
  '/watchlist/{bookId}': { delete: { status: 204 } },
  '/bag': {
    get: { response: Bag },
    post: { request: createObject({ 'bookId!': INTEGER, 'quantity!': INTEGER }), response: Bag },
  },
  '/bag/{bookId}': { delete: { status: 204 } },
};

/** Starts a server with two books. */
async function start() {
  const shop = await startApi({ paths: PATHS, schemas });
  for (const [title, price] of [
    ['Dune', 10.5],
    ['Emma', 2],
  ])
    await shop.ask('POST', '/books', { title, price });
  const get = async (path: string) => (await shop.ask('GET', path)).body;
  return { ...shop, get };
}

const DUNE = { id: 1, title: 'Dune', price: 10.5 };
const EMMA = { id: 2, title: 'Emma', price: 2 };

describe('an object that shows the entries below its path', () => {
  it('has the entries that other operations add, change and remove, and totals of them', async () => {
    const { ask, get } = await start();
    expect(await get('/basket')).toEqual({ items: [], total: 0, itemCount: 0 });
    const added = await ask('POST', '/basket/items', { bookId: 1, quantity: 2 });
    const item = { id: 1, bookId: 1, quantity: 2, price: 10.5, subtotal: 21, bookTitle: 'Dune', book: DUNE };
    expect(added).toMatchObject({ status: 201, body: { items: [item], total: 21, itemCount: 1 } });
    await ask('POST', '/basket/items', { bookId: 2, quantity: 1 });
    expect(await get('/basket')).toMatchObject({ total: 23, itemCount: 2 });
    expect((await ask('PUT', '/basket/items/1', { quantity: 4 })).body).toMatchObject({ total: 44 });
    await ask('DELETE', '/basket/items/1');
    expect(await get('/basket')).toMatchObject({ items: [{ book: EMMA }], total: 2, itemCount: 1 });
    await ask('DELETE', '/basket');
    expect(await get('/basket')).toEqual({ items: [], total: 0, itemCount: 0 });
  });

  it('is explained', async () => {
    expect(await explainApi({ paths: PATHS, schemas })).toMatchObject({
      'GET /basket':
        'real: reads basket (computes: itemCount, total (sum of price × quantity of items); shows: items (items of the entry))',
      'DELETE /basket': 'real: deletes basket (also deletes: items)',
      'POST /basket/items': 'real: creates an item',
      'POST /basket/checkout': 'real: creates an invoice (takes all items)',
    });
  });
});

describe('a line with the id of an entry', () => {
  it('shows this entry, and is refused without one if the document has a status for it', async () => {
    const { ask, get } = await start();
    const { body } = await ask('POST', '/invoices', { items: [{ bookId: 1, quantity: 3 }] });
    expect(body).toMatchObject({ items: [{ bookId: 1, quantity: 3, price: 10.5 }], total: 31.5 });
    await ask('PATCH', '/books/1', { price: 99 });
    expect(await get('/invoices/1')).toEqual(body);
    expect(await ask('POST', '/invoices', { items: [{ bookId: 7, quantity: 1 }] })).toMatchObject({ status: 422 });
    expect(await ask('POST', '/basket/items', { bookId: 7, quantity: 1 })).toMatchObject({ status: 404 });
    expect(await get('/invoices')).toHaveLength(1);
  });
});

describe('a checkout', () => {
  it('creates an entry with the items of the basket, which is then empty', async () => {
    const { ask, get } = await start();
    await ask('POST', '/basket/items', { bookId: 1, quantity: 2 });
    const { body } = await ask('POST', '/basket/checkout', { note: 'fast' });
    expect(body).toEqual({ id: 1, items: [{ bookId: 1, quantity: 2, price: 10.5 }], total: 21, note: 'fast' });
    expect(await get('/invoices/1')).toEqual(body);
    expect(await get('/basket')).toMatchObject({ items: [], total: 0 });
    expect(await ask('POST', '/basket/checkout', {})).toMatchObject({ status: 409 });
  });
});

describe('a list to which a request adds an entry by its id', () => {
  it('shows the entries themselves', async () => {
    const { ask, get } = await start();
    expect(await ask('POST', '/wishlist', { bookId: 2 })).toMatchObject({ status: 201, body: [EMMA] });
    expect((await ask('POST', '/wishlist', { bookId: 2 })).body).toEqual([EMMA]);
    expect(await ask('POST', '/wishlist', { bookId: 7 })).toMatchObject({ status: 404 });
    await ask('PATCH', '/books/2', { price: 3 });
    expect(await get('/wishlist')).toEqual([{ ...EMMA, price: 3 }]);
    expect(await ask('DELETE', '/wishlist/2')).toMatchObject({ status: 204 });
    expect(await get('/wishlist')).toEqual([]);
    expect(await get('/books')).toHaveLength(2);
  });

  it('that is a list with a total has the sum of its items', async () => {
    const { ask, get } = await start();
    expect(await get('/bag')).toEqual({ items: [], total: 0 });
    const items = [
      { bookId: 1, quantity: 2, price: 10.5 },
      { bookId: 2, quantity: 1, price: 2 },
    ];
    for (const { bookId, quantity } of items) await ask('POST', '/bag', { bookId, quantity });
    expect(await get('/bag')).toEqual({ items, total: 23 });
    expect((await ask('POST', '/bag', { bookId: 2, quantity: 1 })).body).toEqual({
      items: [items[0], { ...items[1], quantity: 2 }],
      total: 25,
    });
    expect((await explainApi({ paths: PATHS, schemas }))['GET /bag']).toContain(
      'computes: total (sum of price × quantity of items)',
    );
  });

  it('has a response that does not show them, and ignores unknown ids if the document has no error for them', async () => {
    const { ask, get } = await start();
    const added = { success: true, message: expect.any(String) };
    expect((await ask('POST', '/watchlist', { bookId: 2 })).body).toEqual(added);
    expect((await ask('POST', '/watchlist', { bookId: 7 })).body).toEqual(added);
    expect(await get('/watchlist')).toMatchObject([{ id: 2, title: 'Emma' }]);
    await ask('DELETE', '/watchlist/2');
    expect(await get('/watchlist')).toEqual([]);
    expect(await explainApi({ paths: PATHS, schemas })).toMatchObject({
      'GET /watchlist': 'real: lists the books of watchlist',
      'POST /watchlist': 'real: adds a book to watchlist',
      'DELETE /watchlist/{bookId}': 'real: removes a book from watchlist',
    });
  });
});
