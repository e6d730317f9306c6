import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findPort, startServer } from './server.js';
import { card, expect, KETTLE, rows, SERVER, test } from './support.js';

const IN_CART = { data: { productId: KETTLE, quantity: 2 } };
const REFUSED = { data: { productId: KETTLE, quantity: 11 } };

test('the console shows a new request without a reload, with what decided its response', async ({
  page,
  open,
  sandbox,
}) => {
  await sandbox.send('GET', '/api/orders');
  await open();
  await sandbox.send('GET', '/api/products?search=shoes');
  await expect(rows(page)).toHaveCount(2);
  const newest = rows(page).first();
  await expect(newest).toContainText('GET');
  await expect(newest).toContainText('/api/products?search=shoes');
  await expect(newest).toContainText('200');
  await expect(newest).toContainText('listProducts');
  await expect(newest).toContainText('real');
});

test('a long path is shortened in the middle', async ({ page, open, sandbox }) => {
  await page.setViewportSize({ width: 1280, height: 800 });
  const path = `/api/${'a'.repeat(300)}/tasks/17`;
  await sandbox.send('GET', path);
  await open();
  const cell = rows(page).first().getByRole('gridcell').nth(2);
  await expect(cell).toHaveText(path);
  const { start, end, right } = await cell.evaluate((element) => ({
    start: element.querySelector('.path-start').scrollWidth - element.querySelector('.path-start').clientWidth,
    end: element.querySelector('.path-end').getBoundingClientRect().right,
    right: element.getBoundingClientRect().right,
  }));
  expect(start).toBeGreaterThan(0);
  expect(end).toBeLessThanOrEqual(right);
});

test('the details of a refused request show the line of the contract that it violates', async ({
  page,
  open,
  sandbox,
}) => {
  await sandbox.send('POST', '/api/cart-items', REFUSED);
  await open();
  await rows(page).first().click();
  const details = page.getByRole('complementary', { name: 'Request 1' });
  await expect(details).toContainText('Refused');
  await expect(details).toContainText('body/quantity is 11: use an integer from 1 to 10');
  await expect(details.locator('figcaption')).toContainText('openapi.yaml, line');
  await expect(details.locator('.line-marked')).toContainText('maximum: 10');
});

test('the details of a refused request say which value is missing', async ({ page, open, sandbox }) => {
  await sandbox.send('POST', '/api/cart-items', { data: { productId: KETTLE } });
  await open('requests', { request: '1' });
  const details = page.getByRole('complementary', { name: 'Request 1' });
  await expect(details).toContainText('body/quantity is missing: add an integer from 1 to 10');
});

test('the details of a request show what it changed, and the faults that did not apply', async ({
  page,
  open,
  sandbox,
}) => {
  await sandbox.control('POST', '/faults', { operation: 'addCartItem', where: { body: { quantity: 3 } }, status: 503 });
  await sandbox.send('POST', '/api/cart-items', IN_CART);
  await open('requests', { request: '1' });
  const details = page.getByRole('complementary', { name: 'Request 1' });
  await expect(details).toContainText('added cartItems');
  await expect(details.getByText('body/quantity: expected 3, got 2')).toBeVisible();
});

test('the list can be filtered by text, status and operation, and the address keeps the filter', async ({
  page,
  open,
  sandbox,
}) => {
  await sandbox.send('POST', '/api/cart-items', REFUSED);
  await sandbox.send('GET', '/api/products');
  await sandbox.send('GET', '/api/nothing');
  await open();
  await expect(rows(page)).toHaveCount(3);
  await page.getByLabel('Status', { exact: true }).selectOption('4xx');
  await expect(rows(page)).toHaveCount(2);
  await page.getByLabel('Operation', { exact: true }).selectOption('addCartItem');
  await expect(rows(page)).toHaveCount(1);
  await page.reload();
  await expect(rows(page)).toHaveCount(1);
  await page.getByRole('button', { name: 'Remove the filter' }).click();
  await expect(rows(page)).toHaveCount(3);
  await page.getByRole('searchbox').fill('"quantity":11');
  await expect(rows(page)).toHaveCount(1);
  await page.getByRole('searchbox').fill('no request has this text');
  await expect(page.getByText('No request matches the filter.')).toBeVisible();
});

test('a paused list shows the number of new requests, and adds them when it is resumed', async ({
  page,
  open,
  sandbox,
}) => {
  await sandbox.send('GET', '/api/orders');
  await open();
  await expect(rows(page)).toHaveCount(1);
  await page.getByRole('button', { name: 'Pause' }).click();
  await sandbox.send('GET', '/api/products');
  await page.getByRole('button', { name: 'Resume (1)' }).click();
  await expect(rows(page)).toHaveCount(2);
});

