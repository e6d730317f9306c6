import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readCommandLine } from '../../src/cli/options.ts';
import { runControlCommand } from '../../src/cli/run-control-command.ts';
import type { CoverageReport } from '../../src/control/operation.ts';
import { folderWith } from '../support/harness/folder-with.ts';
import { startStorefront, type TestShop } from '../support/harness/start-storefront.ts';

/** Runs a command, and returns what it prints, and the message of the error if it fails. */
async function run({ url }: TestShop, line: string, environment: Readonly<Record<string, string>> = {}) {
  const args = [...line.split(' '), '--url', url];
  const command = readCommandLine({ args, environment, isTerminal: false, version: '1' });
  if (command.kind !== 'control') throw new Error(JSON.stringify(command));
  let text = '';
  const print = (part: string) => {
    text += part;
  };
  const { data, error } = await runControlCommand(command.options, { print }).catch((thrown: Error) => ({
    data: undefined,
    error: thrown,
  }));
  return { text, data: data as CoverageReport & { readonly check?: CoverageReport }, error: error?.message };
}

function getRefusal(line: string): unknown {
  return readCommandLine({ args: line.split(' '), environment: {}, isTerminal: false, version: '1' });
}

/** Starts a shop whose operations except getOrder and resetData have been called. */
async function startCalledShop(): Promise<TestShop> {
  const shop = await startStorefront();
  const item = { productId: 'fafe42e1-2f3e-46e3-a2c5-d94a792572e6', quantity: 1 };
  await shop.ask('GET', '/api/products');
  await shop.ask('GET', '/api/delivery-options');
  await shop.ask('GET', '/api/cart-items');
  await shop.ask('POST', '/api/cart-items', item);
  await shop.ask('PUT', `/api/cart-items/${item.productId}`, { quantity: 2 });
  await shop.ask('DELETE', `/api/cart-items/${item.productId}`);
  await shop.ask('GET', '/api/payment-summary');
  await shop.ask('POST', '/api/orders');
  await shop.ask('GET', '/api/orders', undefined, { Prefer: 'code=503' });
  return shop;
}

