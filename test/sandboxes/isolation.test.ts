import { readFile } from 'node:fs/promises';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createClock } from '../../src/sandboxes/clock.ts';
import { createSandboxes, NoSandbox, type Sandboxes, type SandboxesParts } from '../../src/sandboxes/registry.ts';
import { memoryBackend } from '../../src/store/backend.ts';
import type { State } from '../../src/store/state.ts';
import { createStore, StoreUnavailable } from '../../src/store/store.ts';
import { defaults } from '../support/default-data.ts';
import { expectProblem } from '../support/problems.ts';
import { sandboxIds, steering, ways, within } from '../support/sandboxes.ts';
import { NOW_MS, startStorefront, type TestShop } from '../support/start-storefront.ts';
import { PRODUCT_IDS, putting } from '../support/states.ts';

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

const HOUR_MS = 3_600_000;
const MOST = 10_000;
const MOST_BYTES = 512 * 1024 * 1024;

/** Sandboxes without a server, over a clock of the test's. */
function sandboxesWith(parts: Partial<SandboxesParts> = {}): {
  sandboxes: Sandboxes;
  told: string[];
  pass(ms: number): void;
} {
  let atMs = NOW_MS;
  const told: string[] = [];
  const base = { nowMs: () => atMs, newId: () => PRODUCT_IDS[0] ?? '' };
  const store = createStore({
    backend: memoryBackend(),
    initial: defaults,
    defaults: () => defaults,
    nowMs: base.nowMs,
  });
  const sandboxes = createSandboxes({
    ...base,
    elapsedMs: base.nowMs,
    default: { store, clock: createClock(base.nowMs) },
    defaults: () => defaults,
    areDeclared: false,
    tell: (message) => told.push(message),
    ...parts,
  });
  onTestFinished(() => sandboxes.close());
  return {
    sandboxes,
    told,
    pass(ms) {
      atMs += ms;
      if (vi.isFakeTimers()) vi.advanceTimersByTime(ms);
    },
  };
}

/** Has the timers be the test's until it ends. */
function holdTimers(): void {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
}

/** The default data with so many items in its cart: all are one and the same, so that a large state takes little here. */
function stateOf(cartItems: number): State {
  return { ...defaults, cartItems: new Array(cartItems).fill(defaults.cartItems[0]) };
}

/** More items than a third of what all sandboxes may hold: two such states fit, three don't. */
const A_THIRD = Math.ceil(MOST_BYTES / 150 / 3) + 1;

const idsOf = (sandboxes: Sandboxes) => sandboxes.list().map(({ id }) => id);

describe('sandboxes that nobody asks for', () => {
  it('leave after an hour, and it is told; the default one never does', () => {
    holdTimers();
    const { sandboxes, told, pass } = sandboxesWith();
    sandboxes.get('w1');
    pass(HOUR_MS / 2);
    sandboxes.get('w2');
    sandboxes.get('default');
    pass(HOUR_MS / 2 - 60_000);
    expect(idsOf(sandboxes)).toEqual(['default', 'w1', 'w2']);
    pass(120_000);
    expect(idsOf(sandboxes)).toEqual(['default', 'w2']);
    expect(told.filter((line) => line.includes('gone'))).toEqual([expect.stringContaining('w1')]);
    pass(24 * HOUR_MS);
    expect(idsOf(sandboxes)).toEqual(['default']);
  });

  it('stay as long as they are asked for', () => {
    holdTimers();
    const { sandboxes, pass } = sandboxesWith();
    const made = sandboxes.get('w1');
    sandboxes.get('w2');
    for (let round = 1; round <= 4; round++) {
      pass(HOUR_MS / 2);
      expect(sandboxes.get('w1')).toBe(made);
    }
    expect(idsOf(sandboxes)).toEqual(['default', 'w1']);
  });

  it('are listed with the one first that was used longest ago, and how long that is', () => {
    const { sandboxes, pass } = sandboxesWith();
    for (const id of ['a', 'b', 'c']) sandboxes.get(id);
    pass(1_000);
    sandboxes.get('a');
    pass(500);
    expect(idsOf(sandboxes)).toEqual(['default', 'b', 'c', 'a']);
    expect(['default', 'b', 'a'].map((id) => sandboxes.idleMs(id))).toEqual([0, 1_500, 500]);
  });
});

