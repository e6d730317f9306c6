import { describe, expect, it } from 'vitest';
import { ITEM, KETTLE } from '../support/fixtures/cart-item.ts';
import { getIds, getJournal, type Journal, sendRequests } from '../support/harness/journal.ts';
import { expectProblem } from '../support/harness/problems.ts';
import { sendRaw, sendRawRequest } from '../support/harness/raw-client.ts';
import { createSandboxClient, selectionMethods } from '../support/harness/sandboxes.ts';
import { getSandboxClient, type SandboxClient, useSharedShop } from '../support/harness/shared-shop.ts';
import { NOW_MS, startStorefront } from '../support/harness/start-storefront.ts';

const { shop, newSandbox } = useSharedShop();
const NOW = new Date(NOW_MS).toISOString();

/** Sends `count` requests on one connection, without waiting for the responses in between (pipelining). */
async function sendPipelined({ id, port }: SandboxClient, count: number): Promise<void> {
  const requestText = (more: string) =>
    `GET /api/payment-summary HTTP/1.1\r\nHost: localhost\r\nX-Sandbox: ${id}\r\n${more}\r\n`;
  const replies = await sendRaw(port, requestText('').repeat(count - 1) + requestText('Connection: close\r\n'));
  expect(replies.map(({ status }) => status)).toEqual(Array(count).fill(200));
}

describe('the journal of a sandbox', () => {
  it('lists requests with their responses, the oldest first', async () => {
    const sandbox = newSandbox();
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
      decision: { source: 'handler' },
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
        body: { id: 3, ...ITEM, deliveryOptionId: '1' },
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
      const sandbox = newSandbox();
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
    const sandbox = newSandbox();
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
    const sandbox = newSandbox();
    await sandbox.ask('GET', '/api/products?serach=kettle');
    const [{ notes, response }] = await getJournal(sandbox);
    expect([response.status, notes]).toEqual([200, [expect.stringContaining('serach')]]);
  });

  it('records HEAD and OPTIONS requests', async () => {
    const sandbox = newSandbox();
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
    const sandbox = newSandbox();
    await sandbox.sendControl('PUT', '');
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
    for (const { ask, sendControl } of rooms) {
      await ask('GET', '/api/orders');
      await sendControl('GET', '');
      await sendControl('PUT', '/faults', []);
      for (const path of paths) await ask('GET', path);
    }
    await server.ask('GET', '/_sandbox/w1/images/products/kettle.svg');
    await server.ask('GET', '/_sandbox/w1/nothing');
    expect(await Promise.all(rooms.map((each) => getIds(each)))).toEqual([[1], [1]]);
  });

  it('does not contain requests of another sandbox', async () => {
    const [sandbox, otherSandbox] = [newSandbox(), newSandbox()];
    await sandbox.ask('GET', '/api/orders');
    await otherSandbox.ask('GET', '/api/products?search=x');
    expect((await getJournal(sandbox)).map(({ operation }: Journal) => operation)).toEqual(['listOrders']);
    expect((await getJournal(otherSandbox)).map(({ id, operation }: Journal) => [id, operation])).toEqual([
      [1, 'listProducts'],
    ]);
  });

  it('returns 404 if the sandbox does not exist', async () => {
    const { sendControl } = newSandbox();
    for (const [method, below, body] of [
      ['GET', '', undefined],
      ['DELETE', '', undefined],
      ['POST', '/count', {}],
      ['POST', '/verify', {}],
    ] as const)
      expectProblem(await sendControl(method, `/requests${below}`, body), 404, 'unknown-sandbox', below);
  });

  it('remains after a reset of the data, and is cleared when the sandbox is recreated', async () => {
    const sandbox = newSandbox();
    await sendRequests(sandbox, 2);
    await sandbox.sendControl('POST', '/reset');
    expect(await getIds(sandbox)).toEqual([1, 2]);
    await sandbox.ask('POST', '/api/reset');
    expect(await getIds(sandbox)).toEqual([1, 2, 3]);
    await sandbox.sendControl('PUT', '');
    expect(await getIds(sandbox)).toEqual([]);
    expect((await sandbox.sendControl('GET', '')).body.requests).toBe(0);
  });

  it('keeps the last 100 requests, and the last 1,000 in the default sandbox', async () => {
    const server = await startStorefront();
    const [sandbox, defaultSandbox] = [getSandboxClient(server, 'w1'), getSandboxClient(server, 'default')];
    await sendPipelined(sandbox, 105);
    expect(await getIds(sandbox)).toEqual(Array.from({ length: 100 }, (_, n) => n + 6));
    expect((await sandbox.sendControl('GET', '')).body.requests).toBe(100);
    await sendPipelined(defaultSandbox, 1_010);
    const ids = await getIds(defaultSandbox);
    expect([ids.length, ids[0], ids.at(-1)]).toEqual([1_000, 11, 1_010]);
    expect(await getIds(sandbox)).toHaveLength(100);
  });

  it('is cleared when the default sandbox is recreated, while ids continue', async () => {
    const defaultSandbox = getSandboxClient(await startStorefront(), 'default');
    await sendRequests(defaultSandbox, 2);
    await defaultSandbox.sendControl('PUT', '');
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
