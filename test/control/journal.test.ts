import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { defaults, getProductId } from '../support/fixtures/default-data.ts';
import { createOperation, writeDocument } from '../support/fixtures/other-document.ts';
import { getConnectionEnd } from '../support/harness/connection-ends.ts';
import { followEvents } from '../support/harness/events.ts';
import { expectProblem } from '../support/harness/problems.ts';
import { connectRaw, sendRaw, sendRawRequest } from '../support/harness/raw-client.ts';
import { createClient, createSandboxClient, selectionMethods } from '../support/harness/sandboxes.ts';
import { getSandboxClient, type SandboxClient, useSharedShop } from '../support/harness/shared-shop.ts';
import { NOW_MS, startStorefront, type TestResponse, type TestShop } from '../support/harness/start-storefront.ts';

const { shop, room } = useSharedShop();

const KETTLE = getProductId('Cordless Electric Kettle');
const ITEM = { productId: KETTLE, quantity: 3 };
const NOW = new Date(NOW_MS).toISOString();
const SECRET = 'hunter2';

type Journal = TestResponse['body'];

/** Returns the journal of a sandbox from the control API. */
async function getJournal({ steer }: Pick<SandboxClient, 'steer'>, query = ''): Promise<Journal> {
  const { status, body } = await steer('GET', `/requests${query}`);
  expect(status, JSON.stringify(body)).toBe(200);
  return body;
}

async function getIds(sandbox: Pick<SandboxClient, 'steer'>, query = ''): Promise<readonly number[]> {
  return (await getJournal(sandbox, query)).map(({ id }: { id: number }) => id);
}

/** Sends `count` cheap requests, one after the other. */
async function sendRequests({ ask }: Pick<SandboxClient, 'ask'>, count: number): Promise<void> {
  for (let n = 0; n < count; n++) await ask('GET', '/api/payment-summary');
}

/** Sends `count` requests on one connection, without waiting for the responses in between (pipelining). */
async function sendPipelined({ id, port }: SandboxClient, count: number): Promise<void> {
  const requestText = (more: string) =>
    `GET /api/payment-summary HTTP/1.1\r\nHost: localhost\r\nX-Sandbox: ${id}\r\n${more}\r\n`;
  const replies = await sendRaw(port, requestText('').repeat(count - 1) + requestText('Connection: close\r\n'));
  expect(replies.map(({ status }) => status)).toEqual(Array(count).fill(200));
}

