// Tests the API reference at /docs: what it shows and sends, how it follows the server, and that it calls nobody else.
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { createStorefront } from 'storefront';
import { expectAccessible, watchPage, withServer } from './page-checks.js';

const ADD = '/docs#post-/api/cart-items';
const shopContract = readFileSync(createRequire(import.meta.url).resolve('storefront/openapi.yaml'), 'utf8');

/** Writes a contract to a new folder, and returns its path. */
function writeContract(text) {
  const path = join(mkdtempSync(join(tmpdir(), 'storefront-reference-')), 'contract.yaml');
  writeFileSync(path, text);
  return path;
}

const tryButton = (page) => page.locator('rapi-doc').getByRole('button', { name: 'TRY', exact: true });

/** Sends the request of the operation, when the viewer has filled in its example: before, the body would be empty. */
async function sendExample(page) {
  await expect(page.locator('rapi-doc textarea').first()).toHaveValue(/productId/);
  await tryButton(page).first().click();
}

/** Reads the recorded requests of a sandbox. */
async function readJournal(request, { url }, sandbox) {
  return (await request.get(`${url}/_control/sandboxes/${sandbox}/requests`)).json();
}

for (const colorScheme of ['light', 'dark']) {
  for (const width of [360, 1280]) {
    test(`the API reference is accessible, and calls nobody else (${colorScheme}, ${width} px)`, async ({
      browser,
    }) => {
      await withServer({}, async (server) => {
        const page = await browser.newPage({ colorScheme, viewport: { width, height: 800 } });
        const incidents = await watchPage(page, server);
        await page.goto(`${server.url}/docs`);
        await expect(page.locator('rapi-doc').getByText('An e-commerce backend')).toBeVisible();
        await expectAccessible(page, 'overview');
        await page.goto(`${server.url}${ADD}`);
        await page.reload();
        // The viewer draws the operation again while it loads, and then a click can have no effect.
        await expect(async () => {
          await sendExample(page);
          await expect(page.locator('rapi-doc').getByText('Created').first()).toBeVisible({ timeout: 10_000 });
        }).toPass();
        await expectAccessible(page, 'operation');
        expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
        expect(incidents).toEqual([]);
        await page.close();
      });
    });
  }
}

test('the API reference sends requests to the chosen sandbox', async ({ page, request }) => {
  await withServer({}, async (server) => {
    await page.goto(`${server.url}${ADD}`);
    await tryButton(page).waitFor();
    await page.getByLabel('Try it in sandbox').fill('w5');
    await page.getByLabel('Try it in sandbox').press('Enter');
    await sendExample(page);
    await expect(page.locator('rapi-doc').getByText('Created').first()).toBeVisible();
    expect(await readJournal(request, server, 'w5')).toMatchObject([
      { operation: 'addCartItem', response: { status: 201 } },
    ]);
    expect(await readJournal(request, server, 'default')).toEqual([]);
    await page.reload();
    await expect(page.getByLabel('Try it in sandbox')).toHaveValue('w5');
    await expect(page.locator('rapi-doc').getByText(`${server.url}/_sandbox/w5`)).toBeVisible();
    await page.getByRole('link', { name: 'Console' }).click();
    await expect(page.getByLabel('Sandbox', { exact: true })).toHaveValue('w5');
    await page.getByRole('link', { name: 'API reference' }).first().click();
    await expect(page.getByLabel('Try it in sandbox')).toHaveValue('w5');
  });
});

test('the API reference refuses an invalid sandbox id', async ({ page }) => {
  await withServer({}, async (server) => {
    await page.goto(`${server.url}${ADD}`);
    const input = page.getByLabel('Try it in sandbox');
    await input.fill('W 5');
    await input.press('Enter');
    await expect(page.locator('#sandbox-id:invalid')).toBeVisible();
    expect(page.url()).not.toContain('W');
  });
});

test('the API reference sends requests to this server, whatever servers the contract names', async ({ page }) => {
  const contract = writeContract(
    shopContract.replace(/^servers:\n(?: .*\n)+/m, 'servers: [{ url: "https://shop.example/v1" }]\n'),
  );
  await withServer({ contract }, async (server) => {
    const incidents = await watchPage(page, server);
    await page.goto(`${server.url}${ADD}`);
    await sendExample(page);
    await expect(page.locator('rapi-doc').getByText('Created').first()).toBeVisible();
    expect(incidents).toEqual([]);
  });
});

