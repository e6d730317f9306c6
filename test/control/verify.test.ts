import { describe, expect, it } from 'vitest';
import { ITEM } from '../support/fixtures/cart-item.ts';
import { sendFiveRequests, verify } from '../support/harness/journal.ts';
import { type SandboxClient, useSharedShop } from '../support/harness/shared-shop.ts';
import type { TestResponse } from '../support/harness/start-storefront.ts';

const { newSandbox } = useSharedShop();

async function listOrders({ ask }: SandboxClient): Promise<void> {
  await ask('GET', '/api/orders');
}

describe('POST /_control/sandboxes/ID/requests/verify', () => {
  it.each<readonly [times: object, isVerified: boolean, expectation: string]>([
    [{}, true, 'at least 1 matching request'],
    [{ times: 2 }, true, 'exactly 2 matching requests'],
    [{ times: 1 }, false, 'exactly 1 matching request'],
    [{ times: 3 }, false, 'exactly 3 matching requests'],
    [{ times: 0 }, false, 'exactly 0 matching requests'],
    [{ atLeast: 2 }, true, 'at least 2 matching requests'],
    [{ atLeast: 3 }, false, 'at least 3 matching requests'],
    [{ atLeast: 0 }, true, 'at least 0 matching requests'],
    [{ atMost: 2 }, true, '0 to 2 matching requests'],
    [{ atMost: 1 }, false, '0 to 1 matching request'],
    [{ atLeast: 1, atMost: 3 }, true, '1 to 3 matching requests'],
    [{ atLeast: 3, atMost: 4 }, false, '3 to 4 matching requests'],
    [{ atLeast: 2, atMost: 2 }, true, 'exactly 2 matching requests'],
  ])(
    'compares the number of matching requests with the expected number: %j',
    async (times, isVerified, expectation) => {
      const { verified, count, message } = await verify(await sendFiveRequests(newSandbox()), {
        operation: 'addCartItem',
        ...times,
      });
      expect([verified, count, message]).toEqual([isVerified, 2, `Expected ${expectation}, found 2`]);
    },
  );

  it('expects at least one matching request by default', async () => {
    const sandbox = await sendFiveRequests(newSandbox());
    expect(await verify(sandbox, { operation: 'createOrder' })).toMatchObject({ verified: false, count: 0 });
    expect(await verify(sandbox, { operation: 'createOrder', times: 0 })).toMatchObject({ verified: true, count: 0 });
    expect((await verify(sandbox, { operation: 'listOrders' })).message).toBe(
      'Expected at least 1 matching request, found 1',
    );
  });

  it('returns no near misses if the verification passes', async () => {
    expect((await verify(await sendFiveRequests(newSandbox()), { status: 200 })).nearMisses).toEqual([]);
  });

  it('returns the nearest requests with reasons if there are too few matching requests', async () => {
    const sandbox = await sendFiveRequests(newSandbox());
    const filter = { operation: 'addCartItem', status: 201, where: { body: { quantity: 4 } }, after: 1 };
    const { nearMisses } = await verify(sandbox, filter);
    expect(nearMisses.map(({ request, reasons }: TestResponse['body']) => [request.id, reasons])).toEqual([
      [2, ['body/quantity: expected 4, got 3']],
      [3, ['body/quantity: expected 4, got 11', 'status: expected 201, got 400']],
      [5, [expect.stringContaining('GET /api/none'), expect.any(String), expect.any(String)]],
    ]);
    expect(nearMisses[0].request).toEqual((await sandbox.sendControl('GET', '/requests')).body[1]);
  });

  it('returns a reason for each part of the matcher that a near miss does not match', async () => {
    const { nearMisses } = await verify(await sendFiveRequests(newSandbox()), {
      operation: 'createOrder',
      where: { method: 'PUT', path: '/api/x', query: { a: 1 }, headers: { 'X-Page': 'x' } },
      fault: 'f7',
      after: 5,
    });
    expect(nearMisses[0].reasons).toEqual([
      'id: expected a number greater than 5, got 5',
      'operation: expected createOrder, got none (GET /api/none)',
      'method: expected PUT, got GET',
      'path: expected /api/x, got /api/none',
      'query a: expected 1, got no value',
      'header X-Page: expected "x", got no value',
      'fault: f7 did not apply',
    ]);
  });

  it('returns the last three surplus requests if too many match', async () => {
    const sandbox = newSandbox();
    for (let n = 0; n < 5; n++) await listOrders(sandbox);
    const { nearMisses } = await verify(sandbox, { operation: 'listOrders', atMost: 2 });
    expect(nearMisses.map(({ request }: TestResponse['body']) => request.id)).toEqual([3, 4, 5]);
    const { nearMisses: surplus } = await verify(sandbox, { operation: 'listOrders', times: 4 });
    expect(surplus).toMatchObject([
      { request: { id: 5 }, reasons: ['the request matches, but exceeds the expected number'] },
    ]);
  });

  it('returns no near misses if the journal is empty', async () => {
    const sandbox = newSandbox();
    await sandbox.sendControl('PUT', '');
    expect(await verify(sandbox, {})).toEqual({
      verified: false,
      count: 0,
      message: expect.stringMatching(
        /^Expected at least 1 matching request, found 0; the sandbox [\w-]+ has received no requests: .*cookie/,
      ),
      nearMisses: [],
    });
    await listOrders(sandbox);
    await sandbox.sendControl('DELETE', '/requests');
    expect((await verify(sandbox, {})).message).toBe('Expected at least 1 matching request, found 0');
  });

  it.each<readonly [where: object]>([
    [{ body: { user: { password: 'other' } } }],
    [{ headers: { authorization: 'other' } }],
    [{ query: { token: 'other' } }],
  ])('redacts secrets in near misses: %j', async (where) => {
    const sandbox = newSandbox();
    const headers = { Authorization: 'hunter2' };
    await sandbox.ask('POST', '/api/cart-items?token=hunter2', { ...ITEM, user: { password: 'hunter2' } }, headers);
    const { nearMisses } = await verify(sandbox, { where });
    expect(nearMisses).toHaveLength(1);
    expect(JSON.stringify(nearMisses)).not.toContain('hunter2');
  });

  it.each<readonly [where: object]>([
    [{ body: [] }],
    [{ body: 'other' }],
    [{ body: { $exists: false } }],
    [{ body: { user: 'other' } }],
    [{ body: { user: { $in: [] } } }],
  ])('redacts secrets in the values that a reason quotes: %j', async (where) => {
    const sandbox = newSandbox();
    await sandbox.ask('POST', '/api/cart-items', { user: { password: 'hunter2' }, ...ITEM });
    const { nearMisses } = await verify(sandbox, { where });
    expect(nearMisses).toHaveLength(1);
    expect(JSON.stringify(nearMisses)).not.toContain('hunter2');
  });
});