describe('the journal of a sandbox', () => {
  it('lists requests with their responses, the oldest first', async () => {
    const sandbox = room();
    await sandbox.ask('POST', '/api/cart-items', ITEM, { 'X-Page': 'product' });
    await sandbox.ask('GET', '/api/products?search=no+such+thing&a=1&a=2');
    await sandbox.ask('DELETE', `/api/cart-items/${KETTLE}`);
    const [added, searched, removed, ...more] = await getJournal(sandbox);
    expect(more).toEqual([]);
    expect(added).toEqual({
      id: 1,
      at: NOW,
      durationMs: expect.any(Number),
      operation: 'addCartItem',
      request: {
        method: 'POST',
        url: '/api/cart-items',
        path: '/api/cart-items',
        query: {},
        headers: expect.objectContaining({ 'x-page': 'product', 'x-sandbox': sandbox.id }),
        body: ITEM,
      },
      response: {
        status: 201,
        headers: expect.objectContaining({ 'content-type': 'application/json' }),
        bytes: expect.any(Number),
        body: { ...ITEM, deliveryOptionId: '1' },
      },
    });
    expect(added.response.bytes).toBe(JSON.stringify(added.response.body).length);
    expect(searched).toMatchObject({
      id: 2,
      operation: 'listProducts',
      request: { path: '/api/products', query: { search: 'no such thing', a: ['1', '2'] } },
      response: { status: 200, body: [], bytes: 2 },
    });
    expect(removed).toMatchObject({ id: 3, operation: 'removeCartItem', response: { status: 204, bytes: 0 } });
    expect([removed.request.body, removed.response.body, removed.durationMs >= 0]).toEqual([
      undefined,
      undefined,
      true,
    ]);
  });

  it.each(selectionMethods)(
    'shows the prefix that names the sandbox in the URL only, for a sandbox named by $by',
    async (way) => {
      const sandbox = room();
      await createSandboxClient(shop(), sandbox.id, way)('GET', '/api/orders?expand=products');
      const [{ request }] = await getJournal(sandbox);
      const url = way.by === 'path' ? `/_sandbox/${sandbox.id}/api/orders` : '/api/orders';
      expect(request).toMatchObject({
        url: `${url}?expand=products`,
        path: '/api/orders',
        query: { expand: 'products' },
      });
    },
  );

  it('records rejected requests with their violations', async () => {
    const sandbox = room();
    await sandbox.ask('POST', '/api/cart-items', { ...ITEM, quantity: 11 });
    await sandbox.ask('POST', '/api/cart-items', '{"productId":');
    await sandbox.ask('GET', '/api/nothing');
    await sandbox.ask('PATCH', '/api/orders');
    await sandbox.ask('GET', '/api/orders', undefined, { Prefer: 'code=302' });
    await sandbox.ask('POST', '/api/cart-items', 'a=b', { 'content-type': 'text/plain' });
    await sandbox.ask('POST', '/api/cart-items', { ...ITEM, productId: KETTLE.replace(/^./, '0') });
    const entries = await getJournal(sandbox);
    expect(entries.map(({ response, operation }: Journal) => [response.status, operation])).toEqual([
      [400, 'addCartItem'],
      [400, 'addCartItem'],
      [404, undefined],
      [405, undefined],
      [400, 'listOrders'],
      [415, 'addCartItem'],
      [404, 'addCartItem'],
    ]);
    expect(entries[0]).toMatchObject({
      request: { body: { ...ITEM, quantity: 11 } },
      violations: [{ in: 'body', pointer: '/quantity', rule: 'maximum', value: 11, remedy: expect.any(String) }],
      notes: [expect.stringContaining('11')],
    });
    expect(entries[1].request.body).toBe('{"productId":');
    expect(entries[1].violations).toBeUndefined();
    for (const { notes, response } of entries) expect(notes).toContain(response.body.detail);
  });

  it('records notes about ignored parameters', async () => {
    const sandbox = room();
    await sandbox.ask('GET', '/api/products?serach=kettle');
    const [{ notes, response }] = await getJournal(sandbox);
    expect([response.status, notes]).toEqual([200, [expect.stringContaining('serach')]]);
  });

  it('records HEAD and OPTIONS requests', async () => {
    const sandbox = room();
    await sandbox.ask('HEAD', '/api/orders');
    await sandbox.ask('OPTIONS', '/api/orders');
    expect(
      (await getJournal(sandbox)).map(({ request, response }: Journal) => [request.method, response.status]),
    ).toEqual([
      ['HEAD', 200],
      ['OPTIONS', 204],
    ]);
  });

  it('records a request whose target is an absolute URL', async () => {
    const sandbox = room();
    await sandbox.steer('PUT', '');
    const target = `http://127.0.0.1:${sandbox.port}/api/orders?a=1`;
    expect((await sendRawRequest(sandbox.port, `GET ${target}`, [`X-Sandbox: ${sandbox.id}`])).status).toBe(200);
    expect(await getIds(sandbox)).toEqual([1]);
  });

  it('shows only the path of a request whose target is an absolute URL', async () => {
    const defaultSandbox = getSandboxClient(await startStorefront(), 'default');
    const target = `http://127.0.0.1:${defaultSandbox.port}/api/orders?a=1`;
    expect((await sendRawRequest(defaultSandbox.port, `GET ${target}`)).status).toBe(200);
    const [{ operation, request }] = await getJournal(defaultSandbox);
    expect([operation, request.path, request.query]).toEqual(['listOrders', '/api/orders', { a: '1' }]);
  });

  it('does not record requests for the control API, images, the page or unknown paths', async () => {
    const server = await startStorefront();
    const rooms = [getSandboxClient(server, 'w1'), getSandboxClient(server, 'default')];
    const paths = ['/', '/openapi.yaml', '/images/products/kettle.svg', '/nothing', '/problems/empty-cart'];
    for (const { ask, steer } of rooms) {
      await ask('GET', '/api/orders');
      await steer('GET', '');
      await steer('PUT', '/faults', []);
      for (const path of paths) await ask('GET', path);
    }
    await server.ask('GET', '/_sandbox/w1/images/products/kettle.svg');
    await server.ask('GET', '/_sandbox/w1/nothing');
    expect(await Promise.all(rooms.map((each) => getIds(each)))).toEqual([[1], [1]]);
  });

  it('does not contain requests of another sandbox', async () => {
    const [sandbox, otherSandbox] = [room(), room()];
    await sandbox.ask('GET', '/api/orders');
    await otherSandbox.ask('GET', '/api/products?search=x');
    expect((await getJournal(sandbox)).map(({ operation }: Journal) => operation)).toEqual(['listOrders']);
    expect((await getJournal(otherSandbox)).map(({ id, operation }: Journal) => [id, operation])).toEqual([
      [1, 'listProducts'],
    ]);
  });

  it('is answered with 404 if the sandbox does not exist', async () => {
    const { steer } = room();
    for (const [method, below, body] of [
      ['GET', '', undefined],
      ['DELETE', '', undefined],
      ['POST', '/count', {}],
      ['POST', '/verify', {}],
    ] as const)
      expectProblem(await steer(method, `/requests${below}`, body), 404, 'unknown-sandbox', below);
  });

  it('remains after a reset of the data, and is cleared when the sandbox is recreated', async () => {
    const sandbox = room();
    await sendRequests(sandbox, 2);
    await sandbox.steer('POST', '/reset');
    expect(await getIds(sandbox)).toEqual([1, 2]);
    await sandbox.ask('POST', '/api/reset');
    expect(await getIds(sandbox)).toEqual([1, 2, 3]);
    await sandbox.steer('PUT', '');
    expect(await getIds(sandbox)).toEqual([]);
    expect((await sandbox.steer('GET', '')).body.requests).toBe(0);
  });

  it('keeps the last 100 requests, and the last 1,000 in the default sandbox', async () => {
    const server = await startStorefront();
    const [sandbox, defaultSandbox] = [getSandboxClient(server, 'w1'), getSandboxClient(server, 'default')];
    await sendPipelined(sandbox, 105);
    expect(await getIds(sandbox)).toEqual(Array.from({ length: 100 }, (_, n) => n + 6));
    expect((await sandbox.steer('GET', '')).body.requests).toBe(100);
    await sendPipelined(defaultSandbox, 1_010);
    const ids = await getIds(defaultSandbox);
    expect([ids.length, ids[0], ids.at(-1)]).toEqual([1_000, 11, 1_010]);
    expect(await getIds(sandbox)).toHaveLength(100);
  });

  it('is cleared when the default sandbox is recreated, while ids continue', async () => {
    const defaultSandbox = getSandboxClient(await startStorefront(), 'default');
    await sendRequests(defaultSandbox, 2);
    await defaultSandbox.steer('PUT', '');
    await sendRequests(defaultSandbox, 1);
    expect(await getIds(defaultSandbox)).toEqual([3]);
  });
});

