// A Playwright project that uses two servers. ../playwright-run.spec.js starts the servers and runs it.
const { CHROMIUM, SHOP, REPORT } = process.env;

export default {
  testMatch: ['*.suite.js'],
  fullyParallel: true,
  timeout: 120_000,
  reporter: [
    ['json', { outputFile: REPORT }],
    ['storefront/playwright-reporter', { server: SHOP }],
  ],
  use: { baseURL: SHOP, launchOptions: { executablePath: CHROMIUM, args: ['--no-sandbox', '--disable-gpu'] } },
};
