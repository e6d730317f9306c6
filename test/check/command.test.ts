import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runCheck, writeReports } from '../../src/check/command.ts';
import { prepareFiles } from '../../src/check/files.ts';
import { type CheckCommand, createCheckCommand } from '../../src/check/options.ts';
import { toText } from '../../src/check/report/text.ts';
import { shopModel } from '../../src/shop/model/shop.ts';
import { projectFile } from '../support/fixtures/default-data.ts';
import { createOperation, writeDocument } from '../support/fixtures/other-document.ts';
import { folderWith } from '../support/harness/folder-with.ts';
import { startStorefront } from '../support/harness/start-storefront.ts';
import { startRecorder } from '../support/reference-servers/echo-server.ts';
import { NOTES_CONTRACT, startNotesServer } from '../support/reference-servers/notes-server.ts';

/** Parses a command line. */
function asked(args: readonly string[], environment: Readonly<Record<string, string>> = {}): CheckCommand {
  let command: CheckCommand | undefined;
  const silent = { writeErr() {}, writeOut() {} };
  createCheckCommand(environment, (one) => (command = one))
    .configureOutput(silent)
    .parse([...args], { from: 'user' });
  if (!command) throw new Error('nothing was asked for');
  return command;
}

/** Runs the check of a command line, by default on a shop for one test. */
async function judging(...args: readonly string[]) {
  const printed: string[] = [];
  const report = runCheck(asked([...args, '--runs', '1']), {
    contract: projectFile('openapi.yaml'),
    model: shopModel,
    start: () => startStorefront({ durability: 'memory' }),
    print: (text) => void printed.push(text),
    seed: 11,
    nowMs: 0,
  });
  return { report, printed };
}

describe('The command line of storefront check', () => {
  it('has defaults for all options', () => {
    expect(asked([])).toEqual({
      url: undefined,
      headers: {},
      allowWrites: false,
      wait: 0,
      timeout: 30,
      runs: 50,
      maxTime: 300,
      confidence: 'likely',
    });
  });

  it('accepts all options', () => {
    const args =
      '--contract a.yaml --wait 5 --confidence certain --timeout 9 --allow-writes --only a,b --exclude c --seed 7 --runs 3 --max-time 7 --report r --summary s';
    const headers = ['-H', 'Authorization: Bearer a:b', '--header', 'X-Empty:', '-H', 'x-empty:  again '];
    expect(asked(['https://shop.test/base/', ...args.split(' '), ...headers])).toEqual({
      url: 'https://shop.test/base/',
      contract: 'a.yaml',
      wait: 5,
      confidence: 'certain',
      timeout: 9,
      allowWrites: true,
      only: ['a', 'b'],
      exclude: ['c'],
      seed: 7,
      runs: 3,
      maxTime: 7,
      report: ['r'],
      summary: 's',
      headers: { authorization: 'Bearer a:b', 'x-empty': 'again' },
    });
  });

  it('writes the summary to GITHUB_STEP_SUMMARY, unless --summary names a file', () => {
    const environment = { GITHUB_STEP_SUMMARY: 'step.md' };
    expect([asked([], environment).summary, asked(['--summary', 'own.md'], environment).summary]).toEqual([
      'step.md',
      'own.md',
    ]);
  });

  const MISUSED: readonly [args: readonly string[], said: RegExp][] = [
    [['--seed', 'x'], /--seed must be an integer from 0 to 2147483647/],
    [['--seed', '2147483648'], /--seed must/],
    [['--runs', '1.5'], /--runs must be an integer from 0 to 100000/],
    [['--wait', '-1'], /--wait must/],
    [['--timeout', '0'], /--timeout must be an integer from 1 to 86400/],
    [['--max-time', '1h'], /--max-time must be an integer from 0 to 86400/],
    [['-H', 'no header'], /Use a header such as 'Name: value'/],
    [['-H', 'a: b\r\nc: d'], /Use a header/],
    [['--only', 'a,,b'], /Use comma-separated operationIds/],
    [['localhost:3000'], /Use a URL such as http:\/\/localhost:3000/],
    [['http://localhost:3000/?a'], /Use a URL/],
    [['http://localhost:1', 'http://localhost:2'], /too many arguments/],
    [['--nonsense'], /unknown option '--nonsense'/],
  ];
  it.each(MISUSED)('rejects %j', (args, said) => expect(() => asked(args)).toThrow(said));
});

