import { EventEmitter, once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { createObject, createResourcePaths } from '../support/fixtures/api-document.ts';
import { ITEM } from '../support/fixtures/cart-item.ts';
import { addFault, countOrders } from '../support/harness/faults.ts';
import { getLastEntry } from '../support/harness/journal.ts';
import { expectProblem, getHeader } from '../support/harness/problems.ts';
import { sendRawRequest } from '../support/harness/raw-client.ts';
import { type SandboxClient, useSharedShop } from '../support/harness/shared-shop.ts';
import { startApi } from '../support/harness/start-api.ts';
import { startStorefront } from '../support/harness/start-storefront.ts';

const { newSandbox } = useSharedShop();

const KEY = { 'Idempotency-Key': 'a-key' };

const createOrder = ({ ask }: SandboxClient) => ask('POST', '/api/orders', undefined, KEY);

describe('a repeated request with the same Idempotency-Key', () => {
  it('gets the same response, marked as replayed, and changes nothing', async () => {
    const sandbox = newSandbox();
    const first = await createOrder(sandbox);
    const repeated = await createOrder(sandbox);
    expect([first.status, first.headers.get('Idempotent-Replayed')]).toEqual([201, null]);
    expect([repeated.status, repeated.text]).toEqual([first.status, first.text]);
    expect(repeated.headers.get('Idempotent-Replayed')).toBe('true');
    expect(repeated.headers.get('Location')).toBe(first.headers.get('Location'));
    expect(await countOrders(sandbox)).toBe(3);
  });

  it('does not get the response of a request with other credentials', async () => {
    const sandbox = newSandbox();
    const send = (headers: Record<string, string>) =>
      sandbox.ask('POST', '/api/cart-items', ITEM, { ...KEY, ...headers });
    const replayed: unknown[] = [];
    for (const headers of [
      { authorization: 'Bearer ann' },
      { authorization: 'Bearer bob' },
      { cookie: 'session=ann' },
      {},
      { authorization: 'Bearer ann' },
      { cookie: 'other=1; session=ann' },
    ] as const)
      replayed.push((await send(headers)).headers.get('Idempotent-Replayed'));
    expect(replayed).toEqual([null, null, null, null, 'true', 'true']);
  });

  it('is shown in the journal', async () => {
    const sandbox = newSandbox();
    await createOrder(sandbox);
    await createOrder(sandbox);
    expect(await getLastEntry(sandbox)).toMatchObject({ decision: { source: 'replay' }, response: { status: 201 } });
  });

  it('gets the same error of a business rule, even if the rule no longer applies', async () => {
    const sandbox = newSandbox();
    await sandbox.sendControl('PUT', '/state', { cartItems: [] });
    const first = await createOrder(sandbox);
    expectProblem(first, 409, 'empty-cart');
    await sandbox.ask('POST', '/api/cart-items', ITEM);
    const repeated = await createOrder(sandbox);
    expect([repeated.status, repeated.text]).toEqual([409, first.text]);
    expect(repeated.headers.get('Content-Type')).toBe('application/problem+json');
  });

  it('gets the response of the handler if a fault lost it', async () => {
    for (const fault of [
      { connection: 'reset', phase: 'after' },
      { connection: 'cut' },
      { status: 503, phase: 'after' },
    ]) {
      const sandbox = newSandbox();
      await addFault(sandbox, { operation: 'createOrder', times: 1, ...fault });
      await createOrder(sandbox).catch(() => {});
      const repeated = await createOrder(sandbox);
      expect([repeated.status, repeated.headers.get('Idempotent-Replayed')], JSON.stringify(fault)).toEqual([
        201,
        'true',
      ]);
      expect(await countOrders(sandbox)).toBe(3);
    }
  });

  it('also gets the response of a fault that replaces it', async () => {
    const sandbox = newSandbox();
    await createOrder(sandbox);
    await addFault(sandbox, { operation: 'createOrder', status: 503, phase: 'after', times: 1 });
    expect((await createOrder(sandbox)).status).toBe(503);
    expect((await createOrder(sandbox)).headers.get('Idempotent-Replayed')).toBe('true');
    expect(await countOrders(sandbox)).toBe(3);
  });

  it('is handled again if a fault prevented the operation', async () => {
    for (const fault of [{ status: 503 }, { connection: 'reset' }]) {
      const sandbox = newSandbox();
      await addFault(sandbox, { operation: 'createOrder', times: 1, ...fault });
      await createOrder(sandbox).catch(() => {});
      const repeated = await createOrder(sandbox);
      expect([repeated.status, repeated.headers.get('Idempotent-Replayed')]).toEqual([201, null]);
    }
  });

  it('is handled again if the first one was invalid or had a preference', async () => {
    const sandbox = newSandbox();
    const add = (body: unknown, headers = {}) => sandbox.ask('POST', '/api/cart-items', body, { ...KEY, ...headers });
    expectProblem(await add({}), 400, 'invalid-request');
    expectProblem(await add(ITEM, { Prefer: 'code=404' }), 404, 'unknown-product');
    expect((await add(ITEM)).headers.get('Idempotent-Replayed')).toBeNull();
    expect((await add(ITEM)).headers.get('Idempotent-Replayed')).toBe('true');
  });

  it('is handled again after the state was replaced', async () => {
    const sandbox = newSandbox();
    for (const replace of [
      () => sandbox.ask('POST', '/api/reset'),
      () => sandbox.sendControl('POST', '/reset'),
      () => sandbox.sendControl('POST', '/snapshots/full-cart/restore'),
      () => sandbox.sendControl('PUT', ''),
      () => sandbox.sendControl('DELETE', ''),
    ]) {
      expect((await createOrder(sandbox)).headers.get('Idempotent-Replayed')).toBeNull();
      expect((await createOrder(sandbox)).headers.get('Idempotent-Replayed')).toBe('true');
      await replace();
    }
  });

  it('is a new request in another sandbox', async () => {
    const orders = await Promise.all([newSandbox(), newSandbox()].map(createOrder));
    expect(orders.map(({ status, headers }) => [status, headers.get('Idempotent-Replayed')])).toEqual([
      [201, null],
      [201, null],
    ]);
  });
});

describe('an Idempotency-Key', () => {
  it('of another request is refused with 422', async () => {
    const { ask } = newSandbox();
    await ask('POST', '/api/cart-items', ITEM, KEY);
    expectProblem(await ask('POST', '/api/cart-items', { ...ITEM, quantity: 2 }, KEY), 422, 'idempotency-key-reused');
    expectProblem(await ask('POST', '/api/orders', undefined, KEY), 422, 'idempotency-key-reused');
  });

  it('of a request in progress is refused with 409', async () => {
    const events = new EventEmitter();
    const started = once(events, 'started');
    const { ask } = await startStorefront({
      handlers: {
        async resetData() {
          events.emit('started');
          await once(events, 'end');
          return {};
        },
      },
    });
    const reset = () => ask('POST', '/api/reset', undefined, KEY);
    const first = reset();
    await started;
    expectProblem(await reset(), 409, 'idempotency-key-in-use');
    events.emit('end');
    await first;
    expect((await reset()).headers.get('Idempotent-Replayed')).toBe('true');
  });

  it.each(['', 'a b', 'ä', 'a'.repeat(256)])('that is invalid is refused: %j', async (key) => {
    const { port } = newSandbox();
    const refused = await sendRawRequest(port, 'POST /api/orders', [`Idempotency-Key: ${key}`]);
    expectProblem(refused, 400, 'invalid-request');
    expect(refused.body.violations).toMatchObject([{ in: 'header', pointer: '/Idempotency-Key' }]);
  });

  it('is ignored by methods that are idempotent', async () => {
    const { ask } = newSandbox();
    const invalid = { 'Idempotency-Key': 'a b' };
    expect((await ask('GET', '/api/orders', undefined, invalid)).status).toBe(200);
    await ask('DELETE', `/api/cart-items/${ITEM.productId}`, undefined, KEY);
    expect((await ask('DELETE', `/api/cart-items/${ITEM.productId}`, undefined, KEY)).status).toBe(404);
  });

  it('can be used and read by pages of allowed origins', async () => {
    const { port } = newSandbox();
    const origin = 'Origin: http://localhost:5173';
    const preflight = await sendRawRequest(port, 'OPTIONS /api/orders', [
      origin,
      'Access-Control-Request-Method: POST',
      'Access-Control-Request-Headers: idempotency-key',
    ]);
    expect(getHeader(preflight, 'Access-Control-Allow-Headers')).toContain('idempotency-key');
    const response = await sendRawRequest(port, 'GET /api/orders', [origin]);
    expect(getHeader(response, 'Access-Control-Expose-Headers')).toContain('Idempotent-Replayed');
  });
});

it('an Idempotency-Key works for the resources and the mocked operations of any contract', async () => {
  const note = createObject({ id: { type: 'integer' }, text: { type: 'string' } });
  const { ask } = await startApi({
    paths: { ...createResourcePaths('/notes/{noteId}', note), '/mail': { post: { response: { type: 'number' } } } },
  });
  for (const [path, body] of [
    ['/notes', { text: 'a' }],
    ['/mail', undefined],
  ] as const) {
    const key = { 'Idempotency-Key': path };
    const first = await ask('POST', path, body, key);
    const repeated = await ask('POST', path, body, key);
    expect([first.status < 300, repeated.status, repeated.text]).toEqual([true, first.status, first.text]);
    expect(repeated.headers.get('Idempotent-Replayed'), path).toBe('true');
  }
});
