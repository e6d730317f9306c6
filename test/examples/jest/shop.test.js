const { afterAll, beforeAll, beforeEach, describe, expect, it } = require('@jest/globals');
const createClient = require('openapi-fetch').default;
const { startStorefront } = require('storefront/testing');

/** @typedef {import('storefront/testing').paths} paths */

const KETTLE = 'fafe42e1-2f3e-46e3-a2c5-d94a792572e6';
const NOON = '2025-06-01T12:00:00Z';

/** @type {import('storefront/testing').TestStorefront} */
let shop;
/** @type {import('storefront/testing').TestSandbox} */
let sandbox;
/** @type {import('openapi-fetch').Client<paths>} */
let client;

beforeAll(async () => {
  shop = await startStorefront();
});
afterAll(() => shop.close());

beforeEach(async () => {
  sandbox = await shop.sandbox({ from: 'empty-cart' });
  client = createClient({ baseUrl: sandbox.url });
});

describe('storefront/testing', () => {
  it('isolates the sandbox of each test', async () => {
    const other = await shop.sandbox();
    expect(await (await sandbox.fetch('/api/cart-items')).json()).toEqual([]);
    expect(await (await other.fetch('/api/cart-items')).json()).not.toEqual([]);
  });

  it('works with a typed client', async () => {
    const { data: item } = await client.POST('/api/cart-items', { body: { productId: KETTLE, quantity: 2 } });
    expect(item?.quantity).toBe(2);
    // @ts-expect-error the contract requires a number
    const { error } = await client.POST('/api/cart-items', { body: { productId: KETTLE, quantity: 'two' } });
    expect(error?.detail).toContain('quantity');
  });

  it('injects faults, and verifies and counts recorded requests', async () => {
    await sandbox.restore('full-cart');
    await sandbox.fault({ operation: 'createOrder', status: 500, times: 1 });
    expect((await client.POST('/api/orders')).response.status).toBe(500);
    expect((await client.POST('/api/orders')).response.status).toBe(201);
    await sandbox.verify({ operation: 'createOrder', times: 2 });
    await expect(sandbox.verify({ operation: 'resetData' })).rejects.toThrow('resetData');
    expect(await sandbox.count({ operation: 'createOrder', status: 201 })).toBe(1);
  });

  it('freezes the clock of a sandbox', async () => {
    await sandbox.clock.freeze(NOON);
    await sandbox.restore('full-cart');
    const { data: order } = await client.POST('/api/orders');
    expect(order?.orderTimeMs).toBe(Date.parse(NOON));
  });
});
