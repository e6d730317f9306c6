import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runDredd } from '../../tools/dredd/dredd.ts';
import { defaults, defaultText, projectFile } from '../support/fixtures/default-data.ts';
import { runCommand } from '../support/harness/commands.ts';
import {
  contractFile,
  documented,
  getFailures,
  getName,
  runWith,
  startProxy,
  startShop,
  withChangedResponse,
  writeContract,
} from '../support/harness/dredd.ts';
import { folderWith } from '../support/harness/folder-with.ts';

describe('dredd', () => {
  it('finds that every response of the shop matches its documentation', async () => {
    const { transactions, errors: faults } = await runWith();
    expect(transactions.map(getName).sort()).toEqual(documented);
    expect(transactions.filter(({ isPassed }) => !isPassed)).toEqual([]);
    expect(faults).toEqual([]);
  });

  it('passes twice in a row, regardless of the data left behind', async () => {
    const url = await startShop();
    await runDredd({ url, contractFile });
    expect(getFailures(await runDredd({ url, contractFile }))).toEqual([]);
  });

  it.each([
    ['other data', {}],
    ['other data, without cart items and orders', { cartItems: [], orders: [] }],
    [
      'other data, with one delivery option',
      { deliveryOptions: [{ id: 'slow', deliveryDays: 9, priceCents: 0 }], cartItems: [], orders: [] },
    ],
  ])('uses the ids of a server with %s', async (_what, change) => {
    const text = defaultText.replaceAll(/\b(\w{8}-\w{4}-4\w{3}-\w{4}-\w{10})(\w\w)\b/g, '$100');
    const folder = await folderWith({ 'other.json': JSON.stringify({ ...JSON.parse(text), ...change }) });
    expect(text).not.toContain(defaults.products[0]?.id);
    const { transactions, errors: faults } = await runWith({ defaultData: join(folder, 'other.json') });
    expect(transactions).toHaveLength(documented.length);
    expect({ failures: getFailures({ transactions, errors: faults }), faults }).toEqual({ failures: [], faults: [] });
  });

  it.each([
    [
      'body',
      'value: { quantity: 20, deliveryOptionId: 2 }',
      'value: { quantity: 21, deliveryOptionId: 2 }',
      '"quantity":21',
    ],
    ['refused body', 'value: { quantity: 0 }', 'value: { quantity: -1 }', '"quantity":-1'],
    ['query', 'value: kettle', 'value: socks & more', '?search=socks%20%26%20more'],
  ])('sends the %s from the example with the name of the response', async (_what, from, to, sent) => {
    const url = await startShop();
    const verdict = await runDredd({ url, contractFile: await writeContract(from, to) });
    expect(getFailures(verdict)).toEqual([]);
    expect(verdict.transactions.filter(({ curl }) => curl?.includes(sent))).toHaveLength(1);
  });

  it('accepts a content type with parameters', async () => {
    const url = await startProxy(await startShop(), (headers) => {
      if (headers['content-type']) headers['content-type'] += '; charset=utf-8';
    });
    expect(getFailures(await runDredd({ url, contractFile }))).toEqual([]);
  });
});

describe('a documented response without a recipe', () => {
  it('fails and is not omitted', async () => {
    const before = '        "201":\n          description: The order';
    const file = await writeContract(before, `        "202":\n          description: x\n${before}`);
    const verdict = await runDredd({ url: await startShop(), contractFile: file });
    expect(getFailures(verdict)).toEqual([
      ['createOrder 202', expect.stringContaining('add it to tools/parity/recipes.ts')],
    ]);
    expect(verdict.errors).toEqual([]);
  });
});

describe('the command line of dredd', () => {
  const cwd = projectFile('.');

  it('npx dredd runs as dredd.yml configures it', async () => {
    const { exitCode, output } = await runCommand('npx', ['--no-install', 'dredd'], { cwd });
    expect(output).toContain(`${documented.length} passing, 0 failing, 0 errors, 0 skipped`);
    expect(exitCode).toBe(0);
  });

  it('npm run dredd prints a table and exits with 0', async () => {
    const { exitCode, output } = await runCommand('npm', ['run', '--silent', 'dredd'], { cwd });
    expect(output).toContain(`${documented.length} of ${documented.length} responses match the contract`);
    expect(exitCode).toBe(0);
  });

  it('npm run dredd -- --url tests another server and exits with 1 if a test fails', async () => {
    const url = await startShop(withChangedResponse('removeCartItem', () => ({ status: 200, body: {} })));
    const { exitCode, output } = await runCommand(
      'npm',
      ['run', '--silent', 'dredd', '--', '--url', url, '--allow-writes'],
      {
        cwd,
      },
    );
    expect(output).toContain('DELETE /api/cart-items/{productId}, 204: Status 200 instead of 204');
    expect(exitCode).toBe(1);
  });

  it('npm run dredd -- --url changes nothing without --allow-writes', async () => {
    const url = await startShop({});
    const { exitCode, output } = await runCommand('npm', ['run', '--silent', 'dredd', '--', '--url', url], { cwd });
    expect(output).toContain('To allow this, add --allow-writes');
    expect(exitCode).toBe(1);
  });

  it('npm run dredd -- --url prints a message if no server responds', async () => {
    const args = ['run', '--silent', 'dredd', '--', '--url', 'http://127.0.0.1:9', '--allow-writes'];
    const { exitCode, output } = await runCommand('npm', args, { cwd });
    expect(output.trim()).toMatch(
      /^(npm warn .*\n)*error: No server responds at http:\/\/127.0.0.1:9 \(.+\)\. Start it first\.$/,
    );
    expect(exitCode).toBe(1);
  });
});
