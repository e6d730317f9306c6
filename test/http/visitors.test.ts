import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { defaults } from '../support/fixtures/default-data.ts';
import { folderWith } from '../support/harness/folder-with.ts';
import { expectProblem } from '../support/harness/problems.ts';
import { createTestRegistry, HOUR_MS } from '../support/harness/registry.ts';
import { createClient, listSandboxIds } from '../support/harness/sandboxes.ts';
import { startStorefront, type TestResponse, type TestShop } from '../support/harness/start-storefront.ts';

const VISITOR_COOKIE =
  /^sandbox-visitor=(visitor-[0-9a-f-]{36}); Path=\/; Max-Age=2592000; HttpOnly; SameSite=Lax(; Secure)?$/;

/** Returns the value of the visitor's cookie that a response sets. */
function getCookie({ headers }: TestResponse): string | undefined {
  return headers.getSetCookie().map((cookie) => VISITOR_COOKIE.exec(cookie)?.[1])[0];
}

/** A client that stores the cookie as a browser does. */
function createBrowser({ ask }: TestShop) {
  let cookie: string | undefined;
  return async (method: string, path: string, body?: unknown) => {
    const headers = cookie === undefined ? {} : { cookie: `theme=dark; sandbox-visitor=${cookie}` };
    const response = await ask(method, path, body, headers);
    cookie = getCookie(response) ?? cookie;
    return response;
  };
}

describe('a server with --sandboxes required', () => {
  it('refuses a request to an operation that names no sandbox, and says how to name one', async () => {
    const { ask } = await startStorefront({ sandboxes: 'required' });
    for (const [method, path] of [
      ['GET', '/api/products'],
      ['POST', '/api/orders'],
    ] as const) {
      const response = await ask(method, path);
      expectProblem(response, 404, 'unknown-sandbox');
      expect(response.body.detail).toMatch(/X-Sandbox.*storefront\/propagate/);
      expect((await ask(method, path, undefined, { 'x-sandbox': 'w1' })).status).toBeLessThan(300);
    }
    expect((await ask('GET', '/api/cart-items', undefined, { 'x-sandbox': 'default' })).body).toHaveLength(2);
  });

  it('still serves pages, images, documents and the control API', async () => {
    const { ask } = await startStorefront({ sandboxes: 'required' });
    const paths = [
      '/',
      '/_docs',
      '/openapi.yaml',
      '/_control/sandboxes',
      '/_control/health',
      '/images/products/none.jpg',
    ];
    const statuses = await Promise.all(paths.map(async (path) => (await ask('GET', path)).status));
    expect(statuses.slice(0, -1)).toEqual(paths.slice(0, -1).map(() => 200));
    expect((await ask('GET', defaults.products[0]?.image.replace(/^\/?/, '/') ?? '')).status).toBe(200);
  });
});

