import { describe, expect, it } from 'vitest';
import { defaults, getProductId } from '../support/fixtures/default-data.ts';
import { readDataFile } from '../support/harness/edited-file.ts';
import { startStorefront, type TestResponse, type TestShop } from '../support/harness/start-storefront.ts';

const KETTLE = getProductId('Cordless Electric Kettle');
const [IN_CART] = defaults.cartItems as [(typeof defaults.cartItems)[number]];
const CLIENTS = 50;

describe('50 concurrent clients', () => {
  it('lose no quantity that they add to an item in the cart', async () => {
    const shop = await startStorefront();
    const answers = await atOnce(() => add(shop, IN_CART.productId, 3));
    expect(statuses(answers)).toEqual({ 201: CLIENTS });
    expect(await inCart(shop, IN_CART.productId)).toBe(IN_CART.quantity + CLIENTS * 3);
    expect(await inFile(shop)).toEqual(await shown(shop));
  });

  it('create one item for a product that was not in the cart', async () => {
    const shop = await startStorefront();
    const answers = await atOnce(() => add(shop, KETTLE, 1));
    expect(await inCart(shop, KETTLE)).toBe(CLIENTS);
    const seen = answers.map(({ body }) => body.quantity).sort((one, other) => one - other);
    expect(seen).toEqual(Array.from({ length: CLIENTS }, (_, index) => index + 1));
    expect(await inFile(shop)).toEqual(await shown(shop));
  });

  it('create one order from one cart', async () => {
    const shop = await startStorefront();
    const answers = await atOnce(() => shop.ask('POST', '/api/orders'));
    expect(statuses(answers)).toEqual({ 201: 1, 409: CLIENTS - 1 });
    const { cartItems, orders } = await shown(shop);
    expect(cartItems).toEqual([]);
    expect(orders).toEqual([answers.find(({ status }) => status === 201)?.body, ...defaults.orders]);
    expect(await inFile(shop)).toEqual({ cartItems, orders });
  });

  it('find every unit that they added exactly once, in an order or in the cart', async () => {
    const shop = await startStorefront();
    const answers = await atOnce(async (client) => {
      await add(shop, KETTLE, (client % 10) + 1);
      if (client % 2 === 0) return shop.ask('POST', '/api/orders');
      return add(shop, KETTLE, 1);
    });
    const added = answers.map((_, client) => (client % 10) + 1 + (client % 2));
    const { cartItems, orders } = await shown(shop);
    const newOrders = orders.slice(0, -defaults.orders.length);
    const kept = [...cartItems, ...newOrders.flatMap(({ products }) => products)];
    expect(sumOf(kept.filter(({ productId }) => productId === KETTLE))).toBe(sum(added));
    const ordered = answers.filter(({ status, headers }) => status === 201 && headers.has('location'));
    expect(newOrders).toHaveLength(ordered.length);
    expect(await inFile(shop)).toEqual({ cartItems, orders });
  });

  it('remove an item once', async () => {
    const shop = await startStorefront();
    const answers = await atOnce(() => shop.ask('DELETE', `/api/cart-items/${IN_CART.productId}`));
    expect(statuses(answers)).toEqual({ 204: 1, 404: CLIENTS - 1 });
    expect(await inFile(shop)).toEqual(await shown(shop));
  });

  it('add, change, order and reset without errors, and the responses agree with the data file', async () => {
    const shop = await startStorefront();
    const answers = await atOnce(async (client) => {
      await add(shop, KETTLE, 1);
      if (client % 10 === 0) return shop.ask('POST', '/api/reset');
      if (client % 5 === 1) return shop.ask('POST', '/api/orders');
      if (client % 5 === 2) return shop.ask('PUT', `/api/cart-items/${IN_CART.productId}`, { quantity: client });
      return add(shop, KETTLE, 1);
    });
    expect(answers.filter(({ status }) => status >= 500)).toEqual([]);
    expect(await inFile(shop)).toEqual(await shown(shop));
  });

  it('read consistent states while other clients change them', async () => {
    const shop = await startStorefront();
    const answers = await atOnce(async (client) => {
      if (client % 5 === 0) await shop.ask('POST', '/api/orders');
      return client % 2 === 0 ? add(shop, KETTLE, 2) : shop.ask('GET', '/api/cart-items?expand=product');
    });
    const carts = answers.map(({ body }) => body).filter(Array.isArray);
    expect(carts.length).toBeGreaterThan(0);
    for (const cart of carts) expect(new Set(cart.map(({ product }) => product.id)).size).toBe(cart.length);
  });
});

describe('two servers with different data files', () => {
  it('do not affect each other', async () => {
    const [one, other] = [await startStorefront(), await startStorefront()];
    await atOnce((client) => {
      const shop = client % 2 === 0 ? one : other;
      return add(shop, KETTLE, client % 2 === 0 ? 1 : 3);
    });
    await other.ask('DELETE', `/api/cart-items/${IN_CART.productId}`);
    expect(await inCart(one, KETTLE)).toBe(CLIENTS / 2);
    expect(await inCart(one, IN_CART.productId)).toBe(IN_CART.quantity);
    expect(await inCart(other, KETTLE)).toBe((CLIENTS / 2) * 3);
    expect(await inFile(one)).toEqual(await shown(one));
    expect(await inFile(other)).toEqual(await shown(other));
  });
});

/** Returns the responses to the concurrent requests of fifty clients, in the order of the clients. */
function atOnce(ask: (client: number) => Promise<TestResponse>): Promise<TestResponse[]> {
  return Promise.all(Array.from({ length: CLIENTS }, (_, client) => ask(client)));
}

function add(shop: TestShop, productId: string, quantity: number): Promise<TestResponse> {
  return shop.ask('POST', '/api/cart-items', { productId, quantity });
}

/** Counts the responses by status. */
function statuses(answers: readonly TestResponse[]): Record<number, number> {
  const counts: Record<number, number> = {};
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

async function inCart(shop: TestShop, productId: string): Promise<number> {
  const { cartItems } = await shown(shop);
  return sumOf(cartItems.filter((item) => item.productId === productId));
}

function sumOf(entries: readonly { readonly quantity: number }[]): number {
  return sum(entries.map(({ quantity }) => quantity));
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

type Sold = Pick<typeof defaults, 'cartItems' | 'orders'>;

async function shown(shop: TestShop): Promise<Sold> {
  return {
    cartItems: (await shop.ask('GET', '/api/cart-items')).body,
    orders: (await shop.ask('GET', '/api/orders')).body,
  };
}

async function inFile(shop: TestShop): Promise<Sold> {
  const { cartItems, orders } = JSON.parse(await readDataFile(shop));
  return { cartItems, orders };
}
