import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { load } from 'js-yaml';
import { beforeAll, describe, expect, it } from 'vitest';
import { projectFile } from '../support/fixtures/default-data.ts';
import { folderWith } from '../support/harness/folder-with.ts';
import { startStorefront } from '../support/harness/start-storefront.ts';

interface Action {
  readonly inputs: Readonly<Record<string, { readonly default: string }>>;
  readonly outputs: Readonly<Record<string, { readonly value: string }>>;
  readonly runs: { readonly steps: readonly Step[] };
}

interface Step {
  readonly env: Readonly<Record<string, string>>;
  readonly run: string;
  readonly 'working-directory': string;
}

let action: Action;

beforeAll(async () => {
  action = load(await readFile(projectFile('.github/actions/check/action.yml'), 'utf8')) as Action;
});

const CONTRACT = `openapi: 3.0.3
info: { title: Pages, version: "1" }
paths:
  /pages:
    get:
      operationId: listPages
      responses:
        "200":
          description: The pages
          content:
            application/json:
              schema: { type: array, items: { type: object, properties: { number: { type: integer } } } }
`;

/** Creates a checkout in which storefront is installed, with a contract in the folder `api`. */
async function createCheckout(): Promise<string> {
  const folder = await folderWith({ 'package.json': '{ "private": true }' });
  await mkdir(join(folder, 'node_modules', '.bin'), { recursive: true });
  await mkdir(join(folder, 'api'));
  await writeFile(join(folder, 'api', 'pages.yaml'), CONTRACT);
  await symlink(projectFile('.'), join(folder, 'node_modules', 'storefront'), 'dir');
  await symlink(projectFile('dist/main.js'), join(folder, 'node_modules', '.bin', 'storefront'));
  return folder;
}

/** Runs the steps of the action with `bash`, as a runner of GitHub Actions does. */
async function run(folder: string, inputs: Readonly<Record<string, string>>) {
  const output = join(folder, 'output.txt');
  await writeFile(output, '');
  const fill = (text: string) =>
    text.replaceAll(/\$\{\{ inputs\.([\w-]+) \}\}/g, (_, name) => inputs[name] ?? action.inputs[name]?.default ?? '');
  let [code, printed] = [0, ''];
  for (const { run: script, env, 'working-directory': cwd } of action.runs.steps) {
    const own = Object.fromEntries(Object.entries(env).map(([name, value]) => [name, fill(value)]));
    const runner = { GITHUB_ACTIONS: 'true', GITHUB_WORKSPACE: folder, GITHUB_OUTPUT: output };
    const summary = { GITHUB_STEP_SUMMARY: join(folder, 'summary.md') };
    const child = spawn('bash', ['--noprofile', '--norc', '-eo', 'pipefail', '-c', script], {
      cwd: join(folder, fill(cwd)),
      env: { ...process.env, ...runner, ...summary, ...own },
    });
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (printed += String(chunk)));
    code = await new Promise((resolve) => child.on('close', (status) => resolve(status ?? 1)));
  }
  const lines = (await readFile(output, 'utf8')).trim().split('\n');
  const outputs = Object.fromEntries(lines.map((line) => line.split('=', 2) as [string, string]));
  return { code, printed, outputs };
}

describe('the GitHub action of storefront check', () => {
  it('annotates the lines of the contract, writes reports, and accepts a baseline', async () => {
    const folder = await createCheckout();
    const handlers = { listPages: () => ({ body: [{ number: 'one' }] }) };
    const { url } = await startStorefront({ contract: join(folder, 'api', 'pages.yaml'), handlers, verify: 'off' });
    const inputs = { url, contract: 'api/pages.yaml', args: '--runs\n1' };

    const failed = await run(folder, inputs);
    expect([failed.code, failed.outputs.verdict, failed.outputs.findings]).toEqual([1, 'failed', '1']);
    const [, file = '', line = ''] = /^::error file=([^,]+),line=(\d+),/m.exec(failed.printed) ?? [];
    expect(file).toBe('api/pages.yaml');
    expect(CONTRACT.split('\n')[Number(line) - 1]).toContain('schema:');
    expect(await readFile(join(folder, 'summary.md'), 'utf8')).toContain('Contract check failed');
    for (const name of ['junit', 'json', 'sarif'])
      expect(existsSync(join(folder, failed.outputs[name] ?? 'missing'))).toBe(true);

    const created = await run(folder, { ...inputs, baseline: 'known.json', args: '--update-baseline' });
    expect(created.outputs.verdict).toBe('passed');
    const known = await run(folder, { ...inputs, baseline: 'known.json' });
    expect([known.code, known.outputs.verdict, known.outputs.findings]).toEqual([0, 'passed', '0']);
    expect(known.printed).not.toContain('::error');
  });

  it('fails with a remedy if storefront is not installed', async () => {
    const folder = await folderWith({ 'package.json': '{ "private": true }' });
    const { code, printed, outputs } = await run(folder, { url: 'http://localhost:1' });
    expect([code, outputs.verdict]).toEqual([2, 'error']);
    expect(printed).toContain('::error::storefront is not installed: add it to devDependencies');
  });

  it('has only outputs that its step sets', async () => {
    const set = [...(action.runs.steps[0]?.run ?? '').matchAll(/echo "(\w+)=/g)].map(([, name]) => name);
    for (const { value } of Object.values(action.outputs)) expect(set).toContain(/outputs\.(\w+)/.exec(value)?.[1]);
  });
});
