import { describe, expect, it } from 'vitest';
import { IN_CART, ITEM, ITEM_PATH, KETTLE } from '../support/fixtures/cart-item.ts';
import { addFault, getCounters, getStatuses } from '../support/harness/faults.ts';
import { expectProblem } from '../support/harness/problems.ts';
import { createClient } from '../support/harness/sandboxes.ts';
import { type SandboxClient, useSharedShop } from '../support/harness/shared-shop.ts';

const { shop, newSandbox } = useSharedShop();

describe('a fault for an operation', () => {
  it('applies only to requests for this operation', async () => {
    const sandbox = newSandbox();
    const id = await addFault(sandbox, { operation: 'createOrder', status: 503 });
    const reply = await sandbox.ask('POST', '/api/orders');
    expectProblem(reply, 503, 'unavailable');
    expect(reply.body.detail).toBe('the server cannot handle the request now: try again after the time in Retry-After');
    expect((await sandbox.ask('GET', '/api/orders')).status).toBe(200);
    expect(await getCounters(sandbox, id)).toEqual([1, 1, false]);
  });

  it('applies to requests for each operation in a list', async () => {
    const sandbox = newSandbox();
    await addFault(sandbox, { operation: ['createOrder', 'getPaymentSummary'], status: 503 });
    expect((await sandbox.ask('POST', '/api/orders')).status).toBe(503);
    expect((await sandbox.ask('GET', '/api/payment-summary')).status).toBe(503);
    expect((await sandbox.ask('GET', '/api/orders')).status).toBe(200);
  });

  it('applies to all operations if it names none', async () => {
    const sandbox = newSandbox();
    await addFault(sandbox, { status: 500 });
    for (const [method, path] of [
      ['GET', '/api/products'],
      ['POST', '/api/orders'],
      ['DELETE', ITEM_PATH],
    ] as const)
      expect((await sandbox.ask(method, path)).status, path).toBe(500);
  });

  it('applies only to operations that document its response if it names none', async () => {
    const sandbox = newSandbox();
    const id = await addFault(sandbox, { status: 409 });
    const other = await addFault(sandbox, { example: 'byName' });
    expect(await getStatuses(sandbox, 2)).toBe('409 409');
    await sandbox.sendControl('DELETE', `/faults/${id}`);
    const byName = await sandbox.ask('GET', '/api/products');
    expect([byName.status, byName.body.length]).toEqual([200, 1]);
    expect(await getStatuses(sandbox, 2)).toBe('200 200');
    expect(await getCounters(sandbox, other)).toEqual([1, 1, false]);
  });

  it('does not apply to requests that match no operation', async () => {
    const sandbox = newSandbox();
    const id = await addFault(sandbox, { status: 500 });
    expectProblem(await sandbox.ask('GET', '/api/nothing'), 404, 'unknown-path');
    expectProblem(await sandbox.ask('PATCH', '/api/orders'), 405, 'method-not-allowed');
    expect((await sandbox.ask('OPTIONS', '/api/orders')).status).toBe(204);
    expect(await getCounters(sandbox, id)).toEqual([0, 0, false]);
  });
});

