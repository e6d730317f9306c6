import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { UnknownSandboxError } from '../../src/sandbox/registry.ts';
import { defaults } from '../support/fixtures/default-data.ts';
import { PRODUCT_IDS, putting } from '../support/fixtures/states.ts';
import { expectProblem } from '../support/harness/problems.ts';
import { sandboxesWith } from '../support/harness/registry.ts';
import { sandboxIds, steering, ways, within } from '../support/harness/sandboxes.ts';
import { startStorefront, type TestShop } from '../support/harness/start-storefront.ts';

const [IN_CART, ALSO_IN_CART] = defaults.cartItems.map(({ productId }) => productId) as [string, string];

/** What a client has done in its sandbox, and so has to find there. */
interface Ledger {
  readonly orders: readonly { readonly id: string }[];
  readonly cart: readonly { readonly productId: string; readonly quantity: number }[];
}

/** Adds, updates, deletes and orders what no other client does alike, and keeps a ledger of it. */
async function shopping(ask: TestShop['ask'], client: number): Promise<Ledger> {
  const [first, second] = [0, 1].map((n) => PRODUCT_IDS[(client + n) % PRODUCT_IDS.length]) as [string, string];
  await ask('PUT', `/api/cart-items/${IN_CART}`, { quantity: 1_000 + client });
  await ask('DELETE', `/api/cart-items/${ALSO_IN_CART}`);
  await ask('POST', '/api/cart-items', { productId: first, quantity: 1 + (client % 10) });
  const { body: order } = await ask('POST', '/api/orders');
  await ask('POST', '/api/cart-items', { productId: second, quantity: 1 + (client % 10) });
  await ask('PUT', `/api/cart-items/${second}`, { quantity: 2_000 + client });
  expect(order.products).toMatchObject([
    { productId: IN_CART, quantity: 1_000 + client },
    { productId: first, quantity: 1 + (client % 10) },
  ]);
  return { orders: [order, ...defaults.orders], cart: [{ productId: second, quantity: 2_000 + client }] };
}

describe('clients in sandboxes of their own', () => {
  it('find there what they did, all of it and nothing else, 60 at once', async () => {
    const shop = await startStorefront();
    const file = await readFile(shop.dataFile ?? '', 'utf8');
    const clients = Array.from({ length: 60 }, (_, n) => within(shop, `client-${n}`, ways[n % ways.length]));
    const ledgers = await Promise.all(clients.map(shopping));
    const found = await Promise.all(
      clients.map(async (ask) => ({
        orders: (await ask('GET', '/api/orders')).body,
        cart: (await ask('GET', '/api/cart-items')).body.map(({ productId, quantity }: Ledger['cart'][number]) => ({
          productId,
          quantity,
        })),
      })),
    );
    expect(found).toEqual(ledgers);
    expect(new Set(found.map(({ orders }) => orders[0].id)).size).toBe(clients.length);
    expect((await shop.ask('GET', '/api/cart-items')).body).toEqual(defaults.cartItems);
    expect((await shop.ask('GET', '/api/orders')).body).toEqual(defaults.orders);
    expect(await readFile(shop.dataFile ?? '', 'utf8')).toBe(file);
  });

  it('reset their own alone', async () => {
    const shop = await startStorefront();
    const [one, other] = [within(shop, 'one'), within(shop, 'other')];
    for (const ask of [shop.ask, one, other]) await ask('POST', '/api/orders');
    const counts = async () =>
      Promise.all([shop.ask, one, other].map(async (ask) => (await ask('GET', '/api/orders')).body.length));
    expect(await counts()).toEqual([3, 3, 3]);
    await one('POST', '/api/reset');
    expect(await counts()).toEqual([3, 2, 3]);
    await shop.ask('POST', '/api/reset');
    expect(await counts()).toEqual([2, 2, 3]);
  });

  it('begin with the default data, not with what the default shop holds', async () => {
    const shop = await startStorefront();
    await shop.ask('POST', '/api/orders');
    expect((await within(shop, 'w1')('GET', '/api/cart-items')).body).toEqual(defaults.cartItems);
  });

  it('leave no data behind when the server ends: they are in memory', async () => {
    const first = await startStorefront();
    await within(first, 'w1')('POST', '/api/orders');
    await first.close();
    const second = await startStorefront({ data: first.dataFile });
    expect(await sandboxIds(second)).toEqual(['default']);
    expect((await within(second, 'w1')('GET', '/api/orders')).body).toEqual(defaults.orders);
  });
});

describe('a sandbox that is made by being named', () => {
  it('gets a line in the log, once', async () => {
    const shop = await startStorefront();
    for (const _ of [1, 2]) await within(shop, 'w3')('GET', '/api/orders');
    await shop.ask('GET', '/api/orders', undefined, { 'x-sandbox': 'default' });
    expect(shop.log.filter(({ msg }) => msg?.startsWith('made sandbox')).map(({ msg }) => msg)).toEqual([
      'made sandbox w3',
    ]);
  });

  it('is refused where sandboxes are declared, until control has made it', async () => {
    const shop = await startStorefront({ sandboxes: 'declared' });
    for (const way of ways) {
      const reply = await within(shop, 'w1', way)('GET', '/api/orders');
      expectProblem(reply, 404, 'unknown-sandbox', way.by);
      expect(reply.body.detail, way.by).toContain('PUT /_control/sandboxes/w1');
    }
    expect(await sandboxIds(shop)).toEqual(['default']);
    await steering(shop)('PUT', '/w1');
    for (const way of ways) expect((await within(shop, 'w1', way)('GET', '/api/orders')).status, way.by).toBe(200);
    expect((await within(shop, 'default')('GET', '/api/orders')).status).toBe(200);
  });
});

describe('a sandbox that was removed', () => {
  it('finishes the change that was begun in it, and is another when it is named again', async () => {
    const { sandboxes } = sandboxesWith();
    const before = sandboxes.get('a');
    const changing = before.store.update(putting(PRODUCT_IDS[0] ?? ''));
    expect(sandboxes.remove('a')).toBe(true);
    expect(await changing).toBe(PRODUCT_IDS[0]);
    expect(sandboxes.remove('a')).toBe(false);
    expect(sandboxes.get('a').store.read().state).toEqual(defaults);
  });

  it('is not the default one, which stays', () => {
    const { sandboxes } = sandboxesWith();
    expect(sandboxes.remove('default')).toBe(false);
    expect(sandboxes.get('default')).toBe(sandboxes.default);
  });

  it('is not made again by its name where sandboxes are declared', () => {
    const { sandboxes } = sandboxesWith({ areDeclared: true });
    sandboxes.make('a');
    sandboxes.remove('a');
    expect(() => sandboxes.get('a')).toThrow(UnknownSandboxError);
    expect(sandboxes.find('a')).toBeUndefined();
  });
});