describe('storefront coverage', () => {
  it('prints a table, and what was never touched or only with a forced response', async () => {
    const { text, error } = await run(await startCalledShop(), 'coverage');
    expect(error).toBeUndefined();
    expect(text).toMatch(/^Coverage of .+: \d+(\.\d)? %\n/);
    expect(text).toMatch(/^operations +11 +9 +1$/m);
    const [, untouched = '', forced = ''] = text.split(/Never touched:\n|Only with a forced response:\n/);
    expect(untouched).toMatch(/openapi\.yaml:\d+ getOrder: GET \/api\/orders\/\{orderId\}\n/);
    expect(untouched).toMatch(/openapi\.yaml:\d+ listProducts: status 400\n/);
    expect(untouched).not.toMatch(/getOrder: status|response 400/);
    expect(forced).toMatch(/openapi\.yaml:\d+ listOrders: GET \/api\/orders\n/);
    const lines = [...untouched.matchAll(/openapi\.yaml:(\d+) \w+: (?:GET|POST|PUT|DELETE) /g)].map(([, line]) =>
      Number(line),
    );
    expect(lines).toEqual(lines.toSorted((a, b) => a - b));
  });

  it('fails and names the operations that were never touched', async () => {
    const shop = await startCalledShop();
    const { error } = await run(shop, 'coverage --fail-on untouched-operation');
    expect(error).toMatch(
      /^Never touched, of operations:\n {2}openapi\.yaml:\d+ getOrder: GET .*\n {2}openapi\.yaml:\d+ resetData: POST \/api\/reset$/,
    );
    const both = await run(shop, 'coverage --fail-on untouched-operation,untouched-example --fail-on untouched-status');
    expect(both.error).toMatch(/Never touched, of statuses:/);
    expect(both.error).toMatch(/Never touched, of examples:/);
  });

  it('fails if the coverage is below the minimum', async () => {
    const shop = await startCalledShop();
    expect((await run(shop, 'coverage --min 99')).error).toMatch(/^The coverage is .* %, which is below 99 %\.$/);
    expect((await run(shop, 'coverage --min 1')).error).toBeUndefined();
  });

  it('fails if the coverage of a kind is below its minimum', async () => {
    const shop = await startCalledShop();
    const { error } = await run(shop, 'coverage --min operations=82,statuses=1,media-types=100');
    expect(error).toMatch(
      /^The coverage of operations is 81\.8 %, which is below 82 %\.\nThe coverage of media types is .* below 100 %\.$/,
    );
    expect((await run(shop, 'coverage --min operations=81.5,statuses=1')).error).toBeUndefined();
  });

  it('leaves out the operations of --ignore in the percentage, the limits and the lists', async () => {
    const shop = await startCalledShop();
    const options =
      '--fail-on untouched-operation --min operations=100 --ignore getOrder --ignore resetData,listOrders';
    const { text, error } = await run(shop, `coverage ${options}`);
    expect(error).toBeUndefined();
    expect(text).toMatch(/^operations +8 +8 +0$/m);
    expect(text).not.toMatch(/getOrder|resetData|listOrders/);
    const lines = (await run(shop, 'coverage --lcov --ignore getOrder')).text.match(/^DA:/gm)?.length ?? 0;
    expect(lines).toBeLessThan((await run(shop, 'coverage --lcov')).text.match(/^DA:/gm)?.length ?? 0);
    expect(await run(shop, 'coverage --ignore getOder')).toEqual({
      text: '',
      error: expect.stringMatching(
        /^Invalid option --ignore\. The operation "getOder" does not exist: did you mean "getOrder"\? The operations are listProducts, /,
      ),
    });
  });

  it('prints JSON, Markdown and LCOV, and appends Markdown to the summary of GitHub Actions', async () => {
    const shop = await startCalledShop();
    expect((await run(shop, 'coverage --json')).data.operations).toHaveLength(11);
    const folder = await folderWith({ 'summary.md': '# Tests\n' });
    const summary = join(folder, 'summary.md');
    const { text } = await run(shop, 'coverage --markdown', { GITHUB_STEP_SUMMARY: summary });
    expect(text).toContain('| operations | 11 | 9 | 1 |');
    expect(readFileSync(summary, 'utf8')).toBe(`# Tests\n${text}`);
    const { text: lcov } = await run(shop, 'coverage --lcov');
    const [, , ...lines] = lcov.trimEnd().split('\n');
    expect(lcov).toMatch(/^TN:\nSF:openapi\.yaml\nDA:/);
    expect(lines.filter((line) => line.startsWith('DA:')).length).toBe(Number(/^LF:(\d+)$/m.exec(lcov)?.[1]));
    expect(lines.filter((line) => /^DA:\d+,[1-9]/.test(line)).length).toBe(Number(/^LH:(\d+)$/m.exec(lcov)?.[1]));
  });

  it('shows beside the coverage what a check used, and what only the tests used', async () => {
    const shop = await startCalledShop();
    const checked = JSON.parse(JSON.stringify((await run(await startStorefront(), 'coverage')).data));
    const [products] = checked.operations;
    products.requests = 3;
    products.points.find(({ name }: { name: string }) => name === '200').count = 3;
    checked.totals[0].touched = 1;
    const folder = await folderWith({
      'check.json': JSON.stringify({ coverage: { contract: checked } }),
      'old.json': '{"coverage":{"operations":[]}}',
    });
    const report = join(folder, 'check.json');
    const { text } = await run(shop, `coverage --check-report ${report}`);
    expect(text).toMatch(/^ +total +touched +only forced +by the check\noperations +11 +9 +1 +1\n/m);
    const [, unchecked] = text.split('Touched, but not by the check:\n');
    expect(unchecked).toMatch(/openapi\.yaml:\d+ listOrders: GET \/api\/orders\n/);
    expect(unchecked).not.toMatch(/listProducts: (GET|status 200)/);
    expect((await run(shop, `coverage --markdown --check-report ${report}`)).text).toContain(
      '| operations | 11 | 9 | 1 | 1 |',
    );
    expect((await run(shop, `coverage --check-report ${report}`)).data.check).toEqual(checked);
    const { error } = await run(shop, `coverage --check-report ${join(folder, 'old.json')}`);
    expect(error).toMatch(/old\.json has no coverage of the contract\. Create it with storefront check --report/);
  });

  it('resets the counts', async () => {
    const shop = await startCalledShop();
    expect(await run(shop, 'coverage reset')).toEqual({ text: '', error: undefined });
    expect((await run(shop, 'coverage')).text).toMatch(/^operations +11 +0 +0$/m);
  });

  it.each([
    ['coverage --sandbox w1', 'It is about all sandboxes.'],
    ['coverage --min 101', 'Use a number from 0 to 100, or numbers for the kinds operations, statuses,'],
    ['coverage --min status=20', 'Use a number from 0 to 100'],
    ['coverage --min 20,operations=30', 'Use a number from 0 to 100'],
    ['coverage --ignore getOrder,', 'Separate names with commas.'],
    ['coverage --fail-on operation', 'untouched-operation'],
    ['coverage --json --lcov', 'Use only one of --json and --lcov.'],
  ])('is refused: %s', (line, reason) => {
    expect(getRefusal(line)).toEqual({ kind: 'refuse', reason: expect.stringContaining(reason) });
  });
});
