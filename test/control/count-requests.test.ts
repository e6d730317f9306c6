import { describe, expect, it } from 'vitest';
import { ITEM } from '../support/fixtures/cart-item.ts';
import { createOperation, writeDocument } from '../support/fixtures/other-document.ts';
import { sendFiveRequests } from '../support/harness/journal.ts';
import { expectProblem } from '../support/harness/problems.ts';
import { getSandboxClient, type SandboxClient, useSharedShop } from '../support/harness/shared-shop.ts';
import { startStorefront } from '../support/harness/start-storefront.ts';

const { newSandbox } = useSharedShop();

/** A timeout in ms that is longer than a test may take: a test that waits for it fails. */
const LONG_TIMEOUT_MS = 60_000;

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
    const { sendControl } = await sendFiveRequests(newSandbox());
    expect((await sendControl('POST', '/requests/count', filter)).body).toEqual({ count });
  });

  it('counts requests that a fault applied to', async () => {
    const sandbox = newSandbox();
    const { body } = await sandbox.sendControl('POST', '/faults', { operation: 'listOrders', delay: 1, times: 2 });
    for (let n = 0; n < 3; n++) await listOrders(sandbox);
    expect((await sandbox.sendControl('POST', '/requests/count', { fault: body.id })).body).toEqual({ count: 2 });
  });

  it('counts requests without a response unless a status is expected', async () => {
    const sandbox = newSandbox();
    await sandbox.sendControl('POST', '/faults', { operation: 'listOrders', connection: 'reset' });
    await listOrders(sandbox).catch(() => {});
    const count = async (filter: object) => (await sandbox.sendControl('POST', '/requests/count', filter)).body.count;
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
      const { body } = await defaultSandbox.sendControl('PUT', '/faults', [{ where, delay: 1 }]);
      for (const sent of ['name=Ann&tag=a&tag=b+c', 'name=%41nn&age=7', 'name=Bob&tag=a&age=8', 'tag=a'])
        await defaultSandbox.ask('POST', '/logins', sent, headers);
      const count = async (filter: object) =>
        (await defaultSandbox.sendControl('POST', '/requests/count', filter)).body.count;
      expect([await count({ where }), await count({ fault: body[0].id })]).toEqual([times, times]);
      await defaultSandbox.sendControl('DELETE', '/requests');
    }
  });

  it('cannot match a truncated body, which a verification reports as the reason', async () => {
    const sandbox = newSandbox();
    await sandbox.ask('POST', '/api/cart-items', { ...ITEM, note: 'x'.repeat(5_000) });
    const count = async (body: unknown) =>
      (await sandbox.sendControl('POST', '/requests/count', { where: { body } })).body.count;
    expect([await count({ $glob: '{"productId":*' }), await count({ quantity: 3 })]).toEqual([0, 0]);
    const { body } = await sandbox.sendControl('POST', '/requests/verify', { where: { body: { quantity: 3 } } });
    expect(body.nearMisses[0].reasons).toEqual([
      'body: cannot be compared, because the journal contains only its first 4 kB',
    ]);
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
    const sandbox = newSandbox();
    await sandbox.sendControl('PUT', '');
    for (const way of ['count', 'verify']) {
      const reply = await sandbox.sendControl('POST', `/requests/${way}`, filter);
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
    const sandbox = newSandbox();
    await sandbox.sendControl('PUT', '');
    const reply = await sandbox.sendControl('POST', '/requests/verify', { operation: 'listOrders', ...times });
    expectProblem(reply, 400, code);
    expect(reply.body.violations.map((one: { pointer: string }) => one.pointer)).toContain(pointer);
  });

  it.each([0, 2, 4])('fails at once after %i requests if atLeast is above atMost', async (times) => {
    const sandbox = newSandbox();
    await sandbox.sendControl('PUT', '');
    for (let time = 0; time < times; time++) await sandbox.ask('GET', '/api/orders');
    const filter = { operation: 'listOrders', atLeast: 3, atMost: 2, withinMs: LONG_TIMEOUT_MS };
    const { status, body } = await sandbox.sendControl('POST', '/requests/verify', filter);
    expect([status, body.verified, body.count]).toEqual([200, false, times]);
    expect(body.message).toMatch(/Expected at least 3 and at most 2 matching requests, which is impossible/);
  });

  it('is rejected if a count has an expected number', async () => {
    const sandbox = newSandbox();
    await sandbox.sendControl('PUT', '');
    const reply = await sandbox.sendControl('POST', '/requests/count', { times: 1 });
    expectProblem(reply, 400, 'invalid-request');
  });

  it('is rejected if it has no body', async () => {
    const sandbox = newSandbox();
    await sandbox.sendControl('PUT', '');
    for (const way of ['count', 'verify'])
      expectProblem(await sandbox.sendControl('POST', `/requests/${way}`), 400, 'invalid-request', way);
  });
});
