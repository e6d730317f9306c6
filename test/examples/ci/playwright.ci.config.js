import { defineConfig } from '@playwright/test';
import config from './playwright.config.js';

export default defineConfig(config, {
  reporter: [
    ['list'],
    ['html', { open: 'never' }],
    ['storefront/playwright-reporter', { server: 'http://localhost:3000', min: { operations: 60, statuses: 20 } }],
  ],
});
