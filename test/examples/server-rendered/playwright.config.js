import { defineConfig } from '@playwright/test';

export default defineConfig({
  use: { baseURL: 'http://localhost:5173' },
  webServer: [
    {
      command: 'npx --no-install storefront --sandboxes required --durability memory',
      url: 'http://localhost:3000/_control/health',
      reuseExistingServer: !process.env.CI,
    },
    {
      command: 'npm start -- --port 5173',
      port: 5173,
      reuseExistingServer: !process.env.CI,
      env: { STOREFRONT_URL: 'http://localhost:3000', NODE_OPTIONS: '--import storefront/propagate' },
    },
  ],
});
