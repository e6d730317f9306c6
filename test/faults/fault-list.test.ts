import { describe, expect, it } from 'vitest';
import { ITEM } from '../support/fixtures/cart-item.ts';
import { addFault, getStatuses } from '../support/harness/faults.ts';
import { expectProblem, getPointers } from '../support/harness/problems.ts';
import { createControlClient, createSandboxClient } from '../support/harness/sandboxes.ts';
import { getSandboxClient, useSharedShop } from '../support/harness/shared-shop.ts';
import { NOW_MS, startStorefront } from '../support/harness/start-storefront.ts';

const { shop, newSandbox } = useSharedShop();

describe('the faults of a sandbox', () => {
  it('are listed in order, each with its definition and counters', async () => {
    const sandbox = newSandbox();
    const definitions = [
      {
        operation: 'listOrders',
        where: { query: { a: { $exists: false } } },
        status: 500,
        times: 1,
        until: '2030-01-01T00:00:00Z',
      },
      {
        operation: ['createOrder'],
        delay: { from: 1, to: 2 },
        probability: 0.5,
        seed: 3,
        phase: 'after',
        durationMs: 9_000_000,
      },
    ];
    for (const definition of definitions) await addFault(sandbox, definition);
    expect(await getStatuses(sandbox, 2)).toBe('500 200');
    const { body } = await sandbox.sendControl('GET', '/faults');
    expect(body).toEqual([
      { ...definitions[0], id: expect.stringMatching(/^f\d+$/), matched: 1, applied: 1, expired: true },
      { ...definitions[1], id: expect.stringMatching(/^f\d+$/), matched: 0, applied: 0, expired: false },
    ]);
    expect((await sandbox.sendControl('GET', '')).body.faults).toBe(1);
  });

  it('can be removed one by one, and the journal keeps what they forced', async () => {
    const sandbox = newSandbox();
    const [first, second] = [await addFault(sandbox, { status: 500 }), await addFault(sandbox, { status: 503 })];
    expect(await getStatuses(sandbox, 1)).toBe('500');
    const gone = await sandbox.sendControl('DELETE', `/faults/${first}`);
    expect([gone.status, gone.text]).toEqual([204, '']);
    expectProblem(await sandbox.sendControl('GET', `/faults/${first}`), 404, 'unknown-fault');
    expect(await getStatuses(sandbox, 1)).toBe('503');
    const again = await sandbox.sendControl('DELETE', `/faults/${first}`);
    expectProblem(again, 404, 'unknown-fault');
    expect(again.body.detail).toContain(second);
    const { body } = await sandbox.sendControl('GET', '/requests');
    expect(body.map(({ forced }: { forced: object }) => forced)).toMatchObject([
      { faults: [first] },
      { faults: [second] },
    ]);
  });

  it('can be replaced by new faults, whose counters start at zero', async () => {
    const sandbox = newSandbox();
    const old = await addFault(sandbox, { operation: 'listOrders', status: 500 });
    await getStatuses(sandbox, 1);
    const { body } = await sandbox.sendControl('PUT', '/faults', [
      { operation: 'listOrders', status: 503, times: 1 },
      { status: 404 },
    ]);
    expect(body.map(({ status, matched, applied }: Record<string, number>) => [status, matched, applied])).toEqual([
      [503, 0, 0],
      [404, 0, 0],
    ]);
    expect(body.map(({ id }: { id: string }) => id)).not.toContain(old);
    expect(await getStatuses(sandbox, 2)).toBe('503 404');
  });

  it('stay unchanged if one of the faults to replace them is invalid', async () => {
    const sandbox = newSandbox();
    const id = await addFault(sandbox, { operation: 'listOrders', status: 500 });
    await getStatuses(sandbox, 1);
    for (const bad of [{}, { status: 302 }, { status: 500, where: { body: { $x: 1 } } }, { statuses: 500 }]) {
      expect([400, 409]).toContain((await sandbox.sendControl('PUT', '/faults', [{ status: 503 }, bad])).status);
      expect((await sandbox.sendControl('GET', '/faults')).body).toMatchObject([{ id, status: 500, applied: 1 }]);
    }
    expect(await getStatuses(sandbox, 1)).toBe('500');
  });

  it('can all be removed with DELETE, or with PUT and an empty list', async () => {
    for (const [method, body, status] of [
      ['DELETE', undefined, 204],
      ['PUT', [], 200],
    ] as const) {
      const sandbox = newSandbox();
      await addFault(sandbox, { status: 500 });
      expect((await sandbox.sendControl(method, '/faults', body)).status).toBe(status);
      expect((await sandbox.sendControl('GET', '/faults')).body).toEqual([]);
      expect(await getStatuses(sandbox, 1)).toBe('200');
    }
  });

  it('are limited to 100, not counting expired and removed faults', async () => {
    const sandbox = newSandbox();
    const definitions = Array.from({ length: 100 }, () => ({ operation: 'listOrders', status: 500, times: 1 }));
    const { body } = await sandbox.sendControl('PUT', '/faults', definitions);
    expectProblem(await sandbox.sendControl('POST', '/faults', { status: 503 }), 409, 'limit-reached');
    expect((await sandbox.sendControl('PUT', '/faults', [...definitions, { status: 503 }])).status).toBe(400);
    expect((await sandbox.sendControl('GET', '')).body.faults).toBe(100);
    await getStatuses(sandbox, 1);
    await addFault(sandbox, { status: 503 });
    expectProblem(await sandbox.sendControl('POST', '/faults', { status: 503 }), 409, 'limit-reached');
    await sandbox.sendControl('DELETE', `/faults/${body[50].id}`);
    await addFault(sandbox, { status: 503 });
  });

  it('are limited to 20,000 characters in total, not counting expired and removed faults', async () => {
    const sandbox = newSandbox();
    const long = (more: object = {}) => ({
      where: { body: 'x'.repeat(9_000) },
      operation: 'listOrders',
      status: 500,
      ...more,
    });
    await addFault(sandbox, long());
    const other = await addFault(sandbox, long());
    const { body } = await sandbox.sendControl('GET', '/faults');
    expectProblem(await sandbox.sendControl('POST', '/faults', long()), 409, 'limit-reached');
    expectProblem(await sandbox.sendControl('PUT', '/faults', [long(), long(), long()]), 409, 'limit-reached');
    expect((await sandbox.sendControl('GET', '/faults')).body).toEqual(body);
    await sandbox.sendControl('DELETE', `/faults/${other}`);
    await addFault(sandbox, long({ until: NOW_MS }));
    await addFault(sandbox, long());
    expectProblem(await sandbox.sendControl('POST', '/faults', long()), 409, 'limit-reached');
  });

  it('do not apply to another sandbox or to the default sandbox', async () => {
    const [sandbox, otherSandbox, defaultSandbox] = [newSandbox(), newSandbox(), getSandboxClient(shop(), 'default')];
    await addFault(sandbox, { status: 500 });
    await otherSandbox.sendControl('PUT', '');
    expect([
      await getStatuses(sandbox, 1),
      await getStatuses(otherSandbox, 1),
      await getStatuses(defaultSandbox, 1),
    ]).toEqual(['500', '200', '200']);
    expect((await otherSandbox.sendControl('GET', '/faults')).body).toEqual([]);
    expect((await defaultSandbox.sendControl('GET', '/faults')).body).toEqual([]);
  });

  it('create the sandbox when the first one is added, but not when they are read or deleted', async () => {
    const sandbox = newSandbox();
    for (const [method, below] of [
      ['GET', '/faults'],
      ['DELETE', '/faults'],
      ['GET', '/faults/f1'],
      ['DELETE', '/faults/f1'],
    ] as const)
      expectProblem(await sandbox.sendControl(method, below), 404, 'unknown-sandbox', below);
    await addFault(sandbox, { status: 500 });
    expect(await getStatuses(sandbox, 1)).toBe('500');
  });

  it('have ids that are validated', async () => {
    const { sendControl } = newSandbox();
    await sendControl('PUT', '');
    expect(getPointers(await sendControl('GET', '/faults/x1'))).toEqual(['/fault']);
    expectProblem(await sendControl('GET', '/faults/f1'), 404, 'unknown-fault');
  });

  it('remain after a reset of the data, and are removed when the sandbox is recreated', async () => {
    const sandbox = newSandbox();
    await addFault(sandbox, { status: 500 });
    await sandbox.sendControl('POST', '/reset');
    expect(await getStatuses(sandbox, 1)).toBe('500');
    await sandbox.sendControl('PUT', '');
    expect((await sandbox.sendControl('GET', '/faults')).body).toEqual([]);
    expect(await getStatuses(sandbox, 1)).toBe('200');
  });
});

