import { test as base } from '@playwright/test';
import { type StorefrontFixtures, storefrontFixtures } from 'storefront/playwright';

export const test = base.extend<StorefrontFixtures>(
  storefrontFixtures({ server: 'http://localhost:3000', by: 'cookie-and-header' }),
);
