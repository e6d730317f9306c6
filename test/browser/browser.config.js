// What a front end's own Playwright configuration (playwright.config.js beside this file) needs on a machine whose Chromium is the system's,
// a second shop that serves the front end as it was built, and a third one, with sites of other people's that try to use it. The tests of the kit have sandboxes of their own, and run beside the others.
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
