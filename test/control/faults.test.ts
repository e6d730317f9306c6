import { mkdir, rm } from 'node:fs/promises';
import { performance } from 'node:perf_hooks';
import { describe, expect, it, vi } from 'vitest';
import { defaults, getProductId } from '../support/fixtures/default-data.ts';
import { type ConnectionEnd, getConnectionEnd } from '../support/harness/connection-ends.ts';
import { expectProblem } from '../support/harness/problems.ts';
import { sendRaw } from '../support/harness/raw-client.ts';
import { createClient, createControlClient, createSandboxClient } from '../support/harness/sandboxes.ts';
import { getSandboxClient, type SandboxClient, useSharedShop } from '../support/harness/shared-shop.ts';
import { NOW_MS, startStorefront, type TestResponse } from '../support/harness/start-storefront.ts';

const { shop, room } = useSharedShop();
const mocking = useSharedShop({ mock: true });

const KETTLE = getProductId('Cordless Electric Kettle');
const [IN_CART] = defaults.cartItems.map((item) => item.productId) as [string];
const ITEM_PATH = `/api/cart-items/${IN_CART}`;

/** Adds a fault to a sandbox and returns its id. */
async function addFault({ steer }: SandboxClient, fault: object): Promise<string> {
  const { status, body } = await steer('POST', '/faults', fault);
  expect(status, JSON.stringify(body)).toBe(200);
  return body.id;
}

/** Returns the counters of a fault: how many requests matched it, to how many it applied, and whether it has expired. */
async function getCounters(
  { steer }: SandboxClient,
  id: string,
): Promise<readonly [matched: number, applied: number, expired: boolean]> {
  const { body } = await steer('GET', `/faults/${id}`);
  return [body.matched, body.applied, body.expired];
}

async function countOrders({ steer }: SandboxClient): Promise<number> {
  return (await steer('GET', '')).body.counts.orders;
}

/** Returns the last journal entry of a sandbox. */
async function getLastEntry({ steer }: SandboxClient) {
  const { body } = await steer('GET', '/requests?limit=1');
  return body[0];
}

/** Sends the same request `count` times, one after the other, and returns the statuses with spaces between. */
async function getStatuses(
  { ask }: SandboxClient,
  count: number,
  method = 'GET',
  path = '/api/orders',
): Promise<string> {
  const expectedStatuses: number[] = [];
  for (let n = 0; n < count; n++) expectedStatuses.push((await ask(method, path)).status);
  return expectedStatuses.join(' ');
}

function getPointers({ body }: TestResponse): readonly string[] {
  return body.violations.map(({ pointer }: { pointer: string }) => pointer);
}

describe('a fault for an operation', () => {
  it('applies only to requests for this operation', async () => {
    const sandbox = room();
    const id = await addFault(sandbox, { operation: 'createOrder', status: 503 });
    const reply = await sandbox.ask('POST', '/api/orders');
    expectProblem(reply, 503, 'unavailable');
    expect(reply.body.detail).toBe('the server cannot handle the request now: try again after the time in Retry-After');
    expect((await sandbox.ask('GET', '/api/orders')).status).toBe(200);
    expect(await getCounters(sandbox, id)).toEqual([1, 1, false]);
  });

  it('applies to requests for each operation in a list', async () => {
    const sandbox = room();
    await addFault(sandbox, { operation: ['createOrder', 'getPaymentSummary'], status: 503 });
    expect((await sandbox.ask('POST', '/api/orders')).status).toBe(503);
    expect((await sandbox.ask('GET', '/api/payment-summary')).status).toBe(503);
    expect((await sandbox.ask('GET', '/api/orders')).status).toBe(200);
  });

  it('applies to all operations if it names none', async () => {
    const sandbox = room();
    await addFault(sandbox, { status: 500 });
    for (const [method, path] of [
      ['GET', '/api/products'],
      ['POST', '/api/orders'],
      ['DELETE', ITEM_PATH],
    ] as const)
      expect((await sandbox.ask(method, path)).status, path).toBe(500);
  });

  it('applies only to operations that document its response if it names none', async () => {
    const sandbox = room();
    const id = await addFault(sandbox, { status: 409 });
    const other = await addFault(sandbox, { example: 'byName' });
    expect(await getStatuses(sandbox, 2)).toBe('409 409');
    await sandbox.steer('DELETE', `/faults/${id}`);
    const byName = await sandbox.ask('GET', '/api/products');
    expect([byName.status, byName.body.length]).toEqual([200, 1]);
    expect(await getStatuses(sandbox, 2)).toBe('200 200');
    expect(await getCounters(sandbox, other)).toEqual([1, 1, false]);
  });

  it('does not apply to requests that match no operation', async () => {
    const sandbox = room();
    const id = await addFault(sandbox, { status: 500 });
    expectProblem(await sandbox.ask('GET', '/api/nothing'), 404, 'unknown-path');
    expectProblem(await sandbox.ask('PATCH', '/api/orders'), 405, 'method-not-allowed');
    expect((await sandbox.ask('OPTIONS', '/api/orders')).status).toBe(204);
    expect(await getCounters(sandbox, id)).toEqual([0, 0, false]);
  });
});