describe('cached responses of the default sandbox', () => {
  it('are recorded in the journal each time, with equal entries', async () => {
    const defaultSandbox = getSandboxClient(await startStorefront(), 'default');
    for (let n = 0; n < 4; n++) await defaultSandbox.ask('GET', '/api/orders?x=1', undefined, { 'X-Nth': `${n}` });
    const entries: Journal[] = await getJournal(defaultSandbox);
    expect(entries.map(({ id, request }) => [id, request.headers['x-nth']])).toEqual([
      [1, '0'],
      [2, '1'],
      [3, '2'],
      [4, '3'],
    ]);
    const entryTexts = entries.map(({ operation, request: { headers: _, ...request }, response, notes }) =>
      JSON.stringify({ operation, request, response, notes }),
    );
    expect(new Set(entryTexts).size).toBe(1);
    expect(entries[3]).toMatchObject({
      operation: 'listOrders',
      request: { query: { x: '1' } },
      response: { status: 200 },
    });
  });

  it('are recorded with their body, truncated like any other', async () => {
    const defaultSandbox = getSandboxClient(await startStorefront(), 'default');
    let text = '';
    for (let n = 0; n < 3; n++) text = (await defaultSandbox.ask('GET', '/api/products')).text;
    for (const { response } of await getJournal(defaultSandbox)) {
      expect(response).toMatchObject({ status: 200, bytes: Buffer.byteLength(text), isTruncated: true });
      expect([text.startsWith(response.body), response.body.length]).toEqual([true, 4096]);
    }
  });
});

describe('bodies in the journal', () => {
  it('are truncated to 4 kB at a character boundary', async () => {
    const sandbox = room();
    const note = '😀'.repeat(2_000);
    await sandbox.ask('POST', '/api/cart-items', { ...ITEM, note });
    const [{ request }] = await getJournal(sandbox);
    const whole = JSON.stringify({ ...ITEM, note });
    expect([request.isTruncated, typeof request.body, whole.startsWith(request.body)]).toEqual([true, 'string', true]);
    const bytes = Buffer.byteLength(request.body);
    expect([bytes <= 4096, bytes > 4092]).toEqual([true, true]);
  });

  it('are complete up to 4 kB', async () => {
    const sandbox = room();
    const spare = 4096 - JSON.stringify({ ...ITEM, note: '' }).length;
    for (const length of [spare, spare + 1])
      await sandbox.ask('POST', '/api/cart-items', { ...ITEM, note: 'x'.repeat(length) });
    const [fits, cut] = await getJournal(sandbox);
    expect([fits.request.isTruncated, fits.request.body.note.length]).toEqual([undefined, spare]);
    expect([cut.request.isTruncated, cut.request.body.length]).toEqual([true, 4096]);
  });

  it('can be nested to any depth', async () => {
    const sandbox = room();
    await sandbox.ask('POST', '/api/cart-items', `${'['.repeat(2_048)}${']'.repeat(2_048)}`);
    expect((await getJournal(sandbox))[0].response.status).toBe(400);
  });
});

