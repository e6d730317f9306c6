// Runs a real Playwright suite with the fixtures and the reporter, with one and with four workers, and reads what it reports.
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@playwright/test';
import { findPort, startServer } from '../console/server.js';

const SUITE = fileURLToPath(new URL('suite', import.meta.url));
const NPX = ['--no-install'];

// Each test starts two processes of Playwright with several browsers.
test.setTimeout(360_000);

test.describe('a Playwright suite with two servers', () => {
  let shop;
  let payments;
  test.beforeAll(async () => {
    shop = await startServer(await findPort(), '--static', join(SUITE, 'app'));
    payments = await startServer(await findPort(), '--static', join(SUITE, 'app'));
  });
  test.afterAll(async () => {
    await shop.stop();
    await payments.stop();
  });

  /** Runs the suite. Returns its exit code, its output, the coverage of the server, and the results by title. */
  async function runSuite(...options) {
    const REPORT = join(mkdtempSync(join(tmpdir(), 'storefront-suite-')), 'report.json');
    const env = { SHOP: shop.url, PAYMENTS: payments.url, REPORT, CHROMIUM: process.env.CHROMIUM };
    const args = ['playwright', 'test', '--config', join(SUITE, 'suite.config.js'), ...options];
    const { code, output } = await run(args, env);
    const coverage = await (await fetch(`${shop.url}/_control/coverage`)).json();
    const { suites } = JSON.parse(readFileSync(REPORT, 'utf8'));
    const results = Object.fromEntries(
      suites.flatMap(({ specs }) => specs.map(({ title, tests }) => [title, tests[0].results[0]])),
    );
    return { code, output, coverage, results };
  }

  test('reports the same coverage with one and with four workers, and the gate names what is missing', async () => {
    const one = await runSuite('--workers', '1', '--grep-invert', '@fails');
    expect([one.code, one.output]).toEqual([0, expect.anything()]);
    const four = await runSuite('--workers', '4', '--grep-invert', '@fails');
    expect([four.code, four.output]).toEqual([0, expect.anything()]);
    expect(new Set(Object.values(four.results).map(({ parallelIndex }) => parallelIndex)).size).toBe(4);
    expect(four.coverage).toEqual(one.coverage);
    expect(four.coverage.totals.slice(0, 3)).toEqual([
      { kind: 'operation', total: 11, touched: 9, onlyForced: 0 },
      { kind: 'status', total: 53, touched: 14, onlyForced: 1 },
      { kind: 'example', total: 180, touched: 6, onlyForced: 1 },
    ]);
    const [line] = four.output.match(/^Coverage of .*$/m) ?? [];
    expect(line).toBe(
      'Coverage of Storefront 2.0.0: 9 of 11 operations, 14 of 53 statuses (1 only forced), 6 of 180 examples (1 only forced). Untouched: getOrder, resetData',
    );
    expect(one.output).toContain(line);
    const gate = await run(['storefront', 'coverage', '--url', shop.url, '--fail-on', 'untouched-operation']);
    expect(gate.code).toBe(1);
    expect(gate.errors).toMatch(/Never touched, of operations:\n.*getOrder: GET .*\n.*resetData: POST \/api\/reset/);
  });

  test('attaches what the server knows of a failed test', async () => {
    const { code, results } = await runSuite('--grep', '@fails');
    expect(code).toBe(1);
    const { attachments } = results['fails @fails'];
    const [shopText, shopJson] = ['shop.txt', 'shop.json'].map((name) => {
      const { path, body } = attachments.find((one) => one.name === name);
      return path === undefined ? Buffer.from(body, 'base64').toString() : readFileSync(path, 'utf8');
    });
    const { requests, faults, nearMisses, changes } = JSON.parse(shopJson);
    const shown = requests.map(({ operation, response, forced }) => [operation, response.status, forced?.faults]);
    expect(shown).toEqual([
      ['createOrder', 503, ['f1']],
      ['addCartItem', 201, undefined],
    ]);
    expect(faults.map(({ applied }) => applied)).toEqual([1, 0]);
    expect(nearMisses.f2[0].reasons).toEqual(['body/quantity: expected 9, got 4']);
    expect(changes.cartItems.added).toMatchObject([{ quantity: 4 }]);
    expect(shopText).toContain('near miss: #2 POST /api/cart-items');
    expect(attachments.map(({ name }) => name)).toEqual(expect.arrayContaining(['payments.txt', 'payments.json']));
    expect((await (await fetch(`${shop.url}/_control/sandboxes`)).json()).map(({ id }) => id)).toEqual(['default']);
  });
});

/** Runs a program of the installed packages. */
function run(args, env = {}) {
  return new Promise((resolve) => {
    execFile('npx', [...NPX, ...args], { env: { ...process.env, ...env } }, (error, output, errors) =>
      resolve({ code: error ? error.code : 0, output, errors }),
    );
  });
}