/** Matchers, each with a request that matches and one that does not. */
type SentRequest = readonly [method: string, path: string, headers?: Record<string, string>, body?: object];
const ITEM = { productId: KETTLE, quantity: 3 };
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
    const sandbox = room();
    const id = await addFault(sandbox, { where, status: 500 });
    const statusOf = async ([method, path, headers, body]: SentRequest) =>
      (await sandbox.ask(method, path, body, headers)).status;
    expect([await statusOf(match), (await statusOf(mismatch)) < 500]).toEqual([500, true]);
    expect(await getCounters(sandbox, id)).toEqual([1, 1, false]);
  });

  it('matches a property that the contract does not define', async () => {
    const sandbox = room();
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
    const sandbox = room();
    const where = { path: '/api/orders' };
    await addFault(sandbox, { where, status: 503 });
    const headers = { 'x-sandbox': sandbox.id };
    expect((await createClient(shop())('GET', target(sandbox), undefined, headers)).status).toBe(503);
    expect((await sandbox.steer('POST', '/requests/count', { where })).body).toEqual({ count: 1 });
  });
});

/** Invalid faults, each with the pointer to the invalid value and the message. */
const INVALID_FAULTS: readonly (readonly [fault: object, pointer: string, message: RegExp])[] = [
  [{}, '', /add status, example, delay, connection or bodyDurationMs/],
  [{ where: { path: '/api/orders' } }, '', /add status, example, delay/],
  [{ operation: 'createOrder', times: 1 }, '', /add status/],
  [{ oparation: 'createOrder', status: 500 }, '/oparation', /did you mean \\"operation\\"\?/],
  [{ operation: [], status: 500 }, '/operation', /./],
  [{ operation: '', status: 500 }, '/operation', /./],
  [{ status: 600 }, '/status', /./],
  [{ status: '503' }, '/status', /./],
  [
    { operation: 'removeCartItem', status: 204, violation: true, body: { a: 1 } },
    '',
    /a response with status 204 or 304 has no body/,
  ],
  [{ delay: -1 }, '/delay', /./],
  [{ delay: 60_001 }, '/delay', /./],
  [{ connection: 'hang' }, '/connection', /./],
  [{ connection: 'reset', status: 500 }, '', /a connection that is reset has no response/],
  [{ connection: 'reset', bodyDurationMs: 5 }, '', /remove `connection` or `bodyDurationMs`/],
  [{ connection: 'cut', bodyDurationMs: 5 }, '', /remove `connection` or `bodyDurationMs`/],
  [{ bodyDurationMs: 0 }, '/bodyDurationMs', /./],
  [{ status: 500, skip: -1 }, '/skip', /./],
  [{ status: 500, times: 0 }, '/times', /./],
  [{ status: 500, probability: 1.1 }, '/probability', /./],
  [{ status: 500, seed: -1 }, '/seed', /./],
  [{ status: 500, phase: 'during' }, '/phase', /./],
  [{ status: 500, until: 'tomorrow' }, '/until', /./],
  [{ status: 500, durationMs: 0 }, '/durationMs', /./],
  [{ status: 500, where: { path: 'api' } }, '/where/path', /./],
  [{ status: 500, where: { url: '/api' } }, '/where/url', /./],
  [{ status: 500, where: { body: { a: { $more: 1 } } } }, '/where/body/a/$more', /not an operator: use \$eq/],
  [{ status: 500, where: { body: { a: [{ $gt: '1' }] } } }, '/where/body/a/0/$gt', /use a number/],
  [{ status: 500, where: { query: { q: { $lt: true } } } }, '/where/query/q/$lt', /use a number/],
  [{ status: 500, where: { query: { 'a/b': { $in: 'x' } } } }, '/where/query/a~1b/$in', /use a list/],
  [{ status: 500, where: { headers: { 'X-A': { $regex: '(' } } } }, '/where/headers/X-A/$regex', /regular/],
  [{ status: 500, where: { headers: { 'X-A': { $glob: 1 } } } }, '/where/headers/X-A/$glob', /use a string/],
  [{ status: 500, where: { body: { $exists: 1 } } }, '/where/body/$exists', /use true or false/],
  [{ status: 500, where: { body: { $not: { $glob: 1 } } } }, '/where/body/$not/$glob', /use a string/],
];