describe('a fault of the default sandbox', () => {
  it('applies also to a cached response, which is served again when the fault expires', async () => {
    const { ask, port } = await startStorefront();
    const plain = [await ask('GET', '/api/products'), await ask('GET', '/api/products')];
    const sendControl = createControlClient({ port });
    await sendControl('POST', '/default/faults', { operation: 'listProducts', status: 503, times: 2 });
    const match = [await ask('GET', '/api/products'), await ask('GET', '/api/products')];
    const after = [await ask('GET', '/api/products'), await ask('GET', '/api/products')];
    expect([...match, ...after].map(({ status }) => status)).toEqual([503, 503, 200, 200]);
    expect(new Set([...plain, ...after].map(({ text }) => text)).size).toBe(1);
    expect(after[1]?.headers.get('x-mocked')).toBeNull();
    await sendControl('POST', '/default/faults', { operation: 'createOrder', status: 503 });
    await ask('POST', '/api/cart-items', ITEM);
    expect((await ask('GET', '/api/products')).text).toBe(plain[0]?.text);
  });

  it('is removed when the sandbox is recreated', async () => {
    const { ask, port } = await startStorefront();
    const sendControl = createControlClient({ port });
    await sendControl('POST', '/default/faults', { status: 503 });
    expect((await ask('GET', '/api/orders')).status).toBe(503);
    await sendControl('PUT', '/default');
    expect((await ask('GET', '/api/orders')).status).toBe(200);
    expect((await createSandboxClient({ port }, 'w1')('GET', '/api/orders')).status).toBe(200);
  });
});
