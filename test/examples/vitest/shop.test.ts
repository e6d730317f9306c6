import createClient from 'openapi-fetch';
import { type paths, startStorefront, type TestSandbox, type TestStorefront } from 'storefront/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';

const KETTLE = 'fafe42e1-2f3e-46e3-a2c5-d94a792572e6';
const NOON = '2025-06-01T12:00:00Z';
const ONE_DAY_MS = 86_400_000;

let shop: TestStorefront;
let sandbox: TestSandbox;

beforeAll(async () => {
  shop = await startStorefront();
});
afterAll(() => shop.close());

beforeEach(async () => {
  sandbox = await shop.sandbox({ from: 'empty-cart' });
});

/** Creates a client with the types of the contract. */
const createTypedClient = ({ url }: TestSandbox) => createClient<paths>({ baseUrl: url });

describe('storefront/testing', () => {
  it('isolates the sandbox of each test', async () => {
    const other = await shop.sandbox();
    expect(await (await sandbox.fetch('/api/cart-items')).json()).toEqual([]);
    expect(await (await other.fetch('/api/cart-items')).json()).not.toEqual([]);
  });

  it('works with a typed client', async () => {
    const client = createTypedClient(sandbox);
    const { data: item } = await client.POST('/api/cart-items', { body: { productId: KETTLE, quantity: 2 } });
    expect(item?.quantity).toBe(2);
    // @ts-expect-error the contract requires a number
    const { error } = await client.POST('/api/cart-items', { body: { productId: KETTLE, quantity: 'two' } });
    expect(error?.detail).toContain('quantity');
  });

  it('injects faults, and verifies and counts recorded requests', async () => {
    await sandbox.restore('full-cart');
    await sandbox.fault({ operation: 'createOrder', status: 500, times: 1 });
    const client = createTypedClient(sandbox);
    expect((await client.POST('/api/orders')).response.status).toBe(500);
    expect((await client.POST('/api/orders')).response.status).toBe(201);
    await sandbox.verify({ operation: 'createOrder', times: 2 });
    await sandbox.verify({ operation: 'createOrder', status: 201, times: 1 });
    await expect(sandbox.verify({ operation: 'resetData' })).rejects.toThrow('resetData');
    expect(await sandbox.count({ operation: 'createOrder' })).toBe(2);
    expect((await sandbox.requests()).map(({ response }) => response?.status)).toEqual([500, 201]);
  });

  it('freezes the clock of a sandbox', async () => {
    await sandbox.clock.freeze(NOON);
    await sandbox.clock.advance(ONE_DAY_MS);
    await sandbox.restore('full-cart');
    const { data: order } = await createTypedClient(sandbox).POST('/api/orders');
    expect(order?.orderTimeMs).toBe(Date.parse(NOON) + ONE_DAY_MS);
  });

  it('stops the server at the end of a block with await using', async () => {
    await using brief = await startStorefront();
    expect((await fetch(`${brief.url}/api/products`)).status).toBe(200);
  });
});