/** Faults that the contract of the application does not allow, each with the status of the response, the pointer to the invalid value and the message. */
const OFF_CONTRACT: readonly (readonly [status: number, fault: object, pointer: string, message: RegExp])[] = [
  [404, { operation: 'createOder', status: 500 }, '/operation', /createOder.*listProducts.*createOrder/],
  [404, { operation: ['createOrder', 'order'], status: 500 }, '/operation', /order.*createOrder/],
  [409, { operation: 'createOrder', status: 302 }, '/status', /302.*createOrder: use 201, 409, 4XX, 5XX/],
  [409, { operation: ['createOrder', 'listOrders'], status: 201 }, '/status', /201.*listOrders/],
  [409, { status: 302 }, '/status', /302/],
  [409, { operation: 'createOrder', example: 'emtpyCart' }, '/example', /emtpyCart.*use .*emptyCart/],
  [409, { operation: 'createOrder', status: 201, example: 'emptyCart' }, '/example', /emptyCart.*use created/],
  [409, { example: 'nowhere' }, '/example', /nowhere/],
];

describe('an invalid fault', () => {
  it.each([...INVALID_FAULTS.map((row) => [400, ...row] as const), ...OFF_CONTRACT])(
    'is rejected with status %i, a JSON Pointer and a remedy: %j',
    async (status, fault, pointer, message) => {
      const sandbox = room();
      await sandbox.steer('PUT', '');
      const one = await sandbox.steer('POST', '/faults', fault);
      expect([one.status, getPointers(one)]).toEqual([status, [pointer]]);
      expect(JSON.stringify(one.body)).toMatch(message);
      const ofSome = await sandbox.steer('PUT', '/faults', [{ status: 500 }, fault]);
      expect([ofSome.status, getPointers(ofSome)]).toEqual([status, [`/1${pointer}`]]);
      expect((await sandbox.steer('GET', '/faults')).body).toEqual([]);
    },
  );

  it('is rejected with a code that depends on what is invalid', async () => {
    const { steer } = room();
    expectProblem(await steer('POST', '/faults', { operation: 'x', status: 500 }), 404, 'unknown-operation');
    expectProblem(await steer('POST', '/faults', { status: 302 }), 409, 'contract-conflict');
    expectProblem(await steer('POST', '/faults', { connection: 'cut', bodyDurationMs: 1 }), 400, 'invalid-request');
    expectProblem(await steer('POST', '/faults', { where: { body: { $x: 1 } }, status: 500 }), 400, 'invalid-matcher');
  });

  it('is rejected if its matcher is nested too deeply', async () => {
    const steer = createControlClient(await startStorefront({ faultsExpected: true }));
    const deep = `${'['.repeat(40_000)}${']'.repeat(40_000)}`;
    const reply = await steer('POST', '/w1/faults', `{"code":500,"where":{"body":${deep}}}`);
    expect(reply.status).toBe(400);
  });

  it('is rejected without creating the sandbox if it is longer than all faults of a sandbox can be', async () => {
    const { id, steer } = room();
    const fault = { status: 500, where: { body: 'x'.repeat(20_001) } };
    expectProblem(await steer('POST', '/faults', fault), 409, 'limit-reached');
    expectProblem(await steer('PUT', '/faults', [fault]), 409, 'limit-reached');
    expect((await steer('GET', '')).status, id).toBe(404);
  });

  it('does not create the sandbox', async () => {
    const sandbox = room();
    await sandbox.steer('POST', '/faults', { operation: 'x', status: 500 });
    await sandbox.steer('PUT', '/faults', [{ status: 500 }, {}]);
    await sandbox.steer('PUT', '/faults', Array(3).fill({ where: { body: 'x'.repeat(9_000) }, status: 500 }));
    expectProblem(await sandbox.steer('GET', '/faults'), 404, 'unknown-sandbox');
  });
});

