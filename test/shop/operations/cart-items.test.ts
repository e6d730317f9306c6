import { describe, expect, it } from 'vitest';
import { defaults, getProductId } from '../../support/fixtures/default-data.ts';
import { startStorefront } from '../../support/harness/start-storefront.ts';

const KETTLE = getProductId('Cordless Electric Kettle');
const [IN_CART, LAST_IN_CART] = defaults.cartItems.map((item) => item.productId) as [string, string];
const UNKNOWN = '00000000-0000-4000-8000-000000000000';

describe('POST /api/cart-items', () => {
  it('appends a product that is not in the cart, with delivery option 1', async () => {
    const shop = await startStorefront();
    const added = await shop.ask('POST', '/api/cart-items', { productId: KETTLE, quantity: 2 });
    expect(added).toMatchObject({ status: 201, body: { productId: KETTLE, quantity: 2, deliveryOptionId: '1' } });
    const cart = await shop.ask('GET', '/api/cart-items');
    expect(cart.body).toEqual([...defaults.cartItems, added.body]);
  });

  it('adds to the quantity of a product already in the cart, beyond 10, and keeps its position and delivery option', async () => {
    const shop = await startStorefront();
    await shop.ask('PUT', `/api/cart-items/${IN_CART}`, { quantity: 8, deliveryOptionId: '3' });
    const added = await shop.ask('POST', '/api/cart-items', { productId: IN_CART, quantity: 10 });
    expect(added).toMatchObject({ status: 201, body: { productId: IN_CART, quantity: 18, deliveryOptionId: '3' } });
    expect((await shop.ask('GET', '/api/cart-items')).body[0]).toEqual(added.body);
  });

  it('refuses a quantity with which the costs would no longer be exact, so that the data file stays valid', async () => {
    const shop = await startStorefront();
    const ids = Array.from({ length: 819 }, (_, index) => `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`);
    const products = ids.map((id) => ({ ...defaults.products[0], id, priceCents: 10_000_000 }));
    const cartItems = ids.slice(1).map((productId) => ({ productId, quantity: 1_000_000, deliveryOptionId: '1' }));
    const put = await shop.ask('PUT', '/_control/sandboxes/default/state', {
      ...defaults,
      products,
      cartItems,
      orders: [],
    });
    expect(put.status).toBe(204);
    const [first = '', second = ''] = ids;
    const added = await shop.ask('POST', '/api/cart-items', { productId: first, quantity: 1 });
    expect(added).toMatchObject({ status: 409, body: { type: '/problems/quantity-limit' } });
    await shop.ask('PUT', `/api/cart-items/${second}`, { quantity: 999_999 });
    expect((await shop.ask('POST', '/api/cart-items', { productId: first, quantity: 1 })).status).toBe(201);
    expect((await shop.ask('PUT', `/api/cart-items/${second}`, { quantity: 1_000_000 })).body).toMatchObject({
      type: '/problems/invalid-request',
      violations: [{ pointer: '/quantity' }],
    });
  });

  it('returns 404 for a product that is not in the catalogue', async () => {
    const shop = await startStorefront();
    const refused = await shop.ask('POST', '/api/cart-items', { productId: UNKNOWN, quantity: 1 });
    expect(refused).toMatchObject({
      status: 404,
      body: { type: '/problems/unknown-product', instance: '/api/cart-items' },
    });
    expect((await shop.ask('GET', '/api/cart-items')).body).toEqual(defaults.cartItems);
  });

  it('returns 409 if the quantity would exceed 1,000,000', async () => {
    const shop = await startStorefront();
    await shop.ask('PUT', `/api/cart-items/${IN_CART}`, { quantity: 999_999 });
    expect((await shop.ask('POST', '/api/cart-items', { productId: IN_CART, quantity: 2 })).body).toMatchObject({
      type: '/problems/quantity-limit',
      status: 409,
      detail:
        'The cart contains 999999 units of this product: 2 more would exceed the limit of 1000000. Add fewer units, or lower the quantity first.',
    });
    expect((await shop.ask('POST', '/api/cart-items', { productId: IN_CART, quantity: 1 })).status).toBe(201);
  });
});

