// What a front end's own Playwright configuration (playwright.config.js beside this file) needs on a machine whose Chromium is the system's,
// and a second shop that serves the front end as it was built. The tests of the kit have sandboxes of their own, and run beside the others.
import config from './playwright.config.js';

export default {
  ...config,
  testMatch: ['shop.spec.js', 'kit/*.spec.ts'],
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
      ],
    },
  },
  webServer: [
    ...config.webServer,
    {
      command: 'npx --no-install vite build && npx --no-install storefront --port 3100 --data built.json --static dist',
      url: 'http://localhost:3100/_control/health',
    },
  ],
};