describe('a secret in a request', () => {
  it('is redacted in headers, URL, query, bodies and violations', async () => {
    const sandbox = room();
    const headers = { Authorization: `Bearer ${SECRET}`, Cookie: `id=${SECRET}`, 'X-Api-Key': SECRET };
    await sandbox.ask('GET', `/api/products?search=a&access_token=${SECRET}`, undefined, headers);
    await sandbox.ask('POST', '/api/cart-items', { ...ITEM, card: { cardNumber: SECRET, cvc: SECRET } }, headers);
    await sandbox.ask('POST', '/api/cart-items', { productId: KETTLE, quantity: 'x', password: SECRET }, headers);
    await sandbox.ask('POST', '/api/cart-items', `{"password":"${SECRET}","productId":`);
    await sandbox.ask('POST', '/api/cart-items', { password: SECRET, note: 'x'.repeat(5_000) });
    const { text, body } = await sandbox.steer('GET', '/requests');
    expect(body).toHaveLength(5);
    expect(text).not.toContain(SECRET);
    expect(body[0].request).toMatchObject({
      url: '/api/products?search=a&access_token=[left out]',
      query: { search: 'a', access_token: '[left out]' },
      headers: { authorization: '[left out]', cookie: '[left out]', 'x-api-key': '[left out]' },
    });
    expect(body[1].request.body).toEqual({ ...ITEM, card: { cardNumber: '[left out]', cvc: '[left out]' } });
  });

  it('is redacted in the response that rejects it', async () => {
    const sandbox = room();
    await sandbox.ask('POST', '/api/cart-items', { productId: KETTLE, quantity: { password: SECRET } });
    expect((await sandbox.steer('GET', '/requests')).text).not.toContain(SECRET);
  });

  it('is redacted in a truncated body at any depth', async () => {
    const sandbox = room();
    const note = 'x'.repeat(5_000);
    await sandbox.ask('POST', '/api/cart-items', { ...ITEM, user: { password: SECRET }, note });
    expect((await sandbox.steer('GET', '/requests')).text).not.toContain(SECRET);
  });

  it('is redacted in a URL with thousands of parameters, in the journal and in events', async () => {
    const sandbox = room();
    await sandbox.steer('PUT', '');
    const stream = await followEvents(sandbox, `/${sandbox.id}/requests`);
    await sandbox.steer('POST', '/faults', { bodyDurationMs: 2 });
    await sandbox.ask('GET', `/api/products?search=${'a='.repeat(3_990)}%25token`);
    expect(await stream.next()).toHaveLength(1);
    expect(await getJournal(sandbox)).toHaveLength(1);
  });

  it('is redacted in events', async () => {
    const sandbox = room();
    await sandbox.steer('PUT', '');
    const stream = await followEvents(sandbox, `/${sandbox.id}/requests`);
    await sandbox.ask('GET', `/api/products?token=${SECRET}`);
    expect(JSON.stringify(await stream.next())).not.toContain(SECRET);
  });
});

