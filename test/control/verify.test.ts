import { describe, expect, it } from 'vitest';
import { waitForRequests } from '../../src/control/wait-for-requests.ts';
import type { Entry, Follower } from '../../src/sandbox/journal/journal.ts';
import type { Bounds } from '../../src/sandbox/journal/verify-requests.ts';
import { getProductId } from '../support/fixtures/default-data.ts';
import { createOperation, writeDocument } from '../support/fixtures/other-document.ts';
import { expectProblem } from '../support/harness/problems.ts';
import { createControlClient } from '../support/harness/sandboxes.ts';
import { getSandboxClient, type SandboxClient, useSharedShop } from '../support/harness/shared-shop.ts';
import { startStorefront, type TestResponse } from '../support/harness/start-storefront.ts';

const { room } = useSharedShop();

const KETTLE = getProductId('Cordless Electric Kettle');
const ITEM = { productId: KETTLE, quantity: 3 };

/** A timeout in ms that is longer than a test may take: a test that waits for it fails. */
const LONG_TIMEOUT_MS = 60_000;

/** Creates a sandbox with five requests in its journal. */
async function createWithRequests(): Promise<SandboxClient> {
  const sandbox = room();
  await sandbox.ask('GET', '/api/orders', undefined, { 'X-Page': 'orders' });
  await sandbox.ask('POST', '/api/cart-items', ITEM, { 'X-Page': 'product' });
  await sandbox.ask('POST', '/api/cart-items', { ...ITEM, quantity: 11 });
  await sandbox.ask('GET', '/api/products?search=kettle');
  await sandbox.ask('GET', '/api/none');
  return sandbox;
}

async function verify({ steer }: SandboxClient, filter: object): Promise<TestResponse['body']> {
  const { status, body } = await steer('POST', '/requests/verify', filter);
  expect(status, JSON.stringify(body)).toBe(200);
  return body;
}

async function listOrders({ ask }: SandboxClient): Promise<void> {
  await ask('GET', '/api/orders');
}

