import { describe, expect, it } from 'vitest';
import { ITEM } from '../support/fixtures/cart-item.ts';
import { addFault, getStatuses } from '../support/harness/faults.ts';
import { expectProblem, getPointers } from '../support/harness/problems.ts';
import { createControlClient, createSandboxClient } from '../support/harness/sandboxes.ts';
import { getSandboxClient, useSharedShop } from '../support/harness/shared-shop.ts';
import { NOW_MS, startStorefront } from '../support/harness/start-storefront.ts';

const { shop, room } = useSharedShop();

describe('the faults of a sandbox', () => {
  it('are listed in order, each with its definition and counters', async () => {
    const sandbox = room();
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
    const { body } = await sandbox.steer('GET', '/faults');
    expect(body).toEqual([
      { ...definitions[0], id: expect.stringMatching(/^f\d+$/), matched: 1, applied: 1, expired: true },
      { ...definitions[1], id: expect.stringMatching(/^f\d+$/), matched: 0, applied: 0, expired: false },
    ]);
    expect((await sandbox.steer('GET', '')).body.faults).toBe(1);
  });

  it('can be removed one by one, and the journal keeps what they forced', async () => {
    const sandbox = room();
    const [first, second] = [await addFault(sandbox, { status: 500 }), await addFault(sandbox, { status: 503 })];
    expect(await getStatuses(sandbox, 1)).toBe('500');
    const gone = await sandbox.steer('DELETE', `/faults/${first}`);
    expect([gone.status, gone.text]).toEqual([204, '']);
    expectProblem(await sandbox.steer('GET', `/faults/${first}`), 404, 'unknown-fault');
    expect(await getStatuses(sandbox, 1)).toBe('503');
    const again = await sandbox.steer('DELETE', `/faults/${first}`);
    expectProblem(again, 404, 'unknown-fault');
    expect(again.body.detail).toContain(second);
    const { body } = await sandbox.steer('GET', '/requests');
    expect(body.map(({ forced }: { forced: object }) => forced)).toMatchObject([
      { faults: [first] },
      { faults: [second] },
    ]);
  });

  it('can be replaced by new faults, whose counters start at zero', async () => {
    const sandbox = room();
    const old = await addFault(sandbox, { operation: 'listOrders', status: 500 });
    await getStatuses(sandbox, 1);
    const { body } = await sandbox.steer('PUT', '/faults', [
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
    const sandbox = room();
    const id = await addFault(sandbox, { operation: 'listOrders', status: 500 });
    await getStatuses(sandbox, 1);
    for (const bad of [{}, { status: 302 }, { status: 500, where: { body: { $x: 1 } } }, { statuses: 500 }]) {
      expect([400, 409]).toContain((await sandbox.steer('PUT', '/faults', [{ status: 503 }, bad])).status);
      expect((await sandbox.steer('GET', '/faults')).body).toMatchObject([{ id, status: 500, applied: 1 }]);
    }
    expect(await getStatuses(sandbox, 1)).toBe('500');
  });

  it('can all be removed with DELETE, or with PUT and an empty list', async () => {
    for (const [method, body, status] of [
      ['DELETE', undefined, 204],
      ['PUT', [], 200],
    ] as const) {
      const sandbox = room();
      await addFault(sandbox, { status: 500 });
      expect((await sandbox.steer(method, '/faults', body)).status).toBe(status);
      expect((await sandbox.steer('GET', '/faults')).body).toEqual([]);
      expect(await getStatuses(sandbox, 1)).toBe('200');
    }
  });

  it('are limited to 100, not counting expired and removed faults', async () => {
    const sandbox = room();
    const definitions = Array.from({ length: 100 }, () => ({ operation: 'listOrders', status: 500, times: 1 }));
    const { body } = await sandbox.steer('PUT', '/faults', definitions);
    expectProblem(await sandbox.steer('POST', '/faults', { status: 503 }), 409, 'limit-reached');
    expect((await sandbox.steer('PUT', '/faults', [...definitions, { status: 503 }])).status).toBe(400);
    expect((await sandbox.steer('GET', '')).body.faults).toBe(100);
    await getStatuses(sandbox, 1);
    await addFault(sandbox, { status: 503 });
    expectProblem(await sandbox.steer('POST', '/faults', { status: 503 }), 409, 'limit-reached');
    await sandbox.steer('DELETE', `/faults/${body[50].id}`);
    await addFault(sandbox, { status: 503 });
  });

  it('are limited to 20,000 characters in total, not counting expired and removed faults', async () => {
    const sandbox = room();
    const long = (more: object = {}) => ({
      where: { body: 'x'.repeat(9_000) },
      operation: 'listOrders',
      status: 500,
      ...more,
    });
    await addFault(sandbox, long());
    const other = await addFault(sandbox, long());
    const { body } = await sandbox.steer('GET', '/faults');
    expectProblem(await sandbox.steer('POST', '/faults', long()), 409, 'limit-reached');
    expectProblem(await sandbox.steer('PUT', '/faults', [long(), long(), long()]), 409, 'limit-reached');
    expect((await sandbox.steer('GET', '/faults')).body).toEqual(body);
    await sandbox.steer('DELETE', `/faults/${other}`);
    await addFault(sandbox, long({ until: NOW_MS }));
    await addFault(sandbox, long());
    expectProblem(await sandbox.steer('POST', '/faults', long()), 409, 'limit-reached');
  });

  it('do not apply to another sandbox or to the default sandbox', async () => {
    const [sandbox, otherSandbox, defaultSandbox] = [room(), room(), getSandboxClient(shop(), 'default')];
    await addFault(sandbox, { status: 500 });
    await otherSandbox.steer('PUT', '');
    expect([
      await getStatuses(sandbox, 1),
      await getStatuses(otherSandbox, 1),
      await getStatuses(defaultSandbox, 1),
    ]).toEqual(['500', '200', '200']);
    expect((await otherSandbox.steer('GET', '/faults')).body).toEqual([]);
    expect((await defaultSandbox.steer('GET', '/faults')).body).toEqual([]);
  });

  it('create the sandbox when the first one is added, but not when they are read or deleted', async () => {
    const sandbox = room();
    for (const [method, below] of [
      ['GET', '/faults'],
      ['DELETE', '/faults'],
      ['GET', '/faults/f1'],
      ['DELETE', '/faults/f1'],
    ] as const)
      expectProblem(await sandbox.steer(method, below), 404, 'unknown-sandbox', below);
    await addFault(sandbox, { status: 500 });
    expect(await getStatuses(sandbox, 1)).toBe('500');
  });

  it('have ids that are validated', async () => {
    const { steer } = room();
    await steer('PUT', '');
    expect(getPointers(await steer('GET', '/faults/x1'))).toEqual(['/fault']);
    expectProblem(await steer('GET', '/faults/f1'), 404, 'unknown-fault');
  });

  it('remain after a reset of the data, and are removed when the sandbox is recreated', async () => {
    const sandbox = room();
    await addFault(sandbox, { status: 500 });
    await sandbox.steer('POST', '/reset');
    expect(await getStatuses(sandbox, 1)).toBe('500');
    await sandbox.steer('PUT', '');
    expect((await sandbox.steer('GET', '/faults')).body).toEqual([]);
    expect(await getStatuses(sandbox, 1)).toBe('200');
  });
});

describe('a fault of the default sandbox', () => {
  it('applies also to a cached response, which is served again when the fault expires', async () => {
    const { ask, port } = await startStorefront();
    const plain = [await ask('GET', '/api/products'), await ask('GET', '/api/products')];
    const steer = createControlClient({ port });
    await steer('POST', '/default/faults', { operation: 'listProducts', status: 503, times: 2 });
    const match = [await ask('GET', '/api/products'), await ask('GET', '/api/products')];
    const after = [await ask('GET', '/api/products'), await ask('GET', '/api/products')];
    expect([...match, ...after].map(({ status }) => status)).toEqual([503, 503, 200, 200]);
    expect(new Set([...plain, ...after].map(({ text }) => text)).size).toBe(1);
    expect(after[1]?.headers.get('x-mocked')).toBeNull();
    await steer('POST', '/default/faults', { operation: 'createOrder', status: 503 });
    await ask('POST', '/api/cart-items', ITEM);
    expect((await ask('GET', '/api/products')).text).toBe(plain[0]?.text);
  });

  it('is removed when the sandbox is recreated', async () => {
    const { ask, port } = await startStorefront();
    const steer = createControlClient({ port });
    await steer('POST', '/default/faults', { status: 503 });
    expect((await ask('GET', '/api/orders')).status).toBe(503);
    await steer('PUT', '/default');
    expect((await ask('GET', '/api/orders')).status).toBe(200);
    expect((await createSandboxClient({ port }, 'w1')('GET', '/api/orders')).status).toBe(200);
  });
});