describe('runCheck', () => {
  it('rejects a check that changes another server without --allow-writes, and lists its requests', async () => {
    const { url, seen } = await startRecorder();
    const { report, printed } = await judging(url);
    await expect(report).rejects.toThrow(
      `The check changes data on ${url}: it sends POST /api/cart-items, PUT /api/cart-items/{productId}, ` +
        'DELETE /api/cart-items/{productId}, POST /api/orders, POST /api/reset many times, ' +
        'and resets the data repeatedly. To allow this, add --allow-writes.',
    );
    expect([seen, printed]).toEqual([[], []]);
  });

  it('checks operations that only read without --allow-writes', async () => {
    const { url, seen } = await startNotesServer();
    const path = join(await folderWith({ 'notes.yaml': NOTES_CONTRACT }), 'notes.yaml');
    const { report, printed } = await judging(`${url}/`, '--contract', path, '--only', 'listNotes,readNote');
    expect((await report).failures).toEqual([]);
    expect(printed).toEqual([]);
    expect(seen.filter(({ method }) => /^(PUT|POST|DELETE|PATCH)$/.test(method))).toEqual([]);
    expect(seen.some(({ target }) => target === '/notes/first')).toBe(true);
  });

  it('announces changes before the first request, even if the checked operation only reads', async () => {
    const { url } = await startRecorder();
    const { report, printed } = await judging(url, '--allow-writes', '--only', 'getPaymentSummary');
    await report;
    expect(printed.join('')).toMatch(/^The check changes data on .*POST \/api\/reset/);
  });

  it('shows the command that repeats the check of an operation with a finding', async () => {
    const shop = await startStorefront({
      errorsExpected: true,
      verify: 'off',
      handlers: { listDeliveryOptions: () => ({ body: [{} as never] }) },
    });
    const { report } = await judging(shop.url, '--allow-writes', '--only', 'listDeliveryOptions');
    expect(toText(await report)).toContain(
      `reproduce: npx storefront check ${shop.url} --allow-writes --only listDeliveryOptions --seed 11 --runs 1`,
    );
  });

  it('quotes operationIds in the command that repeats the check', async () => {
    const operation = createOperation("find $(touch x) the 'thing'", { type: 'object', required: ['a'] });
    const path = await writeDocument({ paths: { '/thing': { get: operation } } });
    const { url } = await startRecorder((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    });
    const { report } = await judging(url, '--contract', path, '--timeout', '9', '-H', "x-a: it's");
    expect((await report).failures[0]?.reproduce).toBe(
      `npx storefront check ${url} --contract ${path} --timeout 9 -H 'x-a: …' ` +
        String.raw`--only 'find $(touch x) the '\''thing'\''' --seed 11 --runs 1`,
    );
  });

  it('requires a URL for the contract of another API', async () => {
    const path = join(await folderWith({ 'notes.yaml': NOTES_CONTRACT }), 'notes.yaml');
    await expect((await judging('--contract', path)).report).rejects.toThrow(
      /Without a URL, storefront check checks the shop, but \S*notes\.yaml is not the contract of the shop\. Use the URL of the server/,
    );
  });

  it('reports at once that no server responds', async () => {
    const begin = performance.now();
    await expect((await judging('http://127.0.0.1:1', '--allow-writes')).report).rejects.toThrow(
      /^No server responds at http:\/\/127\.0\.0\.1:1 \(.*ECONNREFUSED.*\)\. Start it, correct the URL, or wait for it with --wait SECONDS\.$/,
    );
    expect(performance.now() - begin).toBeLessThan(5_000);
  });

  it('waits no longer than --wait for a server that accepts connections but does not respond', async () => {
    const { url } = await startRecorder(() => {});
    const begin = performance.now();
    await expect((await judging(url, '--allow-writes', '--wait', '1')).report).rejects.toThrow(
      /no response within 1 s/,
    );
    expect(performance.now() - begin).toBeLessThan(9_000);
  });

  it('uses the seed of the command, or the default seed', async () => {
    const { url } = await startNotesServer();
    const path = join(await folderWith({ 'notes.yaml': NOTES_CONTRACT }), 'notes.yaml');
    const titles = [[], ['--seed', '5']].map(
      async (seed) => (await (await judging(url, '--contract', path, '--only', 'listNotes', ...seed)).report).title,
    );
    expect(await Promise.all(titles)).toEqual([
      expect.stringContaining('seed 11,'),
      expect.stringContaining('seed 5,'),
    ]);
  });
});

describe('prepareFiles', () => {
  it('removes the reports of an earlier check, and keeps the summary', async () => {
    const folder = await folderWith({ 'check.xml': 'old', 'summary.md': 'old' });
    const args = ['http://127.0.0.1:1', '--allow-writes', '--report', join(folder, 'check.xml')];
    await expect((await judging(...args, '--summary', join(folder, 'summary.md'))).report).rejects.toThrow('No server');
    expect(await readdir(folder)).toEqual(['summary.md']);
  });

  it('says at once that a new baseline cannot be written', () => {
    const command = asked(['--baseline', '/nowhere/baseline.json', '--update-baseline']);
    expect(() => prepareFiles(command)).toThrow(/^Cannot write the baseline to \/nowhere\/baseline\.json: ENOENT/);
  });
});

describe('writeReports', () => {
  it('throws an error with the path of a report that it cannot write', () => {
    const lists = { checks: [], rows: [], failures: [], notes: [], unchecked: [], unreached: [] };
    const report = {
      title: '',
      coverage: { operations: [], rules: [], contract: { title: '', version: '', totals: [], operations: [] } },
      ...lists,
    };
    const written = () => writeReports(report, asked(['--report', '/nowhere/report.xml']), () => {});
    expect(written).toThrow(/^Cannot write the report to \/nowhere\/report\.xml: ENOENT/);
  });
});