describe('a fault with limits', () => {
  it.each<readonly [fault: object, expectedStatuses: string, getCounters: readonly unknown[]]>([
    [{}, '500 500 500 500', [4, 4, false]],
    [{ skip: 2 }, '200 200 500 500', [4, 2, false]],
    [{ times: 2 }, '500 500 200 200', [2, 2, true]],
    [{ skip: 1, times: 2 }, '200 500 500 200', [3, 2, true]],
    [{ probability: 0 }, '200 200 200 200', [4, 0, false]],
    [{ probability: 1 }, '500 500 500 500', [4, 4, false]],
    [{ probability: 1, skip: 3, times: 9 }, '200 200 200 500', [4, 1, false]],
  ])('applies as often as its skip, times and probability say: %j', async (limits, expectedStatuses, expected) => {
    const sandbox = room();
    const id = await addFault(sandbox, { operation: 'listOrders', status: 500, ...limits });
    expect(await getStatuses(sandbox, 4)).toBe(expectedStatuses);
    expect(await getCounters(sandbox, id)).toEqual(expected);
  });

  it('with a probability applies to the same requests for the same seed, by default the number of its id', async () => {
    const match = async (fault: object) => {
      const sandbox = room();
      await addFault(sandbox, { operation: 'listOrders', status: 500, probability: 0.5, ...fault });
      return getStatuses(sandbox, 24);
    };
    const [none, one, again, other] = await Promise.all([{}, { seed: 1 }, { seed: 1 }, { seed: 2 }].map(match));
    expect(one).toBe(none);
    expect(again).toBe(one);
    expect(other).not.toBe(one);
    expect(one).toMatch(/200.*500.*200/);
  });

  it('with a probability applies to other requests than another fault if neither has a seed', async () => {
    const sandbox = room();
    for (const operation of ['listOrders', 'getPaymentSummary'])
      await addFault(sandbox, { operation, status: 500, probability: 0.5 });
    expect(await getStatuses(sandbox, 24)).not.toBe(await getStatuses(sandbox, 24, 'GET', '/api/payment-summary'));
  });

  it('with a probability applies to the same requests after it is replaced if it has a seed', async () => {
    const sandbox = room();
    const match = async (fault: object) => {
      await sandbox.steer('PUT', '/faults', [{ operation: 'listOrders', status: 500, probability: 0.5, ...fault }]);
      return getStatuses(sandbox, 24);
    };
    expect(await match({})).not.toBe(await match({}));
    expect(await match({ seed: 7 })).toBe(await match({ seed: 7 }));
  });

  it('with a probability counts only the requests that it applies to towards its times', async () => {
    const sandbox = room();
    const id = await addFault(sandbox, { operation: 'listOrders', status: 500, probability: 0.5, times: 3 });
    expect((await getStatuses(sandbox, 24)).match(/500/g)).toHaveLength(3);
    expect((await getCounters(sandbox, id)).slice(1)).toEqual([3, true]);
  });

  it.each(['2025-06-01T12:00:10Z', NOW_MS + 10_000])(
    'expires by the clock of the sandbox, with until: %s',
    async (until) => {
      const sandbox = room();
      const id = await addFault(sandbox, { operation: 'listOrders', status: 500, until });
      await sandbox.steer('PUT', '/clock', { now: NOW_MS + 9_999, frozen: true });
      expect(await getStatuses(sandbox, 1)).toBe('500');
      await sandbox.steer('POST', '/clock/advance', { ms: 1 });
      expect(await getStatuses(sandbox, 2)).toBe('200 200');
      expect(await getCounters(sandbox, id)).toEqual([1, 1, true]);
    },
  );

  it('expires after its durationMs, whatever the clock of the sandbox says', async () => {
    const sandbox = room();
    const [short, long] = [
      await addFault(sandbox, { operation: 'listOrders', status: 500, durationMs: 1 }),
      await addFault(sandbox, { operation: 'listOrders', status: 503, durationMs: 86_400_000 }),
    ];
    await sandbox.steer('POST', '/clock/advance', { ms: 86_400_000_000 });
    await vi.waitFor(async () => expect((await getCounters(sandbox, short))[2]).toBe(true), { interval: 2 });
    expect(await getStatuses(sandbox, 2)).toBe('503 503');
    expect(await getCounters(sandbox, long)).toEqual([2, 2, false]);
  });

  it('does not apply to requests that break the contract, which get a 400 response', async () => {
    const sandbox = room();
    const id = await addFault(sandbox, { operation: 'addCartItem', status: 503, times: 1 });
    expectProblem(await sandbox.ask('POST', '/api/cart-items', { ...ITEM, quantity: 11 }), 400, 'invalid-request');
    expectProblem(await sandbox.ask('POST', '/api/cart-items', '{"productId":'), 400, 'malformed-json');
    expect(await getCounters(sandbox, id)).toEqual([0, 0, false]);
    expect((await sandbox.ask('POST', '/api/cart-items', ITEM)).status).toBe(503);
    expect(await getCounters(sandbox, id)).toEqual([1, 1, true]);
  });
});

describe('a preference that is not possible', () => {
  it('gets a 400 response, and the fault applies to the next request', async () => {
    const sandbox = room();
    const id = await addFault(sandbox, { operation: 'listOrders', delay: 1, times: 1 });
    const reply = await sandbox.ask('GET', '/api/orders', undefined, { Prefer: 'code=302' });
    expectProblem(reply, 400, 'invalid-request');
    expect(await getCounters(sandbox, id)).toEqual([0, 0, false]);
  });
});

