// Tests the console against hostile pages and hostile data. Chromium resolves `*.example` to 127.0.0.1 (browser.config.js).
import { createServer } from 'node:http';
import { expect, test } from '@playwright/test';
import { expectAccessible, watchPage, withServer } from './page-checks.js';

/** Another site: an empty page, which has an opaque origin at /sandboxed. */
const site = createServer(({ url }, response) => {
  const sandboxed = url === '/sandboxed' ? { 'Content-Security-Policy': 'sandbox allow-scripts allow-forms' } : {};
  response
    .writeHead(200, { 'Content-Type': 'text/html', ...sandboxed })
    .end('<!doctype html><title>Another site</title>');
});
test.beforeAll(() => new Promise((resolve) => site.listen(0, '127.0.0.1', resolve)));
test.afterAll(() => new Promise((resolve) => site.close(resolve).closeAllConnections()));

/** The pages from which a test attacks the server: another site, a sandboxed frame, and another port of the same host. */
const FOREIGN_PAGES = [
  ['another site', () => `http://evil.example:${site.address().port}/`],
  ['an opaque origin', () => `http://evil.example:${site.address().port}/sandboxed`],
  ['another port of the host', () => `http://localhost:${site.address().port}/`],
  ['another port of the loopback address', () => `http://127.0.0.1:${site.address().port}/`],
];

/** Ways to send a request from a page. */
const WAYS = [
  { mode: 'cors', headers: { 'Content-Type': 'application/json' } },
  { mode: 'cors', headers: { 'Content-Type': 'text/plain' }, credentials: 'include' },
  { mode: 'no-cors', headers: { 'Content-Type': 'text/plain' } },
  { mode: 'no-cors', body: undefined },
];

/** Values for the parameters in the paths of the control API. */
const PARAMETERS = {
  id: 'default',
  name: 'empty-cart',
  fault: 'f1',
  operation: 'listProducts',
  collection: 'products',
  request: '1',
};

/** Bodies with which operations of the control API would change the server. */
const BODIES = {
  patchState: [{ op: 'remove', path: '/products/0' }],
  setOperation: { mocked: true },
  addFault: { operation: 'listProducts', status: 503 },
  setClock: { now: '2030-01-01T00:00:00.000Z' },
};

/** Lists a request for each operation of the control API. */
async function listControlRequests(request, { url }) {
  const { paths } = await (await request.get(`${url}/_control/openapi.json`)).json();
  return Object.entries(paths).flatMap(([template, item]) =>
    ['get', 'put', 'post', 'patch', 'delete']
      .filter((method) => item[method])
      .map((method) => ({
        url: url + template.replaceAll(/\{(\w+)\}/g, (_, name) => PARAMETERS[name] ?? 'x'),
        method: method.toUpperCase(),
        body: method === 'get' ? undefined : JSON.stringify(BODIES[item[method].operationId] ?? {}),
      })),
  );
}

