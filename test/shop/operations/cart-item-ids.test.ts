import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { defaults, getProductId } from '../../support/fixtures/default-data.ts';
import { folderWith } from '../../support/harness/folder-with.ts';
import { expectProblem } from '../../support/harness/problems.ts';
import { startStorefront, type TestShop } from '../../support/harness/start-storefront.ts';

const KETTLE = getProductId('Cordless Electric Kettle');
const [SOCKS, LAMP] = defaults.cartItems.map((item) => item.productId) as [string, string];

/** The default data without the ids of cart items, as an earlier version stored it. */
const EARLIER = { ...defaults, cartItems: defaults.cartItems.map(({ id: _, ...item }) => item) };

/** Adds a product to the cart. Returns the id of its item. */
async function add({ ask }: TestShop, productId: string): Promise<number> {
  return (await ask('POST', '/api/cart-items', { productId, quantity: 1 })).body.id;
}

/** Returns the ids of the cart items. */
async function getIds({ ask }: TestShop): Promise<readonly number[]> {
  const { body } = await ask('GET', '/api/cart-items');
  return body.map(({ id }: { readonly id: number }) => id);
}

describe('The id of a cart item', () => {
  it('is the next number for a new item, and is the same in each response', async () => {
    const shop = await startStorefront();
    expect(await getIds(shop)).toEqual([1, 2]);
    expect(await add(shop, KETTLE)).toBe(3);
    expect((await shop.ask('PUT', `/api/cart-items/${KETTLE}`, { quantity: 5 })).body.id).toBe(3);
    expect(await add(shop, KETTLE)).toBe(3);
    const expanded = (await shop.ask('GET', '/api/cart-items?expand=product')).body;
    expect(expanded.map(({ id }: { readonly id: number }) => id)).toEqual([1, 2, 3]);
  });

  it('is not used again after the item is removed or ordered', async () => {
    const shop = await startStorefront();
    await shop.ask('DELETE', `/api/cart-items/${LAMP}`);
    expect(await add(shop, LAMP)).toBe(3);
    await shop.ask('POST', '/api/orders');
    expect(await add(shop, LAMP)).toBe(4);
    await shop.ask('DELETE', `/api/cart-items/${LAMP}`);
    expect(await add(shop, SOCKS)).toBe(5);
  });

  it('is not used again after a restart', async () => {
    const data = join(await folderWith({}), 'db.json');
    const first = await startStorefront({ data });
    await first.ask('POST', '/api/orders');
    await first.close();
    expect(await add(await startStorefront({ data }), KETTLE)).toBe(3);
  });

  it('starts again with the default data after a reset, which restores the bytes of the data file', async () => {
    const data = join(await folderWith({}), 'db.json');
    const shop = await startStorefront({ data });
    const text = await readFile(data, 'utf8');
    await add(shop, KETTLE);
    await shop.ask('POST', '/api/orders');
    await shop.ask('POST', '/api/reset');
    expect(await readFile(data, 'utf8')).toBe(text);
    expect(await add(shop, KETTLE)).toBe(3);
  });

  it('is independent in each sandbox', async () => {
    const shop = await startStorefront();
    await add(shop, KETTLE);
    const { body } = await shop.ask('POST', '/_sandbox/other/api/cart-items', { productId: KETTLE, quantity: 1 });
    expect(body.id).toBe(3);
  });
});

describe('A cart item without an id', () => {
  it('in a data file of an earlier version has an id in responses, and gets it with the next change', async () => {
    const data = join(await folderWith({ 'db.json': JSON.stringify(EARLIER) }), 'db.json');
    const shop = await startStorefront({ data });
    expect(await getIds(shop)).toEqual([1, 2]);
    await shop.ask('DELETE', `/api/cart-items/${SOCKS}`);
    expect(await getIds(shop)).toEqual([2]);
    await shop.close();
    expect(JSON.parse(await readFile(data, 'utf8')).cartItems).toEqual([{ id: 2, ...EARLIER.cartItems[1] }]);
  });

  it('can be set with the control API', async () => {
    const shop = await startStorefront();
    const { products, deliveryOptions, orders } = EARLIER;
    const cartItems = [...defaults.cartItems.slice(0, 1), ...EARLIER.cartItems.slice(1)];
    const state = { products, deliveryOptions, cartItems, orders };
    expect((await shop.ask('PUT', '/_control/sandboxes/default/state', state)).status).toBe(204);
    expect(await getIds(shop)).toEqual([1, 2]);
  });
});

describe('The state of a shop', () => {
  it.each([
    ['the same id twice', [1, 1], 'is 1, as in an item before it'],
    ['an id that leaves no ids for new items', [1, 2 ** 53 - 1], 'is above'],
  ])('can not have cart items with %s', async (_, ids, message) => {
    const shop = await startStorefront();
    const patch = ids.map((value, index) => ({ op: 'replace', path: `/cartItems/${index}/id`, value }));
    const reply = await shop.ask('PATCH', '/_control/sandboxes/default/state', patch);
    expectProblem(reply, 409, 'invalid-state');
    expect(reply.body.detail).toContain(message);
  });

  it('does not show the list of latest ids to clients of the control API', async () => {
    const shop = await startStorefront();
    await shop.ask('POST', '/api/orders');
    const { body } = await shop.ask('GET', '/_control/sandboxes/default/state');
    expect(Object.keys(body)).toEqual(['products', 'deliveryOptions', 'cartItems', 'orders']);
    const [request] = (await shop.ask('GET', '/_control/sandboxes/default/requests')).body;
    const details = await shop.ask('GET', `/_control/sandboxes/default/requests/${request.id}`);
    const collections = details.body.changes.map(({ collection }: { readonly collection: string }) => collection);
    expect(new Set(collections)).toEqual(new Set(['cartItems', 'orders']));
  });
});