describe('a response that a fault forces', () => {
  it('is generated from the documented response of its status', async () => {
    const sandbox = room();
    await addFault(sandbox, { operation: 'createOrder', status: 409 });
    const reply = await sandbox.ask('POST', '/api/orders');
    expectProblem(reply, 409, 'empty-cart');
    expect(reply.headers.get('x-mocked')).toBe('operation');
    expect(reply.headers.get('x-sandbox')).toBe(sandbox.id);
  });

  it('is the documented example that the fault names', async () => {
    const sandbox = room();
    await addFault(sandbox, { operation: 'listProducts', example: 'noMatch' });
    const reply = await sandbox.ask('GET', '/api/products');
    expect([reply.status, reply.body]).toEqual([200, []]);
  });

  it('has no Preference-Applied header, because the client stated no preference', async () => {
    const sandbox = room();
    await addFault(sandbox, { operation: 'listProducts', status: 503 });
    expect((await sandbox.ask('GET', '/api/products')).headers.get('preference-applied')).toBeNull();
  });

  it.each(['before', 'after'] as const)(
    'has a Preference-Applied header for the delay that the client prefers, %s the operation',
    async (phase) => {
      const sandbox = room();
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
      const sandbox = room();
      await addFault(sandbox, { operation: 'createOrder', status: 503, ...(phase ? { phase } : {}) });
      expectProblem(await sandbox.ask('POST', '/api/orders'), 503, 'unavailable', phase);
      expect(await countOrders(sandbox), phase).toBe(orders);
    }
  });

  it('follows an operation that declines the request too', async () => {
    const sandbox = room();
    await sandbox.steer('PUT', '/state', { cartItems: [] });
    await addFault(sandbox, { operation: 'createOrder', status: 503, phase: 'after' });
    expectProblem(await sandbox.ask('POST', '/api/orders'), 503, 'unavailable');
  });

  it('does not replace the error of an operation that failed to save its change', async () => {
    const shop = await startStorefront({ faultsExpected: true });
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
      await startStorefront({ handlers: { createOrder: createOrder as never }, faultsExpected: true }),
      'w1',
    );
    await addFault(sandbox, { operation: 'createOrder', status: 409, phase: 'after' });
    expectProblem(await sandbox.ask('POST', '/api/orders'), 500, 'internal-error');
  });

  it('yields to the preference of the client, and then the fault applies to the next request', async () => {
    const sandbox = room();
    const id = await addFault(sandbox, { operation: 'listOrders', status: 503, times: 1 });
    const preferring = await sandbox.ask('GET', '/api/orders', undefined, { Prefer: 'code=404' });
    expect(preferring.status).toBe(404);
    expect(await getCounters(sandbox, id)).toEqual([1, 0, false]);
    expect(await getStatuses(sandbox, 2)).toBe('503 200');
  });

  it('has no body for HEAD', async () => {
    const sandbox = room();
    await addFault(sandbox, { operation: 'listOrders', status: 503 });
    const reply = await sandbox.ask('HEAD', '/api/orders');
    expect([reply.status, reply.text, reply.headers.get('content-type')]).toEqual([
      503,
      '',
      'application/problem+json',
    ]);
  });

  it('is supported in mock mode too', async () => {
    const sandbox = mocking.room();
    await addFault(sandbox, { operation: 'createOrder', status: 409, times: 1 });
    expectProblem(await sandbox.ask('POST', '/api/orders'), 409, 'empty-cart');
    expect((await sandbox.ask('POST', '/api/orders')).status).toBe(201);
    await addFault(sandbox, { operation: 'createOrder', connection: 'reset' });
    expect((await getConnectionEnd(sandbox, 'POST', '/api/orders')).how).toBe('reset');
  });

  it('applies in a sandbox that the path names', async () => {
    const sandbox = room();
    await addFault(sandbox, { operation: 'createOrder', status: 201 });
    const path = `/_sandbox/${sandbox.id}/api/orders`;
    const reply = await createClient(shop())('POST', path);
    expect([reply.status, reply.headers.get('x-mocked')]).toEqual([201, 'operation']);
    expect(await countOrders(sandbox)).toBe(2);
  });

  it('has a Location in the sandbox that the path names', async () => {
    const sandbox = room();
    await addFault(sandbox, { operation: 'createOrder', status: 201 });
    const reply = await createClient(shop())('POST', `/_sandbox/${sandbox.id}/api/orders`);
    expect(reply.status).toBe(201);
    expect(reply.headers.get('location')).toMatch(new RegExp(`^/_sandbox/${sandbox.id}/api/orders/`));
  });

  it('is recorded in the journal with what the fault forced', async () => {
    const sandbox = room();
    const id = await addFault(sandbox, { operation: 'listProducts', example: 'noMatch', phase: 'after' });
    await sandbox.ask('GET', '/api/products');
    expect((await getLastEntry(sandbox)).forced).toEqual({ faults: [id], phase: 'after', example: 'noMatch' });
  });
});

