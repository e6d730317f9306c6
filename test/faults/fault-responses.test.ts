import { mkdir, rm } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { getConnectionEnd } from '../support/harness/connection-ends.ts';
import { addFault, countOrders, getCounters, getStatuses } from '../support/harness/faults.ts';
import { getLastEntry } from '../support/harness/journal.ts';
import { expectProblem } from '../support/harness/problems.ts';
import { createClient } from '../support/harness/sandboxes.ts';
import { getSandboxClient, useSharedShop } from '../support/harness/shared-shop.ts';
import { startStorefront } from '../support/harness/start-storefront.ts';

const { shop, newSandbox } = useSharedShop();
const mocking = useSharedShop({ mock: true });

describe('a response that a fault forces', () => {
  it('is generated from the documented response of its status', async () => {
    const sandbox = newSandbox();
    await addFault(sandbox, { operation: 'createOrder', status: 409 });
    const reply = await sandbox.ask('POST', '/api/orders');
    expectProblem(reply, 409, 'empty-cart');
    expect(reply.headers.get('x-mocked')).toBe('operation');
    expect(reply.headers.get('x-sandbox')).toBe(sandbox.id);
  });

  it('is the documented example that the fault names', async () => {
    const sandbox = newSandbox();
    await addFault(sandbox, { operation: 'listProducts', example: 'noMatch' });
    const reply = await sandbox.ask('GET', '/api/products');
    expect([reply.status, reply.body]).toEqual([200, []]);
  });

  it('has no Preference-Applied header, because the client stated no preference', async () => {
    const sandbox = newSandbox();
    await addFault(sandbox, { operation: 'listProducts', status: 503 });
    expect((await sandbox.ask('GET', '/api/products')).headers.get('preference-applied')).toBeNull();
  });

  it.each(['before', 'after'] as const)(
    'has a Preference-Applied header for the delay that the client prefers, %s the operation',
    async (phase) => {
      const sandbox = newSandbox();
      await addFault(sandbox, { operation: 'listProducts', status: 503, phase });
      const reply = await sandbox.ask('GET', '/api/products', undefined, { Prefer: 'delay=2' });
      expect([reply.status, reply.headers.get('preference-applied')]).toEqual([503, 'delay=2']);
    },
  );

  it('replaces the operation, or follows it with the phase after', async () => {
    for (const [phase, orders] of [
      ['before', 2],
      ['after', 3],
      [undefined, 2],
    ] as const) {
      const sandbox = newSandbox();
      await addFault(sandbox, { operation: 'createOrder', status: 503, ...(phase ? { phase } : {}) });
      expectProblem(await sandbox.ask('POST', '/api/orders'), 503, 'unavailable', phase);
      expect(await countOrders(sandbox), phase).toBe(orders);
    }
  });

  it('follows an operation that declines the request too', async () => {
    const sandbox = newSandbox();
    await sandbox.sendControl('PUT', '/state', { cartItems: [] });
    await addFault(sandbox, { operation: 'createOrder', status: 503, phase: 'after' });
    expectProblem(await sandbox.ask('POST', '/api/orders'), 503, 'unavailable');
  });

  it('does not replace the error of an operation that failed to save its change', async () => {
    const shop = await startStorefront({ errorsExpected: true });
    const defaultSandbox = getSandboxClient(shop, 'default');
    await rm(shop.dataFile ?? '');
    await mkdir(shop.dataFile ?? '');
    await addFault(defaultSandbox, { operation: 'createOrder', status: 409, phase: 'after' });
    expectProblem(await defaultSandbox.ask('POST', '/api/orders'), 503, 'unavailable');
    expect(await countOrders(defaultSandbox)).toBe(2);
  });

  it.each<readonly [what: string, createOrder: () => unknown]>([
    [
      'throws',
      () => {
        throw new Error('out of order');
      },
    ],
    ['returns no response', () => 'ordered'],
  ])('does not replace the error of a custom handler that %s', async (_, createOrder) => {
    const sandbox = getSandboxClient(
      await startStorefront({ handlers: { createOrder: createOrder as never }, errorsExpected: true }),
      'w1',
    );
    await addFault(sandbox, { operation: 'createOrder', status: 409, phase: 'after' });
    expectProblem(await sandbox.ask('POST', '/api/orders'), 500, 'internal-error');
  });

  it('yields to the preference of the client, and then the fault applies to the next request', async () => {
    const sandbox = newSandbox();
    const id = await addFault(sandbox, { operation: 'listOrders', status: 503, times: 1 });
    const preferring = await sandbox.ask('GET', '/api/orders', undefined, { Prefer: 'code=404' });
    expect(preferring.status).toBe(404);
    expect(await getCounters(sandbox, id)).toEqual([1, 0, false]);
    expect(await getStatuses(sandbox, 2)).toBe('503 200');
  });

  it('has no body for HEAD', async () => {
    const sandbox = newSandbox();
    await addFault(sandbox, { operation: 'listOrders', status: 503 });
    const reply = await sandbox.ask('HEAD', '/api/orders');
    expect([reply.status, reply.text, reply.headers.get('content-type')]).toEqual([
      503,
      '',
      'application/problem+json',
    ]);
  });

  it('is supported in mock mode too', async () => {
    const sandbox = mocking.newSandbox();
    await addFault(sandbox, { operation: 'createOrder', status: 409, times: 1 });
    expectProblem(await sandbox.ask('POST', '/api/orders'), 409, 'empty-cart');
    expect((await sandbox.ask('POST', '/api/orders')).status).toBe(201);
    await addFault(sandbox, { operation: 'createOrder', connection: 'reset' });
    expect((await getConnectionEnd(sandbox, 'POST', '/api/orders')).how).toBe('reset');
  });

  it('applies in a sandbox that the path names', async () => {
    const sandbox = newSandbox();
    await addFault(sandbox, { operation: 'createOrder', status: 201 });
    const path = `/_sandbox/${sandbox.id}/api/orders`;
    const reply = await createClient(shop())('POST', path);
    expect([reply.status, reply.headers.get('x-mocked')]).toEqual([201, 'operation']);
    expect(await countOrders(sandbox)).toBe(2);
  });

  it('has a Location in the sandbox that the path names', async () => {
    const sandbox = newSandbox();
    await addFault(sandbox, { operation: 'createOrder', status: 201 });
    const reply = await createClient(shop())('POST', `/_sandbox/${sandbox.id}/api/orders`);
    expect(reply.status).toBe(201);
    expect(reply.headers.get('location')).toMatch(new RegExp(`^/_sandbox/${sandbox.id}/api/orders/`));
  });

  it('is recorded in the journal with what the fault forced', async () => {
    const sandbox = newSandbox();
    const id = await addFault(sandbox, { operation: 'listProducts', example: 'noMatch', phase: 'after' });
    await sandbox.ask('GET', '/api/products');
    expect((await getLastEntry(sandbox)).forced).toEqual({ faults: [id], phase: 'after', example: 'noMatch' });
  });
});
