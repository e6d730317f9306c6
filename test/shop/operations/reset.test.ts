import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { defaults, defaultText, getProductId } from '../../support/fixtures/default-data.ts';
import { startStorefront, type TestShop } from '../../support/harness/start-storefront.ts';

const KETTLE = getProductId('Cordless Electric Kettle');

/** Changes the cart and the orders. */
async function change(shop: TestShop) {
  await shop.ask('POST', '/api/orders');
  await shop.ask('POST', '/api/cart-items', { productId: KETTLE, quantity: 3 });
}

/** All that can be seen of the shop. */
async function seen(shop: TestShop) {
  const paths = ['products', 'delivery-options', 'cart-items', 'orders', 'payment-summary'];
  return Promise.all(paths.map(async (path) => (await shop.ask('GET', `/api/${path}`)).body));
}

describe('POST /api/reset', () => {
  it('restores the state of the first start', async () => {
    const shop = await startStorefront();
    const atFirst = await seen(shop);
    await change(shop);
    expect(await seen(shop)).not.toEqual(atFirst);
    expect(await shop.ask('POST', '/api/reset')).toMatchObject({ status: 204, text: '' });
    expect(await seen(shop)).toEqual(atFirst);
  });

  it('writes the default data to the data file', async () => {
    const shop = await startStorefront();
    await change(shop);
    await shop.ask('POST', '/api/reset');
    expect((await shop.ask('GET', '/api/cart-items')).body).toEqual(defaults.cartItems);
    expect((await shop.ask('GET', '/api/orders')).body).toEqual(defaults.orders);
    expect(await readFile(join(shop.folder, 'db.json'), 'utf8')).toBe(defaultText);
  });

  it('has the same result when it is repeated', async () => {
    const shop = await startStorefront();
    await change(shop);
    await shop.ask('POST', '/api/reset');
    const once = await seen(shop);
    expect((await shop.ask('POST', '/api/reset')).status).toBe(204);
    expect(await seen(shop)).toEqual(once);
  });

  it('removes an order that was created', async () => {
    const shop = await startStorefront();
    const { headers } = await shop.ask('POST', '/api/orders');
    await shop.ask('POST', '/api/reset');
    expect((await shop.ask('GET', headers.get('location') ?? 'nowhere')).status).toBe(404);
  });

  it('allows further changes', async () => {
    const shop = await startStorefront();
    await change(shop);
    await shop.ask('POST', '/api/reset');
    const ordered = await shop.ask('POST', '/api/orders');
    expect((await shop.ask('GET', '/api/orders')).body).toEqual([ordered.body, ...defaults.orders]);
  });
});
