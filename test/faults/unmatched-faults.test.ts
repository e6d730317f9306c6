import { describe, expect, it } from 'vitest';
import { canBothMatch } from '../../src/faults/validate.ts';
import { createClient, createControlClient } from '../support/harness/sandboxes.ts';
import { useSharedShop } from '../support/harness/shared-shop.ts';
import { startStorefront } from '../support/harness/start-storefront.ts';

const { newSandbox } = useSharedShop();
const KETTLE = '/images/products/kettle.svg';

describe('a fault that no request can match', () => {
  it.each<readonly [fault: object, warning: RegExp]>([
    [{ where: { path: '/api/product' } }, /no operation is at \/api\/product.*\/api\/products/],
    [{ where: { path: '/_sandbox/w1/api/orders' } }, /without \/_sandbox\/ID: use \/api\/orders/],
    [{ where: { path: '/api/products', method: 'POST' } }, /\/api\/products has no method POST: use GET/],
    [{ operation: 'createOrder', where: { path: '/api/products' } }, /createOrder is at \/api\/orders, not at/],
    [{ operation: 'createOrder', where: { method: 'get' } }, /createOrder has no method get: use POST/],
    [{ where: { path: '/images/*', method: 'POST' } }, /images have no method POST/],
    [{ operation: 'listOrders', where: { path: '/images/*' } }, /listOrders is at \/api\/orders/],
    [{ where: { method: 'PATCH' } }, /no operation has the method PATCH: use GET, POST/],
    [{ operation: 'createOrder', where: { body: { a: 1 } } }, /createOrder has no request body: remove where\.body/],
    [{ operation: ['createOrder', 'listOrders'], where: { body: null } }, /createOrder or listOrders has no request/],
    [{ where: { path: '/api/orders', body: 'x' } }, /\/api\/orders has no request body/],
    [{ where: { method: 'GET', body: { $exists: true } } }, /no operation with the method GET has a request body/],
    [{ where: { path: '/images/*', body: { a: 1 } } }, /images have no request body/],
  ])('is added with a warning: %j', async (fault, warning) => {
    const sandbox = newSandbox();
    const added = await sandbox.sendControl('POST', '/faults', { ...fault, status: 500 });
    expect([added.status, added.body.warnings]).toEqual([200, [expect.stringMatching(warning)]]);
    const replaced = await sandbox.sendControl('PUT', '/faults', [{ status: 500 }, { ...fault, status: 500 }]);
    expect(replaced.body.map((one: { warnings?: string[] }) => one.warnings?.length)).toEqual([undefined, 1]);
    expect((await sandbox.sendControl('GET', '/faults')).body).toEqual(replaced.body);
  });

  it.each([
    { where: { path: '/api/cart-items/*' } },
    { where: { path: '/api/*', method: 'PUT' } },
    { where: { path: '/api/orders/', method: 'head' } },
    { where: { path: '*' } },
    { where: { path: '/images/*' } },
    { where: { path: KETTLE, method: 'HEAD' } },
    { where: { path: '/api/orders/b3a9e0e9-66e7-439f-bb29-7a2f1c4c06e9' } },
    { operation: ['createOrder', 'listProducts'], where: { path: '/api/products' } },
    { operation: ['createOrder', 'addCartItem'], where: { body: { quantity: 1 } } },
    { operation: 'createOrder', where: { body: { $exists: false } } },
    { operation: 'createOrder', where: { body: { $not: { a: 1 } } } },
    { where: { method: 'PUT', body: {} } },
  ])('is not reported if a request can match it: %j', async (fault) => {
    const added = await newSandbox().sendControl('POST', '/faults', { ...fault, status: 500 });
    expect([added.status, added.body.warnings]).toEqual([200, undefined]);
  });

  it('is reported only when it is added if its until is past by the clock of the sandbox', async () => {
    const sandbox = newSandbox();
    await sandbox.sendControl('PUT', '/clock', { now: '2030-01-01T00:00:00Z', frozen: true });
    const past = { until: '2030-01-01T00:00:00Z', status: 500 };
    const added = await sandbox.sendControl('POST', '/faults', past);
    const warning =
      'the fault has expired: until (2030-01-01T00:00:00Z) is not later than the time of the sandbox (2030-01-01T00:00:00';
    expect(added.body.warnings).toEqual([expect.stringContaining(warning)]);
    const replaced = await sandbox.sendControl('PUT', '/faults', [{ ...past, until: '2030-01-01T00:00:01Z' }, past]);
    expect(replaced.body.map((one: { warnings?: string[] }) => one.warnings?.length)).toEqual([undefined, 1]);
    const listed = await sandbox.sendControl('GET', '/faults');
    expect(listed.body.map((one: { expired: boolean; warnings?: string[] }) => [one.expired, one.warnings])).toEqual([
      [false, undefined],
      [true, undefined],
    ]);
  });

  it('is reported in the log', async () => {
    const lines: string[] = [];
    const shop = await startStorefront({ log: 'json', logTo: { write: (line: string) => lines.push(line) } });
    await createControlClient(shop)('POST', '/w1/faults', { where: { path: '/api/product' }, status: 500 });
    expect(lines.join('')).toContain('fault f1 of sandbox w1: no request can match it');
  });

  it.each([
    ['/a/*', '/*/b', true],
    ['/a/*', '/b/*', false],
    ['*', '', true],
    ['', '', true],
    ['a', '', false],
    ['*a', 'b*', true],
    ['a*c', 'ab*', true],
    ['ab', 'a*b*c', false],
  ])('is found by comparing two patterns, %s and %s: both can match is %s', (one, other, both) => {
    expect([canBothMatch(one, other), canBothMatch(other, one)]).toEqual([both, both]);
  });
});

