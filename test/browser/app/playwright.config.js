import { defineConfig } from '@playwright/test';

export default defineConfig({
  use: { baseURL: 'http://localhost:5173' },
  webServer: [
    {
      command: 'npx --no-install storefront --durability memory',
      url: 'http://localhost:3000/_control/health',
      reuseExistingServer: !process.env.CI,
    },
    {
      command: 'npx --no-install vite',
      url: 'http://localhost:5173',
      reuseExistingServer: !process.env.CI,
    },
  ],
});