test('Clear empties the journal after a second click', async ({ page, open, sandbox }) => {
  await sandbox.send('GET', '/api/orders');
  await open();
  await page.getByRole('button', { name: 'Clear the requests' }).click();
  await page.getByRole('button', { name: 'Confirm: Clear the requests' }).click();
  await expect(page.getByRole('heading', { name: 'Storefront is ready' })).toBeVisible();
  expect(await sandbox.control('GET', '/requests')).toEqual([]);
});

test('Send again sends the request to the same sandbox', async ({ page, open, sandbox }) => {
  await sandbox.send('POST', '/api/cart-items', IN_CART);
  await open('requests', { request: '1' });
  await page.getByRole('button', { name: 'Send again' }).click();
  await expect(page.getByText('The response has the status 201')).toBeVisible();
  await expect(rows(page)).toHaveCount(2);
  const [first, second] = await sandbox.control('GET', '/requests');
  expect(second.request.body).toEqual(first.request.body);
});

test('a request can be copied as curl, as fetch and as a test', async ({ page, open, sandbox, context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await sandbox.send('POST', '/api/cart-items', IN_CART);
  await open('requests', { request: '1' });
  const copy = async (name) => {
    await page.getByRole('button', { name: `Copy as ${name}` }).click();
    await expect(page.getByText(`Copied: ${name}`)).toBeVisible();
    return page.evaluate(() => navigator.clipboard.readText());
  };
  expect(await copy('curl')).toBe(
    `curl -X POST '${SERVER}/api/cart-items' \\\n  -H 'content-type: application/json' \\\n  -H 'x-sandbox: ${sandbox.id}' \\\n  --data-raw '{"productId":"${KETTLE}","quantity":2}'`,
  );
  const code = await copy('fetch');
  expect(code).toContain(`await fetch('${SERVER}/api/cart-items', {`);
  await new Function(`return (async () => { ${code} })()`)();
  const [first, second] = await sandbox.control('GET', '/requests');
  expect(second.request.body).toEqual(first.request.body);
  const kitTest = await copy('test');
  expect(kitTest).toContain("it('addCartItem responds with 201', async () => {");
  expect(kitTest).toContain("await sandbox.verify({ operation: 'addCartItem', status: 201, times: 1 });");
});

test('the arrow keys select a request, and Escape closes its details', async ({ page, open, sandbox }) => {
  await sandbox.send('GET', '/api/orders');
  await sandbox.send('GET', '/api/products');
  await open();
  await expect(rows(page)).toHaveCount(2);
  await page.getByRole('grid').focus();
  await page.keyboard.press('ArrowDown');
  await expect(page.getByRole('complementary', { name: 'Request 2' })).toBeVisible();
  await page.keyboard.press('ArrowDown');
  await expect(page.getByRole('complementary', { name: 'Request 1' })).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(page.getByRole('complementary')).toHaveCount(0);
});

test('the list can show the requests of all sandboxes, with their details', async ({
  page,
  open,
  sandbox,
  request,
}) => {
  const other = `${sandbox.id}-b`;
  await sandbox.send('GET', '/api/products');
  await request.get(`${SERVER}/api/orders?other=1`, { headers: { 'X-Sandbox': other } });
  await open();
  await page.getByLabel('Sandboxes', { exact: true }).selectOption('All sandboxes');
  const row = rows(page).filter({ hasText: other });
  await expect(row).toContainText('/api/orders?other=1');
  await request.get(`${SERVER}/api/delivery-options`, { headers: { 'X-Sandbox': other } });
  await expect(row).toHaveCount(2);
  await row.last().click();
  await expect(page.getByRole('complementary')).toContainText('/api/orders?other=1');
  await page.getByLabel('Sandboxes', { exact: true }).selectOption('This sandbox');
  await expect(rows(page)).toHaveCount(1);
  await request.delete(`${SERVER}/_control/sandboxes/${other}`);
});

test('before the first request, the console shows the address and sends an example with one click', async ({
  page,
  open,
  sandbox,
}) => {
  await open();
  await expect(page.getByText(`${SERVER}/_sandbox/${sandbox.id}`).first()).toBeVisible();
  await expect(page.getByText('server: { proxy:')).toContainText(`headers: { 'X-Sandbox': '${sandbox.id}' }`);
  await expect(page.getByRole('button', { name: /^Send:/ })).toHaveCount(3);
  await page
    .getByRole('button', { name: /^Send:/ })
    .first()
    .click();
  await expect(rows(page)).toHaveCount(1);
  await expect(rows(page)).toContainText('200');
});

test('the examples have the credentials that the contract requires', async ({ page, context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const contract = join(mkdtempSync(join(tmpdir(), 'storefront-console-')), 'openapi.json');
  const operation = { operationId: 'getTime', responses: { 200: { description: 'The time' } } };
  const document = {
    openapi: '3.1.0',
    info: { title: 'Time', version: '1' },
    paths: { '/time': { get: operation } },
    security: [{ login: [] }],
    components: { securitySchemes: { login: { type: 'http', scheme: 'basic' } } },
  };
  writeFileSync(contract, JSON.stringify(document));
  const server = await startServer(await findPort(), '--contract', contract);
  await page.goto(server.url);
  await page.getByRole('button', { name: 'Copy as curl' }).click();
  await expect(page.getByText('Copied: curl')).toBeVisible();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toContain(
    `authorization: Basic ${btoa('example:example')}`,
  );
  await page.getByRole('button', { name: 'Send: getTime' }).click();
  await expect(rows(page)).toContainText('200');
  await server.stop();
});

test('a long list has only the visible rows in the document', async ({ page, open, sandbox }) => {
  await sandbox.send('GET', '/api/orders');
  await open();
  for (let sent = 0; sent < 60; sent++) await sandbox.send('GET', `/api/products?search=${sent}`);
  await expect(page.getByText('61 requests')).toBeVisible();
  expect(await rows(page).count()).toBeLessThan(50);
  await page.getByRole('grid').focus();
  await page.keyboard.press('End');
  await expect(rows(page).last()).toContainText('/api/orders');
});

test('the logo shows the start page again after the first request', async ({ page, open, sandbox }) => {
  await sandbox.send('GET', '/api/orders');
  await open();
  await expect(rows(page)).toHaveCount(1);
  await page.getByRole('link', { name: 'storefront: start page' }).click();
  await expect(page.getByRole('heading', { name: 'Storefront is ready' })).toBeVisible();
  await page
    .getByRole('button', { name: /^Send: / })
    .first()
    .click();
  await page.getByRole('link', { name: 'Show 2 requests' }).click();
  await expect(rows(page)).toHaveCount(2);
});

test('a request with credentials is sent again and copied with them, and the page masks them', async ({
  page,
  open,
  sandbox,
  context,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await sandbox.send('GET', '/api/orders?token=qwerty', { headers: { Authorization: 'Bearer abcdef' } });
  await open('requests', { request: '1' });
  await expect(page.getByText('The page masks the secrets of the request.')).toBeVisible();
  for (const name of ['curl', 'fetch', 'test']) {
    await page.getByRole('button', { name: `Copy as ${name}` }).click();
    await expect(page.getByText(`Copied: ${name}`)).toBeVisible();
    const code = await page.evaluate(() => navigator.clipboard.readText());
    expect(code).toContain('Bearer abcdef');
    expect(code).toContain('/api/orders?token=qwerty');
  }
  await page.getByRole('button', { name: 'Send again' }).click();
  await expect(rows(page)).toHaveCount(2);
  const { headers } = await sandbox.control('GET', '/requests/2/unredacted');
  expect(headers.authorization).toBe('Bearer abcdef');
  await page
    .getByText(/headers?$/)
    .first()
    .click();
  await expect(page.getByText('[redacted]').first()).toBeVisible();
  expect(await page.content()).not.toMatch(/abcdef|qwerty/);
});

test('a sandbox that does not exist is created only by its button', async ({ page, open, sandbox, request }) => {
  const missing = `${sandbox.id}x`;
  for (const view of ['requests', 'state', 'control']) {
    await open(view, { sandbox: missing });
    await expect(page.getByRole('heading', { name: `No sandbox ${missing}` })).toBeVisible();
  }
  expect((await request.get(`${SERVER}/_control/sandboxes/${missing}`)).status()).toBe(404);
  await page.getByRole('button', { name: 'Create the sandbox' }).click();
  await expect(card(page, 'Clock')).toBeVisible();
  expect((await request.delete(`${SERVER}/_control/sandboxes/${missing}`)).status()).toBe(204);
});

test('the list keeps no removed rows in memory', async ({ page, open, sandbox }) => {
  await page.setViewportSize({ width: 1280, height: 400 });
  await open();
  // Requests that are sent singly: the page removes a row for each new one.
  const send = async (from, to) => {
    for (let count = from; count <= to; count++) {
      await sandbox.send('GET', `/api/orders/${count}`);
      await expect(rows(page).first()).toContainText(`/api/orders/${count}`);
    }
  };
  await send(1, 40);
  const before = await countCells(page);
  await send(41, 100);
  expect(await countCells(page)).toBeLessThan(before + 100);
});

/** Returns the number of elements `div` in memory, also of those that are not in the document. */
async function countCells(page) {
  const session = await page.context().newCDPSession(page);
  for (let round = 0; round < 3; round++) await session.send('HeapProfiler.collectGarbage');
  const { result } = await session.send('Runtime.evaluate', { expression: 'HTMLDivElement.prototype' });
  const { objects } = await session.send('Runtime.queryObjects', { prototypeObjectId: result.objectId });
  const length = { functionDeclaration: 'function () { return this.length; }', objectId: objects.objectId };
  const found = await session.send('Runtime.callFunctionOn', { ...length, returnByValue: true });
  await session.detach();
  return found.result.value;
}
