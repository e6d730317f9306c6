import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { defaults } from '../support/fixtures/default-data.ts';
import { PRODUCT_IDS, putItem } from '../support/fixtures/states.ts';
import { expectProblem } from '../support/harness/problems.ts';
import { createTestRegistry } from '../support/harness/registry.ts';
import {
  createControlClient,
  createSandboxClient,
  listSandboxIds,
  selectionMethods,
} from '../support/harness/sandboxes.ts';
import { startStorefront, type TestShop } from '../support/harness/start-storefront.ts';

const [IN_CART, ALSO_IN_CART] = defaults.cartItems.map(({ productId }) => productId) as [string, string];

/** The data that a client expects in its sandbox after its changes. */
interface Ledger {
  readonly orders: readonly { readonly id: string }[];
  readonly cart: readonly { readonly productId: string; readonly quantity: number }[];
}

/** Makes changes that differ from those of every other client, and returns the expected data. */
async function changeData(ask: TestShop['ask'], client: number): Promise<Ledger> {
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

describe('clients in separate sandboxes', () => {
  it('each find exactly their own changes, with 60 clients at once', async () => {
    const shop = await startStorefront();
    const file = await readFile(shop.dataFile ?? '', 'utf8');
    const clients = Array.from({ length: 60 }, (_, n) =>
      createSandboxClient(shop, `client-${n}`, selectionMethods[n % selectionMethods.length]),
    );
    const ledgers = await Promise.all(clients.map(changeData));
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

  it('each reset only their own sandbox', async () => {
    const shop = await startStorefront();
    const [one, other] = [createSandboxClient(shop, 'one'), createSandboxClient(shop, 'other')];
    for (const ask of [shop.ask, one, other]) await ask('POST', '/api/orders');
    const counts = async () =>
      Promise.all([shop.ask, one, other].map(async (ask) => (await ask('GET', '/api/orders')).body.length));
    expect(await counts()).toEqual([3, 3, 3]);
    await one('POST', '/api/reset');
    expect(await counts()).toEqual([3, 2, 3]);
    await shop.ask('POST', '/api/reset');
    expect(await counts()).toEqual([2, 2, 3]);
  });

  it('each start with the default data, not with the state of the default sandbox', async () => {
    const shop = await startStorefront();
    await shop.ask('POST', '/api/orders');
    expect((await createSandboxClient(shop, 'w1')('GET', '/api/cart-items')).body).toEqual(defaults.cartItems);
  });

  it('leave no data behind when the server closes, because sandboxes are in memory', async () => {
    const first = await startStorefront();
    await createSandboxClient(first, 'w1')('POST', '/api/orders');
    await first.close();
    const second = await startStorefront({ data: first.dataFile });
    expect(await listSandboxIds(second)).toEqual(['default']);
    expect((await createSandboxClient(second, 'w1')('GET', '/api/orders')).body).toEqual(defaults.orders);
  });
});

describe('a sandbox that a request selects', () => {
  it('is created and logged once', async () => {
    const shop = await startStorefront();
    for (const _ of [1, 2]) await createSandboxClient(shop, 'w3')('GET', '/api/orders');
    await shop.ask('GET', '/api/orders', undefined, { 'x-sandbox': 'default' });
    expect(shop.log.filter(({ msg }) => msg?.startsWith('created sandbox')).map(({ msg }) => msg)).toEqual([
      'created sandbox w3',
    ]);
  });

  it('is not created if sandboxes are declared, until the control API creates it', async () => {
    const shop = await startStorefront({ sandboxes: 'declared' });
    for (const way of selectionMethods) {
      const reply = await createSandboxClient(shop, 'w1', way)('GET', '/api/orders');
      expectProblem(reply, 404, 'unknown-sandbox', way.by);
      expect(reply.body.detail, way.by).toContain('PUT /_control/sandboxes/w1');
    }
    expect(await listSandboxIds(shop)).toEqual(['default']);
    await createControlClient(shop)('PUT', '/w1');
    for (const way of selectionMethods)
      expect((await createSandboxClient(shop, 'w1', way)('GET', '/api/orders')).status, way.by).toBe(200);
    expect((await createSandboxClient(shop, 'default')('GET', '/api/orders')).status).toBe(200);
  });
});

describe('a removed sandbox', () => {
  it('completes a change in progress, and a new sandbox with its id is independent', async () => {
    const { sandboxes } = createTestRegistry();
    const before = await sandboxes.get('a');
    const changing = before.store.update(putItem(PRODUCT_IDS[0] ?? ''));
    expect(await sandboxes.remove('a')).toBe(true);
    expect(await changing).toBe(PRODUCT_IDS[0]);
    expect(await sandboxes.remove('a')).toBe(false);
    expect((await sandboxes.get('a')).store.read().state).toEqual(defaults);
  });

  it('cannot be the default sandbox, whose removal is rejected', async () => {
    const { sandboxes } = createTestRegistry();
    expect(await sandboxes.remove('default')).toBe(false);
    expect(await sandboxes.get('default')).toBe(sandboxes.default);
  });

  it('is not recreated by a request if sandboxes are declared', async () => {
    const { sandboxes } = createTestRegistry({ areDeclared: true });
    await sandboxes.create('a');
    await sandboxes.remove('a');
    await expect(sandboxes.get('a')).rejects.toMatchObject({ problem: { code: 'unknown-sandbox' } });
    expect(sandboxes.find('a')).toBeUndefined();
  });
});
