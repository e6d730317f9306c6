import { describe, expect, it, vi } from 'vitest';
import { createOperation, writeDocument } from '../support/fixtures/other-document.ts';
import { getIds, getJournal, type Journal, sendRequests } from '../support/harness/journal.ts';
import { expectProblem } from '../support/harness/problems.ts';
import { getSandboxClient, useSharedShop } from '../support/harness/shared-shop.ts';
import { startStorefront } from '../support/harness/start-storefront.ts';

const { newSandbox } = useSharedShop();
const SECRET = 'hunter2';

describe('a request in progress', () => {
  it.each([
    ['w1', 'recreated meanwhile', 'PUT', ''],
    ['w1', 'removed meanwhile', 'DELETE', ''],
    ['default', 'recreated meanwhile', 'PUT', ''],
  ])('in the sandbox %s is not recorded if the sandbox is %s', async (id, _, method, below) => {
    const sandbox = getSandboxClient(await startStorefront(), id);
    await sandbox.sendControl('POST', '/faults', { operation: 'createOrder', delay: 1_000, phase: 'after' });
    const request = sandbox.ask('POST', '/api/orders');
    await vi.waitFor(async () => expect((await sandbox.sendControl('GET', '')).body.counts.orders).toBe(3), {
      interval: 2,
    });
    await sandbox.sendControl(method, below);
    expect((await request).status).toBe(201);
    await sandbox.ask('GET', '/api/orders');
    expect((await getJournal(sandbox)).map(({ operation }: Journal) => operation)).toEqual(['listOrders']);
    expect((await sandbox.sendControl('POST', '/requests/count', { operation: 'createOrder' })).body).toEqual({
      count: 0,
    });
  });
});

describe('GET /_control/sandboxes/ID/requests', () => {
  it('selects requests by after, operation and limit', async () => {
    const sandbox = newSandbox();
    for (const path of ['/api/orders', '/api/payment-summary', '/api/orders', '/api/none', '/api/orders'])
      await sandbox.ask('GET', path);
    for (const [query, ids] of [
      ['', [1, 2, 3, 4, 5]],
      ['?after=0', [1, 2, 3, 4, 5]],
      ['?after=2', [3, 4, 5]],
      ['?after=5', []],
      ['?after=99', []],
      ['?limit=2', [4, 5]],
      ['?limit=1000', [1, 2, 3, 4, 5]],
      ['?operation=listOrders', [1, 3, 5]],
      ['?operation=createOrder', []],
      ['?operation=createOrder,getPaymentSummary', [2]],
      ['?operation=getPaymentSummary,listOrders&limit=3', [2, 3, 5]],
      ['?operation=listOrders&after=1', [3, 5]],
      ['?operation=listOrders&after=1&limit=1', [5]],
    ] as const)
      expect(await getIds(sandbox, query), query).toEqual(ids);
  });

  it.each([
    ['?after=-1', 'after'],
    ['?after=x', 'after'],
    ['?limit=0', 'limit'],
    ['?limit=1001', 'limit'],
    ['?operation=', 'operation/0'],
    ['?oparation=listOrders', 'oparation'],
  ])('rejects an invalid query with a JSON Pointer: %s', async (query, name) => {
    const sandbox = newSandbox();
    await sandbox.ask('GET', '/api/orders');
    const reply = await sandbox.sendControl('GET', `/requests${query}`);
    expectProblem(reply, 400, 'invalid-request');
    expect(reply.body.violations).toMatchObject([{ in: 'query', pointer: `/${name}` }]);
  });

  it('rejects an unknown operation and lists the known ones', async () => {
    const sandbox = newSandbox();
    await sandbox.ask('GET', '/api/orders');
    for (const named of ['listOrder', 'listOrders,listOrder']) {
      const reply = await sandbox.sendControl('GET', `/requests?operation=${named}`);
      expectProblem(reply, 404, 'unknown-operation');
      expect(reply.body.detail).toMatch(
        /^query parameter operation "listOrder" does not exist: did you mean "listOrders"\?/,
      );
      expect(reply.body.violations).toMatchObject([{ in: 'query', pointer: '/operation', rule: 'enum' }]);
    }
  });

  it('returns an empty list after DELETE, while ids continue', async () => {
    const sandbox = newSandbox();
    await sendRequests(sandbox, 2);
    const { status, text } = await sandbox.sendControl('DELETE', '/requests');
    expect([status, text]).toEqual([204, '']);
    expect(await getIds(sandbox)).toEqual([]);
    await sendRequests(sandbox, 2);
    expect(await getIds(sandbox)).toEqual([3, 4]);
  });
});

describe('the journal of a server with another contract', () => {
  /** Starts a storefront with one operation that has a secret parameter. */
  async function startWithSecret() {
    const parameters = [{ name: 'token', in: 'query', schema: { type: 'integer' } }];
    const contract = await writeDocument({
      paths: { '/pins': { get: createOperation('listPins', {}, { parameters }) } },
    });
    // The contract documents no 400 response.
    return startStorefront({ contract, mock: true, verify: 'off' });
  }

  it('accepts the operations of this contract, at any path, and rejects others', async () => {
    const defaultSandbox = getSandboxClient(await startWithSecret(), 'default');
    await defaultSandbox.ask('GET', '/pins');
    expect(await getIds(defaultSandbox, '?operation=listPins')).toEqual([1]);
    for (const [method, below, body] of [
      ['GET', '/requests?operation=listOrders', undefined],
      ['POST', '/requests/count', { operation: 'listOrders' }],
      ['POST', '/faults', { operation: 'listOrders', status: 500 }],
    ] as const)
      expect((await defaultSandbox.sendControl(method, below, body)).body.detail, below).toMatch(
        /operation "listOrders" does not exist: use listPins$/,
      );
  });

  it('redacts a secret parameter that has the wrong type', async () => {
    const defaultSandbox = getSandboxClient(await startWithSecret(), 'default');
    expect((await defaultSandbox.ask('GET', `/pins?token=${SECRET}`)).status).toBe(400);
    expect((await defaultSandbox.sendControl('GET', '/requests')).text).not.toContain(SECRET);
  });
});