describe('a request for an image', () => {
  it('gets the response of a fault that matches its path, and is then recorded in the journal', async () => {
    const sandbox = newSandbox();
    const { body } = await sandbox.sendControl('POST', '/faults', {
      where: { path: '/images/*' },
      status: 503,
      times: 1,
    });
    const reply = await sandbox.ask('GET', KETTLE);
    expect([reply.status, reply.body]).toEqual([503, expect.objectContaining({ status: 503, instance: KETTLE })]);
    expect((await sandbox.ask('GET', KETTLE)).status).toBe(200);
    expect((await sandbox.sendControl('GET', '/requests')).body).toMatchObject([
      { request: { path: KETTLE }, response: { status: 503 }, forced: { faults: [body.id], status: 503 } },
    ]);
  });

  it('gets the response of a fault of the sandbox that its path names', async () => {
    const sandbox = newSandbox();
    await sandbox.sendControl('POST', '/faults', { where: { path: '/images/*' }, status: 404, body: 'gone' });
    const reply = await createClient(sandbox)('GET', `/_sandbox/${sandbox.id}${KETTLE}`);
    expect([reply.status, reply.body]).toEqual([404, 'gone']);
    expect((await newSandbox().ask('GET', KETTLE)).status).toBe(200);
  });

  it('can be reset or delayed by a fault', async () => {
    const sandbox = newSandbox();
    await sandbox.sendControl('PUT', '/faults', [{ where: { path: '/images/*' }, connection: 'reset', times: 1 }]);
    await expect(sandbox.ask('GET', KETTLE)).rejects.toThrow();
    await sandbox.sendControl('PUT', '/faults', [{ where: { path: '/images/*' }, delay: 5 }]);
    expect((await sandbox.ask('GET', KETTLE)).status).toBe(200);
    const { body } = await sandbox.sendControl('GET', '/requests');
    expect(body.map(({ forced }: { forced: object }) => forced)).toMatchObject([
      { connection: 'reset' },
      { delayMs: 5 },
    ]);
  });

  it.each([{ status: 500 }, { operation: 'listProducts', status: 500 }, { where: { path: '/api/*' }, status: 500 }])(
    'gets no response of a fault for operations: %j',
    async (fault) => {
      const sandbox = newSandbox();
      await sandbox.sendControl('POST', '/faults', fault);
      expect((await sandbox.ask('GET', KETTLE)).status).toBe(200);
      expect((await sandbox.sendControl('GET', '/requests')).body).toEqual([]);
    },
  );
});

describe('the journal', () => {
  it('records the phase after for a response that was cut, because the operation was completed', async () => {
    const sandbox = newSandbox();
    await sandbox.sendControl('POST', '/faults', { operation: 'createOrder', connection: 'cut', times: 1 });
    await expect(sandbox.ask('POST', '/api/orders').then(({ body }) => body.id.length)).rejects.toThrow();
    await sandbox.sendControl('POST', '/faults', { operation: 'createOrder', status: 503, connection: 'cut' });
    await sandbox.ask('POST', '/api/orders').catch(() => {});
    const { body } = await sandbox.sendControl('GET', '/requests');
    expect(body.map(({ forced }: { forced: { phase: string } }) => forced.phase)).toEqual(['after', 'before']);
  });

  it('records requests after a reset of the data, to which the faults still apply', async () => {
    const sandbox = newSandbox();
    await sandbox.sendControl('POST', '/faults', { operation: 'listOrders', status: 503 });
    expect((await sandbox.ask('POST', '/api/reset')).status).toBe(204);
    expect((await sandbox.ask('GET', '/api/orders')).status).toBe(503);
  });
});
