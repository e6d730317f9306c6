// Extends the Playwright configuration of the front end (playwright.config.js) with the Chromium of the system, a second server for the built front end,
// a third for the tests with foreign pages, and a fourth for the tests of the console. The tests in pages/ start their own servers. With the suite `replicas`, two
// servers with one database serve the front end. The tests of the kit use
// their own sandboxes and run in parallel with the others.
import config from './playwright.config.js';

/**
 * The specs to run: `tests` of the front end and the kit, `pages` for those of the console and the reference, `replicas` for the front end and the kit with two
 * servers, or a folder of specs that start their own servers. `ROOT`: the folder of the project.
 */
const { SUITE = 'tests', ROOT = '.' } = process.env;
const SPECS = {
  tests: ['shop.spec.js', 'foreign.spec.js', 'kit/*.spec.ts'],
  pages: ['console/*.spec.js', 'pages/*.spec.js'],
  replicas: ['shop.spec.js', 'kit/*.spec.ts'],
};
const isTest = SUITE in SPECS;

/** The servers of the tests. */
const [server, app] = config.webServer;
const replicas = { ...server, command: `${ROOT}/node_modules/.bin/tsx ${ROOT}/test/browser/replicas.ts 3000` };
const servers = [
  SUITE === 'replicas' ? replicas : server,
  app,
  {
    command: 'npx --no-install vite build && npx --no-install storefront --port 3100 --data built.json --static dist',
    url: 'http://localhost:3100/_control/health',
  },
  {
    command: 'npx --no-install storefront --port 3200 --durability memory',
    url: 'http://localhost:3200/_control/health',
  },
  {
    command: 'npx --no-install storefront --port 3300 --durability memory',
    url: 'http://localhost:3300/_control/health',
  },
];

export default {
  ...config,
  testMatch: SPECS[SUITE] ?? [`${SUITE}/*.spec.js`],
  timeout: 120_000,
  // A machine with much else to do.
  expect: { timeout: 60_000 },
  workers: isTest ? 2 : 1,
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
  webServer: isTest ? servers : [],
};