describe('POST /_control/sandboxes/ID/requests/count', () => {
  it.each<readonly [filter: object, count: number]>([
    [{}, 5],
    [{ operation: 'addCartItem' }, 2],
    [{ operation: ['addCartItem', 'listOrders'] }, 3],
    [{ operation: 'createOrder' }, 0],
    [{ status: 200 }, 2],
    [{ status: [201, 400] }, 2],
    [{ operation: 'addCartItem', status: 400 }, 1],
    [{ after: 2 }, 3],
    [{ after: 2, operation: 'addCartItem' }, 1],
    [{ after: 99 }, 0],
    [{ where: { method: 'post' } }, 2],
    [{ where: { path: '/api/*' } }, 5],
    [{ where: { path: '/api/none' } }, 1],
    [{ where: { query: { search: 'kettle' } } }, 1],
    [{ where: { query: { search: { $exists: false } } } }, 4],
    [{ where: { headers: { 'x-PAGE': { $exists: true } } } }, 2],
    [{ where: { body: { quantity: { $gt: 2 } } } }, 2],
    [{ where: { body: { quantity: { $in: [3, 4] } } } }, 1],
    [{ where: { body: { $exists: false } } }, 3],
    [{ fault: 'f1' }, 0],
  ])('counts matching requests: %j', async (filter, count) => {
    const { steer } = await createWithRequests();
    expect((await steer('POST', '/requests/count', filter)).body).toEqual({ count });
  });

  it('counts requests that a fault applied to', async () => {
    const sandbox = room();
    const { body } = await sandbox.steer('POST', '/faults', { operation: 'listOrders', delay: 1, times: 2 });
    for (let n = 0; n < 3; n++) await listOrders(sandbox);
    expect((await sandbox.steer('POST', '/requests/count', { fault: body.id })).body).toEqual({ count: 2 });
  });

  it('counts requests without a response unless a status is expected', async () => {
    const sandbox = room();
    await sandbox.steer('POST', '/faults', { operation: 'listOrders', connection: 'reset' });
    await listOrders(sandbox).catch(() => {});
    const count = async (filter: object) => (await sandbox.steer('POST', '/requests/count', filter)).body.count;
    expect([await count({}), await count({ status: 200 })]).toEqual([1, 0]);
  });

  it('compares form bodies as a fault does', async () => {
    const properties = { age: { type: 'integer' }, tag: { type: 'array', items: { type: 'string' } } };
    const form = { 'application/x-www-form-urlencoded': { schema: { type: 'object', properties } } };
    const logIn = createOperation('logIn', {}, { requestBody: { content: form } });
    const contract = await writeDocument({ paths: { '/logins': { post: logIn } } });
    const defaultSandbox = getSandboxClient(await startStorefront({ contract, mock: true, verify: 'off' }), 'default');
    const headers = { 'content-type': 'application/x-www-form-urlencoded; charset=utf-8' };
    for (const [where, times] of [
      [{ body: { name: 'Ann' } }, 2],
      [{ body: { name: 'Ann', tag: ['a', 'b c'] } }, 1],
      [{ body: { name: { $glob: '*o*' } } }, 1],
      [{ body: { name: { $exists: true } } }, 3],
      [{ body: { age: 7 } }, 1],
      [{ body: { age: { $gt: 6 } } }, 2],
      [{ body: { tag: ['a'] } }, 2],
    ] as const) {
      const { body } = await defaultSandbox.steer('PUT', '/faults', [{ where, delay: 1 }]);
      for (const sent of ['name=Ann&tag=a&tag=b+c', 'name=%41nn&age=7', 'name=Bob&tag=a&age=8', 'tag=a'])
        await defaultSandbox.ask('POST', '/logins', sent, headers);
      const count = async (filter: object) =>
        (await defaultSandbox.steer('POST', '/requests/count', filter)).body.count;
      expect([await count({ where }), await count({ fault: body[0].id })]).toEqual([times, times]);
      await defaultSandbox.steer('DELETE', '/requests');
    }
  });

  it('cannot match a truncated body, which a verification reports as the reason', async () => {
    const sandbox = room();
    await sandbox.ask('POST', '/api/cart-items', { ...ITEM, note: 'x'.repeat(5_000) });
    const count = async (body: unknown) =>
      (await sandbox.steer('POST', '/requests/count', { where: { body } })).body.count;
    expect([await count({ $glob: '{"productId":*' }), await count({ quantity: 3 })]).toEqual([0, 0]);
    const { body } = await sandbox.steer('POST', '/requests/verify', { where: { body: { quantity: 3 } } });
    expect(body.nearMisses[0].reasons).toEqual([
      'body: cannot be compared, because the journal keeps only the first 4 kB',
    ]);
  });
});

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
      const { verified, count, message } = await verify(await createWithRequests(), {
        operation: 'addCartItem',
        ...times,
      });
      expect([verified, count, message]).toEqual([isVerified, 2, `Expected ${expectation}, found 2`]);
    },
  );

  it('expects at least one matching request by default', async () => {
    const sandbox = await createWithRequests();
    expect(await verify(sandbox, { operation: 'createOrder' })).toMatchObject({ verified: false, count: 0 });
    expect(await verify(sandbox, { operation: 'createOrder', times: 0 })).toMatchObject({ verified: true, count: 0 });
    expect((await verify(sandbox, { operation: 'listOrders' })).message).toBe(
      'Expected at least 1 matching request, found 1',
    );
  });

  it('returns no near misses if the verification passes', async () => {
    expect((await verify(await createWithRequests(), { status: 200 })).nearMisses).toEqual([]);
  });

  it('returns the nearest requests with reasons if there are too few matching requests', async () => {
    const sandbox = await createWithRequests();
    const filter = { operation: 'addCartItem', status: 201, where: { body: { quantity: 4 } }, after: 1 };
    const { nearMisses } = await verify(sandbox, filter);
    expect(nearMisses.map(({ request, reasons }: TestResponse['body']) => [request.id, reasons])).toEqual([
      [2, ['body/quantity: expected 4, got 3']],
      [3, ['body/quantity: expected 4, got 11', 'status: expected 201, got 400']],
      [5, [expect.stringContaining('GET /api/none'), expect.any(String), expect.any(String)]],
    ]);
    expect(nearMisses[0].request).toEqual((await sandbox.steer('GET', '/requests')).body[1]);
  });

  it('returns a reason for each part of the matcher that a near miss does not match', async () => {
    const { nearMisses } = await verify(await createWithRequests(), {
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

  it('returns the last three matching requests if there are too many', async () => {
    const sandbox = room();
    for (let n = 0; n < 5; n++) await listOrders(sandbox);
    const { nearMisses } = await verify(sandbox, { operation: 'listOrders', atMost: 2 });
    expect(nearMisses.map(({ request }: TestResponse['body']) => request.id)).toEqual([3, 4, 5]);
  });

  it('returns no near misses if the journal is empty', async () => {
    const sandbox = room();
    await sandbox.steer('PUT', '');
    expect(await verify(sandbox, {})).toEqual({
      verified: false,
      count: 0,
      message: 'Expected at least 1 matching request, found 0',
      nearMisses: [],
    });
  });

  it.each<readonly [where: object]>([
    [{ body: { user: { password: 'other' } } }],
    [{ headers: { authorization: 'other' } }],
    [{ query: { token: 'other' } }],
  ])('redacts secrets in near misses: %j', async (where) => {
    const sandbox = room();
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
    const sandbox = room();
    await sandbox.ask('POST', '/api/cart-items', { user: { password: 'hunter2' }, ...ITEM });
    const { nearMisses } = await verify(sandbox, { where });
    expect(nearMisses).toHaveLength(1);
    expect(JSON.stringify(nearMisses)).not.toContain('hunter2');
  });
});

describe('a verification with withinMs', () => {
  it.each([{}, { atLeast: 2 }])('passes as soon as there are enough requests: %j', async (times) => {
    const sandbox = room();
    await listOrders(sandbox);
    const waiting = verify(sandbox, { operation: 'getPaymentSummary', ...times, withinMs: LONG_TIMEOUT_MS });
    await listOrders(sandbox);
    for (let n = 0; n < 2; n++) await sandbox.ask('GET', '/api/payment-summary');
    expect((await waiting).verified).toBe(true);
  });

  it('passes at once if there are already enough requests', async () => {
    expect(
      await verify(await createWithRequests(), { status: 200, atLeast: 2, withinMs: LONG_TIMEOUT_MS }),
    ).toMatchObject({
      verified: true,
      count: 2,
    });
  });

  it.each([{ times: 0 }, { atMost: 0 }, { times: 1 }, { atLeast: 1, atMost: 1 }])(
    'fails at once if there are already too many requests: %j',
    async (times) => {
      const sandbox = await createWithRequests();
      expect(await verify(sandbox, { operation: 'addCartItem', ...times, withinMs: LONG_TIMEOUT_MS })).toMatchObject({
        verified: false,
        count: 2,
      });
    },
  );

  it('fails as soon as there are too many requests', async () => {
    const sandbox = room();
    await listOrders(sandbox);
    const waiting = verify(sandbox, { operation: 'listOrders', times: 1, withinMs: LONG_TIMEOUT_MS });
    await listOrders(sandbox);
    expect(await waiting).toMatchObject({ verified: false, count: 2 });
  });

  it.each([{ times: 1 }, { atMost: 1 }, { atLeast: 1, atMost: 2 }, { times: 0, operation: 'createOrder' }])(
    'waits until the end if one more request would be too many: %j',
    async (times) => {
      const sandbox = room();
      await listOrders(sandbox);
      const startMs = performance.now();
      expect((await verify(sandbox, { operation: 'listOrders', ...times, withinMs: 40 })).verified).toBe(true);
      expect(performance.now() - startMs).toBeGreaterThanOrEqual(39);
    },
  );

  it('counts the requests that arrive while it waits, and stops at one too many', async () => {
    const sandbox = room();
    await sandbox.steer('PUT', '');
    const waiting = verify(sandbox, { operation: 'listOrders', times: 2, withinMs: LONG_TIMEOUT_MS });
    for (let n = 0; n < 3; n++) await listOrders(sandbox);
    expect(await waiting).toMatchObject({ verified: false, count: 3 });
  });

  it('returns near misses if there are too few requests at the end', async () => {
    const sandbox = room();
    await listOrders(sandbox);
    const { verified, nearMisses } = await verify(sandbox, { operation: 'createOrder', withinMs: 20 });
    expect([verified, nearMisses.length]).toEqual([false, 1]);
  });

  it('does not wait if withinMs is absent or 0', async () => {
    const sandbox = await createWithRequests();
    for (const withinMs of [undefined, 0])
      expect((await verify(sandbox, { operation: 'createOrder', withinMs })).verified).toBe(false);
  });

  it('ends when the server closes, which does not wait for it', async () => {
    const server = await startStorefront();
    const steer = createControlClient(server);
    await server.ask('GET', '/api/orders');
    const waiting = steer('POST', '/default/requests/verify', {
      operation: 'createOrder',
      times: 0,
      withinMs: LONG_TIMEOUT_MS,
    });
    // Requests that were sent later have their responses, so the verification is waiting by now.
    await server.ask('GET', '/api/orders');
    await server.ask('GET', '/api/orders');
    await server.close();
    expect([(await waiting).status, (await waiting).body.verified]).toEqual([200, false]);
  });
});

describe('waitForRequests', () => {
  /** Waits with five requests in the journal; returns functions to add a request and to stop, and the ids that were checked. */
  function waiting(bounds: Bounds) {
    const checkedIds: number[] = [];
    const followers = new Set<Follower>();
    const journal = {
      follow(follower: Follower) {
        followers.add(follower);
        return () => followers.delete(follower);
      },
    };
    const isMatch = ({ id }: Pick<Entry, 'id'>) => checkedIds.push(id) > 0 && id % 2 === 0;
    const stopping = new AbortController();
    const end = waitForRequests({
      ...bounds,
      journal,
      withinMs: LONG_TIMEOUT_MS,
      stopping: stopping.signal,
      count: 5,
      isMatch,
    });
    const add = (id: number) => followers.forEach(({ onEntry: tell }) => void tell({ id } as Entry));
    return { looks: checkedIds, followers, comes: add, over: end, stop: () => stopping.abort() };
  }

  it('checks each new request once and stops at the expected number', async () => {
    const {
      looks: checkedIds,
      followers,
      comes: add,
      over: end,
    } = waiting({ least: 7, most: Number.POSITIVE_INFINITY });
    for (const id of [6, 7, 8, 9, 10]) add(id);
    await end;
    expect([checkedIds, followers.size]).toEqual([[6, 7, 8], 0]);
  });

  it('checks no request if there are already enough', async () => {
    const {
      looks: checkedIds,
      followers,
      comes: add,
      over: end,
    } = waiting({ least: 5, most: Number.POSITIVE_INFINITY });
    add(6);
    await end;
    expect([checkedIds, followers.size]).toEqual([[], 0]);
  });

  it('stops when the journal ends or the server stops', async () => {
    const [one, other] = [waiting({ least: 0, most: 9 }), waiting({ least: 0, most: 9 })];
    for (const { onEnd: end } of one.followers) end();
    other.stop();
    await Promise.all([one.over, other.over]);
    expect([one.followers.size, other.followers.size]).toEqual([0, 0]);
  });
});

describe('a verification of a journal that has dropped requests', () => {
  /** Creates a sandbox that has received 103 requests, the first three of which its journal has dropped. */
  async function createWithDropped(): Promise<SandboxClient> {
    const sandbox = room();
    await Promise.all(Array.from({ length: 103 }, () => listOrders(sandbox)));
    return sandbox;
  }

  const DROPPED_NOTE = /; the journal has dropped the requests up to #3: /;

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
    await sandbox.steer('DELETE', '/requests');
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

describe('an invalid count or verification', () => {
  it.each<readonly [filter: object, code: string, pointer: string]>([
    [{ operation: 'listOrder' }, 'unknown-operation', '/operation'],
    [{ operation: ['listOrders', 'x'] }, 'unknown-operation', '/operation'],
    [{ operation: [] }, 'invalid-request', '/operation'],
    [{ where: { body: { $x: 1 } } }, 'invalid-matcher', '/where/body/$x'],
    [{ where: { query: { q: { $gt: 'x' } } } }, 'invalid-matcher', '/where/query/q/$gt'],
    [{ where: { headers: { h: { $regex: '(' } } } }, 'invalid-matcher', '/where/headers/h/$regex'],
    [{ where: { url: '/' } }, 'invalid-request', '/where/url'],
    [{ status: 99 }, 'invalid-request', '/status'],
    [{ status: [] }, 'invalid-request', '/status'],
    [{ fault: '' }, 'invalid-request', '/fault'],
    [{ after: -1 }, 'invalid-request', '/after'],
    [{ oparation: 'listOrders' }, 'invalid-request', '/oparation'],
  ])('is rejected by both if the matcher is invalid: %j', async (filter, code, pointer) => {
    const sandbox = room();
    await sandbox.steer('PUT', '');
    for (const way of ['count', 'verify']) {
      const reply = await sandbox.steer('POST', `/requests/${way}`, filter);
      expectProblem(reply, code === 'unknown-operation' ? 404 : 400, code, way);
      expect(
        reply.body.violations.map((one: { pointer: string }) => one.pointer),
        way,
      ).toContain(pointer);
    }
  });

  it.each<readonly [times: object, code: string, pointer: string]>([
    [{ times: 1, atLeast: 1 }, 'invalid-request', ''],
    [{ times: 1, atMost: 1 }, 'invalid-request', ''],
    [{ times: 0, atMost: 0 }, 'invalid-request', ''],
    [{ times: -1 }, 'invalid-request', '/times'],
    [{ atLeast: 1.5 }, 'invalid-request', '/atLeast'],
    [{ atMost: '1' }, 'invalid-request', '/atMost'],
    [{ withinMs: 60_001 }, 'invalid-request', '/withinMs'],
    [{ withinMs: -1 }, 'invalid-request', '/withinMs'],
  ])('is rejected if the expected number or the time is invalid: %j', async (times, code, pointer) => {
    const sandbox = room();
    await sandbox.steer('PUT', '');
    const reply = await sandbox.steer('POST', '/requests/verify', { operation: 'listOrders', ...times });
    expectProblem(reply, 400, code);
    expect(reply.body.violations.map((one: { pointer: string }) => one.pointer)).toContain(pointer);
  });

  it.each([0, 2, 4])('fails at once after %i requests if atLeast is above atMost', async (times) => {
    const sandbox = room();
    await sandbox.steer('PUT', '');
    for (let time = 0; time < times; time++) await sandbox.ask('GET', '/api/orders');
    const filter = { operation: 'listOrders', atLeast: 3, atMost: 2, withinMs: LONG_TIMEOUT_MS };
    const { status, body } = await sandbox.steer('POST', '/requests/verify', filter);
    expect([status, body.verified, body.count]).toEqual([200, false, times]);
    expect(body.message).toMatch(/Expected at least 3 and at most 2 matching requests, which is impossible/);
  });

  it('is rejected if a count has an expected number', async () => {
    const sandbox = room();
    await sandbox.steer('PUT', '');
    const reply = await sandbox.steer('POST', '/requests/count', { times: 1 });
    expectProblem(reply, 400, 'invalid-request');
  });

  it('is rejected if it has no body', async () => {
    const sandbox = room();
    await sandbox.steer('PUT', '');
    for (const way of ['count', 'verify'])
      expectProblem(await sandbox.steer('POST', `/requests/${way}`), 400, 'invalid-request', way);
  });
});
