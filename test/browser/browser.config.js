// Extends the Playwright configuration of the front end (playwright.config.js) with the Chromium of the system, a second server for the built front end,
// and a third server for the tests with foreign pages. The tests of the kit use their own sandboxes and run in parallel with the others.
import config from './playwright.config.js';

export default {
  ...config,
  testMatch: ['shop.spec.js', 'foreign.spec.js', 'kit/*.spec.ts'],
  workers: 2,
  reporter: 'list',
  use: {
    ...config.use,
    launchOptions: {
      executablePath: process.env.CHROMIUM,
      args: [
        '--no-sandbox',
        '--disable-gpu',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
        '--host-resolver-rules=MAP *.example 127.0.0.1',
      ],
    },
  },
  webServer: [
    ...config.webServer,
    {
      command: 'npx --no-install vite build && npx --no-install storefront --port 3100 --data built.json --static dist',
      url: 'http://localhost:3100/_control/health',
    },
    {
      command: 'npx --no-install storefront --port 3200 --durability memory',
      url: 'http://localhost:3200/_control/health',
    },
  ],
};
