// The tests use 9 of the 11 operations of the shop, 14 of their statuses and 6 examples.
import { test as base, expect } from '@playwright/test';
import { storefrontFixtures } from 'storefront/playwright';

const { SHOP, PAYMENTS } = process.env;
const KETTLE = 'fafe42e1-2f3e-46e3-a2c5-d94a792572e6';

const test = base.extend({
  ...storefrontFixtures({ server: SHOP, by: 'cookie' }),
  ...storefrontFixtures({ name: 'payments', server: PAYMENTS, by: 'cookie' }),
  send: async ({ page }, use) => {
    await page.goto('/');
    await use((method, path, body) =>
      page.evaluate(
        async ([url, init]) => {
          const response = await fetch(url, init);
          return { status: response.status, sandbox: response.headers.get('x-sandbox'), text: await response.text() };
        },
        [path, { method, headers: { 'content-type': 'application/json' }, body: body && JSON.stringify(body) }],
      ),
    );
  },
});

const sendsTo = (title, method, path, status, body) =>
  test(title, async ({ send, shop }) => {
    const response = await send(method, path, body);
    expect([response.status, response.sandbox]).toEqual([status, shop.id]);
  });

sendsTo('lists products', 'GET', '/api/products', 200);
sendsTo('refuses a limit', 'GET', '/api/products?limit=0', 400);
sendsTo('lists delivery options', 'GET', '/api/delivery-options', 200);
sendsTo('lists the cart', 'GET', '/api/cart-items', 200);
sendsTo('adds to the cart', 'POST', '/api/cart-items', 201, { productId: KETTLE, quantity: 4 });
sendsTo('refuses a quantity', 'POST', '/api/cart-items', 400, { productId: KETTLE, quantity: 12 });
sendsTo('refuses an unknown product', 'POST', '/api/cart-items', 404, {
  productId: '00000000-0000-4000-8000-000000000000',
  quantity: 3,
});
sendsTo('shows the payment summary', 'GET', '/api/payment-summary', 200);

test('orders, and refuses to order an empty cart', async ({ send }) => {
  expect((await send('POST', '/api/orders')).status).toBe(201);
  expect((await send('POST', '/api/orders')).status).toBe(409);
  expect((await send('GET', '/api/orders')).status).toBe(200);
});

test('shows a failed order', async ({ send, shop }) => {
  await shop.fault({ operation: 'createOrder', status: 503, times: 1 });
  expect((await send('POST', '/api/orders')).status).toBe(503);
});

test('changes and removes an entry of the cart', async ({ send }) => {
  expect((await send('POST', '/api/cart-items', { productId: KETTLE, quantity: 4 })).status).toBe(201);
  expect((await send('PUT', `/api/cart-items/${KETTLE}`, { quantity: 3 })).status).toBe(200);
  expect((await send('DELETE', `/api/cart-items/${KETTLE}`)).status).toBe(204);
});

test('uses two servers with one browser context', async ({ page, shop, payments }) => {
  for (const [address, sandbox] of [
    [SHOP, shop],
    [PAYMENTS, payments],
  ]) {
    await page.goto(address);
    const used = await page.evaluate(async () => (await fetch('/api/payment-summary')).headers.get('x-sandbox'));
    expect(used).toBe(sandbox.id);
    expect(await sandbox.count({ operation: 'getPaymentSummary' })).toBe(1);
  }
  expect(shop.id).not.toBe(payments.id);
});

test('fails @fails', async ({ send, shop }) => {
  await shop.fault({ operation: 'createOrder', status: 503, times: 1 });
  await shop.fault({ operation: 'addCartItem', where: { body: { quantity: 9 } }, status: 409 });
  await send('POST', '/api/orders');
  await send('POST', '/api/cart-items', { productId: KETTLE, quantity: 4 });
  expect(await shop.count({ operation: 'addCartItem' })).toBe(7);
});
