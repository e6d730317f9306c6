import { expect, test } from '@playwright/test';

test.beforeEach(async ({ request }) => {
  await request.post('/api/reset');
});

for (const [from, query] of [
  ["through Vite's proxy", ''],
  ['from another origin', '?api=http://localhost:3000'],
]) {
  test(`a front end lists, adds and orders ${from}`, async ({ page }) => {
    await page.goto(`/${query}`);
    await expect(page.getByRole('listitem')).toHaveCount(40);
    await expect(page.locator('#cart')).toHaveText('3');
    await page.getByRole('button', { name: 'Add Cordless Electric Kettle' }).click();
    await expect(page.locator('#message')).toContainText('added');
    await expect(page.locator('#cart')).toHaveText('4');
    await page.getByRole('button', { name: 'Order' }).click();
    await expect(page.locator('#message')).toContainText('ordered: /api/orders/');
    await expect(page.locator('#cart')).toHaveText('0');
    await page.getByRole('button', { name: 'Order' }).click();
    await expect(page.locator('#message')).toContainText('The cart is empty');
  });

  test(`every picture is shown ${from}`, async ({ page }) => {
    await page.goto(`/${query}`);
    const pictures = page.getByRole('img');
    await expect(pictures).toHaveCount(40);
    await expect.poll(() => pictures.evaluateAll((all) => all.filter((one) => one.naturalWidth > 0).length)).toBe(40);
  });
}

test('eight front ends are in shops of their own at the same time', async ({ browser, request }) => {
  // Eight pages have a machine with two cores be slow.
  test.setTimeout(120_000);
  const expectSoon = expect.configure({ timeout: 60_000 });
  const summary = async (prefix) =>
    (await (await request.get(`http://localhost:3000${prefix}/api/payment-summary`)).json()).totalItems;
  await Promise.all(
    Array.from({ length: 8 }, async (_, place) => {
      const prefix = `/_sandbox/front-end-${place}`;
      const context = await browser.newContext();
      const page = await context.newPage();
      await page.goto(`/?api=http://localhost:3000${prefix}`);
      for (let times = 1; times <= place; times++) {
        await page.getByRole('button', { name: 'Add Cordless Electric Kettle' }).click();
        await expectSoon(page.locator('#cart')).toHaveText(String(3 + times));
      }
      expect(await summary(prefix)).toBe(3 + place);
      const pictures = page.getByRole('img');
      await expectSoon
        .poll(() => pictures.evaluateAll((all) => all.filter((one) => one.naturalWidth > 0).length))
        .toBe(40);
      await page.getByRole('button', { name: 'Order' }).click();
      await expectSoon(page.locator('#message')).toContainText(`ordered: ${prefix}/api/orders/`);
      expect(await summary(prefix)).toBe(0);
      await context.close();
    }),
  );
  expect(await summary('')).toBe(3);
});

test("a page at w3.localhost is in the sandbox w3 through Vite's proxy", async ({ page, request }) => {
  await page.goto('http://w3.localhost:5173/');
  await page.getByRole('button', { name: 'Add Cordless Electric Kettle' }).click();
  await expect(page.locator('#cart')).toHaveText('4');
  const itemsAt = async (prefix) =>
    (await (await request.get(`http://localhost:3000${prefix}/api/payment-summary`)).json()).totalItems;
  expect([await itemsAt(''), await itemsAt('/_sandbox/w3')]).toEqual([3, 4]);
});

test('a browser that opens the contract shows it', async ({ page }) => {
  await page.goto('http://localhost:3000/openapi.yaml');
  await expect(page.locator('body')).toContainText('openapi: 3.0.3');
});

test('the built front end is served by the shop itself, its own routes too', async ({ page }) => {
  await page.goto('http://localhost:3100/tracking/1/2');
  await expect(page.getByRole('listitem')).toHaveCount(40);
});
