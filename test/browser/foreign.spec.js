// Tests what a page of another site can do to a server on the developer's machine. Chromium resolves `*.example` to 127.0.0.1 (browser.config.js).
import { createServer, request as send } from 'node:http';
import { expect, test } from '@playwright/test';

const SHOP = 'http://localhost:3200';
const IN_CART = `${SHOP}/api/cart-items/6fb12208-d3f8-49e5-8f52-3d2038703fc6`;
const READABLE = ['/api/products', '/api/orders', '/', '/openapi.yaml', '/_control/health', '/_control/sandboxes'];

const EMPTY_PAGE = '<!doctype html><title>Another site</title>';

/** Another site: an empty page, which has an opaque origin at /sandboxed. */
const site = createServer(({ url }, response) => {
  const sandboxed = url === '/sandboxed' ? { 'Content-Security-Policy': 'sandbox allow-scripts allow-forms' } : {};
  response.writeHead(200, { 'Content-Type': 'text/html', ...sandboxed }).end(EMPTY_PAGE);
});

/** A host name that serves a page of its owner at /own, and everything else from the storefront server, as after DNS rebinding. */
const rebound = createServer(({ url, method, headers }, response) => {
  if (url === '/own') return response.writeHead(200, { 'Content-Type': 'text/html' }).end(EMPTY_PAGE);
  const forwarded = send(SHOP + url, { method, headers }, (shopResponse) => {
    response.writeHead(shopResponse.statusCode, shopResponse.headers);
    shopResponse.pipe(response);
  });
  return forwarded.end();
});

const servers = [site, rebound];
test.beforeAll(() =>
  Promise.all(servers.map((server) => new Promise((resolve) => server.listen(0, '127.0.0.1', resolve)))),
);
test.afterAll(() =>
  Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve).closeAllConnections()))),
);

/** Returns the state of the default sandbox and its recorded resets. */
async function readShop(request) {
  const responses = await Promise.all(
    ['/_control/sandboxes/default/state', '/_control/sandboxes/default/requests?operation=resetData'].map((path) =>
      request.get(SHOP + path),
    ),
  );
  return Promise.all(responses.map((response) => response.text()));
}

/** Opens a page of another site with the given origin. */
async function openForeign(page, origin) {
  await page.goto(`http://evil.example:${site.address().port}/${origin === 'null' ? 'sandboxed' : ''}`);
  expect(await page.evaluate(() => self.origin)).toContain(origin);
}

for (const origin of ['http://evil.example', 'null']) {
  test(`a page of the origin ${origin} cannot read the shop`, async ({ page }) => {
    await openForeign(page, origin);
    for (const path of READABLE) {
      for (const init of [{}, { credentials: 'include' }, { mode: 'no-cors' }, { headers: { 'X-Sandbox': 'w1' } }]) {
        const seen = await page.evaluate(
          ([url, options]) =>
            fetch(url, options).then(
              (response) => response.text(),
              () => '',
            ),
          [SHOP + path, init],
        );
        expect(seen, `${path} ${JSON.stringify(init)}`).toBe('');
      }
    }
  });

  test(`a page of the origin ${origin} cannot change the shop with fetch`, async ({ page, request }) => {
    const before = await readShop(request);
    await openForeign(page, origin);
    const text = { 'Content-Type': 'text/plain' };
    const json = { 'Content-Type': 'application/json' };
    const changes = [
      [`${SHOP}/api/reset`, { method: 'POST', mode: 'no-cors', headers: text, body: 'x' }],
      [`${SHOP}/api/orders`, { method: 'POST', mode: 'no-cors' }],
      [`${SHOP}/api/reset`, { method: 'POST', mode: 'no-cors', keepalive: true }],
      [`${SHOP}/api/orders`, { method: 'POST', credentials: 'include' }],
      [`${SHOP}/api/cart-items`, { method: 'POST', headers: json, body: '{}' }],
      [IN_CART, { method: 'PUT', headers: json, body: '{"quantity":9}' }],
      [IN_CART, { method: 'DELETE' }],
      [`${SHOP}/_control/sandboxes/default/reset`, { method: 'POST', mode: 'no-cors', headers: text, body: '{}' }],
    ];
    for (const [url, options] of changes) {
      const seen = await page.evaluate(
        ([target, init]) =>
          fetch(target, init).then(
            (response) => response.text(),
            () => '',
          ),
        [url, options],
      );
      expect(seen, `${options.method} ${url}`).toBe('');
    }
    expect(await readShop(request)).toEqual(before);
  });

  test(`a page of the origin ${origin} cannot order by submitting a form`, async ({ page, request }) => {
    const before = await readShop(request);
    await openForeign(page, origin);
    await page.setContent(`<form method="post" action="${SHOP}/api/orders"><button>Win a prize</button></form>`);
    const [response] = await Promise.all([
      page.waitForResponse(`${SHOP}/api/orders`),
      page.getByRole('button').click(),
    ]);
    expect(response.status()).toBe(403);
    expect(await readShop(request)).toEqual(before);
  });
}

test('a page of another site can show images, but not read them or anything else', async ({ page }) => {
  await openForeign(page, 'http://evil.example');
  const show = (path) =>
    page.evaluate(
      (url) =>
        new Promise((resolve) => {
          const image = new Image();
          image.onload = () => {
            const canvas = document.createElement('canvas').getContext('2d');
            canvas.drawImage(image, 0, 0);
            try {
              resolve(`read ${canvas.getImageData(0, 0, 1, 1).data}`);
            } catch (error) {
              resolve(`shown, ${error.name}`);
            }
          };
          image.onerror = () => resolve('not shown');
          image.src = url;
        }),
      SHOP + path,
    );
  expect(await show('/images/products/kettle.svg')).toBe('shown, SecurityError');
  expect(await show('/images/logo.png')).toBe('shown, SecurityError');
  expect(await show('/api/products')).toBe('not shown');
});

test('a page that reaches the shop under its own host name (DNS rebinding) gets only 403', async ({
  page,
  request,
}) => {
  const before = await readShop(request);
  await page.goto(`http://rebound.example:${rebound.address().port}/own`);
  for (const [method, path] of [
    ...READABLE.map((path) => ['GET', path]),
    ['POST', '/api/reset'],
    ['POST', '/api/orders'],
    ['GET', '/images/logo.png'],
  ]) {
    const status = await page.evaluate(
      ([how, url]) => fetch(url, { method: how }).then((got) => got.status),
      [method, path],
    );
    expect(status, `${method} ${path}`).toBe(403);
  }
  expect(await readShop(request)).toEqual(before);
});
