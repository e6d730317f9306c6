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
    await expect(page.locator('#message')).toContainText('the cart is empty');
  });

  test(`every picture is shown ${from}`, async ({ page }) => {
    await page.goto(`/${query}`);
    const pictures = page.getByRole('img');
    await expect(pictures).toHaveCount(40);
    await expect.poll(() => pictures.evaluateAll((all) => all.filter((one) => one.naturalWidth > 0).length)).toBe(40);
  });
}

test('the built front end is served by the shop itself, its own routes too', async ({ page }) => {
  await page.goto('http://localhost:3100/tracking/1/2');
  await expect(page.getByRole('listitem')).toHaveCount(40);
});
