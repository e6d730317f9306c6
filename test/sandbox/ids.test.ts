import { describe, expect, it } from 'vitest';
import { createIdGenerator } from '../../src/sandbox/clock-and-ids.ts';
import { defaults } from '../support/fixtures/default-data.ts';
import { createControlClient, createSandboxClient } from '../support/harness/sandboxes.ts';
import { startStorefront, type TestShop } from '../support/harness/start-storefront.ts';

const CHRISTMAS = '2025-12-24T18:00:00.000Z';

describe('the id generator', () => {
  const take = (idGenerator: { next(): string }, count = 50) => Array.from({ length: count }, () => idGenerator.next());

  it('generates random ids until it gets a seed, and again without one', () => {
    let made = 0;
    const idGenerator = createIdGenerator(() => `random-${++made}`);
    expect([idGenerator.seed, ...take(idGenerator, 2)]).toEqual([undefined, 'random-1', 'random-2']);
    idGenerator.setSeed(0);
    expect(idGenerator.seed).toBe(0);
    expect(idGenerator.next()).not.toContain('random');
    idGenerator.setSeed(undefined);
    expect([idGenerator.seed, idGenerator.next()]).toEqual([undefined, 'random-3']);
  });

  it('generates the same distinct version 4 UUIDs for the same seed', () => {
    const idGenerator = createIdGenerator(() => '');
    idGenerator.setSeed(7);
    const first = take(idGenerator);
    idGenerator.setSeed(7);
    expect(take(idGenerator)).toEqual(first);
    expect(new Set(first).size).toBe(first.length);
    for (const id of first) expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  });

  it('generates different ids for different seeds, including the smallest and the largest one', () => {
    const firsts = [0, 1, 2, 4_294_967_294, 4_294_967_295].map((seed) => {
      const idGenerator = createIdGenerator(() => '');
      idGenerator.setSeed(seed);
      return idGenerator.next();
    });
    expect(new Set(firsts).size).toBe(firsts.length);
  });
});

describe('the ids of a sandbox', () => {
  /** Sends the requests of a visit and returns the exact texts and locations of the responses. */
  async function visit(ask: TestShop['ask']): Promise<readonly string[]> {
    const texts: string[] = [];
    for (const _ of [1, 2]) {
      const { text, headers } = await ask('POST', '/api/orders');
      texts.push(text, headers.get('location') ?? '');
      await ask('POST', '/api/cart-items', { productId: defaults.products[0]?.id, quantity: 1 });
    }
    texts.push((await ask('GET', '/api/orders?expand=products')).text);
    return texts;
  }

  it('make whole responses equal for the same seed and clock', async () => {
    const shop = await startStorefront();
    const sendControl = createControlClient(shop);
    const visits: (readonly string[])[] = [];
    for (const id of ['w1', 'w2', 'default', 'w1']) {
      await sendControl('PUT', `/${id}`);
      await sendControl('PUT', `/${id}/clock`, { now: CHRISTMAS, frozen: true });
      expect((await sendControl('PUT', `/${id}/ids`, { seed: 42 })).body).toEqual({ seed: 42 });
      visits.push(await visit(createSandboxClient(shop, id)));
    }
    for (const other of visits) expect(other).toEqual(visits[0]);
    await sendControl('PUT', '/w3/clock', { now: CHRISTMAS, frozen: true });
    await sendControl('PUT', '/w3/ids', { seed: 43 });
    expect(await visit(createSandboxClient(shop, 'w3'))).not.toEqual(visits[0]);
  });

  it('are random again on request, and when the sandbox is recreated', async () => {
    const shop = await startStorefront();
    const sendControl = createControlClient(shop);
    for (const [method, below] of [
      ['DELETE', '/ids'],
      ['PUT', ''],
    ] as const) {
      await sendControl('PUT', '/w1/ids', { seed: 42 });
      await sendControl(method, `/w1${below}`);
      expect((await sendControl('GET', '/w1/ids')).body).toEqual({ seed: null });
      const first = await createSandboxClient(shop, 'w1')('POST', '/api/orders');
      await sendControl('POST', '/w1/reset');
      expect((await createSandboxClient(shop, 'w1')('POST', '/api/orders')).body.id).not.toBe(first.body.id);
    }
  });

  it('continue after a reset of the data', async () => {
    const shop = await startStorefront();
    const ask = createSandboxClient(shop, 'w1');
    await createControlClient(shop)('PUT', '/w1/ids', { seed: 42 });
    const first = await ask('POST', '/api/orders');
    await ask('POST', '/api/reset');
    expect((await ask('POST', '/api/orders')).body.id).not.toBe(first.body.id);
  });

  it('never repeat the id of an existing order, so that the state is valid for the next start', async () => {
    const shop = await startStorefront();
    for (const _ of [1, 2]) {
      await createControlClient(shop)('PUT', '/default/ids', { seed: 42 });
      await shop.ask('POST', '/api/cart-items', { productId: defaults.products[0]?.id, quantity: 1 });
      await shop.ask('POST', '/api/orders');
    }
    await shop.close();
    await startStorefront({ data: shop.dataFile });
  });

  it('never repeat the id of an order in a built-in snapshot', async () => {
    const shop = await startStorefront();
    await createControlClient(shop)('PUT', '/w1', { from: 'many-orders' });
    await createControlClient(shop)('PUT', '/w1/ids', { seed: 1 });
    const { body } = await createSandboxClient(shop, 'w1')('POST', '/api/orders');
    const { body: orders } = await createSandboxClient(shop, 'w1')('GET', '/api/orders');
    expect(orders.filter(({ id }: { id: string }) => id === body.id)).toHaveLength(1);
  });
});