describe('a connection that a fault resets', () => {
  it.each([
    ['before', 2],
    ['after', 3],
  ] as const)('%s the operation gets no response and leaves %s orders', async (phase, orders) => {
    const sandbox = room();
    const id = await addFault(sandbox, { operation: 'createOrder', connection: 'reset', phase });
    expect(await getConnectionEnd(sandbox, 'POST', '/api/orders')).toEqual({
      how: 'reset',
      status: undefined,
      text: '',
      announced: 0,
    });
    expect(await countOrders(sandbox)).toBe(orders);
    expect(await getLastEntry(sandbox)).toMatchObject({
      operation: 'createOrder',
      response: null,
      forced: { faults: [id], phase, connection: 'reset' },
    });
  });

  it('does not affect other connections', async () => {
    const sandbox = room();
    await addFault(sandbox, { operation: 'createOrder', connection: 'reset' });
    expect((await getConnectionEnd(sandbox, 'POST', '/api/orders')).how).toBe('reset');
    expect(await getStatuses(sandbox, 1)).toBe('200');
  });

  it('still carries the complete response to the request before', async () => {
    const sandbox = room();
    await addFault(sandbox, { operation: 'listOrders', delay: 30 });
    await addFault(sandbox, { operation: 'createOrder', connection: 'reset' });
    const named = `HTTP/1.1\r\nHost: localhost\r\nX-Sandbox: ${sandbox.id}\r\n`;
    const replies = await sendRaw(
      sandbox.port,
      `GET /api/orders ${named}\r\nPOST /api/orders ${named}Content-Length: 0\r\n\r\n`,
    );
    expect(replies.map(({ status, body }) => [status, body])).toEqual([[200, defaults.orders]]);
  });

  it('is an error for fetch, whatever the method', async () => {
    const sandbox = room();
    await addFault(sandbox, { connection: 'reset' });
    for (const method of ['GET', 'HEAD']) await expect(sandbox.ask(method, '/api/orders')).rejects.toThrow();
  });
});

