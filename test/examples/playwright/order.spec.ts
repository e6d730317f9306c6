import { test as base, expect } from '@playwright/test';
import { type StorefrontFixtures, storefrontFixtures } from 'storefront/playwright';

const test = base.extend<StorefrontFixtures>(storefrontFixtures({ server: 'http://localhost:3000', by: 'cookie' }));

test('an order fails, and works a day later', async ({ page, shop }) => {
  await shop.clock.freeze('2025-06-01T12:00:00Z');
  await shop.fault({ operation: 'createOrder', status: 500, times: 1 });
  await page.goto('/');
  await page.getByRole('button', { name: 'Order' }).click();
  await expect(page.locator('#cart')).toHaveText('3');

  await shop.clock.advance(86_400_000);
  await page.getByRole('button', { name: 'Order' }).click();
  await expect(page.locator('#ordered')).toHaveText('2025-06-02T12:00:00.000Z');
  await shop.verify({ operation: 'createOrder', times: 2 });
});
