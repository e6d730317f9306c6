// The coverage is that of all sandboxes, so each test starts a server of its own.
import { findPort, startServer } from './server.js';
import { expect, rows, test } from './support.js';

test.describe('the view of the coverage', () => {
  let server;
  test.beforeEach(async ({ page }) => {
    server = await startServer(await findPort());
    await page.goto(`${server.url}/_console/#/coverage`);
  });
  test.afterEach(() => server.stop());

  const statuses = (page, operation) => page.getByRole('list', { name: `Statuses of ${operation}` });

  test('shows for each operation which of its statuses were touched, only forced or never touched', async ({
    page,
  }) => {
    await expect(statuses(page, 'listProducts').getByText(/^200/)).toContainText('never touched');
    await fetch(`${server.url}/api/products`);
    await fetch(`${server.url}/api/products?limit=0`, { headers: { 'X-Sandbox': 'w1' } });
    await fetch(`${server.url}/api/orders`, { headers: { Prefer: 'code=503' } });
    await expect(statuses(page, 'listProducts').getByRole('link', { name: /^200/ })).toHaveText(
      /^200 1 request, touched/,
    );
    await expect(statuses(page, 'listProducts').getByRole('link', { name: /^400/ })).toHaveText(
      /^400 1 request, touched/,
    );
    await expect(statuses(page, 'listOrders').getByRole('link')).toHaveText(
      /^5XX 1 request, only with a forced response/,
    );
    await expect(page.getByText('listOrders: 1 request, only with a forced response')).toBeVisible();
    await expect(page.getByRole('definition').first()).toHaveText('2 of 11 (1 only forced)');
  });

  test('shows the requests of a status after a click, of all sandboxes', async ({ page }) => {
    await fetch(`${server.url}/api/products`);
    await fetch(`${server.url}/api/products?limit=0`, { headers: { 'X-Sandbox': 'w1' } });
    await fetch(`${server.url}/api/orders`);
    await statuses(page, 'listProducts').getByRole('link', { name: /^400/ }).click();
    await expect(rows(page)).toHaveCount(1);
    await expect(rows(page)).toContainText('/api/products?limit=0');
    await page.goBack();
    await page.getByRole('link', { name: 'listProducts' }).click();
    await expect(rows(page)).toHaveCount(2);
  });

  test('filters the operations, and resets the counts after a second click', async ({ page }) => {
    await fetch(`${server.url}/api/products`);
    const operations = page.getByRole('list', { name: /^Statuses of/ });
    await expect(operations).toHaveCount(11);
    await page.getByLabel('Show').selectOption('Never touched');
    await expect(operations).toHaveCount(10);
    await page.getByRole('searchbox').fill('cart');
    await expect(operations).toHaveCount(4);
    await page.getByRole('searchbox').fill('');
    await page.getByRole('button', { name: 'Reset the coverage' }).click();
    await page.getByRole('button', { name: 'Confirm: Reset the coverage' }).click();
    await expect(operations).toHaveCount(11);
  });
});