describe('the forced part of a journal entry', () => {
  it('shows what a fault forced', async () => {
    const sandbox = room();
    const definition = { operation: 'createOrder', status: 409, phase: 'after', delay: 2, bodyDurationMs: 2 };
    const { body } = await sandbox.steer('POST', '/faults', definition);
    await sandbox.ask('POST', '/api/orders');
    const [{ forced }] = await getJournal(sandbox);
    expect(forced).toEqual({ faults: [body.id], phase: 'after', status: 409, delayMs: 2, bodyDurationMs: 2 });
  });

  it('shows what the client preferred', async () => {
    const sandbox = room();
    await sandbox.ask('POST', '/api/orders', undefined, { Prefer: 'code=409, example=emptyCart' });
    await sandbox.ask('GET', '/api/orders?__code=503');
    await sandbox.ask('GET', '/api/orders', undefined, { Prefer: 'delay=2' });
    await sandbox.ask('GET', '/api/orders');
    expect((await getJournal(sandbox)).map(({ forced }: Journal) => forced)).toEqual([
      { status: 409, example: 'emptyCart' },
      { status: 503 },
      { delayMs: 2 },
      undefined,
    ]);
  });

  it('shows the sum of the delays of the server and of the client, also for cached responses', async () => {
    const server = await startStorefront({ delay: 3 });
    const [sandbox, defaultSandbox] = [getSandboxClient(server, 'w1'), getSandboxClient(server, 'default')];
    await sandbox.ask('GET', '/api/orders');
    await sandbox.ask('GET', '/api/orders', undefined, { Prefer: 'delay=2' });
    for (let n = 0; n < 3; n++) await defaultSandbox.ask('GET', '/api/orders');
    expect((await getJournal(sandbox)).map(({ forced }: Journal) => forced)).toEqual([{ delayMs: 3 }, { delayMs: 5 }]);
    expect((await getJournal(defaultSandbox)).map(({ forced }: Journal) => forced)).toEqual(
      Array(3).fill({ delayMs: 3 }),
    );
  });

  it('shows random delays of the server that are the same after each start', async () => {
    const delays = async () => {
      const sandbox = getSandboxClient(await startStorefront({ delay: { from: 1, to: 5 } }), 'w1');
      for (let n = 0; n < 8; n++) await sandbox.ask('GET', '/api/orders');
      return (await getJournal(sandbox)).map(({ forced }: Journal) => forced.delayMs);
    };
    const first = await delays();
    expect(await delays()).toEqual(first);
    expect(first.filter((ms: number) => ms < 1 || ms > 5)).toEqual([]);
    expect(new Set(first).size).toBeGreaterThan(1);
  });

  it('has no response if the connection was reset, and the complete response if it was cut', async () => {
    const sandbox = room();
    for (const connection of ['reset', 'cut']) {
      await sandbox.steer('PUT', '/faults', [{ connection }]);
      await getConnectionEnd(sandbox, 'GET', '/api/orders');
    }
    const [reset, cut] = await getJournal(sandbox);
    expect([reset.response, reset.forced.connection]).toEqual([null, 'reset']);
    expect([cut.response.status, cut.response.body, cut.forced.connection]).toEqual([200, defaults.orders, 'cut']);
  });

  it.each([
    ['DELETE', `/api/cart-items/${KETTLE}`],
    ['HEAD', '/api/orders'],
  ])('has no response if the connection was cut and the response has no body: %s %s', async (method, path) => {
    const sandbox = room();
    await sandbox.ask('POST', '/api/cart-items', ITEM);
    await sandbox.steer('POST', '/faults', { connection: 'cut' });
    expect((await getConnectionEnd(sandbox, method, path)).how).toBe('reset');
    expect(await getJournal(sandbox, '?after=1')).toMatchObject([{ response: null, forced: { connection: 'cut' } }]);
  });

  it('has no response if the client disconnected before it', async () => {
    const sandbox = room();
    await sandbox.steer('POST', '/faults', { delay: 60_000, phase: 'after', operation: 'createOrder' });
    const aborting = new AbortController();
    const headers = { 'x-sandbox': sandbox.id };
    const request = fetch(`${shop().url}/api/orders`, { method: 'POST', headers, signal: aborting.signal });
    await vi.waitFor(async () => expect((await sandbox.steer('GET', '')).body.counts.orders).toBe(3), { interval: 2 });
    aborting.abort();
    await request.catch(() => {});
    await vi.waitFor(async () => expect(await getIds(sandbox)).toEqual([1]), { interval: 2 });
    expect((await getJournal(sandbox))[0].response).toBeNull();
  });

  it('shows the delay of the server for rejected requests too', async () => {
    const sandbox = getSandboxClient(await startStorefront({ delay: 3 }), 'w1');
    await sandbox.ask('POST', '/api/cart-items', { ...ITEM, quantity: 11 });
    await sandbox.ask('POST', '/api/cart-items', '{"productId":');
    await sandbox.ask('POST', '/api/cart-items', 'a=b', { 'content-type': 'text/plain' });
    await sandbox.ask('GET', '/api/orders', undefined, { Prefer: 'code=abc' });
    await sandbox.ask('GET', '/api/orders', undefined, { Prefer: 'code=302' });
    const entries: Journal[] = await getJournal(sandbox);
    expect(entries.map(({ response, forced }) => [response.status, forced])).toEqual(
      [400, 400, 415, 400, 400].map((status) => [status, expect.objectContaining({ delayMs: 3 })]),
    );
    expect(entries.filter(({ durationMs }) => durationMs < 2)).toEqual([]);
  });
});

