import { readdir, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it, onTestFinished, type TestContext, vi } from 'vitest';
import { defaultText, projectFile } from '../support/fixtures/default-data.ts';
import { type Program, startProgram } from '../support/harness/start-program.ts';
import { startStorefront } from '../support/harness/start-storefront.ts';
import { getElements, readXml } from '../support/oracles/strict-xml.ts';
import { defects, startDefective } from '../support/planted-defects/planted-defects.ts';
import { NOTES_CONTRACT, startNotesServer } from '../support/reference-servers/notes-server.ts';

/** Waits for the end of a check and returns its exit code and output. */
async function getOutcome(program: Program): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const { code } = await program.ended;
  return { code, stdout: program.stdout(), stderr: program.stderr() };
}

/** Returns an address with a free port. */
async function freeAddress(): Promise<{ readonly url: string; readonly port: number }> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return { url: `http://127.0.0.1:${port}`, port };
}

/** Options for a check with few requests and no changes. */
const FEW_REQUESTS = ['--only', 'getPaymentSummary', '--exclude', 'resetData', '--runs', '1', '--seed', '1'] as const;

const FEW_WRITES = ['--only', 'removeCartItem', ...FEW_REQUESTS.slice(2)] as const;

/** Creates a data file in the folder of the check. */
async function withData(folder: string): Promise<void> {
  await writeFile(join(folder, 'db.json'), `${defaultText}\n`);
}

/** Starts the program in a folder with a data file; `modules` returns the modules that it has loaded. */
async function startRecordingModules(test: TestContext, ...args: readonly string[]) {
  const environment = {
    NODE_OPTIONS: `--import ${pathToFileURL(projectFile('test/support/harness/loaded-modules.mjs'))}`,
    LOADED_TO: 'loaded.txt',
  };
  const program = await startProgram(test, args, { environment, prepare: withData });
  const modules = async () => (await readFile(join(program.folder, 'loaded.txt'), 'utf8')).split('\n');
  return { program, modules };
}

describe('storefront check', () => {
  it('exits with 1 if the server violates the contract, and writes reports', async (test) => {
    const defect = defects.find(({ name }) => name === 'responds with 405 but without Allow') ?? {
      name: '',
      operationId: undefined,
    };
    const { url, close } = await startDefective(defect);
    onTestFinished(close);
    const program = await startProgram(
      test,
      ['check', url, '--allow-writes', ...FEW_REQUESTS, '--report', 'report.xml', '--summary', 'summary.md'],
      { prepare: (folder) => writeFile(join(folder, 'summary.md'), '# Before\n') },
    );
    const { code, stdout } = await getOutcome(program);
    expect(code).toBe(1);
    expect(stdout).toMatch(/^1\. getPaymentSummary 4XX \(methods\) violates "Allow"$/m);
    expect(stdout).toMatch(new RegExp(`^ +[$] curl .*-X TRACE '${url}/api/payment-summary'`, 'm'));
    expect(stdout).toMatch(/^Contract check failed: 1 finding$/m);
    const report = readXml(await readFile(join(program.folder, 'report.xml'), 'utf8'));
    expect(getElements(report, 'failure').map(({ attributes }) => attributes.type)).toEqual(['Allow']);
    expect(await readFile(join(program.folder, 'summary.md'), 'utf8')).toMatch(
      /^# Before\n## Contract check failed: 1 finding/,
    );
  });

  it('adds a summary to the file in GITHUB_STEP_SUMMARY, and sends its headers with each request', async (test) => {
    const contract = { prepare: (folder: string) => writeFile(join(folder, 'notes.yaml'), NOTES_CONTRACT) };
    const { url, seen } = await startNotesServer();
    const args = ['check', url, '--contract', 'notes.yaml', '--allow-writes', '--runs', '1'];
    const headers = ['-H', 'X-Key: a: b', '--header', 'cookie:c=d'];
    const program = await startProgram(test, [...args, ...headers], {
      environment: { GITHUB_STEP_SUMMARY: 'step.md' },
      ...contract,
    });
    const { code, stdout } = await getOutcome(program);
    expect(code, stdout).toBe(0);
    expect(stdout).toContain(`The check changes data on ${url}: it sends POST /notes, DELETE /notes/{id} many times\n`);
    expect(stdout).toContain('with the checks for any API (input, methods, links, behaviour)');
    expect(await readFile(join(program.folder, 'step.md'), 'utf8')).toMatch(/^## Contract check passed/);
    expect(seen.length).toBeGreaterThan(20);
    expect(seen.filter((one) => one.headers['x-key'] !== 'a: b' || one.headers.cookie !== 'c=d')).toEqual([]);
  });

  it('waits for a server that starts later', async (test) => {
    const { url, port } = await freeAddress();
    const program = await startProgram(test, ['check', url, '--wait', '60', '--allow-writes', ...FEW_WRITES]);
    await vi.waitFor(() => expect(program.stderr()).toContain(`Waiting for ${url}`), {
      timeout: 60_000,
      interval: 20,
    });
    await startStorefront({ durability: 'memory', port, host: '127.0.0.1' });
    const { code, stdout } = await getOutcome(program);
    expect(code, stdout).toBe(0);
    expect(stdout).toContain('is a storefront server: the check runs in 8 new sandboxes (check-');
  });

  it('exits with 2 if the command line is invalid', async (test) => {
    const { code, stderr } = await getOutcome(await startProgram(test, ['check', '--runs', '1.5']));
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: expect.stringMatching(/--runs must be an integer from 0 to/),
    });
  });

  it('checks the shop by default, exits with 0, does not change the data file and alone loads fast-check', async (test) => {
    const { program: checking, modules: ofCheck } = await startRecordingModules(
      test,
      'check',
      '--exclude',
      'resetData',
      '--runs',
      '1',
    );
    const { code, stdout, stderr } = await getOutcome(checking);
    expect({ code, told: stderr.replaceAll(/^judging \w+ …\n/gm, '') }, stdout).toEqual({ code: 0, told: '' });
    expect(stdout).toMatch(
      /^Checked http:\/\/\S+ against \S*openapi\.yaml with the model of the shop\b.*\bseed \d+, 1 runs/m,
    );
    expect(stdout).toMatch(/Contract check passed: no violations found\n$/);
    expect((await readdir(checking.folder)).sort()).toEqual(['db.json', 'loaded.txt']);
    expect(await readFile(join(checking.folder, 'db.json'), 'utf8')).toBe(`${defaultText}\n`);

    const { program: serving, modules: ofStart } = await startRecordingModules(
      test,
      '--port',
      '0',
      '--data',
      'other.json',
    );
    await serving.url();
    const start = await ofStart();
    const more = (await ofCheck()).filter((url) => !start.includes(url));
    // The start has loaded koa, so the modules are recorded.
    expect(start.filter((url) => url.includes('/node_modules/koa/'))).not.toEqual([]);
    expect(start.filter((url) => url.includes('/node_modules/fast-check/'))).toEqual([]);
    expect(more.filter((url) => url.includes('/node_modules/fast-check/'))).not.toEqual([]);
    expect(more.filter((url) => url.includes('/dist/'))).not.toEqual([]);
  });
});
