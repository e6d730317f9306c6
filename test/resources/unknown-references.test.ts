import { expect, it } from 'vitest';
import { createList, createObject, createResourcePaths, refer } from '../support/fixtures/api-document.ts';
import { startApi } from '../support/harness/start-api.ts';

const TEXT = { type: 'string' };
const INTEGER = { type: 'integer' };
const Line = createObject({ 'bookId!': TEXT, 'quantity!': INTEGER, price: INTEGER });
const NewInvoice = createObject({ 'items!': createList(createObject({ 'bookId!': TEXT, 'quantity!': INTEGER })) });
const schemas = {
  Book: createObject({ 'id!': TEXT, 'title!': TEXT, 'price!': INTEGER }),
  Invoice: createObject({ 'id!': TEXT, 'items!': createList(Line) }),
};

it.each([
  ['POST', '/invoices'],
  ['PUT', '/invoices/i7'],
])(
  'a new entry whose line names no entry gets the documented 422, and else keeps the price: %s',
  async (method, target) => {
    const invoice = { request: NewInvoice, response: refer('Invoice'), status: 201, alsoStatus: [422] };
    const { ask } = await startApi({
      schemas,
      paths: {
        ...createResourcePaths('/books/{bookId}', refer('Book')),
        '/invoices': { get: { response: createList(refer('Invoice')) }, post: invoice },
        '/invoices/{invoiceId}': { get: { response: refer('Invoice') }, put: invoice },
      },
    });
    const { body: book } = await ask('POST', '/books', { id: 'b1', title: 'Emma', price: 900 });
    expect((await ask(method, target, { items: [{ bookId: 'x', quantity: 1 }] })).status).toBe(422);
    expect((await ask('GET', '/invoices')).body).toEqual([]);
    const { status, body } = await ask(method, target, { items: [{ bookId: book.id, quantity: 2 }] });
    expect([status, body.items]).toEqual([201, [{ bookId: book.id, quantity: 2, price: 900 }]]);
  },
);
