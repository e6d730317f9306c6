import { describe, expect, it } from 'vitest';
import { createList, createObject, createResourcePaths, type Paths, refer } from '../support/fixtures/api-document.ts';
import { explainApi } from '../support/harness/explain-api.ts';
import { startApi } from '../support/harness/start-api.ts';

const TEXT = { type: 'string' };
const INTEGER = { type: 'integer' };
const NUMBER = { type: 'number' };
const BOOLEAN = { type: 'boolean' };

const Line = createObject({ 'name!': TEXT, 'priceCents!': INTEGER, quantity: { ...INTEGER, default: 1 } });
const Sum = createObject({ 'name!': TEXT, 'price!': NUMBER, weight: NUMBER });
const TaxedOrder = createObject({
  'id!': INTEGER,
  items: createList(Sum),
  tax: NUMBER,
  total: NUMBER,
  subtotal: NUMBER,
});

const schemas = {
  Order: createObject({
    'id!': INTEGER,
    'items!': createList(Line),
    'totalCents!': INTEGER,
    'itemCount!': INTEGER,
    'isEmpty!': BOOLEAN,
  }),
  Basket: createObject({ 'id!': INTEGER, items: createList(Sum), total: NUMBER, totalWeight: NUMBER }),
  Taxed: TaxedOrder,
  // Stated totals: the second includes something else.
  Exact: {
    ...createObject({ 'id!': INTEGER, items: createList(Sum), total: NUMBER }),
    example: { id: 1, items: [{ name: 'a', price: 2 }], total: 2 },
  },
  Other: {
    ...createObject({ 'id!': INTEGER, items: createList(Sum), total: NUMBER }),
    example: { id: 1, items: [{ name: 'a', price: 2 }], total: 3 },
  },
  // The name can mean a sum of money, and the example says so.
  Cart: {
    ...createObject({ 'id!': INTEGER, items: createList(Sum), itemsTotal: NUMBER, itemCount: INTEGER }),
    example: { id: 1, items: [{ name: 'a', price: 2 }], itemsTotal: 6, itemCount: 3 },
  },
  Refund: createObject({ 'id!': INTEGER, 'amount!': NUMBER }),
  Bill: createObject({ 'id!': INTEGER, 'name!': TEXT, total: NUMBER, refundTotal: NUMBER }),
  // Only responses have the price.
  Priced: createObject({
    'id!': INTEGER,
    items: createList(createObject({ 'quantity!': INTEGER, 'price!': { ...NUMBER, readOnly: true } })),
    'total!': NUMBER,
  }),
  Sheet: createObject({ 'id!': INTEGER, 'name!': TEXT, totalHours: NUMBER, hasEntries: BOOLEAN, rate: NUMBER }),
  Work: createObject({ 'id!': INTEGER, 'hours!': NUMBER }),
};

const createPaths = (path: string, schema: string, request: Readonly<Record<string, unknown>>): Paths =>
  createResourcePaths(path, refer(schema), request);

const PATHS: Paths = {
  ...createPaths('/orders/{orderId}', 'Order', createObject({ items: createList(Line) })),
  ...createPaths('/baskets/{basketId}', 'Basket', createObject({ items: createList(Sum) })),
  ...createPaths('/taxed/{taxedId}', 'Taxed', createObject({ items: createList(Sum), tax: NUMBER })),
  ...createPaths('/exacts/{exactId}', 'Exact', createObject({ items: createList(Sum) })),
  ...createPaths('/others/{otherId}', 'Other', createObject({ items: createList(Sum) })),
  ...createPaths('/carts/{cartId}', 'Cart', createObject({ items: createList(Sum) })),
  ...createPaths('/bills/{billId}', 'Bill', createObject({ 'name!': TEXT })),
  ...createPaths('/bills/{billId}/refunds/{refundId}', 'Refund', createObject({ 'amount!': NUMBER })),
  ...createPaths(
    '/priced/{pricedId}',
    'Priced',
    createObject({ items: createList(createObject({ 'quantity!': INTEGER })) }),
  ),
  ...createPaths('/sheets/{sheetId}', 'Sheet', createObject({ 'name!': TEXT })),
  ...createPaths('/sheets/{sheetId}/entries/{entryId}', 'Work', createObject({ 'hours!': NUMBER })),
};