/** Matchers, each with a request that matches and one that does not. */
type SentRequest = readonly [method: string, path: string, headers?: Record<string, string>, body?: object];
const MATCHERS: readonly (readonly [where: object, match: SentRequest, mismatch: SentRequest])[] = [
  [{ method: 'POST' }, ['POST', '/api/orders'], ['GET', '/api/orders']],
  [{ method: 'post' }, ['POST', '/api/orders'], ['GET', '/api/orders']],
  [{ path: '/api/orders' }, ['GET', '/api/orders?expand=products'], ['GET', '/api/products']],
  [{ path: '/api/cart-items/*' }, ['DELETE', ITEM_PATH], ['GET', '/api/cart-items']],
  [{ path: '*-summary' }, ['GET', '/api/payment-summary'], ['GET', '/api/orders']],
  [{ query: { search: 'kettle' } }, ['GET', '/api/products?search=kettle'], ['GET', '/api/products?search=sock']],
  [{ query: { search: { $glob: 'k*' } } }, ['GET', '/api/products?search=kettle'], ['GET', '/api/products']],
  [{ query: { search: { $exists: false } } }, ['GET', '/api/orders'], ['GET', '/api/products?search=']],
  [{ headers: { 'x-PAGE': 'cart' } }, ['GET', '/api/orders', { 'X-Page': 'cart' }], ['GET', '/api/orders']],
  [
    { headers: { 'X-Page': { $in: ['a', 'b'] } } },
    ['GET', '/api/orders', { 'x-page': 'b' }],
    ['GET', '/api/orders', { 'x-page': 'c' }],
  ],
  [
    { body: { quantity: 3 } },
    ['POST', '/api/cart-items', {}, ITEM],
    ['POST', '/api/cart-items', {}, { ...ITEM, quantity: 4 }],
  ],
  [
    { body: { quantity: { $gt: 2, $lt: 4 } } },
    ['POST', '/api/cart-items', {}, ITEM],
    ['POST', '/api/cart-items', {}, { ...ITEM, quantity: 4 }],
  ],
  [
    { body: { productId: { $regex: `^${KETTLE.slice(0, 8)}` } } },
    ['POST', '/api/cart-items', {}, ITEM],
    ['POST', '/api/cart-items', {}, { ...ITEM, productId: IN_CART }],
  ],
  [
    { body: { deliveryOptionId: { $exists: false } } },
    ['PUT', ITEM_PATH, {}, { quantity: 1 }],
    ['PUT', ITEM_PATH, {}, { quantity: 1, deliveryOptionId: '2' }],
  ],
  [{ body: { $exists: false } }, ['GET', '/api/orders'], ['POST', '/api/cart-items', {}, ITEM]],
  [
    { body: { $not: { quantity: { $in: [3, 5] } } } },
    ['POST', '/api/cart-items', {}, { ...ITEM, quantity: 4 }],
    ['POST', '/api/cart-items', {}, ITEM],
  ],
  [
    { method: 'PUT', path: '/api/*', headers: { 'X-Page': 'a' }, body: { quantity: 2 } },
    ['PUT', ITEM_PATH, { 'X-Page': 'a' }, { quantity: 2 }],
    ['PUT', ITEM_PATH, {}, { quantity: 2 }],
  ],
];

describe('a fault with a matcher', () => {
  it.each(MATCHERS)('applies only to matching requests: %j', async (where, match, mismatch) => {
    const sandbox = newSandbox();
    const id = await addFault(sandbox, { where, status: 500 });
    const getStatus = async ([method, path, headers, body]: SentRequest) =>
      (await sandbox.ask(method, path, body, headers)).status;
    expect([await getStatus(match), (await getStatus(mismatch)) < 500]).toEqual([500, true]);
    expect(await getCounters(sandbox, id)).toEqual([1, 1, false]);
  });

  it('matches a property that the contract does not define', async () => {
    const sandbox = newSandbox();
    await addFault(sandbox, { where: { body: { gift: { for: ['Ann', 'Bo'] } } }, status: 500 });
    const giving = (names: readonly string[]) => sandbox.ask('PUT', ITEM_PATH, { quantity: 1, gift: { for: names } });
    expect((await giving(['Ann', 'Bo'])).status).toBe(500);
    expect((await giving(['Bo', 'Ann'])).status).toBe(200);
  });

  it.each([
    ['with the prefix that names the sandbox', ({ id }: SandboxClient) => `/_sandbox/${id}/api/orders`],
    ['that is an absolute URL', () => 'http://localhost/api/orders'],
    ['that starts with two slashes', () => '//api/orders'],
  ])('matches the path of a target %s, as the journal does', async (_, target) => {
    const sandbox = newSandbox();
    const where = { path: '/api/orders' };
    await addFault(sandbox, { where, status: 503 });
    const headers = { 'x-sandbox': sandbox.id };
    expect((await createClient(shop())('GET', target(sandbox), undefined, headers)).status).toBe(503);
    expect((await sandbox.sendControl('POST', '/requests/count', { where })).body).toEqual({ count: 1 });
  });
});
