import { performance } from 'node:perf_hooks';
import { describe, expect, it, vi } from 'vitest';
import { getConnectionEnd } from '../support/harness/connection-ends.ts';
import { addFault, countOrders, getCounters, getStatuses } from '../support/harness/faults.ts';
import { getLastEntry } from '../support/harness/journal.ts';
import { createControlClient } from '../support/harness/sandboxes.ts';
import { useSharedShop } from '../support/harness/shared-shop.ts';
import { startStorefront } from '../support/harness/start-storefront.ts';

const { shop, newSandbox } = useSharedShop();

describe('a response that a fault delays', () => {
  it.each(['before', 'after'] as const)(
    'arrives no earlier than the delay, with the delay %s the operation',
    async (phase) => {
      const sandbox = newSandbox();
      const id = await addFault(sandbox, { operation: 'createOrder', delay: 30, phase });
      const startMs = performance.now();
      expect((await sandbox.ask('POST', '/api/orders')).status).toBe(201);
      // A timer may fire up to 1 ms early, because its clock is rounded.
      expect(performance.now() - startMs).toBeGreaterThanOrEqual(29);
      expect((await getLastEntry(sandbox)).forced).toEqual({ faults: [id], phase, delayMs: 30 });
    },
  );

  it.each(['before', 'after'] as const)(
    'arrives at once when the server stops, with the delay %s the operation',
    async (phase) => {
      const shop = await startStorefront();
      const sendControl = createControlClient(shop);
      await sendControl('POST', '/w1/faults', { operation: 'createOrder', delay: 60_000, phase });
      const waiting = shop.ask('POST', '/_sandbox/w1/api/orders');
      const faults = async () => (await sendControl('GET', '/w1/faults')).body;
      await vi.waitFor(async () => expect(await faults()).toMatchObject([{ applied: 1 }]));
      await shop.close();
      expect((await waiting).status).toBe(201);
    },
  );

  it('has a random delay between two bounds that is the same for the same seed', async () => {
    const delays = async (seed: number, delay = { from: 1, to: 6 }) => {
      const sandbox = newSandbox();
      await addFault(sandbox, { operation: 'listOrders', delay, seed });
      await getStatuses(sandbox, 12);
      const { body } = await sandbox.sendControl('GET', '/requests');
      return body.map(({ forced }: { forced: { delayMs: number } }) => forced.delayMs);
    };
    const [one, again, other] = await Promise.all([5, 5, 6].map((seed) => delays(seed)));
    expect(again).toEqual(one);
    expect(await delays(5, { from: 6, to: 1 })).toEqual(one);
    expect(other).not.toEqual(one);
    expect(one.filter((ms: number) => ms < 1 || ms > 6)).toEqual([]);
    expect(new Set(one).size).toBeGreaterThan(2);
  });

  it("has the sum of the delays of the fault and of the client's preference", async () => {
    const sandbox = newSandbox();
    const id = await addFault(sandbox, { operation: 'listOrders', delay: 3 });
    const reply = await sandbox.ask('GET', '/api/orders', undefined, { Prefer: 'delay=4' });
    expect(reply.headers.get('preference-applied')).toBe('delay=4');
    expect((await getLastEntry(sandbox)).forced).toEqual({ faults: [id], phase: 'before', delayMs: 7 });
  });

  it.each([
    ['before', 2],
    ['after', 3],
  ] as const)('%s the operation leaves %s orders if the client disconnects', async (phase, orders) => {
    const sandbox = newSandbox();
    await addFault(sandbox, { operation: 'createOrder', delay: 60_000, phase, times: 1 });
    const aborting = new AbortController();
    const headers = { 'x-sandbox': sandbox.id };
    const request = fetch(`${shop().url}/api/orders`, { method: 'POST', headers, signal: aborting.signal });
    await vi.waitFor(async () => expect((await sandbox.sendControl('GET', '/faults')).body[0].applied).toBe(1), {
      interval: 2,
    });
    if (phase === 'after') await vi.waitFor(async () => expect(await countOrders(sandbox)).toBe(3), { interval: 2 });
    aborting.abort();
    await expect(request).rejects.toThrow();
    await vi.waitFor(async () => expect((await sandbox.sendControl('GET', '')).body.requests).toBe(1), { interval: 2 });
    expect(await countOrders(sandbox)).toBe(orders);
    if (phase === 'before') expect((await getLastEntry(sandbox)).response).toBeNull();
  });
});

describe('two or more faults for one request', () => {
  it('add up their delays', async () => {
    const sandbox = newSandbox();
    const ids = [
      await addFault(sandbox, { operation: 'listOrders', delay: 2 }),
      await addFault(sandbox, { operation: 'listOrders', delay: 3, phase: 'after' }),
      await addFault(sandbox, { delay: 4 }),
    ];
    await sandbox.ask('GET', '/api/orders');
    expect((await getLastEntry(sandbox)).forced).toEqual({ faults: ids, phase: 'after', delayMs: 9 });
  });

  it('use the response of the first fault, and the others apply to the next requests', async () => {
    const sandbox = newSandbox();
    const ids = [
      await addFault(sandbox, { operation: 'listOrders', status: 503, times: 1 }),
      await addFault(sandbox, { operation: 'listOrders', status: 500, delay: 1, times: 1 }),
      await addFault(sandbox, { operation: 'listOrders', delay: 2 }),
    ];
    expect(await getStatuses(sandbox, 1)).toBe('503');
    expect((await getLastEntry(sandbox)).forced).toMatchObject({ faults: [ids[0], ids[2]], delayMs: 2 });
    expect(await getCounters(sandbox, ids[1] ?? '')).toEqual([1, 0, false]);
    expect(await getStatuses(sandbox, 2)).toBe('500 200');
    expect(await Promise.all(ids.map((id) => getCounters(sandbox, id)))).toEqual([
      [1, 1, true],
      [2, 1, true],
      [3, 3, false],
    ]);
  });

  it('use the connection of the first fault, and the others apply to the next requests', async () => {
    const sandbox = newSandbox();
    const ids = [
      await addFault(sandbox, { operation: 'listOrders', connection: 'cut', times: 1 }),
      await addFault(sandbox, { operation: 'listOrders', connection: 'reset', times: 1 }),
      await addFault(sandbox, { operation: 'listOrders', bodyDurationMs: 1 }),
    ];
    const ends = [];
    for (let n = 0; n < 3; n++) ends.push((await getConnectionEnd(sandbox, 'GET', '/api/orders')).how);
    expect(ends).toEqual(['cut', 'reset', 'whole']);
    expect(await getCounters(sandbox, ids[2] ?? '')).toEqual([3, 1, false]);
  });

  it('each count a request that another fault applied to, so that skip: 1 means the second request', async () => {
    const sandbox = newSandbox();
    await addFault(sandbox, { operation: 'listOrders', status: 500, times: 1 });
    await addFault(sandbox, { operation: 'listOrders', status: 503, skip: 1, times: 1 });
    expect(await getStatuses(sandbox, 3)).toBe('500 503 200');
  });

  it('combine the response of one with the connection of the other', async () => {
    const sandbox = newSandbox();
    await addFault(sandbox, { operation: 'listOrders', connection: 'cut' });
    await addFault(sandbox, { operation: 'listOrders', status: 503 });
    expect(await getConnectionEnd(sandbox, 'GET', '/api/orders')).toMatchObject({ how: 'cut', status: 503 });
  });
});
