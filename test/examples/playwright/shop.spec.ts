import { expect } from '@playwright/test';
import { sandboxAt } from 'storefront/playwright';
import { byCookie, byHeader } from './test.ts';

const NOON = '2025-06-01T12:00:00Z';
const ONE_DAY_MS = 86_400_000;
const main = sandboxAt('http://localhost:3000', 'default');

for (const [test, app, how] of [
  [byCookie, '/', 'by a cookie'],
  [byHeader, '/?api=http://localhost:3000', 'by a header'],
] as const) {
  test.describe(`a sandbox for each test, selected ${how}`, () => {
    test.describe.configure({ mode: 'parallel' });

    for (const name of ['first', 'second']) {
      test(`the ${name} of two parallel tests sees its own cart, ${how}`, async ({ page, shop }) => {
        await page.goto(app);
        await expect(page.locator('#cart')).toHaveText('3');
        // Each test waits until both run.
        await main.snapshot(getMark(how, name));
        await expect.poll(() => countArrivals(how), { timeout: 20_000 }).toBe(2);
        await page.getByRole('button', { name: 'Add Cordless Electric Kettle' }).click();
        await expect(page.locator('#cart')).toHaveText('4');
        expect((await shop.state()).cartItems).toHaveLength(3);
        await page.getByRole('button', { name: 'Order' }).click();
        await expect(page.locator('#cart')).toHaveText('0');
      });
    }

    test('an injected fault fails the first order and not the second one', async ({ page, shop }) => {
      await page.goto(app);
      await shop.fault({ operation: 'createOrder', status: 500, times: 1 });
      await page.getByRole('button', { name: 'Order' }).click();
      await expect(page.locator('#message')).not.toHaveText('');
      await expect(page.locator('#message')).not.toContainText('ordered');
      await expect(page.locator('#cart')).toHaveText('3');
      await page.getByRole('button', { name: 'Order' }).click();
      await expect(page.locator('#message')).toContainText('ordered: /api/orders/');
      await shop.verify({ operation: 'createOrder', times: 2 });
      await shop.verify({ operation: 'createOrder', status: 201, times: 1 });
      await expect(shop.verify({ operation: 'createOrder', times: 3 })).rejects.toThrow('createOrder');
    });

    test('the clock sets page and server together', async ({ page, shop }) => {
      await shop.clock.freeze(NOON);
      await page.goto(app);
      await expect(page.locator('#today')).toHaveText('2025-06-01T12:00:00.000Z');
      await shop.clock.advance(ONE_DAY_MS);
      await expect(page.locator('#today')).toHaveText('2025-06-02T12:00:00.000Z');
      await page.getByRole('button', { name: 'Order' }).click();
      await expect(page.locator('#ordered')).toHaveText('2025-06-02T12:00:00.000Z');

      await shop.clock.set(NOON);
      await shop.clock.run();
      await expect(page.locator('#today')).toHaveText(/^2025-06-01T12:/);
      const shown = (await page.locator('#today').textContent()) ?? '';
      await expect(page.locator('#today')).not.toHaveText(shown);
      await shop.clock.follow();
      const times = [await page.evaluate(() => Date.now()), (await shop.clock.read()).nowMs];
      for (const time of times) expect(Math.abs(time - Date.now())).toBeLessThan(60_000);
    });

    test('the clock sets a page that is already loaded', async ({ page, shop }) => {
      await page.goto(app);
      await shop.clock.freeze(NOON);
      await page.getByRole('button', { name: 'Order' }).click();
      await expect(page.locator('#ordered')).toHaveText('2025-06-01T12:00:00.000Z');
      expect(await page.evaluate(() => Date.now())).toBe(Date.parse(NOON));
    });

    test('a second user enters the same sandbox', async ({ page, shop, browser }) => {
      const second = await browser.newContext();
      await shop.enter(second);
      const theirs = await second.newPage();
      await page.goto(app);
      await page.getByRole('button', { name: 'Order' }).click();
      await expect(page.locator('#cart')).toHaveText('0');
      await theirs.goto(new URL(app, page.url()).href);
      await expect(theirs.locator('#cart')).toHaveText('0');
      await second.close();
    });
  });
}

/** Counts the tests that have arrived at the meeting point. Their marks are snapshots of the default sandbox, which outlive the tests. */
async function countArrivals(how: string): Promise<number> {
  const marks = await main.snapshots();
  return marks.filter(({ name }) => name.startsWith(getMark(how, ''))).length;
}

function getMark(how: string, name: string): string {
  return `parallel-${how.replaceAll(' ', '-')}-${name}`;
}