describe('a verification of a journal that has dropped requests', () => {
  /** Creates a sandbox that has received 103 requests, the first three of which its journal has dropped. */
  async function createWithDropped(): Promise<SandboxClient> {
    const sandbox = newSandbox();
    await Promise.all(Array.from({ length: 103 }, () => listOrders(sandbox)));
    return sandbox;
  }

  const DROPPED_NOTE = /; the journal no longer contains the requests up to #3: /;

  it('fails if the dropped requests could be too many, and names the last dropped one', async () => {
    const sandbox = await createWithDropped();
    for (const filter of [
      { operation: 'createOrder', times: 0 },
      { operation: 'createOrder', atMost: 2 },
      { operation: 'listOrders', times: 100 },
      { operation: 'listOrders', atMost: 200, after: 2 },
      { operation: 'createOrder', times: 0, withinMs: 1 },
    ])
      expect(await verify(sandbox, filter)).toMatchObject({
        verified: false,
        message: expect.stringMatching(DROPPED_NOTE),
      });
  });

  it('passes if it starts after the dropped requests', async () => {
    const sandbox = await createWithDropped();
    expect((await verify(sandbox, { operation: 'createOrder', times: 0, after: 3 })).verified).toBe(true);
    expect((await verify(sandbox, { operation: 'listOrders', times: 100, after: 3 })).verified).toBe(true);
  });

  it('passes after the journal was cleared', async () => {
    const sandbox = await createWithDropped();
    await sandbox.sendControl('DELETE', '/requests');
    expect((await verify(sandbox, { operation: 'listOrders', times: 0 })).verified).toBe(true);
    await listOrders(sandbox);
    expect((await verify(sandbox, { operation: 'listOrders', times: 1 })).verified).toBe(true);
  });

  it('checks a minimum number as usual', async () => {
    const sandbox = await createWithDropped();
    expect(await verify(sandbox, { operation: 'listOrders', atLeast: 100 })).toEqual({
      verified: true,
      count: 100,
      message: 'Expected at least 100 matching requests, found 100',
      nearMisses: [],
    });
    expect((await verify(sandbox, { operation: 'createOrder' })).verified).toBe(false);
  });
});
