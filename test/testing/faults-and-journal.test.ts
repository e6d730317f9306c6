import { describe, expect, it } from 'vitest';
import { sandboxAt, VerificationError } from '../../src/testing/sandbox.ts';
import { getRejection } from '../support/harness/rejection.ts';
import { startStorefront } from '../support/harness/start-storefront.ts';

/** Starts a server; returns a new sandbox, and a function that tries to create an order there. */
async function createSandbox() {
  const { url } = await startStorefront();
  const sandbox = sandboxAt(url, 'w3');
  await sandbox.recreate();
  const order = async () => (await sandbox.fetch('/api/orders', { method: 'POST' })).status;
  return { sandbox, order };
}

describe('TestSandbox faults', () => {
  it('apply to matching requests, and count how often', async () => {
    const { sandbox, order } = await createSandbox();
    const { id, applied } = await sandbox.fault({ operation: 'createOrder', status: 500, times: 1 });
    expect([applied, await order(), await order()]).toEqual([0, 500, 201]);
    expect(await sandbox.faults()).toMatchObject([{ id, operation: 'createOrder', applied: 1, expired: true }]);
  });

  it('can be added, removed one by one, and cleared', async () => {
    const { sandbox, order } = await createSandbox();
    const { id } = await sandbox.fault({ operation: 'createOrder', status: 500 });
    await sandbox.fault({ operation: 'listOrders', status: 500 });
    await sandbox.removeFault(id);
    expect(await sandbox.faults()).toMatchObject([{ operation: 'listOrders' }]);
    await sandbox.clearFaults();
    expect([await sandbox.faults(), await order()]).toEqual([[], 201]);
  });
});

describe('replaceFaults()', () => {
  it('accepts the faults that faults() has returned', async () => {
    const { sandbox, order } = await createSandbox();
    await sandbox.fault({ operation: 'createOrder', status: 500, times: 1 });
    await sandbox.fault({ operation: 'listOrders', where: { method: 'PUT' }, status: 503, durationMs: 60_000 });
    await order();
    const faults = await sandbox.faults();
    const replaced = await sandbox.replaceFaults(faults);
    expect(replaced).toMatchObject([
      { operation: 'createOrder', status: 500, times: 1, applied: 0 },
      { operation: 'listOrders', durationMs: 60_000, warnings: [expect.any(String)] },
    ]);
    expect(await order()).toBe(500);
  });
});

describe('TestSandbox journal', () => {
  it('requests() returns recorded requests and responses by filter, and clearRequests() clears them', async () => {
    const { sandbox, order } = await createSandbox();
    await order();
    await sandbox.fetch('/api/cart-items');
    const [first, second] = await sandbox.requests();
    expect(first).toMatchObject({
      operation: 'createOrder',
      request: { path: '/api/orders' },
      response: { status: 201 },
    });
    expect(await sandbox.requests({ after: first?.id ?? 0 })).toEqual([second]);
    expect(await sandbox.requests({ limit: 1 })).toEqual([second]);
    expect(await sandbox.requests({ operation: 'createOrder' })).toEqual([first]);
    expect(await sandbox.requests({ operation: ['createOrder', 'listCartItems'] })).toEqual([first, second]);
    await sandbox.clearRequests();
    expect(await sandbox.requests()).toEqual([]);
  });

  it('count() counts the requests that match a filter', async () => {
    const { sandbox, order } = await createSandbox();
    await order();
    await order();
    const counts = [
      sandbox.count(),
      sandbox.count({ operation: 'createOrder', status: 201 }),
      sandbox.count({ where: { path: '/api/or*' }, status: [409, 500] }),
      sandbox.count({ operation: 'listOrders' }),
    ];
    expect(await Promise.all(counts)).toEqual([2, 1, 1, 0]);
  });

  it('verify() resolves if the expected number of requests matches', async () => {
    const { sandbox, order } = await createSandbox();
    await order();
    await sandbox.verify({ operation: 'createOrder' });
    await sandbox.verify({ operation: 'createOrder', times: 1, status: 201 });
    await sandbox.verify({ operation: 'listOrders', atMost: 0 });
  });

  it('verify() with withinMs waits for requests that arrive later', async () => {
    const { sandbox, order } = await createSandbox();
    const verified = sandbox.verify({ operation: 'createOrder', withinMs: 10_000 });
    await order();
    await verified;
  });

  it('verify() rejects with the filter and the near misses with their reasons', async () => {
    const { sandbox, order } = await createSandbox();
    await order();
    const error = await getRejection(sandbox.verify({ operation: 'createOrder', status: 409 }), VerificationError);
    const [message, filter, nearMiss] = error.message.split('\n');
    expect([error.name, message]).toEqual(['VerificationError', error.verdict.message]);
    expect(filter).toBe('  Filter: {"operation":"createOrder","status":409}');
    expect(nearMiss).toMatch(/^ {2}Near miss: #1 POST \/api\/orders → 201: .*409/);
  });

  it('verify() rejects if too many requests match', async () => {
    const { sandbox, order } = await createSandbox();
    await order();
    await order();
    const error = await getRejection(sandbox.verify({ operation: 'createOrder', times: 1 }), VerificationError);
    expect(error.verdict).toMatchObject({ verified: false, count: 2 });
  });

  it('verify() lists a request that got no response as a near miss', async () => {
    const { sandbox, order } = await createSandbox();
    await sandbox.fault({ operation: 'createOrder', connection: 'reset' });
    await expect(order()).rejects.toThrow();
    const error = await getRejection(sandbox.verify({ operation: 'createOrder', status: 201 }), VerificationError);
    expect(error.message).toContain('POST /api/orders → no response');
  });
});