describe('a server with --sandboxes visitor', () => {
  it('applies the faults of the visitor to images', async () => {
    const shop = await startStorefront({ sandboxes: 'visitor' });
    const browser = createBrowser(shop);
    const cookie = getCookie(await browser('GET', '/api/cart-items'));
    const image = defaults.products[0]?.image.replace(/^\/?/, '/') ?? '';
    const fault = { where: { path: '/images/*' }, status: 503 };
    await shop.ask('POST', `/_control/sandboxes/${cookie}/faults`, fault);
    expect((await browser('GET', image)).status).toBe(503);
    expect((await createBrowser(shop)('GET', image)).status).toBe(200);
  });

  it('does not let shared caches store a response with a new cookie', async () => {
    const folder = await folderWith({ 'index.html': '<title>Shop</title>' });
    const ask = createClient(await startStorefront({ sandboxes: 'visitor', static: folder }));
    const page = await ask('GET', '/', undefined, { accept: 'text/html', 'sec-fetch-mode': 'navigate' });
    const operation = await ask('GET', '/api/cart-items');
    expect([getCookie(page), getCookie(operation)]).toEqual([expect.any(String), expect.any(String)]);
    const caching = [page, operation].map(({ headers }) => headers.get('cache-control'));
    expect(caching).toEqual(['private, no-cache', 'no-store']);
  });

  it('gives each browser a sandbox by cookie', async () => {
    const shop = await startStorefront({ sandboxes: 'visitor' });
    const [first, second] = [createBrowser(shop), createBrowser(shop)];
    const response = await first('GET', '/api/cart-items');
    expect(response.headers.get('x-sandbox')).toBe(getCookie(response));
    await second('GET', '/api/cart-items');
    await first('POST', '/api/orders');
    const again = await first('GET', '/api/cart-items');
    expect([again.body, again.headers.getSetCookie()]).toEqual([[], []]);
    expect((await second('GET', '/api/cart-items')).body).toHaveLength(2);
    expect(await listSandboxIds(shop)).toHaveLength(3);
  });

  it('uses the sandbox that a request names, and replaces an invalid cookie', async () => {
    const { ask } = await startStorefront({ sandboxes: 'visitor' });
    const named = await ask('GET', '/api/products', undefined, { 'x-sandbox': 'w1' });
    expect([named.headers.get('x-sandbox'), named.headers.getSetCookie()]).toEqual(['w1', []]);
    const replaced = await ask('GET', '/api/products', undefined, { cookie: 'sandbox-visitor=w1' });
    expect(replaced.headers.get('x-sandbox')).toMatch(/^visitor-/);
  });

  it('marks the cookie as secure if the browser uses HTTPS', async () => {
    const { ask } = await startStorefront({ sandboxes: 'visitor' });
    const isSecure = async (headers: Record<string, string>) =>
      (await ask('GET', '/api/products', undefined, headers)).headers.getSetCookie()[0]?.endsWith('; Secure');
    expect(await isSecure({})).toBe(false);
    expect(await isSecure({ 'x-forwarded-proto': 'https, http' })).toBe(true);
    expect(await isSecure({ forwarded: 'for=192.0.2.1;proto=https' })).toBe(true);
    expect(await isSecure({ 'x-forwarded-proto': 'http' })).toBe(false);
  });

  it('sets the cookie when a browser loads a page of the front end', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'storefront-page-'));
    await writeFile(join(folder, 'index.html'), '<p>Shop');
    const ask = createClient(await startStorefront({ sandboxes: 'visitor', static: folder }));
    const navigation = { accept: 'text/html', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' };
    const page = await ask('GET', '/', undefined, navigation);
    const id = getCookie(page);
    expect([page.text, id]).toEqual(['<p>Shop', expect.stringMatching(/^visitor-/)]);
    const renewed = await ask('GET', '/', undefined, { ...navigation, cookie: `sandbox-visitor=${id}` });
    expect(getCookie(renewed)).toBe(id);
    const image = await ask('GET', '/favicon.ico', undefined, { accept: 'image/*' });
    expect(image.headers.getSetCookie()).toEqual([]);
  });

  it('keeps the cookies that a handler sets', async () => {
    const { ask } = await startStorefront({
      sandboxes: 'visitor',
      handlers: { listOrders: () => ({ body: [], headers: { 'Set-Cookie': 'session=1' } as object }) },
    });
    expect((await ask('GET', '/api/orders')).headers.getSetCookie()).toEqual([
      expect.stringMatching(VISITOR_COOKIE),
      'session=1',
    ]);
  });
});

describe('the sandboxes of visitors', () => {
  it('exist for 30 days without use', async () => {
    const { sandboxes, pass } = createTestRegistry({ areVisitors: true });
    await sandboxes.get('v1');
    pass(29 * 24 * HOUR_MS);
    expect(sandboxes.find('v1')?.id).toBe('v1');
    pass(30 * 24 * HOUR_MS);
    expect(sandboxes.find('v1')).toBeUndefined();
  });

  it('replace the least recently used one, first those without changes', async () => {
    const { sandboxes } = createTestRegistry({ areVisitors: true, maxSandboxes: 3 });
    await sandboxes.create('changed-1');
    await sandboxes.create('changed-2');
    await sandboxes.get('unchanged');
    await sandboxes.get('new-1');
    await sandboxes.get('new-2');
    expect(sandboxes.list().map(({ id }) => id)).toEqual(['default', 'changed-1', 'changed-2', 'new-2']);
    await sandboxes.create('new-2');
    await sandboxes.get('new-3');
    expect(sandboxes.list().map(({ id }) => id)).toEqual(['default', 'changed-2', 'new-2', 'new-3']);
  });

  it('are removed, least recently used first, if they need too much memory together', async () => {
    const KB = 1024;
    const pool = { fromBytes: 20 * KB, toBytes: Number.POSITIVE_INFINITY, totalBytes: 2_000 * KB };
    const { sandboxes } = createTestRegistry({
      areVisitors: true,
      memoryLimits: { sandboxBytes: 2_000 * KB, pools: [pool] },
    });
    const getState = (id: string) => ({
      ...defaults,
      orders: Array.from({ length: 900 }, (_, n) => ({
        ...defaults.orders[0],
        id: `${id}${n}`.padEnd(700, 'x'),
        products: [],
      })),
    });
    for (const id of ['a', 'b', 'c', 'd']) await sandboxes.create(id, getState(id) as never);
    expect(sandboxes.list().map(({ id }) => id)).toEqual(['default', 'c', 'd']);
  });
});
