import { describe, expect, it } from 'vitest';
import { defaults, productId } from '../support/default-data.ts';
import { startStorefront } from '../support/start-storefront.ts';

const KETTLE = productId('Cordless Electric Kettle');
const [IN_CART] = defaults.cartItems.map((item) => item.productId) as [string];
const UNKNOWN = '00000000-0000-4000-8000-000000000000';

describe('POST /api/cart-items', () => {
  it('puts a product that is not in the cart at its end, with delivery option 1', async () => {
    const shop = await startStorefront();
    const added = await shop.ask('POST', '/api/cart-items', { productId: KETTLE, quantity: 2 });
    expect(added).toMatchObject({ status: 201, body: { productId: KETTLE, quantity: 2, deliveryOptionId: '1' } });
    const cart = await shop.ask('GET', '/api/cart-items');
    expect(cart.body).toEqual([...defaults.cartItems, added.body]);
  });

  it('adds to the quantity of a product already in the cart, past 10, and keeps its place and delivery option', async () => {
    const shop = await startStorefront();
    await shop.ask('PUT', `/api/cart-items/${IN_CART}`, { quantity: 8, deliveryOptionId: '3' });
    const added = await shop.ask('POST', '/api/cart-items', { productId: IN_CART, quantity: 10 });
    expect(added).toMatchObject({ status: 201, body: { productId: IN_CART, quantity: 18, deliveryOptionId: '3' } });
    expect((await shop.ask('GET', '/api/cart-items')).body[0]).toEqual(added.body);
  });

  it('refuses a product that the catalogue does not have', async () => {
    const shop = await startStorefront();
    const refused = await shop.ask('POST', '/api/cart-items', { productId: UNKNOWN, quantity: 1 });
    expect(refused).toMatchObject({
      status: 404,
      body: { type: '/problems/unknown-product', instance: '/api/cart-items' },
    });
    expect((await shop.ask('GET', '/api/cart-items')).body).toEqual(defaults.cartItems);
  });

  it('refuses to let an item pass 1,000,000 of a product', async () => {
    const shop = await startStorefront();
    await shop.ask('PUT', `/api/cart-items/${IN_CART}`, { quantity: 999_999 });
    expect((await shop.ask('POST', '/api/cart-items', { productId: IN_CART, quantity: 2 })).body).toMatchObject({
      type: '/problems/quantity-limit',
      status: 409,
      detail:
        '999999 in the cart and 2 more pass the limit of 1000000 of a product: add fewer, or lower the quantity first',
    });
    expect((await shop.ask('POST', '/api/cart-items', { productId: IN_CART, quantity: 1 })).status).toBe(201);
  });
});
