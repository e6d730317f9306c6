import { expect, test } from '@playwright/test';
import { findPort, startServer } from './server.js';
import { rows } from './support.js';

test('a server with a token asks for it once in a tab', async ({ page }) => {
  const server = await startServer(await findPort(), '--control-token', 'secret');
  await page.goto(server.url);
  await expect(page.getByRole('heading', { name: 'Enter the token' })).toBeVisible();
  await page.getByLabel('Token').fill('wrong');
  await page.getByRole('button', { name: 'Continue' }).click();
  await expect(page.getByRole('alert')).toContainText('The token is wrong.');
  await page.getByLabel('Token').fill('secret');
  await page.getByRole('button', { name: 'Continue' }).click();
  await expect(page.getByRole('heading', { name: 'Storefront is ready' })).toBeVisible();
  await fetch(`${server.url}/api/products`);
  await expect(rows(page)).toHaveCount(1);
  await page.reload();
  await expect(rows(page)).toHaveCount(1);
  await server.stop();
});

test('without the control API, the console says so and shows the API reference', async ({ page }) => {
  const server = await startServer(await findPort(), '--no-control');
  await page.goto(server.url);
  await expect(page.getByText('The control API is disabled.')).toBeVisible();
  await expect(
    page.frameLocator('iframe[title="API reference"]').getByText('List or search products').first(),
  ).toBeVisible();
  await page.setViewportSize({ width: 360, height: 780 });
  await expect(page.getByRole('link', { name: 'storefront: start page' }).getByText('storefront')).toBeVisible();
  await server.stop();
});

test('a lost connection is shown, and restored when the server runs again', async ({ page }) => {
  const port = await findPort();
  const first = await startServer(port);
  await fetch(`${first.url}/api/products`);
  await page.goto(first.url);
  await expect(rows(page)).toHaveCount(1);
  await first.stop();
  await expect(page.getByText('Connection lost, reconnecting…')).toBeVisible();
  await page.getByRole('button', { name: 'Clear the requests' }).click();
  await page.getByRole('button', { name: 'Confirm: Clear the requests' }).click();
  await expect(page.getByText('The server does not respond.')).toBeVisible();
  const second = await startServer(port);
  await expect(page.getByText('Connection lost, reconnecting…')).toBeHidden({ timeout: 20_000 });
  await expect(page.getByText('The server was restarted.')).toBeVisible();
  await expect(page.getByText('The server does not respond.')).toHaveCount(0);
  await fetch(`${second.url}/api/orders`);
  await expect(rows(page).first()).toContainText('/api/orders');
  await second.stop();
});

test('a sandbox that was replaced or deleted is shown as it is now', async ({ page }) => {
  const server = await startServer(await findPort());
  const change = (method) =>
    fetch(`${server.url}/_control/sandboxes/w1`, { method, headers: { 'Content-Type': 'application/json' } });
  const send = (path) => fetch(server.url + path, { headers: { 'X-Sandbox': 'w1' } });
  await send('/api/products');
  await page.goto(`${server.url}/_sandbox/w1`);
  await expect(rows(page)).toHaveCount(1);
  await change('PUT');
  await expect(page.getByRole('heading', { name: 'Storefront is ready' })).toBeVisible();
  await send('/api/orders');
  await expect(rows(page)).toContainText('/api/orders');
  await change('DELETE');
  await expect(page.getByText('The sandbox w1 does not exist.')).toBeVisible();
  await send('/api/delivery-options');
  await expect(rows(page)).toContainText('/api/delivery-options');
  await server.stop();
});
