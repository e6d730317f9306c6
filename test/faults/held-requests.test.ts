import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { ITEM } from '../support/fixtures/cart-item.ts';
import { addFault, countOrders } from '../support/harness/faults.ts';
import { getJournal, getLastEntry, verify } from '../support/harness/journal.ts';
import { createControlClient } from '../support/harness/sandboxes.ts';
import { type SandboxClient, useSharedShop } from '../support/harness/shared-shop.ts';
import { startStorefront } from '../support/harness/start-storefront.ts';

const { shop, newSandbox } = useSharedShop();

/** Waits until a sandbox has `count` waiting requests. */
async function waitForHeld(sandbox: SandboxClient, count = 1): Promise<void> {
  const result = await verify(sandbox, { state: 'waiting', times: count, withinMs: 0 });
  if (result.verified) return;
  const { verified } = await verify(sandbox, { state: 'waiting', atLeast: count, withinMs: 20_000 });
  expect(verified).toBe(true);
}

function release(sandbox: SandboxClient, id?: string) {
  return sandbox.sendControl('POST', id === undefined ? '/faults/release' : `/faults/${id}/release`);
}

describe('a fault that holds requests', () => {
  it('holds a request before the operation until it is released, and then the operation runs', async () => {
    const sandbox = newSandbox();
    const id = await addFault(sandbox, { operation: 'createOrder', hold: true });
    const held = sandbox.ask('POST', '/api/orders');
    await waitForHeld(sandbox);
    expect(await countOrders(sandbox)).toBe(2);
    expect((await sandbox.sendControl('GET', `/faults/${id}`)).body).toMatchObject({ hold: true, applied: 1, held: 1 });
    expect(await release(sandbox, id)).toMatchObject({ status: 200, body: { released: 1 } });
    expect((await held).status).toBe(201);
    expect(await countOrders(sandbox)).toBe(3);
    expect((await getLastEntry(sandbox)).forced).toEqual({ faults: [id], phase: 'before', hold: true });
    expect((await sandbox.sendControl('GET', `/faults/${id}`)).body.held).toBe(0);
  });

  it('holds a request after the operation with the phase after', async () => {
    const sandbox = newSandbox();
    await addFault(sandbox, { operation: 'createOrder', hold: true, phase: 'after' });
    const held = sandbox.ask('POST', '/api/orders');
    await waitForHeld(sandbox);
    expect(await countOrders(sandbox)).toBe(3);
    await release(sandbox);
    expect((await held).status).toBe(201);
  });

  it('sends its own response after the release', async () => {
    const sandbox = newSandbox();
    const id = await addFault(sandbox, { operation: 'createOrder', hold: true, status: 503 });
    const held = sandbox.ask('POST', '/api/orders');
    await waitForHeld(sandbox);
    await release(sandbox, id);
    expect([(await held).status, await countOrders(sandbox)]).toEqual([503, 2]);
  });

  it('stays after a release, and holds the next request', async () => {
    const sandbox = newSandbox();
    const id = await addFault(sandbox, { operation: 'listOrders', hold: true });
    for (const n of [1, 2]) {
      const held = sandbox.ask('GET', '/api/orders');
      await waitForHeld(sandbox);
      expect((await release(sandbox, id)).body, `request ${n}`).toEqual({ released: 1 });
      expect((await held).status).toBe(200);
    }
    expect((await release(sandbox, id)).body).toEqual({ released: 0 });
  });

  it('releases only the requests of the fault that is named', async () => {
    const sandbox = newSandbox();
    const orders = await addFault(sandbox, { operation: 'listOrders', hold: true });
    await addFault(sandbox, { operation: 'getPaymentSummary', hold: true });
    const [first, second] = [sandbox.ask('GET', '/api/orders'), sandbox.ask('GET', '/api/payment-summary')];
    await waitForHeld(sandbox, 2);
    await release(sandbox, orders);
    expect((await first).status).toBe(200);
    expect((await verify(sandbox, { state: 'waiting', times: 1 })).verified).toBe(true);
    await release(sandbox);
    expect((await second).status).toBe(200);
  });

  it('holds a request until each of two faults has released it', async () => {
    const sandbox = newSandbox();
    const ids = [await addFault(sandbox, { hold: true }), await addFault(sandbox, { hold: true })];
    const held = sandbox.ask('GET', '/api/orders');
    await waitForHeld(sandbox);
    expect((await release(sandbox, ids[0])).body).toEqual({ released: 0 });
    expect((await verify(sandbox, { state: 'waiting', times: 1 })).verified).toBe(true);
    expect((await release(sandbox, ids[1])).body).toEqual({ released: 1 });
    expect((await held).status).toBe(200);
    expect((await getLastEntry(sandbox)).forced.faults).toEqual(ids);
  });

  it('counts a request that two faults hold once', async () => {
    const sandbox = newSandbox();
    await addFault(sandbox, { hold: true });
    await addFault(sandbox, { hold: true });
    const held = [sandbox.ask('GET', '/api/orders'), sandbox.ask('GET', '/api/orders')];
    await waitForHeld(sandbox, 2);
    expect((await release(sandbox)).body).toEqual({ released: 2 });
    expect((await Promise.all(held)).map(({ status }) => status)).toEqual([200, 200]);
  });

  it('fails a verification whose maximum it exceeds', async () => {
    const sandbox = newSandbox();
    await addFault(sandbox, { hold: true });
    const held = sandbox.ask('GET', '/api/orders');
    await waitForHeld(sandbox);
    const { verified, message } = await verify(sandbox, { operation: 'listOrders', times: 0 });
    expect([verified, message]).toEqual([false, expect.stringContaining('1 matching request is still waiting')]);
    expect((await verify(sandbox, { operation: 'listProducts', times: 0 })).verified).toBe(true);
    expect((await verify(sandbox, { operation: 'listOrders', status: 200, times: 0 })).verified).toBe(true);
    await release(sandbox);
    expect((await held).status).toBe(200);
  });

  it.each([
    ['the fault is removed', (sandbox: SandboxClient, id: string) => sandbox.sendControl('DELETE', `/faults/${id}`)],
    ['all faults are removed', (sandbox: SandboxClient) => sandbox.sendControl('DELETE', '/faults')],
    ['the faults are replaced', (sandbox: SandboxClient) => sandbox.sendControl('PUT', '/faults', [])],
    ['the sandbox is removed', (sandbox: SandboxClient) => sandbox.sendControl('DELETE', '')],
    ['the sandbox is replaced', (sandbox: SandboxClient) => sandbox.sendControl('PUT', '')],
  ] as const)('releases its requests when %s', async (_, end) => {
    const sandbox = newSandbox();
    const id = await addFault(sandbox, { operation: 'listOrders', hold: true });
    const held = sandbox.ask('GET', '/api/orders');
    await waitForHeld(sandbox);
    await end(sandbox, id);
    expect((await held).status).toBe(200);
  });

  it('releases its requests when the sandbox default is recreated, but not when only its data is reset', async () => {
    const server = await startStorefront();
    const sendControl = createControlClient(server);
    await sendControl('POST', '/default/faults', { operation: 'listOrders', hold: true });
    const held = server.ask('GET', '/api/orders');
    const waiting = { state: 'waiting', withinMs: 20_000 };
    await sendControl('POST', '/default/requests/verify', waiting);
    await sendControl('POST', '/default/reset');
    const { body } = await sendControl('POST', '/default/requests/verify', waiting);
    expect(body.verified).toBe(true);
    await sendControl('PUT', '/default');
    expect((await held).status).toBe(200);
  });

  it('releases its requests when the server stops', async () => {
    const server = await startStorefront();
    const sendControl = createControlClient(server);
    await sendControl('POST', '/w1/faults', { operation: 'createOrder', hold: true });
    const held = server.ask('POST', '/_sandbox/w1/api/orders');
    await sendControl('POST', '/w1/requests/verify', { state: 'waiting', withinMs: 20_000 });
    await server.close();
    expect((await held).status).toBe(201);
  });

  it('forgets a request whose client disconnects, and its operation does not run', async () => {
    const sandbox = newSandbox();
    const id = await addFault(sandbox, { operation: 'createOrder', hold: true });
    const aborting = new AbortController();
    const headers = { 'x-sandbox': sandbox.id };
    const request = fetch(`${shop().url}/api/orders`, { method: 'POST', headers, signal: aborting.signal });
    await waitForHeld(sandbox);
    aborting.abort();
    await expect(request).rejects.toThrow();
    await vi.waitFor(
      async () => expect((await sandbox.sendControl('GET', `/faults/${id}`)).body).toMatchObject({ held: 0 }),
      { timeout: 20_000 },
    );
    const [entry] = await getJournal(sandbox);
    expect(entry).toMatchObject({ id: 1, response: null, forced: { faults: [id] } });
    expect(entry.state).toBeUndefined();
    expect(await countOrders(sandbox)).toBe(2);
  });

  it('holds 100 requests at once, which are in the journal with their ids', async () => {
    const sandbox = newSandbox();
    const id = await addFault(sandbox, { operation: 'listOrders', hold: true });
    const held = Array.from({ length: 100 }, () => sandbox.ask('GET', '/api/orders'));
    await waitForHeld(sandbox, 100);
    const waiting = await getJournal(sandbox);
    expect(waiting.map((entry: { state: string }) => entry.state)).toEqual(Array(100).fill('waiting'));
    expect((await release(sandbox, id)).body).toEqual({ released: 100 });
    for (const response of await Promise.all(held)) expect(response.status).toBe(200);
    const ended = await getJournal(sandbox);
    expect(ended.map((entry: { id: number }) => entry.id)).toEqual(waiting.map((entry: { id: number }) => entry.id));
    expect(ended.every((entry: object) => !('state' in entry))).toBe(true);
  });

  it('can be released during the delay of another fault', async () => {
    const sandbox = newSandbox();
    await addFault(sandbox, { operation: 'listOrders', delay: 300 });
    await addFault(sandbox, { operation: 'listOrders', hold: true });
    const held = sandbox.ask('GET', '/api/orders');
    await waitForHeld(sandbox);
    expect((await release(sandbox)).body).toEqual({ released: 1 });
    expect((await held).status).toBe(200);
  });

  it('keeps an expired fault while it holds a request', async () => {
    const sandbox = newSandbox();
    const id = await addFault(sandbox, { operation: 'createOrder', hold: true, times: 1 });
    const held = sandbox.ask('POST', '/api/orders');
    await waitForHeld(sandbox);
    for (let count = 0; count < 99; count++) await addFault(sandbox, { operation: 'listOrders', status: 503 });
    expect((await sandbox.sendControl('POST', '/faults', { operation: 'listOrders', status: 503 })).status).toBe(409);
    expect(await countOrders(sandbox)).toBe(2);
    await release(sandbox, id);
    expect((await held).status).toBe(201);
  });

  it('refuses the request after 1,000 held requests', { timeout: 60_000 }, async () => {
    const server = await startStorefront();
    const sendControl = createControlClient(server);
    await sendControl('POST', '/w1/faults', { operation: 'listOrders', hold: true });
    const held = Array.from({ length: 1000 }, () => server.ask('GET', '/_sandbox/w1/api/orders'));
    await vi.waitFor(async () => expect((await sendControl('GET', '/w1/faults')).body[0].held).toBe(1000), {
      timeout: 50_000,
      interval: 200,
    });
    const refused = await server.ask('GET', '/_sandbox/w1/api/orders');
    expect([refused.status, refused.body.detail]).toEqual([
      503,
      'the faults of the sandbox already hold 1000 requests: release them first',
    ]);
    await sendControl('POST', '/w1/faults/release');
    for (const response of await Promise.all(held)) expect(response.status).toBe(200);
  });

  it('lets only one of two held requests with the same idempotency key through', async () => {
    const sandbox = newSandbox();
    await addFault(sandbox, { operation: 'addCartItem', hold: true });
    const headers = { 'Idempotency-Key': 'held-1' };
    const held = [1, 2].map(() => sandbox.ask('POST', '/api/cart-items', ITEM, headers));
    await waitForHeld(sandbox, 2);
    await release(sandbox);
    const [first, second] = await Promise.all(held);
    // The second request arrives at the operation while the first is handled.
    expect([first?.status, second?.status]).toEqual([201, 409]);
    const repeated = sandbox.ask('POST', '/api/cart-items', ITEM, headers);
    await waitForHeld(sandbox);
    await release(sandbox);
    expect(await repeated).toMatchObject({ status: 201, body: first?.body });
  });

  it('is not ended by the time limit for receiving a request', async () => {
    const server = await startStorefront({ requestTimeoutMs: 200 });
    const sendControl = createControlClient(server);
    await sendControl('POST', '/default/faults', { operation: 'listOrders', hold: true });
    const held = server.ask('GET', '/api/orders');
    // Node checks the time limits each second.
    await new Promise((resolve) => setTimeout(resolve, 2_500));
    await sendControl('POST', '/default/faults/release');
    expect((await held).status).toBe(200);
  });

  it('holds an image', async () => {
    const sandbox = newSandbox();
    const id = await addFault(sandbox, { where: { path: '/images/*' }, hold: true });
    const held = fetch(`${shop().url}/_sandbox/${sandbox.id}/images/none.png`);
    await waitForHeld(sandbox);
    await release(sandbox, id);
    expect((await held).status).toBe(404);
  });

  it.each([
    ['delay', { delay: 5 }],
    ['durationMs', { durationMs: 5 }],
    ['until', { until: 5 }],
  ] as const)('cannot have %s', async (name, other) => {
    const { status, body } = await newSandbox().sendControl('POST', '/faults', { hold: true, ...other });
    const remedy = `remove \`hold\` or \`${name}\`: a request that is held waits until it is released`;
    expect([status, body.violations[0].remedy]).toEqual([400, remedy]);
  });

  it('has a 404 response to the release of a fault that does not exist', async () => {
    const sandbox = newSandbox();
    await addFault(sandbox, { hold: true });
    expect((await release(sandbox, 'f9')).status).toBe(404);
  });
});

