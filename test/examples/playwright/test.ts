import { test as base } from '@playwright/test';
import { type StorefrontFixtures, storefrontFixtures } from 'storefront/playwright';

const server = 'http://localhost:3000';

/** For an app that sends API requests to its own origin, through Vite's proxy: a cookie selects the sandbox. */
export const byCookie = base.extend<StorefrontFixtures>(storefrontFixtures({ server, by: 'cookie' }));

/** For an app that sends API requests to another origin: a header on these requests selects the sandbox. */
export const byHeader = base.extend<StorefrontFixtures>(storefrontFixtures({ server, by: 'header' }));
