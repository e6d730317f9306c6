import { defineConfig } from '@playwright/test';

export default defineConfig({
  use: { baseURL: 'http://localhost:5173' },
  webServer: [
    { command: 'npx --no-install storefront', url: 'http://localhost:3000/_control/health' },
    { command: 'npx --no-install vite', url: 'http://localhost:5173' },
  ],
});