describe('a response that breaks the contract', () => {
  it('is recorded in the journal with its violations', async () => {
    const listOrders = (() => ({ body: [{ id: 1 }] })) as never;
    const sandbox = getSandboxClient(
      await startStorefront({ handlers: { listOrders }, verify: 'log', faultsExpected: true }),
      'w1',
    );
    await sandbox.ask('GET', '/api/orders');
    const [{ responseViolations, response }] = await getJournal(sandbox);
    expect(response.status).toBe(200);
    expect(responseViolations.join()).toMatch(/orderTimeMs/);
  });
});

describe('a response that cannot be serialized', () => {
  it('is recorded in the journal as the 500 response that was sent instead', async () => {
    const listOrders = (() => ({ headers: { 'X-Own': 'a' }, body: { a: 1n } })) as never;
    const sandbox = getSandboxClient(
      await startStorefront({ handlers: { listOrders }, verify: 'off', faultsExpected: true }),
      'w1',
    );
    const reply = await sandbox.ask('GET', '/api/orders');
    expectProblem(reply, 500, 'internal-error');
    const [{ response }] = await getJournal(sandbox);
    expect(response).toMatchObject({ status: 500, bytes: reply.text.length, body: reply.body });
    expect(response.headers).toEqual({ 'content-type': 'application/problem+json' });
  });
});

describe('a request in progress', () => {
  it.each([
    ['w1', 'recreated meanwhile', 'PUT', ''],
    ['w1', 'removed meanwhile', 'DELETE', ''],
    ['w1', 'cleared of its journal meanwhile', 'DELETE', '/requests'],
    ['default', 'recreated meanwhile', 'PUT', ''],
    ['default', 'cleared of its journal meanwhile', 'DELETE', '/requests'],
  ])('in the sandbox %s is not recorded if the sandbox is %s', async (id, _, method, below) => {
    const sandbox = getSandboxClient(await startStorefront(), id);
    await sandbox.steer('POST', '/faults', { operation: 'createOrder', delay: 100, phase: 'after' });
    const request = sandbox.ask('POST', '/api/orders');
    await vi.waitFor(async () => expect((await sandbox.steer('GET', '')).body.counts.orders).toBe(3), { interval: 2 });
    await sandbox.steer(method, below);
    expect((await request).status).toBe(201);
    await sandbox.ask('GET', '/api/orders');
    expect((await getJournal(sandbox)).map(({ operation }: Journal) => operation)).toEqual(['listOrders']);
    expect((await sandbox.steer('POST', '/requests/count', { operation: 'createOrder' })).body).toEqual({ count: 0 });
  });
});

describe('GET /_control/sandboxes/ID/requests', () => {
  it('selects requests by after, operation and limit', async () => {
    const sandbox = room();
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
    const sandbox = room();
    await sandbox.ask('GET', '/api/orders');
    const reply = await sandbox.steer('GET', `/requests${query}`);
    expectProblem(reply, 400, 'invalid-request');
    expect(reply.body.violations).toMatchObject([{ in: 'query', pointer: `/${name}` }]);
  });

  it('rejects an unknown operation and lists the known ones', async () => {
    const sandbox = room();
    await sandbox.ask('GET', '/api/orders');
    for (const named of ['listOrder', 'listOrders,listOrder']) {
      const reply = await sandbox.steer('GET', `/requests?operation=${named}`);
      expectProblem(reply, 404, 'unknown-operation');
      expect(reply.body.detail).toMatch(/listOrder, which the contract does not have: .*listOrders/);
    }
  });

  it('returns an empty list after DELETE, while ids continue', async () => {
    const sandbox = room();
    await sendRequests(sandbox, 2);
    const { status, text } = await sandbox.steer('DELETE', '/requests');
    expect([status, text]).toEqual([204, '']);
    expect(await getIds(sandbox)).toEqual([]);
    await sendRequests(sandbox, 2);
    expect(await getIds(sandbox)).toEqual([3, 4]);
  });
});