describe('GET /api/cart-items', () => {
  it('returns the items in the order in which they were first added', async () => {
    const shop = await startStorefront();
    const cart = await shop.ask('GET', '/api/cart-items');
    expect(cart).toMatchObject({ status: 200, body: defaults.cartItems });
    expect(Object.keys(cart.body[0])).toEqual(['id', 'productId', 'quantity', 'deliveryOptionId']);
  });

  it('returns each item with its complete product if expand=product', async () => {
    const shop = await startStorefront();
    const cart = await shop.ask('GET', '/api/cart-items?expand=product');
    expect(cart.body).toEqual(
      defaults.cartItems.map((item) => ({
        ...item,
        product: defaults.products.find(({ id }) => id === item.productId),
      })),
    );
  });

  it('returns an empty list after all items are removed', async () => {
    const shop = await startStorefront();
    for (const id of [IN_CART, LAST_IN_CART]) await shop.ask('DELETE', `/api/cart-items/${id}`);
    expect((await shop.ask('GET', '/api/cart-items')).text).toBe('[]');
    expect((await shop.ask('GET', '/api/cart-items?expand=product')).text).toBe('[]');
  });
});

describe('PUT /api/cart-items/:productId', () => {
  const before = { id: 1, productId: IN_CART, quantity: 2, deliveryOptionId: '1' };

  const changes = [
    ['the quantity', { quantity: 1_000_000 }, { ...before, quantity: 1_000_000 }],
    ['the delivery option', { deliveryOptionId: '3' }, { ...before, deliveryOptionId: '3' }],
    ['the delivery option from a number', { deliveryOptionId: 3 }, { ...before, deliveryOptionId: '3' }],
    ['both', { quantity: 5, deliveryOptionId: '2' }, { ...before, quantity: 5, deliveryOptionId: '2' }],
    ['nothing for an empty object', {}, before],
    ['nothing without a body', undefined, before],
    ['nothing if the values are the same', { quantity: 2, deliveryOptionId: '1' }, before],
  ] as const;

  it('changes the fields in the body and keeps the position of the item', async () => {
    const shop = await startStorefront();
    for (const [what, change, after] of changes) {
      const changed = await shop.ask('PUT', `/api/cart-items/${IN_CART}`, change);
      expect.soft(changed, what).toMatchObject({ status: 200, body: after });
      expect.soft((await shop.ask('GET', '/api/cart-items')).body, what).toEqual([after, defaults.cartItems[1]]);
      await shop.ask('POST', '/api/reset');
    }
  });

  it('returns 404 and changes nothing if the delivery option does not exist', async () => {
    const shop = await startStorefront();
    for (const id of ['9', '', 'null', '1 ', 9, -1, 1e21]) {
      const refused = await shop.ask('PUT', `/api/cart-items/${IN_CART}`, { quantity: 7, deliveryOptionId: id });
      expect(refused, `${id}`).toMatchObject({ status: 404, body: { type: '/problems/unknown-delivery-option' } });
    }
    expect((await shop.ask('GET', '/api/cart-items')).body).toEqual(defaults.cartItems);
  });

  it('returns 400 and changes nothing if the quantity violates the contract', async () => {
    const shop = await startStorefront();
    const refused = await shop.ask('PUT', `/api/cart-items/${IN_CART}`, { quantity: 0, deliveryOptionId: '3' });
    expect(refused.status).toBe(400);
    expect((await shop.ask('GET', '/api/cart-items')).body).toEqual(defaults.cartItems);
  });

  it('returns 404 for a product that is not in the cart, whether or not it is in the catalogue', async () => {
    const shop = await startStorefront();
    for (const id of [KETTLE, UNKNOWN]) {
      const refused = await shop.ask('PUT', `/api/cart-items/${id}`, { deliveryOptionId: '9' });
      expect(refused, id).toMatchObject({ status: 404, body: { type: '/problems/unknown-cart-item' } });
    }
  });
});

describe('DELETE /api/cart-items/:productId', () => {
  it('removes the item and keeps the others', async () => {
    const shop = await startStorefront();
    expect(await shop.ask('DELETE', `/api/cart-items/${IN_CART}`)).toMatchObject({ status: 204, text: '' });
    expect((await shop.ask('GET', '/api/cart-items')).body).toEqual([defaults.cartItems[1]]);
  });

  it('returns 404 if the item is removed a second time', async () => {
    const shop = await startStorefront();
    await shop.ask('DELETE', `/api/cart-items/${IN_CART}`);
    const again = await shop.ask('DELETE', `/api/cart-items/${IN_CART}`);
    expect(again).toMatchObject({ status: 404, body: { type: '/problems/unknown-cart-item' } });
  });

  it('allows the product to be added again, as the last item and with delivery option 1', async () => {
    const shop = await startStorefront();
    await shop.ask('DELETE', `/api/cart-items/${IN_CART}`);
    const added = await shop.ask('POST', '/api/cart-items', { productId: IN_CART, quantity: 1 });
    expect(added.body.deliveryOptionId).toBe('1');
    expect((await shop.ask('GET', '/api/cart-items')).body).toEqual([defaults.cartItems[1], added.body]);
  });
});
