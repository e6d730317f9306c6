import { describe, expect, it } from 'vitest';
import { sandboxAt } from '../../src/testing/sandbox.ts';
import { VerificationError } from '../../src/testing/verification-error.ts';
import { rejection } from '../support/harness/rejection.ts';
import { startStorefront } from '../support/harness/start-storefront.ts';

/** A sandbox of a shop that ends with the test, and how an order is tried there. */
async function aSandbox() {
  const { url } = await startStorefront();
  const sandbox = sandboxAt(url, 'w3');
  await sandbox.renew();
  const order = async () => (await sandbox.fetch('/api/orders', { method: 'POST' })).status;
  return { sandbox, order };
}

describe('the faults of a sandbox', () => {
  it('are met as they were wished for, and tell how often', async () => {
    const { sandbox, order } = await aSandbox();
    const { id, applied } = await sandbox.fault({ operation: 'createOrder', status: 500, times: 1 });
    expect([applied, await order(), await order()]).toEqual([0, 500, 201]);
    expect(await sandbox.faults()).toMatchObject([{ id, operation: 'createOrder', applied: 1, expired: true }]);
  });

  it('stand beside each other, end one by one, and are cleared', async () => {
    const { sandbox, order } = await aSandbox();
    const { id } = await sandbox.fault({ operation: 'createOrder', status: 500 });
    await sandbox.fault({ operation: 'listOrders', status: 500 });
    await sandbox.removeFault(id);
    expect(await sandbox.faults()).toMatchObject([{ operation: 'listOrders' }]);
    await sandbox.clearFaults();
    expect([await sandbox.faults(), await order()]).toEqual([[], 201]);
  });
});

describe('the journal of a sandbox', () => {
  it('tells what was asked and how it was answered, and forgets it', async () => {
    const { sandbox, order } = await aSandbox();
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

  it('counts what is described', async () => {
    const { sandbox, order } = await aSandbox();
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

  it('verifies that requests came as often as wanted', async () => {
    const { sandbox, order } = await aSandbox();
    await order();
    await sandbox.verify({ operation: 'createOrder' });
    await sandbox.verify({ operation: 'createOrder', times: 1, status: 201 });
    await sandbox.verify({ operation: 'listOrders', atMost: 0 });
  });

  it('waits for what is still to come', async () => {
    const { sandbox, order } = await aSandbox();
    const verified = sandbox.verify({ operation: 'createOrder', withinMs: 10_000 });
    await order();
    await verified;
  });

  it('rejects with what came closest, and why it is not meant', async () => {
    const { sandbox, order } = await aSandbox();
    await order();
    const fault = await rejection(sandbox.verify({ operation: 'createOrder', status: 409 }), VerificationError);
    const [said, meant, nearest] = fault.message.split('\n');
    expect([fault.name, said]).toEqual(['VerificationError', fault.verdict.message]);
    expect(meant).toBe('  such as {"operation":"createOrder","status":409}');
    expect(nearest).toMatch(/^ {2}#1 POST \/api\/orders → 201: .*409/);
  });

  it('rejects where there are too many, too', async () => {
    const { sandbox, order } = await aSandbox();
    await order();
    await order();
    const fault = await rejection(sandbox.verify({ operation: 'createOrder', times: 1 }), VerificationError);
    expect(fault.verdict).toMatchObject({ verified: false, count: 2 });
  });

  it('tells of a request that got no answer', async () => {
    const { sandbox, order } = await aSandbox();
    await sandbox.fault({ operation: 'createOrder', connection: 'reset' });
    await expect(order()).rejects.toThrow();
    const fault = await rejection(sandbox.verify({ operation: 'createOrder', status: 201 }), VerificationError);
    expect(fault.message).toContain('POST /api/orders → no answer');
  });
});