describe('the event stream of a journal', () => {
  it('sends each new request as it is in the journal', async () => {
    const sandbox = room();
    await sendRequests(sandbox, 2);
    const stream = await followEvents(sandbox, `/${sandbox.id}/requests`);
    expect([stream.status, stream.headers['content-type'], stream.headers['cache-control']]).toEqual([
      200,
      'text/event-stream',
      'no-store',
    ]);
    await sandbox.ask('POST', '/api/cart-items', ITEM);
    const [first] = await stream.next();
    await sandbox.ask('GET', '/api/none');
    const [second] = await stream.next();
    const entries = await getJournal(sandbox, '?after=2');
    expect([first, second]).toEqual(
      entries.map((entry: Journal) => ({ event: 'request', id: `${entry.id}`, data: entry })),
    );
  });

  it.each([
    ['', { 'Last-Event-ID': '2' }, ['3', '4', '5']],
    ['?after=3', {}, ['4', '5']],
    ['?after=1', { 'Last-Event-ID': '3' }, ['4', '5']],
    ['?after=0&operation=listOrders', {}, ['1', '3', '5']],
    ['?operation=listOrders', { 'Last-Event-ID': '1' }, ['3', '5']],
    ['', { 'Last-Event-ID': '99' }, ['5']],
    ['', { 'Last-Event-ID': 'x' }, ['5']],
    ['', {}, ['5']],
  ] as const)('starts with the requests that the client missed: %s %j', async (query, headers, ids) => {
    const sandbox = room();
    for (const path of ['/api/orders', '/api/payment-summary', '/api/orders', '/api/none'])
      await sandbox.ask('GET', path);
    const stream = await followEvents(sandbox, `/${sandbox.id}/requests${query}`, headers);
    await sandbox.ask('GET', '/api/orders');
    expect((await stream.next(ids.length)).map(({ id }) => id)).toEqual(ids);
  });

  it('sends only requests for the selected operation', async () => {
    const sandbox = room();
    await sandbox.steer('PUT', '');
    const stream = await followEvents(sandbox, `/${sandbox.id}/requests?operation=listOrders`);
    for (const path of ['/api/payment-summary', '/api/orders', '/api/none', '/api/orders'])
      await sandbox.ask('GET', path);
    expect((await stream.next(2)).map(({ id }) => id)).toEqual(['2', '4']);
  });

  it('sends the requests of its sandbox to every client that follows it', async () => {
    const [sandbox, otherSandbox] = [room(), room()];
    for (const { steer } of [sandbox, otherSandbox]) await steer('PUT', '');
    const streams = await Promise.all(
      [sandbox, sandbox, otherSandbox].map((each) => followEvents(each, `/${each.id}/requests`)),
    );
    await otherSandbox.ask('GET', '/api/orders');
    await sandbox.ask('GET', '/api/payment-summary');
    const operations = await Promise.all(streams.map(async (stream) => (await stream.next())[0]?.data.operation));
    expect(operations).toEqual(['getPaymentSummary', 'getPaymentSummary', 'listOrders']);
  });

  it('sends cached responses of the default sandbox too', async () => {
    const server = await startStorefront();
    const stream = await followEvents(server, '/default/requests');
    for (let n = 0; n < 3; n++) await server.ask('GET', '/api/products');
    expect((await stream.next(3)).map(({ id }) => id)).toEqual(['1', '2', '3']);
  });

  it('continues when the journal is cleared', async () => {
    const sandbox = room();
    await sendRequests(sandbox, 1);
    const stream = await followEvents(sandbox, `/${sandbox.id}/requests`);
    await sandbox.steer('DELETE', '/requests');
    await sendRequests(sandbox, 1);
    expect((await stream.next())[0]?.id).toBe('2');
  });

  it('continues when the sandbox is recreated', async () => {
    const sandbox = room();
    await sendRequests(sandbox, 1);
    const stream = await followEvents(sandbox, `/${sandbox.id}/requests`);
    await sandbox.steer('PUT', '');
    await sendRequests(sandbox, 1);
    expect(await stream.next()).toMatchObject([{ id: '2' }]);
  });

  it('ends when the sandbox is removed', async () => {
    const sandbox = room();
    await sendRequests(sandbox, 1);
    const stream = await followEvents(sandbox, `/${sandbox.id}/requests`);
    await sandbox.steer('DELETE', '');
    expect(await stream.ended).toBe(true);
  });

  it('is sent only to clients that accept text/event-stream, and JSON to others', async () => {
    const sandbox = room();
    await sendRequests(sandbox, 1);
    for (const Accept of ['*/*', 'application/json', 'text/html'])
      expect((await sandbox.steer('GET', '/requests', undefined, { Accept })).body, Accept).toHaveLength(1);
  });

  it('is rejected like a GET for JSON if the sandbox or the query is invalid', async () => {
    const sandbox = room();
    const headers = { Accept: 'text/event-stream' };
    expectProblem(await sandbox.steer('GET', '/requests', undefined, headers), 404, 'unknown-sandbox');
    await sandbox.steer('PUT', '');
    expectProblem(await sandbox.steer('GET', '/requests?operation=x', undefined, headers), 404, 'unknown-operation');
    expectProblem(await sandbox.steer('GET', '/requests?after=x', undefined, headers), 400, 'invalid-request');
  });

  it('has no body for HEAD', async () => {
    const sandbox = room();
    await sandbox.steer('PUT', '');
    const path = `/_control/sandboxes/${sandbox.id}/requests`;
    const reply = await createClient(shop())('HEAD', path, undefined, { Accept: 'text/event-stream' });
    expect([reply.status, reply.headers.get('content-type'), reply.text]).toEqual([200, 'text/event-stream', '']);
  });

  it('ends properly when the server closes, which does not wait for it', async () => {
    const server = await startStorefront();
    const stream = await followEvents(server, '/default/requests');
    // The server destroys open connections after 8 s: the stream would not end properly then.
    await server.close();
    expect(await stream.ended).toBe(true);
  });

  it.each<readonly [what: string, end: (sandbox: SandboxClient, server: TestShop) => Promise<unknown>]>([
    ['its sandbox is removed', ({ steer }) => steer('DELETE', '')],
    ['the server is closed', (_, { close }) => close()],
  ])('ends properly for a client that reads late if %s, with a request in progress', async (_, end) => {
    const server = await startStorefront();
    const sandbox = getSandboxClient(server, 'w1');
    await sandbox.steer('POST', '/faults', { operation: 'createOrder', delay: 500, phase: 'after' });
    const connection = connectRaw(server.port);
    connection.write(
      'GET /_control/sandboxes/w1/requests HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: text/event-stream\r\n\r\n',
    );
    await connection.until(': the journal\n\n');
    connection.socket.pause();
    const ordered = sandbox.ask('POST', '/api/orders').catch(() => undefined);
    await vi.waitFor(async () => expect((await sandbox.steer('GET', '')).body.counts.orders).toBe(3), { interval: 2 });
    await sandbox.ask('GET', '/api/orders');
    await end(sandbox, server);
    await ordered;
    connection.socket.resume();
    // A write after the end is an unhandled error, which fails the test run.
    await connection.until(/^HTTP\/1\.1 200 .*: the journal\n\n.*\nid: 1\n.*\r\n0\r\n\r\n$/s);
    connection.socket.destroy();
    expect(connection.received()).not.toContain('id: 2');
  });

  it.each<readonly [what: string, status: number, end: (sandbox: SandboxClient, server: TestShop) => Promise<unknown>]>(
    [
      ['its sandbox is removed', 404, ({ steer }) => steer('DELETE', '')],
      ['the server is closed', 503, (_, { close }) => close()],
    ],
  )(
    'starts after the response before it on the same connection, and is rejected if meanwhile %s',
    async (_, status, end) => {
      const server = await startStorefront();
      const sandbox = getSandboxClient(server, 'w1');
      await sandbox.steer('POST', '/faults', { operation: 'createOrder', delay: 100, phase: 'after' });
      const connection = connectRaw(server.port);
      connection.write(
        'POST /api/orders HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Sandbox: w1\r\nContent-Length: 0\r\n\r\nGET /_control/sandboxes/w1/requests HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: text/event-stream\r\n\r\n',
      );
      await vi.waitFor(async () => expect((await sandbox.steer('GET', '')).body.counts.orders).toBe(3), {
        interval: 2,
      });
      await end(sandbox, server);
      await connection.until(new RegExp(`^HTTP/1\\.1 201 .*HTTP/1\\.1 ${status} .*"}$`, 's'));
      connection.socket.destroy();
    },
  );

  it('causes no warning of Node.js with 15 clients', async () => {
    const server = await startStorefront();
    const warnings: Error[] = [];
    const warned = (warning: Error) => void warnings.push(warning);
    process.on('warning', warned);
    onTestFinished(() => void process.off('warning', warned));
    const streams = await Promise.all(Array.from({ length: 15 }, () => followEvents(server, '/default/requests')));
    await server.ask('GET', '/api/orders');
    for (const stream of streams) await stream.next();
    expect(warnings).toEqual([]);
  });

  it('continues for other clients when one client disconnects', async () => {
    const sandbox = room();
    await sandbox.steer('PUT', '');
    const [gone, stays] = [
      await followEvents(sandbox, `/${sandbox.id}/requests`),
      await followEvents(sandbox, `/${sandbox.id}/requests`),
    ];
    gone.leave();
    await gone.ended;
    await sendRequests(sandbox, 3);
    expect((await stays.next(3)).map(({ id }) => id)).toEqual(['1', '2', '3']);
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
      expect((await defaultSandbox.steer(method, below, body)).body.detail, below).toMatch(
        /listOrders, which the contract does not have: use listPins$/,
      );
  });

  it('redacts a secret parameter that has the wrong type', async () => {
    const defaultSandbox = getSandboxClient(await startWithSecret(), 'default');
    expect((await defaultSandbox.ask('GET', `/pins?token=${SECRET}`)).status).toBe(400);
    expect((await defaultSandbox.steer('GET', '/requests')).text).not.toContain(SECRET);
  });
});
