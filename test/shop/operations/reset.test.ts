import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { defaults, defaultText, productId } from '../../support/fixtures/default-data.ts';
import { startStorefront, type TestShop } from '../../support/harness/start-storefront.ts';

const KETTLE = productId('Cordless Electric Kettle');

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
  it('restores what there was at the first start', async () => {
    const shop = await startStorefront();
    const atFirst = await seen(shop);
    await change(shop);
    expect(await seen(shop)).not.toEqual(atFirst);
    expect(await shop.ask('POST', '/api/reset')).toMatchObject({ status: 204, text: '' });
    expect(await seen(shop)).toEqual(atFirst);
  });

  it('restores the default data, in the data file too', async () => {
    const shop = await startStorefront();
    await change(shop);
    await shop.ask('POST', '/api/reset');
    expect((await shop.ask('GET', '/api/cart-items')).body).toEqual(defaults.cartItems);
    expect((await shop.ask('GET', '/api/orders')).body).toEqual(defaults.orders);
    expect(await readFile(join(shop.folder, 'db.json'), 'utf8')).toBe(defaultText);
  });

  it('does the same twice as once', async () => {
    const shop = await startStorefront();
    await change(shop);
    await shop.ask('POST', '/api/reset');
    const once = await seen(shop);
    expect((await shop.ask('POST', '/api/reset')).status).toBe(204);
    expect(await seen(shop)).toEqual(once);
  });

  it('forgets an order that was made', async () => {
    const shop = await startStorefront();
    const { headers } = await shop.ask('POST', '/api/orders');
    await shop.ask('POST', '/api/reset');
    expect((await shop.ask('GET', headers.get('location') ?? 'nowhere')).status).toBe(404);
  });

  it('lets the shop go on from there', async () => {
    const shop = await startStorefront();
    await change(shop);
    await shop.ask('POST', '/api/reset');
    const ordered = await shop.ask('POST', '/api/orders');
    expect((await shop.ask('GET', '/api/orders')).body).toEqual([ordered.body, ...defaults.orders]);
  });
});