describe('a waiting request', () => {
  it('is in the journal with the fault, and keeps its id when it has ended', async () => {
    const sandbox = newSandbox();
    const id = await addFault(sandbox, { operation: 'createOrder', hold: true });
    const held = sandbox.ask('POST', '/api/orders');
    await waitForHeld(sandbox);
    await sandbox.ask('GET', '/api/orders');
    const [waiting, other] = await getJournal(sandbox);
    expect(waiting).toMatchObject({ id: 1, state: 'waiting', operation: 'createOrder', response: null });
    expect(waiting.forced).toEqual({ faults: [id], phase: 'before', hold: true });
    expect(other.id).toBe(2);
    expect((await sandbox.sendControl('GET', '/requests/1')).body.request).toEqual(waiting);
    await release(sandbox);
    await held;
    const [ended] = await getJournal(sandbox);
    expect(ended).toMatchObject({ id: 1, response: { status: 201 } });
    expect('state' in ended).toBe(false);
    expect((await sandbox.sendControl('GET', '/requests/1')).body.changes).not.toEqual([]);
  });

  it('is in the journal while a fault delays it', async () => {
    const server = await startStorefront();
    const sendControl = createControlClient(server);
    await sendControl('POST', '/w1/faults', { operation: 'listOrders', delay: 60_000 });
    const delayed = server.ask('GET', '/_sandbox/w1/api/orders');
    await sendControl('POST', '/w1/requests/verify', { state: 'waiting', withinMs: 20_000 });
    const { body } = await sendControl('GET', '/w1/requests');
    expect(body).toMatchObject([{ state: 'waiting', forced: { faults: ['f1'], delayMs: 60_000 } }]);
    await server.close();
    await delayed;
  });

  it('is in the journal while a fault sends its body slowly', async () => {
    const sandbox = newSandbox();
    await addFault(sandbox, { operation: 'listOrders', bodyDurationMs: 500 });
    const slow = sandbox.ask('GET', '/api/orders');
    await waitForHeld(sandbox);
    await slow;
    await vi.waitFor(async () =>
      expect(await getJournal(sandbox)).toMatchObject([{ id: 1, response: { status: 200 } }]),
    );
  });

  it.each([
    [{}, 0],
    [{ state: 'finished' }, 0],
    [{ state: 'waiting' }, 1],
    [{ state: 'any' }, 1],
    [{ state: 'any', status: 201 }, 0],
  ] as const)('counts with the filter %j: %i', async (filter, count) => {
    const sandbox = newSandbox();
    const id = await addFault(sandbox, { operation: 'createOrder', hold: true });
    const held = sandbox.ask('POST', '/api/orders');
    await waitForHeld(sandbox);
    expect((await sandbox.sendControl('POST', '/requests/count', filter)).body).toEqual({ count });
    await release(sandbox, id);
    await held;
  });

  it('is named in the message of a verification that misses it', async () => {
    const sandbox = newSandbox();
    const id = await addFault(sandbox, { operation: 'createOrder', hold: true });
    const held = sandbox.ask('POST', '/api/orders');
    await waitForHeld(sandbox);
    const { verified, message, nearMisses } = await verify(sandbox, { operation: 'createOrder' });
    expect([verified, message]).toEqual([
      false,
      `Expected at least 1 matching request, found 0; 1 matching request is still waiting (#1 by fault ${id}): release it, wait with \`withinMs\`, or count it with the state any`,
    ]);
    expect(nearMisses[0].reasons).toEqual(['state: expected finished, got waiting']);
    await release(sandbox);
    await held;
  });

  it('is counted once by a verification that waits for it', async () => {
    const sandbox = newSandbox();
    await addFault(sandbox, { operation: 'createOrder', hold: true });
    const verifying = verify(sandbox, { operation: 'createOrder', state: 'any', times: 1, withinMs: 500 });
    const held = sandbox.ask('POST', '/api/orders');
    await waitForHeld(sandbox);
    await release(sandbox);
    await held;
    expect(await verifying).toMatchObject({ verified: true, count: 1 });
  });

  it('stays when the journal is cleared, also twice, and is recorded when it ends', async () => {
    const sandbox = newSandbox();
    await addFault(sandbox, { operation: 'createOrder', hold: true });
    await sandbox.ask('GET', '/api/payment-summary');
    const held = sandbox.ask('POST', '/api/orders');
    await waitForHeld(sandbox);
    for (const id of [3, 4]) {
      await sandbox.sendControl('DELETE', '/requests');
      expect(await getJournal(sandbox)).toMatchObject([{ id, state: 'waiting', operation: 'createOrder' }]);
    }
    await release(sandbox);
    await held;
    expect(await getJournal(sandbox)).toMatchObject([{ id: 4, operation: 'createOrder', response: { status: 201 } }]);
  });

  it('is forgotten when the sandbox is recreated', async () => {
    const sandbox = newSandbox();
    await addFault(sandbox, { operation: 'createOrder', hold: true });
    const held = sandbox.ask('POST', '/api/orders');
    await waitForHeld(sandbox);
    await sandbox.sendControl('PUT', '');
    await held;
    expect(await getJournal(sandbox)).toEqual([]);
  });

  it('is recorded with a new id if later requests have displaced it in the journal', async () => {
    const sandbox = newSandbox();
    await addFault(sandbox, { operation: 'createOrder', hold: true });
    const held = sandbox.ask('POST', '/api/orders');
    onTestFinished(async () => void (await held));
    await waitForHeld(sandbox);
    for (let n = 0; n < 100; n++) await sandbox.ask('GET', '/api/payment-summary');
    expect((await verify(sandbox, { state: 'waiting', times: 0, after: 1 })).verified).toBe(true);
    await release(sandbox);
    await held;
    expect(await getLastEntry(sandbox)).toMatchObject({ id: 102, operation: 'createOrder', response: { status: 201 } });
  });
});
