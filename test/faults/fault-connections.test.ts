import { performance } from 'node:perf_hooks';
import { describe, expect, it, vi } from 'vitest';
import { ITEM_PATH } from '../support/fixtures/cart-item.ts';
import { defaults } from '../support/fixtures/default-data.ts';
import { type ConnectionEnd, getConnectionEnd } from '../support/harness/connection-ends.ts';
import { addFault, countOrders, getStatuses } from '../support/harness/faults.ts';
import { getLastEntry } from '../support/harness/journal.ts';
import { sendRaw } from '../support/harness/raw-client.ts';
import { useSharedShop } from '../support/harness/shared-shop.ts';

const { shop, newSandbox } = useSharedShop();

describe('a connection that a fault resets', () => {
  it.each([
    ['before', 2],
    ['after', 3],
  ] as const)('%s the operation gets no response and leaves %s orders', async (phase, orders) => {
    const sandbox = newSandbox();
    const id = await addFault(sandbox, { operation: 'createOrder', connection: 'reset', phase });
    expect(await getConnectionEnd(sandbox, 'POST', '/api/orders')).toEqual({
      how: 'reset',
      status: undefined,
      text: '',
      announced: 0,
    });
    expect(await countOrders(sandbox)).toBe(orders);
    expect(await getLastEntry(sandbox)).toMatchObject({
      operation: 'createOrder',
      response: null,
      forced: { faults: [id], phase, connection: 'reset' },
    });
  });

  it('does not affect other connections', async () => {
    const sandbox = newSandbox();
    await addFault(sandbox, { operation: 'createOrder', connection: 'reset' });
    expect((await getConnectionEnd(sandbox, 'POST', '/api/orders')).how).toBe('reset');
    expect(await getStatuses(sandbox, 1)).toBe('200');
  });

  it('still carries the complete response to the request before', async () => {
    const sandbox = newSandbox();
    await addFault(sandbox, { operation: 'listOrders', delay: 30 });
    await addFault(sandbox, { operation: 'createOrder', connection: 'reset' });
    const named = `HTTP/1.1\r\nHost: localhost\r\nX-Sandbox: ${sandbox.id}\r\n`;
    const replies = await sendRaw(
      sandbox.port,
      `GET /api/orders ${named}\r\nPOST /api/orders ${named}Content-Length: 0\r\n\r\n`,
    );
    expect(replies.map(({ status, body }) => [status, body])).toEqual([[200, defaults.orders]]);
  });

  it('is an error for fetch, whatever the method', async () => {
    const sandbox = newSandbox();
    await addFault(sandbox, { connection: 'reset' });
    for (const method of ['GET', 'HEAD']) await expect(sandbox.ask(method, '/api/orders')).rejects.toThrow();
  });
});

describe('a response that a fault cuts', () => {
  const half = ({ text, announced }: ConnectionEnd) => [Buffer.byteLength(text), Math.floor(announced / 2)];

  it('ends after half of its body, and the operation is completed', async () => {
    const sandbox = newSandbox();
    await addFault(sandbox, { operation: 'createOrder', connection: 'cut' });
    const ending = await getConnectionEnd(sandbox, 'POST', '/api/orders');
    expect([ending.how, ending.status]).toEqual(['cut', 201]);
    expect(half(ending)[0]).toBe(half(ending)[1]);
    expect(ending.text).toMatch(/^\{"id":/);
    expect(await countOrders(sandbox)).toBe(3);
    expect((await getLastEntry(sandbox)).forced).toMatchObject({ connection: 'cut' });
  });

  it('is an error for fetch', async () => {
    const sandbox = newSandbox();
    await addFault(sandbox, { operation: 'listOrders', connection: 'cut' });
    await expect(
      fetch(`${shop().url}/api/orders`, { headers: { 'x-sandbox': sandbox.id } }).then((reply) => reply.text()),
    ).rejects.toThrow();
  });

  it('can have a forced status too', async () => {
    const sandbox = newSandbox();
    await addFault(sandbox, { operation: 'listOrders', status: 503, connection: 'cut' });
    const ending = await getConnectionEnd(sandbox, 'GET', '/api/orders');
    expect([ending.how, ending.status]).toEqual(['cut', 503]);
    expect(half(ending)[0]).toBe(half(ending)[1]);
  });

  it.each([
    ['DELETE', ITEM_PATH],
    ['HEAD', '/api/orders'],
  ])('becomes a reset if it has no body: %s %s', async (method, path) => {
    const sandbox = newSandbox();
    await addFault(sandbox, { connection: 'cut' });
    expect(await getConnectionEnd(sandbox, method, path)).toMatchObject({ how: 'reset', status: undefined });
  });
});

describe('a response that a fault slows down', () => {
  it('arrives complete, and the journal records its duration', async () => {
    const sandbox = newSandbox();
    const plain = await sandbox.ask('GET', '/api/products');
    const id = await addFault(sandbox, { operation: 'listProducts', bodyDurationMs: 40 });
    const startMs = performance.now();
    const slow = await sandbox.ask('GET', '/api/products');
    expect(performance.now() - startMs).toBeGreaterThanOrEqual(30);
    expect([slow.status, slow.text]).toEqual([200, plain.text]);
    expect((await getLastEntry(sandbox)).forced).toEqual({ faults: [id], bodyDurationMs: 40 });
  });

  it.each([
    ['DELETE', ITEM_PATH, 204],
    ['HEAD', '/api/orders', 200],
    ['GET', '/api/products?search=nothing-of-the-kind', 200],
  ])('arrives also with little or no body: %s %s', async (method, path, status) => {
    const sandbox = newSandbox();
    await addFault(sandbox, { bodyDurationMs: 5 });
    expect((await sandbox.ask(method, path)).status).toBe(status);
  });

  it('is recorded in the journal when it has arrived, with the elapsed time', async () => {
    const sandbox = newSandbox();
    await addFault(sandbox, { operation: 'listProducts', bodyDurationMs: 60 });
    await sandbox.ask('GET', '/api/products');
    await vi.waitFor(async () => expect((await getLastEntry(sandbox)).response.status).toBe(200), { interval: 2 });
    // A timer may fire up to 1 ms early, because its clock is rounded.
    expect((await getLastEntry(sandbox)).durationMs).toBeGreaterThanOrEqual(59);
  });

  it('is recorded in the journal as null as soon as the client disconnects', async () => {
    const sandbox = newSandbox();
    await addFault(sandbox, { operation: 'listProducts', bodyDurationMs: 60_000 });
    const aborting = new AbortController();
    const headers = { 'x-sandbox': sandbox.id };
    await fetch(`${shop().url}/api/products`, { headers, signal: aborting.signal });
    aborting.abort();
    await vi.waitFor(async () => expect((await sandbox.sendControl('GET', '')).body.requests).toBe(1), { interval: 2 });
    expect(await getLastEntry(sandbox)).toMatchObject({
      operation: 'listProducts',
      response: null,
      forced: { bodyDurationMs: 60_000 },
    });
  });
});

describe('a slowed-down response without a body', () => {
  it.each([
    ['POST', '/api/reset', 'resetData', 204],
    ['HEAD', '/api/orders', 'listOrders', 200],
  ] as const)('is complete as soon as its headers arrive: %s %s', async (method, path, operation, status) => {
    const sandbox = newSandbox();
    const id = await addFault(sandbox, { operation, bodyDurationMs: 60_000 });
    expect((await sandbox.ask(method, path)).status).toBe(status);
    expect(await getLastEntry(sandbox)).toMatchObject({
      response: { status },
      forced: { faults: [id], bodyDurationMs: 60_000 },
    });
  });
});