/** Reads all that the control API can change, as text. */
async function readServer(request, { url }) {
  const sandbox = `${url}/_control/sandboxes/default`;
  const paths = ['', '/state', '/faults', '/snapshots', '/operations'].map((path) => sandbox + path);
  const replies = await Promise.all([`${url}/_control/sandboxes`, ...paths].map((path) => request.get(path)));
  // The idle time depends on when the test asks.
  const texts = await Promise.all(replies.map((reply) => reply.text()));
  return texts.map((text) => text.replaceAll(/"(idleMs|now|nowMs)":("[^"]*"|\d+)/g, ''));
}

for (const [name, getAddress] of FOREIGN_PAGES) {
  test(`a page of ${name} cannot use the control API`, async ({ page, request }) => {
    await withServer({}, async (server) => {
      // A reset would restore the cart.
      await request.post(`${server.url}/api/orders`);
      const before = await readServer(request, server);
      const attempts = await listControlRequests(request, server);
      expect(attempts.length).toBeGreaterThan(30);
      await page.goto(getAddress());
      for (const way of WAYS) {
        const seen = await page.evaluate(
          ([list, init]) =>
            Promise.all(
              list.map(({ url, ...rest }) =>
                fetch(url, { ...rest, ...init }).then(
                  (response) => response.text(),
                  () => '',
                ),
              ),
            ),
          [attempts, way],
        );
        expect(
          seen.filter((text) => text !== ''),
          JSON.stringify(way),
        ).toEqual([]);
      }
      expect(await readServer(request, server)).toEqual(before);
    });
  });

  test(`a page of ${name} cannot embed or read the console`, async ({ page }) => {
    await withServer({}, async ({ url }) => {
      await page.goto(getAddress());
      const read = await page.evaluate(async (target) => {
        const frame = document.createElement('iframe');
        const loaded = new Promise((resolve) => {
          frame.onload = resolve;
        });
        frame.src = target;
        document.body.append(frame);
        await loaded;
        return fetch(target).then(
          (response) => response.text(),
          () => '',
        );
      }, `${url}/_console/`);
      await expect
        .poll(() => page.frames().map((frame) => frame.url()))
        .toEqual([getAddress(), 'chrome-error://chromewebdata/']);
      // A page at another port of this machine may read static files, as it may read the contract.
      if (name.includes('site') || name.includes('opaque')) expect(read).toBe('');
    });
  });
}

const SCRIPT = `<img src="x" onerror="hack()"><script>hack()</script><svg onload="hack()">`;
const LINK = 'javascript:hack()';

/** Sends requests, and changes the data, so that each text that the console shows has a script. */
async function sendScripts(request, { url }) {
  const control = `${url}/_control/sandboxes/default`;
  const state = await (await request.get(`${control}/state`)).json();
  state.products[0].name = `${SCRIPT} name`;
  state.products[0].keywords = [SCRIPT, LINK];
  state.products[1].image = LINK;
  await request.put(`${control}/state`, { data: state });
  await request.put(`${control}/snapshots/hostile`);
  await request.post(`${control}/faults`, {
    data: {
      where: { path: '/nothing', headers: { [`x-${'a'.repeat(5)}`]: SCRIPT } },
      status: 503,
      body: { message: SCRIPT },
    },
  });
  const headers = { 'X-Script': SCRIPT, 'User-Agent': SCRIPT, Referer: LINK };
  await request.get(`${url}/api/products?search=${encodeURIComponent(SCRIPT)}`, { headers });
  await request.get(`${url}/api/${encodeURIComponent(SCRIPT)}`, { headers });
  await request.get(`${url}/api/orders/${encodeURIComponent(SCRIPT)}?${encodeURIComponent(SCRIPT)}=${LINK}`, {
    headers,
  });
  await request.post(`${url}/api/cart-items`, {
    data: { productId: SCRIPT, quantity: LINK, [SCRIPT]: SCRIPT },
    headers,
  });
  await request.post(`${url}/api/cart-items`, { data: SCRIPT, headers: { ...headers, 'Content-Type': 'text/html' } });
  await request.post(`${url}/api/cart-items`, { data: `{${SCRIPT}`, headers: { 'Content-Type': 'application/json' } });
}

test('the console runs no script of products, searches, headers, bodies and paths', async ({ page, request }) => {
  await withServer({}, async (server) => {
    const incidents = await watchPage(page, server);
    await page.goto(`${server.url}/`);
    await sendScripts(request, server);
    const rows = page.getByRole('grid').getByRole('row');
    await expect(rows).toHaveCount(7);
    for (const index of [1, 2, 3, 4, 5, 6]) {
      await rows.nth(index).click();
      await expect(page.getByRole('complementary')).toContainText('onerror');
    }
    await page.goto(`${server.url}/#/state`);
    await expect(page.getByText(`${SCRIPT} name`)).toBeVisible();
    await page
      .getByRole('button', { name: /^Edit / })
      .first()
      .click();
    await expect(page.getByRole('dialog')).toBeVisible();
    await page.keyboard.press('Escape');
    await page.goto(`${server.url}/#/control`);
    await page.getByRole('button', { name: 'Compare with hostile' }).click();
    await page.getByRole('button', { name: 'Compare with empty-cart' }).click();
    await expect(page.getByText('/nothing').first()).toBeVisible();
    expect(incidents).toEqual([]);
  });
});

for (const colorScheme of ['light', 'dark']) {
  test(`the console is accessible, calls nobody else, and violates no policy (${colorScheme})`, async ({
    browser,
    request,
  }) => {
    await withServer({}, async (server) => {
      const page = await browser.newPage({ colorScheme });
      const incidents = await watchPage(page, server);
      await page.goto(`${server.url}/`);
      await expect(page.getByRole('navigation', { name: 'Views' })).toBeVisible();
      await expectAccessible(page, 'before the first request');
      await request.post(`${server.url}/api/cart-items`, { data: { productId: 'x', quantity: 0 } });
      await page.getByRole('grid').getByRole('row').nth(1).click();
      await expect(page.getByRole('complementary')).toContainText('productId');
      await expectAccessible(page, 'requests');
      for (const view of ['state', 'control']) {
        await page.goto(`${server.url}/#/${view}`);
        await expect(page.getByText(view === 'state' ? 'Edit' : 'Restore').first()).toBeVisible();
        await expectAccessible(page, view);
      }
      expect(incidents).toEqual([]);
      await page.close();
    });
  });
}