describe('a response that a fault cuts', () => {
  const half = ({ text, announced }: ConnectionEnd) => [Buffer.byteLength(text), Math.floor(announced / 2)];

  it('ends after half of its body, and the operation is completed', async () => {
    const sandbox = room();
    await addFault(sandbox, { operation: 'createOrder', connection: 'cut' });
    const ending = await getConnectionEnd(sandbox, 'POST', '/api/orders');
    expect([ending.how, ending.status]).toEqual(['cut', 201]);
    expect(half(ending)[0]).toBe(half(ending)[1]);
    expect(ending.text).toMatch(/^\{"id":/);
    expect(await countOrders(sandbox)).toBe(3);
    expect((await getLastEntry(sandbox)).forced).toMatchObject({ connection: 'cut' });
  });

  it('is an error for fetch', async () => {
    const sandbox = room();
    await addFault(sandbox, { operation: 'listOrders', connection: 'cut' });
    await expect(
      fetch(`${shop().url}/api/orders`, { headers: { 'x-sandbox': sandbox.id } }).then((reply) => reply.text()),
    ).rejects.toThrow();
  });

  it('can have a forced status too', async () => {
    const sandbox = room();
    await addFault(sandbox, { operation: 'listOrders', status: 503, connection: 'cut' });
    const ending = await getConnectionEnd(sandbox, 'GET', '/api/orders');
    expect([ending.how, ending.status]).toEqual(['cut', 503]);
    expect(half(ending)[0]).toBe(half(ending)[1]);
  });

  it.each([
    ['DELETE', ITEM_PATH],
    ['HEAD', '/api/orders'],
  ])('becomes a reset if it has no body: %s %s', async (method, path) => {
    const sandbox = room();
    await addFault(sandbox, { connection: 'cut' });
    expect(await getConnectionEnd(sandbox, method, path)).toMatchObject({ how: 'reset', status: undefined });
  });
});

describe('a response that a fault slows down', () => {
  it('arrives complete, and the journal records its duration', async () => {
    const sandbox = room();
    const plain = await sandbox.ask('GET', '/api/products');
    const id = await addFault(sandbox, { operation: 'listProducts', bodyDurationMs: 40 });
    const startMs = performance.now();
    const slow = await sandbox.ask('GET', '/api/products');
    expect(performance.now() - startMs).toBeGreaterThanOrEqual(30);
    expect([slow.status, slow.text]).toEqual([200, plain.text]);
    expect((await getLastEntry(sandbox)).forced).toEqual({ faults: [id], bodyDurationMs: 40 });
  });

  it.each([
    ['DELETE', ITEM_PATH, 204],
    ['HEAD', '/api/orders', 200],
    ['GET', '/api/products?search=nothing-of-the-kind', 200],
  ])('arrives also with little or no body: %s %s', async (method, path, status) => {
    const sandbox = room();
    await addFault(sandbox, { bodyDurationMs: 5 });
    expect((await sandbox.ask(method, path)).status).toBe(status);
  });

  it('is recorded in the journal when it has arrived, with the elapsed time', async () => {
    const sandbox = room();
    await addFault(sandbox, { operation: 'listProducts', bodyDurationMs: 60 });
    await sandbox.ask('GET', '/api/products');
    await vi.waitFor(async () => expect((await getLastEntry(sandbox)).response.status).toBe(200), { interval: 2 });
    // A timer may fire up to 1 ms early, because its clock is rounded.
    expect((await getLastEntry(sandbox)).durationMs).toBeGreaterThanOrEqual(59);
  });

  it('is recorded in the journal as null as soon as the client disconnects', async () => {
    const sandbox = room();
    await addFault(sandbox, { operation: 'listProducts', bodyDurationMs: 60_000 });
    const aborting = new AbortController();
    const headers = { 'x-sandbox': sandbox.id };
    await fetch(`${shop().url}/api/products`, { headers, signal: aborting.signal });
    aborting.abort();
    await vi.waitFor(async () => expect((await sandbox.steer('GET', '')).body.requests).toBe(1), { interval: 2 });
    expect(await getLastEntry(sandbox)).toMatchObject({
      operation: 'listProducts',
      response: null,
      forced: { bodyDurationMs: 60_000 },
    });
  });
});

describe('a slowed-down response without a body', () => {
  it.each([
    ['POST', '/api/reset', 'resetData', 204],
    ['HEAD', '/api/orders', 'listOrders', 200],
  ] as const)('is complete as soon as its headers arrive: %s %s', async (method, path, operation, status) => {
    const sandbox = room();
    const id = await addFault(sandbox, { operation, bodyDurationMs: 60_000 });
    expect((await sandbox.ask(method, path)).status).toBe(status);
    expect(await getLastEntry(sandbox)).toMatchObject({
      response: { status },
      forced: { faults: [id], bodyDurationMs: 60_000 },
    });
  });
});

describe('a response that a fault delays', () => {
  it.each(['before', 'after'] as const)(
    'arrives no earlier than the delay, with the delay %s the operation',
    async (phase) => {
      const sandbox = room();
      const id = await addFault(sandbox, { operation: 'createOrder', delay: 30, phase });
      const startMs = performance.now();
      expect((await sandbox.ask('POST', '/api/orders')).status).toBe(201);
      // Timers may be early by what their clock rounds away.
      expect(performance.now() - startMs).toBeGreaterThanOrEqual(29);
      expect((await getLastEntry(sandbox)).forced).toEqual({ faults: [id], phase, delayMs: 30 });
    },
  );

  it.each(['before', 'after'] as const)(
    'arrives at once when the server stops, with the delay %s the operation',
    async (phase) => {
      const shop = await startStorefront();
      const steer = createControlClient(shop);
      await steer('POST', '/w1/faults', { operation: 'createOrder', delay: 60_000, phase });
      const waiting = shop.ask('POST', '/_sandbox/w1/api/orders');
      const faults = async () => (await steer('GET', '/w1/faults')).body;
      await vi.waitFor(async () => expect(await faults()).toMatchObject([{ applied: 1 }]));
      await shop.close();
      expect((await waiting).status).toBe(201);
    },
  );

  it('has a random delay between two bounds that is the same for the same seed', async () => {
    const delays = async (seed: number, delay = { from: 1, to: 6 }) => {
      const sandbox = room();
      await addFault(sandbox, { operation: 'listOrders', delay, seed });
      await getStatuses(sandbox, 12);
      const { body } = await sandbox.steer('GET', '/requests');
      return body.map(({ forced }: { forced: { delayMs: number } }) => forced.delayMs);
    };
    const [one, again, other] = await Promise.all([5, 5, 6].map((seed) => delays(seed)));
    expect(again).toEqual(one);
    expect(await delays(5, { from: 6, to: 1 })).toEqual(one);
    expect(other).not.toEqual(one);
    expect(one.filter((ms: number) => ms < 1 || ms > 6)).toEqual([]);
    expect(new Set(one).size).toBeGreaterThan(2);
  });

  it("has the sum of the delays of the fault and of the client's preference", async () => {
    const sandbox = room();
    const id = await addFault(sandbox, { operation: 'listOrders', delay: 3 });
    const reply = await sandbox.ask('GET', '/api/orders', undefined, { Prefer: 'delay=4' });
    expect(reply.headers.get('preference-applied')).toBe('delay=4');
    expect((await getLastEntry(sandbox)).forced).toEqual({ faults: [id], phase: 'before', delayMs: 7 });
  });

  it.each([
    ['before', 2],
    ['after', 3],
  ] as const)('%s the operation leaves %s orders if the client disconnects', async (phase, orders) => {
    const sandbox = room();
    await addFault(sandbox, { operation: 'createOrder', delay: 60_000, phase, times: 1 });
    const aborting = new AbortController();
    const headers = { 'x-sandbox': sandbox.id };
    const request = fetch(`${shop().url}/api/orders`, { method: 'POST', headers, signal: aborting.signal });
    await vi.waitFor(async () => expect((await sandbox.steer('GET', '/faults')).body[0].applied).toBe(1), {
      interval: 2,
    });
    if (phase === 'after') await vi.waitFor(async () => expect(await countOrders(sandbox)).toBe(3), { interval: 2 });
    aborting.abort();
    await expect(request).rejects.toThrow();
    await vi.waitFor(async () => expect((await sandbox.steer('GET', '')).body.requests).toBe(1), { interval: 2 });
    expect(await countOrders(sandbox)).toBe(orders);
    if (phase === 'before') expect((await getLastEntry(sandbox)).response).toBeNull();
  });
});

describe('two or more faults for one request', () => {
  it('add up their delays', async () => {
    const sandbox = room();
    const ids = [
      await addFault(sandbox, { operation: 'listOrders', delay: 2 }),
      await addFault(sandbox, { operation: 'listOrders', delay: 3, phase: 'after' }),
      await addFault(sandbox, { delay: 4 }),
    ];
    await sandbox.ask('GET', '/api/orders');
    expect((await getLastEntry(sandbox)).forced).toEqual({ faults: ids, phase: 'after', delayMs: 9 });
  });

  it('use the response of the first fault, and the others apply to the next requests', async () => {
    const sandbox = room();
    const ids = [
      await addFault(sandbox, { operation: 'listOrders', status: 503, times: 1 }),
      await addFault(sandbox, { operation: 'listOrders', status: 500, delay: 1, times: 1 }),
      await addFault(sandbox, { operation: 'listOrders', delay: 2 }),
    ];
    expect(await getStatuses(sandbox, 1)).toBe('503');
    expect((await getLastEntry(sandbox)).forced).toMatchObject({ faults: [ids[0], ids[2]], delayMs: 2 });
    expect(await getCounters(sandbox, ids[1] ?? '')).toEqual([1, 0, false]);
    expect(await getStatuses(sandbox, 2)).toBe('500 200');
    expect(await Promise.all(ids.map((id) => getCounters(sandbox, id)))).toEqual([
      [1, 1, true],
      [2, 1, true],
      [3, 3, false],
    ]);
  });

  it('use the connection of the first fault, and the others apply to the next requests', async () => {
    const sandbox = room();
    const ids = [
      await addFault(sandbox, { operation: 'listOrders', connection: 'cut', times: 1 }),
      await addFault(sandbox, { operation: 'listOrders', connection: 'reset', times: 1 }),
      await addFault(sandbox, { operation: 'listOrders', bodyDurationMs: 1 }),
    ];
    const ends = [];
    for (let n = 0; n < 3; n++) ends.push((await getConnectionEnd(sandbox, 'GET', '/api/orders')).how);
    expect(ends).toEqual(['cut', 'reset', 'whole']);
    expect(await getCounters(sandbox, ids[2] ?? '')).toEqual([3, 1, false]);
  });

  it('each count a request that another fault applied to, so that skip: 1 means the second request', async () => {
    const sandbox = room();
    await addFault(sandbox, { operation: 'listOrders', status: 500, times: 1 });
    await addFault(sandbox, { operation: 'listOrders', status: 503, skip: 1, times: 1 });
    expect(await getStatuses(sandbox, 3)).toBe('500 503 200');
  });

  it('combine the response of one with the connection of the other', async () => {
    const sandbox = room();
    await addFault(sandbox, { operation: 'listOrders', connection: 'cut' });
    await addFault(sandbox, { operation: 'listOrders', status: 503 });
    expect(await getConnectionEnd(sandbox, 'GET', '/api/orders')).toMatchObject({ how: 'cut', status: 503 });
  });
});

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