describe('a value that follows from a list', () => {
  it('is a sum, a number of items, or whether there are any', async () => {
    const { ask } = await startApi({ paths: PATHS, schemas });
    const line = { name: 'a', priceCents: 150 };
    const items = [line, { ...line, quantity: 3 }];
    const { body } = await ask('POST', '/orders', { items });
    expect(body).toMatchObject({ totalCents: 600, itemCount: 2, isEmpty: false });
    expect((await ask('GET', `/orders/${body.id}`)).body).toEqual(body);
    expect((await ask('GET', '/orders')).body).toContainEqual(body);
    const changed = await ask('PATCH', `/orders/${body.id}`, { items: [] });
    expect(changed.body).toMatchObject({ totalCents: 0, itemCount: 0, isEmpty: true });
    const { body: empty } = await ask('POST', '/orders', {});
    expect(empty).toMatchObject({ items: [], totalCents: 0, itemCount: 0, isEmpty: true });
  });

  it('has no error of binary arithmetic', async () => {
    const { ask } = await startApi({ paths: PATHS, schemas });
    const items = [0.1, 0.2].map((price) => ({ name: 'a', price, weight: price }));
    expect((await ask('POST', '/baskets', { items })).body).toMatchObject({ total: 0.3, totalWeight: 0.3 });
  });

  it('is computed from the entries of a child resource', async () => {
    const { ask } = await startApi({ paths: PATHS, schemas });
    const { body: sheet } = await ask('POST', '/sheets', { name: 's' });
    expect(sheet).toMatchObject({ totalHours: 0, hasEntries: false });
    const path = `/sheets/${sheet.id}`;
    for (const hours of [2, 3]) await ask('POST', `${path}/entries`, { hours });
    expect((await ask('GET', path)).body).toMatchObject({ totalHours: 5, hasEntries: true });
  });

  it('is the sum of the numbers that responses generate', async () => {
    const { ask } = await startApi({ paths: PATHS, schemas });
    const { body } = await ask('POST', '/priced', { items: [{ quantity: 2 }, { quantity: 1 }] });
    const sum = body.items.reduce(
      (total: number, { quantity, price }: { quantity: number; price: number }) => total + quantity * price,
      0,
    );
    expect(body.total).toBeCloseTo(sum);
    expect((await ask('GET', `/priced/${body.id}`)).body).toEqual(body);
  });

  it('is not inferred if it can include something else', async () => {
    const lines = await explainApi({ paths: PATHS, schemas });
    const find = (path: string) => lines[`GET ${path}`] ?? '';
    expect(find('/orders')).toContain(
      'totalCents (sum of priceCents × quantity of items), itemCount (number of items), isEmpty (no items)',
    );
    expect(find('/taxed')).toContain('computes: subtotal (sum of price of items)');
    expect(find('/exacts')).toContain('computes: total (sum of price of items)');
    expect(find('/others')).not.toContain('computes');
    expect(find('/carts')).not.toContain('computes');
    expect(find('/bills')).not.toContain('computes');
    expect(find('/sheets')).toContain('computes: totalHours (sum of hours of entries), hasEntries');
  });
});

it('A number is the product of two others if its description says so, also in an entry with others below it', async () => {
  const Item = createObject({
    'id!': INTEGER,
    'name!': TEXT,
    stock: INTEGER,
    averageCost: NUMBER,
    worth: { ...NUMBER, description: 'The worth of all pieces (stock × average cost).' },
    net: { ...NUMBER, description: 'stock × average cost, less discount' },
    rate: { ...NUMBER, description: 'stock × average cost / 60' },
    total: { ...NUMBER, description: 'Stock * average cost + handling' },
  });
  const request = createObject({ 'name!': TEXT, stock: INTEGER, averageCost: NUMBER });
  const Movement = createObject({ 'id!': INTEGER, 'change!': INTEGER });
  const paths: Paths = {
    ...createResourcePaths('/items/{itemId}', Item, request),
    '/items/{itemId}/movements': { get: { response: createList(Movement) } },
  };
  expect((await explainApi({ paths }))['GET /items']).toContain('computes: worth (averageCost × stock)');
  const { ask } = await startApi({ paths });
  const { id } = (await ask('POST', '/items', { name: 'a', stock: 3, averageCost: 1.1 })).body;
  expect((await ask('GET', `/items/${id}`)).body).toEqual({ id, name: 'a', stock: 3, averageCost: 1.1, worth: 3.3 });
  await ask('PUT', `/items/${id}`, { name: 'a', stock: 5, averageCost: 2 });
  expect((await ask('GET', '/items')).body).toMatchObject([{ worth: 10 }]);
});