describe('sandboxes at their bounds', () => {
  it('are 10,000: one more is refused with what to do, and nothing is lost', () => {
    const { sandboxes, pass } = sandboxesWith();
    for (let n = 0; n < MOST; n++) sandboxes.get(`w${n}`);
    expect(() => sandboxes.get('more')).toThrow(StoreUnavailable);
    expect(() => sandboxes.make('more')).toThrow(/DELETE \/_control\/sandboxes/);
    expect(idsOf(sandboxes)).toHaveLength(MOST + 1);
    expect(sandboxes.get('w0').id).toBe('w0');
    expect(sandboxes.make('w1').id).toBe('w1');
    sandboxes.remove('w2');
    expect(sandboxes.get('more').id).toBe('more');
    pass(HOUR_MS - 1);
    sandboxes.get('w0');
    pass(1);
    expect(sandboxes.get('last').id).toBe('last');
    expect(idsOf(sandboxes)).toEqual(['default', 'w0', 'last']);
  });

  it('hold 512 MB: one more is refused, until another is removed or made smaller', () => {
    const { sandboxes } = sandboxesWith();
    for (const id of ['a', 'b']) sandboxes.make(id, stateOf(A_THIRD));
    expect(() => sandboxes.make('c', stateOf(A_THIRD))).toThrow(StoreUnavailable);
    expect(idsOf(sandboxes)).toEqual(['default', 'a', 'b']);
    expect(sandboxes.make('a', stateOf(A_THIRD)).id).toBe('a');
    sandboxes.make('a');
    expect(sandboxes.make('c', stateOf(A_THIRD)).id).toBe('c');
    sandboxes.remove('c');
    expect(sandboxes.make('d', stateOf(A_THIRD)).id).toBe('d');
  });

  it('take no change by which they would hold more, and stay as they are', async () => {
    const { sandboxes } = sandboxesWith();
    for (const id of ['a', 'b']) sandboxes.make(id, stateOf(A_THIRD));
    const { store } = sandboxes.make('c');
    const growing = store.update(() => ({ next: stateOf(A_THIRD), result: undefined }));
    await expect(growing).rejects.toThrow(StoreUnavailable);
    expect(store.read().state).toBe(defaults);
    await sandboxes.get('a').store.reset();
    await store.update(() => ({ next: stateOf(A_THIRD), result: undefined }));
    expect(store.read().state.cartItems).toHaveLength(A_THIRD);
    await store.update(() => ({ next: defaults, result: undefined }));
    expect(sandboxes.make('d', stateOf(A_THIRD)).id).toBe('d');
  });

  it('count a sandbox no more once it is removed, a change in the making included', async () => {
    const { sandboxes } = sandboxesWith();
    for (let round = 1; round <= 4; round++) {
      const { store } = sandboxes.make('a');
      const changing = store.update(() => ({ next: stateOf(A_THIRD), result: undefined }));
      sandboxes.remove('a');
      await changing.catch(() => {});
    }
    expect(sandboxes.make('b', stateOf(A_THIRD)).id).toBe('b');
  });

  it('count the snapshots that were saved in them', () => {
    const { sandboxes } = sandboxesWith();
    const { snapshots } = sandboxes.make('a');
    for (let n = 0; n < 2; n++) snapshots.set(`s${n}`, stateOf(A_THIRD));
    expect(() => snapshots.set('s2', stateOf(A_THIRD))).toThrow(StoreUnavailable);
    expect(() => sandboxes.make('b', stateOf(A_THIRD))).toThrow(StoreUnavailable);
    snapshots.delete('s0');
    expect(sandboxes.make('b', stateOf(A_THIRD)).id).toBe('b');
  });

  it('have those leave first, where they hold too much, that were idle for an hour', () => {
    const { sandboxes, pass } = sandboxesWith();
    for (const id of ['a', 'b']) sandboxes.make(id, stateOf(A_THIRD));
    pass(HOUR_MS);
    expect(sandboxes.make('c', stateOf(A_THIRD)).id).toBe('c');
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
    expect(() => sandboxes.get('a')).toThrow(NoSandbox);
    expect(sandboxes.find('a')).toBeUndefined();
  });
});
