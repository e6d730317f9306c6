import { test as base } from '@playwright/test';
import { type StorefrontFixtures, storefrontFixtures } from 'storefront/playwright';

const server = 'http://localhost:3000';

/** For an app that reaches the shop by its own origin, through Vite's proxy: a cookie on the app's host names the sandbox. */
export const byCookie = base.extend<StorefrontFixtures>(storefrontFixtures({ server, by: 'cookie' }));

/** For an app that reaches the shop at another origin: requests there have the header that names it, and no others do. */
export const byHeader = base.extend<StorefrontFixtures>(storefrontFixtures({ server, by: 'header' }));