test('the API reference follows a change of the contract', async ({ page }) => {
  const contract = writeContract(shopContract);
  await withServer({ contract }, async (server) => {
    await page.goto(`${server.url}${ADD}`);
    await expect(page.locator('rapi-doc').getByText('Add a product to the cart').first()).toBeVisible();
    writeFileSync(contract, shopContract.replace('Add a product to the cart', 'Put a product into the basket'));
    await expect(page.locator('rapi-doc').getByText('Put a product into the basket').first()).toBeVisible();
  });
});

test('the API reference shows a contract whose operation has the path /{name}', async ({ page, request }) => {
  const get = { operationId: 'getAny', summary: 'Get anything', responses: { 200: { description: 'ok' } } };
  const paths = { '/{name}': { get, parameters: [{ name: 'name', in: 'path', required: true, schema: {} }] } };
  const contract = writeContract(JSON.stringify({ openapi: '3.1.0', info: { title: 'Any', version: '1' }, paths }));
  await withServer({ contract }, async (server) => {
    await page.goto(`${server.url}/_docs`);
    await expect(page.locator('rapi-doc').getByText('Get anything').first()).toBeVisible();
    expect(
      (await readJournal(request, server, 'default')).filter(({ request: { path } }) => /openapi/.test(path)),
    ).toEqual([]);
  });
});

test('the API reference does not load an unchanged contract again', async ({ page }) => {
  await withServer({}, async (server) => {
    const loads = [];
    page.on('request', (request) => {
      if (request.url().endsWith('/openapi.json')) loads.push(request.method());
    });
    await page.goto(`${server.url}/docs`);
    await expect.poll(() => loads.length, { timeout: 60_000 }).toBeGreaterThan(3);
    expect(loads.filter((method) => method !== 'HEAD')).toEqual(['GET']);
  });
});

test('the API reference shows a lost connection, and restores it', async ({ page }) => {
  const first = await createStorefront();
  await page.goto(`${first.url}/docs`);
  await expect(page.locator('rapi-doc').getByText('An e-commerce backend')).toBeVisible();
  await first.close();
  await expect(page.getByText('Connection lost, reconnecting')).toBeVisible();
  await withServer({ port: first.port }, async () => {
    await expect(page.getByText('Connection lost, reconnecting')).toBeHidden();
  });
});

test('the API reference works without the control API, and says why the control API is missing', async ({ page }) => {
  await withServer({ control: false }, async (server) => {
    await page.goto(`${server.url}${ADD}`);
    await sendExample(page);
    await expect(page.locator('rapi-doc').getByText('Created').first()).toBeVisible();
    await page.goto(`${server.url}/docs/control`);
    await expect(page.getByText('The control API is disabled. Start the server without --no-control.')).toBeVisible();
    await expectAccessible(page, 'control API disabled');
  });
});

test('the reference of the control API asks for the token, and sends it', async ({ page }) => {
  await withServer({ controlToken: 'secret' }, async (server) => {
    await page.goto(`${server.url}/docs/control#get-/_control/sandboxes`);
    const input = page.getByLabel('The control API requires the token');
    for (const token of ['wrong', 'secret']) {
      await input.fill(token);
      await expectAccessible(page, 'token');
      await page.getByRole('button', { name: 'Continue' }).click();
    }
    await tryButton(page).click();
    await expect(page.locator('rapi-doc').getByText('OK:200').first()).toBeVisible();
  });
});

test('the API reference runs no script of the contract', async ({ page }) => {
  const script = '<script>hack()</script><img src="x" onerror="hack()"><a href="javascript:hack()">link</a>';
  const contract = writeContract(shopContract.replace('An e-commerce backend', `${script} An e-commerce backend`));
  await withServer({ contract }, async (server) => {
    const incidents = await watchPage(page, server);
    await page.goto(`${server.url}/docs`);
    await page.locator('rapi-doc').getByText('link', { exact: true }).click();
    // The policy has prevented what RapiDoc would have run.
    expect(incidents.filter((incident) => !incident.startsWith('policy: '))).toEqual([]);
  });
});
