import { describe, expect, it } from 'vitest';
import { defaults, productId } from '../../support/fixtures/default-data.ts';
import { startStorefront } from '../../support/harness/start-storefront.ts';

const KETTLE = productId('Cordless Electric Kettle');
const [IN_CART, LAST_IN_CART] = defaults.cartItems.map((item) => item.productId) as [string, string];
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

describe('GET /api/cart-items', () => {
  it('lists the items in the order in which they were first added', async () => {
    const shop = await startStorefront();
    const cart = await shop.ask('GET', '/api/cart-items');
    expect(cart).toMatchObject({ status: 200, body: defaults.cartItems });
    expect(Object.keys(cart.body[0])).toEqual(['productId', 'quantity', 'deliveryOptionId']);
  });

  it('gives each item its product, complete, where asked to expand', async () => {
    const shop = await startStorefront();
    const cart = await shop.ask('GET', '/api/cart-items?expand=product');
    expect(cart.body).toEqual(
      defaults.cartItems.map((item) => ({
        ...item,
        product: defaults.products.find(({ id }) => id === item.productId),
      })),
    );
  });

  it('is an empty list once all is removed', async () => {
    const shop = await startStorefront();
    for (const id of [IN_CART, LAST_IN_CART]) await shop.ask('DELETE', `/api/cart-items/${id}`);
    expect((await shop.ask('GET', '/api/cart-items')).text).toBe('[]');
    expect((await shop.ask('GET', '/api/cart-items?expand=product')).text).toBe('[]');
  });
});

describe('PUT /api/cart-items/:productId', () => {
  const before = { productId: IN_CART, quantity: 2, deliveryOptionId: '1' };

  const changes = [
    ['the quantity', { quantity: 1_000_000 }, { ...before, quantity: 1_000_000 }],
    ['the delivery option', { deliveryOptionId: '3' }, { ...before, deliveryOptionId: '3' }],
    ['the delivery option, given as a number', { deliveryOptionId: 3 }, { ...before, deliveryOptionId: '3' }],
    ['both', { quantity: 5, deliveryOptionId: '2' }, { ...before, quantity: 5, deliveryOptionId: '2' }],
    ['nothing where nothing is given', {}, before],
    ['nothing where there is no body at all', undefined, before],
    ['nothing where all is as it was', { quantity: 2, deliveryOptionId: '1' }, before],
  ] as const;

  it('changes what is given, and keeps the place of the item', async () => {
    const shop = await startStorefront();
    for (const [what, change, after] of changes) {
      const changed = await shop.ask('PUT', `/api/cart-items/${IN_CART}`, change);
      expect.soft(changed, what).toMatchObject({ status: 200, body: after });
      expect.soft((await shop.ask('GET', '/api/cart-items')).body, what).toEqual([after, defaults.cartItems[1]]);
      await shop.ask('POST', '/api/reset');
    }
  });

  it('changes nothing where there is no such delivery option', async () => {
    const shop = await startStorefront();
    for (const id of ['9', '', 'null', '1 ', 9, -1, 1e21]) {
      const refused = await shop.ask('PUT', `/api/cart-items/${IN_CART}`, { quantity: 7, deliveryOptionId: id });
      expect(refused, `${id}`).toMatchObject({ status: 404, body: { type: '/problems/unknown-delivery-option' } });
    }
    expect((await shop.ask('GET', '/api/cart-items')).body).toEqual(defaults.cartItems);
  });

  it('changes nothing where the quantity breaks the contract', async () => {
    const shop = await startStorefront();
    const refused = await shop.ask('PUT', `/api/cart-items/${IN_CART}`, { quantity: 0, deliveryOptionId: '3' });
    expect(refused.status).toBe(400);
    expect((await shop.ask('GET', '/api/cart-items')).body).toEqual(defaults.cartItems);
  });

  it('refuses a product that the cart does not have, whether or not the catalogue has it', async () => {
    const shop = await startStorefront();
    for (const id of [KETTLE, UNKNOWN]) {
      const refused = await shop.ask('PUT', `/api/cart-items/${id}`, { deliveryOptionId: '9' });
      expect(refused, id).toMatchObject({ status: 404, body: { type: '/problems/unknown-cart-item' } });
    }
  });
});

describe('DELETE /api/cart-items/:productId', () => {
  it('removes the item and leaves the others', async () => {
    const shop = await startStorefront();
    expect(await shop.ask('DELETE', `/api/cart-items/${IN_CART}`)).toMatchObject({ status: 204, text: '' });
    expect((await shop.ask('GET', '/api/cart-items')).body).toEqual([defaults.cartItems[1]]);
  });

  it('refuses to remove an item twice', async () => {
    const shop = await startStorefront();
    await shop.ask('DELETE', `/api/cart-items/${IN_CART}`);
    const again = await shop.ask('DELETE', `/api/cart-items/${IN_CART}`);
    expect(again).toMatchObject({ status: 404, body: { type: '/problems/unknown-cart-item' } });
  });

  it('lets the product come back, at the end and with delivery option 1', async () => {
    const shop = await startStorefront();
    await shop.ask('DELETE', `/api/cart-items/${IN_CART}`);
    const added = await shop.ask('POST', '/api/cart-items', { productId: IN_CART, quantity: 1 });
    expect(added.body.deliveryOptionId).toBe('1');
    expect((await shop.ask('GET', '/api/cart-items')).body).toEqual([defaults.cartItems[1], added.body]);
  });
});
