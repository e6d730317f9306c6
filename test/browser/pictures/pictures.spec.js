// Makes the pictures of the console and of the API reference in docs/images. Run it with `npm run test:browser -- pictures`.
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { createStorefront } from 'storefront';

const folder = process.env.PICTURES ?? '.';
const KETTLE = 'fafe42e1-2f3e-46e3-a2c5-d94a792572e6';

test.use({ viewport: { width: 1280, height: 768 }, deviceScaleFactor: 1.5, colorScheme: 'light', locale: 'en-GB' });

let server;
test.beforeAll(async () => {
  server = await createStorefront({ port: 3000 });
});
test.afterAll(() => server.close());

/** Sends requests as a shopper and a test would: searches, a refused change, an order that fails, and an order that works. */
async function sendRequests(request) {
  const { url } = server;
  const control = `${url}/_control/sandboxes/default`;
  await request.get(`${url}/api/products`);
  await request.get(`${url}/api/products?search=ketle`);
  await request.post(`${url}/api/cart-items`, { data: { productId: KETTLE, quantity: 2 } });
  await request.get(`${url}/api/cart-items?expand=product`);
  await request.post(`${control}/faults`, { data: { operation: 'createOrder', status: 503, times: 1 } });
  await request.post(`${url}/api/orders`);
  await request.get(`${url}/api/payment-summary`);
  await request.post(`${url}/api/orders`, { headers: { Prefer: 'code=409' } });
  await request.post(`${url}/api/orders`);
  await request.get(`${url}/api/orders?expand=products`);
  await request.post(`${url}/api/cart-items`, { data: { productId: KETTLE, quantity: 11 } });
}

/** Takes the picture of a page when its images are loaded. */
async function takePicture(page, name) {
  await page.evaluate(() => document.activeElement?.blur());
  await page.mouse.move(0, 0);
  await page.waitForFunction(() => [...document.images].every(({ complete }) => complete));
  await page.screenshot({ path: join(folder, `${name}.png`), animations: 'disabled' });
}

test('pictures of the console', async ({ page, request }) => {
  await page.goto(`${server.url}/`);
  await sendRequests(request);
  const refused = page.getByRole('row').filter({ hasText: '400' });
  await refused.click();
  await expect(page.getByRole('complementary')).toContainText('quantity');
  await takePicture(page, 'console-requests');
  await page.goto(`${server.url}/#/state`);
  await expect(page.getByText('Cordless Electric Kettle')).toBeVisible();
  await takePicture(page, 'console-state');
  await request.post(`${server.url}/_control/sandboxes/default/faults`, {
    data: { operation: 'createOrder', status: 503, times: 1 },
  });
  await page.goto(`${server.url}/#/control`);
  await expect(page.getByRole('button', { name: 'Restore' }).first()).toBeVisible();
  await takePicture(page, 'console-control');
});

test('a picture of the API reference', async ({ page }) => {
  await page.goto(`${server.url}/docs#post-/api/cart-items`);
  await page.locator('rapi-doc').getByRole('button', { name: 'TRY', exact: true }).click();
  await expect(page.locator('rapi-doc').getByText('Created').first()).toBeVisible();
  await takePicture(page, 'reference');
});
