import { describe, expect, it, vi } from 'vitest';
import { ITEM, KETTLE } from '../support/fixtures/cart-item.ts';
import { defaults } from '../support/fixtures/default-data.ts';
import { getConnectionEnd } from '../support/harness/connection-ends.ts';
import { getIds, getJournal, type Journal } from '../support/harness/journal.ts';
import { expectProblem } from '../support/harness/problems.ts';
import { getSandboxClient, useSharedShop } from '../support/harness/shared-shop.ts';
import { startStorefront } from '../support/harness/start-storefront.ts';

const { shop, newSandbox } = useSharedShop();

describe('the forced part of a journal entry', () => {
  it('shows what a fault forced', async () => {
    const sandbox = newSandbox();
    const definition = { operation: 'createOrder', status: 409, phase: 'after', delay: 2, bodyDurationMs: 2 };
    const { body } = await sandbox.sendControl('POST', '/faults', definition);
    await sandbox.ask('POST', '/api/orders');
    const [{ forced }] = await getJournal(sandbox);
    expect(forced).toEqual({ faults: [body.id], phase: 'after', status: 409, delayMs: 2, bodyDurationMs: 2 });
  });

  it('shows what the client preferred', async () => {
    const sandbox = newSandbox();
    await sandbox.ask('POST', '/api/orders', undefined, { Prefer: 'code=409, example=emptyCart' });
    await sandbox.ask('GET', '/api/orders?__code=503');
    await sandbox.ask('GET', '/api/orders', undefined, { Prefer: 'delay=2' });
    await sandbox.ask('GET', '/api/orders');
    expect((await getJournal(sandbox)).map(({ forced }: Journal) => forced)).toEqual([
      { status: 409, example: 'emptyCart' },
      { status: 503 },
      { delayMs: 2 },
      undefined,
    ]);
  });

  it('shows the sum of the delays of the server and of the client, also for cached responses', async () => {
    const server = await startStorefront({ delay: 3 });
    const [sandbox, defaultSandbox] = [getSandboxClient(server, 'w1'), getSandboxClient(server, 'default')];
    await sandbox.ask('GET', '/api/orders');
    await sandbox.ask('GET', '/api/orders', undefined, { Prefer: 'delay=2' });
    for (let n = 0; n < 3; n++) await defaultSandbox.ask('GET', '/api/orders');
    expect((await getJournal(sandbox)).map(({ forced }: Journal) => forced)).toEqual([{ delayMs: 3 }, { delayMs: 5 }]);
    expect((await getJournal(defaultSandbox)).map(({ forced }: Journal) => forced)).toEqual(
      Array(3).fill({ delayMs: 3 }),
    );
  });

  it('shows random delays of the server that are the same after each start', async () => {
    const delays = async () => {
      const sandbox = getSandboxClient(await startStorefront({ delay: { from: 1, to: 5 } }), 'w1');
      for (let n = 0; n < 8; n++) await sandbox.ask('GET', '/api/orders');
      return (await getJournal(sandbox)).map(({ forced }: Journal) => forced.delayMs);
    };
    const first = await delays();
    expect(await delays()).toEqual(first);
    expect(first.filter((ms: number) => ms < 1 || ms > 5)).toEqual([]);
    expect(new Set(first).size).toBeGreaterThan(1);
  });

  it('has no response if the connection was reset, and the complete response if it was cut', async () => {
    const sandbox = newSandbox();
    for (const connection of ['reset', 'cut']) {
      await sandbox.sendControl('PUT', '/faults', [{ connection }]);
      await getConnectionEnd(sandbox, 'GET', '/api/orders');
    }
    const [reset, cut] = await getJournal(sandbox);
    expect([reset.response, reset.forced.connection]).toEqual([null, 'reset']);
    expect([cut.response.status, cut.response.body, cut.forced.connection]).toEqual([200, defaults.orders, 'cut']);
  });

  it.each([
    ['DELETE', `/api/cart-items/${KETTLE}`],
    ['HEAD', '/api/orders'],
  ])('has no response if the connection was cut and the response has no body: %s %s', async (method, path) => {
    const sandbox = newSandbox();
    await sandbox.ask('POST', '/api/cart-items', ITEM);
    await sandbox.sendControl('POST', '/faults', { connection: 'cut' });
    expect((await getConnectionEnd(sandbox, method, path)).how).toBe('reset');
    expect(await getJournal(sandbox, '?after=1')).toMatchObject([{ response: null, forced: { connection: 'cut' } }]);
  });

  it('has no response if the client disconnected before it', async () => {
    const sandbox = newSandbox();
    await sandbox.sendControl('POST', '/faults', { delay: 60_000, phase: 'after', operation: 'createOrder' });
    const aborting = new AbortController();
    const headers = { 'x-sandbox': sandbox.id };
    const request = fetch(`${shop().url}/api/orders`, { method: 'POST', headers, signal: aborting.signal });
    await vi.waitFor(async () => expect((await sandbox.sendControl('GET', '')).body.counts.orders).toBe(3), {
      interval: 2,
    });
    aborting.abort();
    await request.catch(() => {});
    await vi.waitFor(async () => expect(await getIds(sandbox)).toEqual([1]), { interval: 2 });
    expect((await getJournal(sandbox))[0].response).toBeNull();
  });

  it('shows the delay of the server for rejected requests too', async () => {
    const sandbox = getSandboxClient(await startStorefront({ delay: 3 }), 'w1');
    await sandbox.ask('POST', '/api/cart-items', { ...ITEM, quantity: 11 });
    await sandbox.ask('POST', '/api/cart-items', '{"productId":');
    await sandbox.ask('POST', '/api/cart-items', 'a=b', { 'content-type': 'text/plain' });
    await sandbox.ask('GET', '/api/orders', undefined, { Prefer: 'code=abc' });
    await sandbox.ask('GET', '/api/orders', undefined, { Prefer: 'code=302' });
    const entries: Journal[] = await getJournal(sandbox);
    expect(entries.map(({ response, forced }) => [response.status, forced])).toEqual(
      [400, 400, 415, 400, 400].map((status) => [status, expect.objectContaining({ delayMs: 3 })]),
    );
    expect(entries.filter(({ durationMs }) => durationMs < 2)).toEqual([]);
  });
});

describe('a response that violates the contract', () => {
  it('is recorded in the journal with its violations', async () => {
    const listOrders = (() => ({ body: [{ id: 1 }] })) as never;
    const sandbox = getSandboxClient(
      await startStorefront({ handlers: { listOrders }, verify: 'log', errorsExpected: true }),
      'w1',
    );
    await sandbox.ask('GET', '/api/orders');
    const [{ responseViolations, response }] = await getJournal(sandbox);
    expect(response.status).toBe(200);
    expect(responseViolations.join()).toMatch(/orderTimeMs/);
  });
});

describe('a response that cannot be serialized', () => {
  it('is recorded in the journal as the 500 response that was sent instead', async () => {
    const listOrders = (() => ({ headers: { 'X-Own': 'a' }, body: { a: 1n } })) as never;
    const sandbox = getSandboxClient(
      await startStorefront({ handlers: { listOrders }, verify: 'off', errorsExpected: true }),
      'w1',
    );
    const reply = await sandbox.ask('GET', '/api/orders');
    expectProblem(reply, 500, 'internal-error');
    const [{ response }] = await getJournal(sandbox);
    expect(response).toMatchObject({ status: 500, bytes: reply.text.length, body: reply.body });
    expect(response.headers).toEqual({ 'content-type': 'application/problem+json' });
  });
});
