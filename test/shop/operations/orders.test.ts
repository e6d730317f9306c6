import { describe, expect, it } from 'vitest';
import type { Order } from '../../../src/shop/types.ts';
import { defaults, getProductId } from '../../support/fixtures/default-data.ts';
import { NOW_MS, startStorefront, type TestShop } from '../../support/harness/start-storefront.ts';

const KETTLE = getProductId('Cordless Electric Kettle');
const [SOCKS, LAMP] = defaults.cartItems.map((item) => item.productId) as [string, string];
const UNKNOWN = '00000000-0000-4000-8000-000000000000';
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const DAY_MS = 24 * 60 * 60 * 1000;

/** The default orders with their products. */
const expanded = defaults.orders.map((order) => ({
  ...order,
  products: order.products.map((entry) => ({
    ...entry,
    product: defaults.products.find(({ id }) => id === entry.productId),
  })),
}));

/** Orders a kettle, and gives back the order's id. */
async function orderKettle(shop: TestShop): Promise<string> {
  await shop.ask('POST', '/api/cart-items', { productId: KETTLE, quantity: 1 });
  return (await shop.ask('POST', '/api/orders')).body.id;
}

async function listedIds(shop: TestShop): Promise<readonly string[]> {
  const list: readonly Order[] = (await shop.ask('GET', '/api/orders')).body;
  return list.map(({ id }) => id);
}

describe('POST /api/orders', () => {
  it('orders all items of the cart, with their estimated delivery times', async () => {
    const shop = await startStorefront();
    const { status, body } = await shop.ask('POST', '/api/orders');
    expect(status).toBe(201);
    expect(body).toEqual({
      id: expect.stringMatching(UUID),
      orderTimeMs: NOW_MS,
      totalCostCents: 11_876,
      products: [
        { productId: SOCKS, quantity: 2, estimatedDeliveryTimeMs: NOW_MS + 7 * DAY_MS },
        { productId: LAMP, quantity: 1, estimatedDeliveryTimeMs: NOW_MS + 3 * DAY_MS },
      ],
    });
  });

  it('returns the URL of the order in the Location header', async () => {
    const shop = await startStorefront();
    const { headers, body } = await shop.ask('POST', '/api/orders');
    const followed = await shop.ask('GET', headers.get('location') ?? 'nowhere');
    expect(followed).toMatchObject({ status: 200, body });
  });

  it('uses the total cost of the payment summary', async () => {
    const shop = await startStorefront();
    await shop.ask('PUT', `/api/cart-items/${LAMP}`, { quantity: 17, deliveryOptionId: '3' });
    const summary = await shop.ask('GET', '/api/payment-summary');
    expect((await shop.ask('POST', '/api/orders')).body.totalCostCents).toBe(summary.body.totalCostCents);
  });

  it('empties the cart', async () => {
    const shop = await startStorefront();
    await shop.ask('POST', '/api/orders');
    expect((await shop.ask('GET', '/api/cart-items')).body).toEqual([]);
  });

  it('returns 409 for an empty cart', async () => {
    const shop = await startStorefront();
    await shop.ask('POST', '/api/orders');
    const refused = await shop.ask('POST', '/api/orders');
    expect(refused).toMatchObject({ status: 409, body: { type: '/problems/empty-cart' } });
    expect(await listedIds(shop)).toHaveLength(defaults.orders.length + 1);
  });

  it('creates one order for one cart, even from concurrent requests', async () => {
    const shop = await startStorefront();
    const replies = await Promise.all(Array.from({ length: 10 }, () => shop.ask('POST', '/api/orders')));
    expect(replies.map(({ status }) => status).toSorted()).toEqual([201, ...Array(9).fill(409)]);
    expect(await listedIds(shop)).toHaveLength(defaults.orders.length + 1);
  });

  it('stores the estimated delivery times, which do not change with the clock', async () => {
    let nowMs = NOW_MS;
    const shop = await startStorefront({ nowMs: () => nowMs });
    const { body } = await shop.ask('POST', '/api/orders');
    nowMs += 30 * DAY_MS;
    expect((await shop.ask('GET', `/api/orders/${body.id}`)).body).toEqual(body);
  });
});

describe('GET /api/orders', () => {
  it('returns the orders without their products by default', async () => {
    const shop = await startStorefront();
    expect((await shop.ask('GET', '/api/orders')).text).toBe(JSON.stringify(defaults.orders));
  });

  it.each([
    ['is frozen', [NOW_MS, NOW_MS, NOW_MS]],
    ['advances', [NOW_MS, NOW_MS + 1, NOW_MS + DAY_MS]],
    ['goes back', [NOW_MS, NOW_MS - DAY_MS, NOW_MS - 1]],
  ])('returns the newest order first if the clock %s', async (_, timesMs) => {
    let nowMs = NOW_MS;
    const shop = await startStorefront({ nowMs: () => nowMs });
    const ids: string[] = defaults.orders.map(({ id }) => id);
    for (const timeMs of timesMs) {
      nowMs = timeMs;
      ids.unshift(await orderKettle(shop));
    }
    expect(await listedIds(shop)).toEqual(ids);
  });

  it('returns each ordered item with its complete product if expand=products', async () => {
    const shop = await startStorefront();
    expect((await shop.ask('GET', '/api/orders?expand=products')).body).toEqual(expanded);
  });
});

describe('GET /api/orders/:orderId', () => {
  it.each(defaults.orders)('returns the order $id', async (order) => {
    const shop = await startStorefront();
    expect(await shop.ask('GET', `/api/orders/${order.id}`)).toMatchObject({
      status: 200,
      text: JSON.stringify(order),
    });
  });

  it('returns each ordered item with its complete product if expand=products', async () => {
    const shop = await startStorefront();
    const [order] = expanded;
    expect((await shop.ask('GET', `/api/orders/${order?.id}?expand=products`)).body).toEqual(order);
  });

  it('returns 404 for an unknown order id', async () => {
    const shop = await startStorefront();
    const refused = await shop.ask('GET', `/api/orders/${UNKNOWN}`);
    expect(refused).toMatchObject({ status: 404, body: { type: '/problems/unknown-order' } });
  });
});
