import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { getExitCodes } from '../../src/cli/help-footer.ts';
import { type CommandError, ERROR_CODES, formatJsonOutput } from '../../src/cli/json-output.ts';
import { createProgram } from '../../src/cli/options.ts';
import { projectFile } from '../support/fixtures/default-data.ts';
import { folderWith } from '../support/harness/folder-with.ts';
import { startProgram } from '../support/harness/start-program.ts';
import { startStorefront } from '../support/harness/start-storefront.ts';
import { startRecorder } from '../support/reference-servers/echo-server.ts';
import { startPlainServer } from '../support/reference-servers/plain-server.ts';

/** The JSON output of a command, as its schema says. */
interface Output {
  readonly command: string;
  readonly ok: boolean;
  readonly data?: unknown;
  readonly error?: CommandError & { readonly fix: string };
  readonly warnings: readonly string[];
}

const readJson = async (path: string) => JSON.parse(await readFile(projectFile(path), 'utf8'));
const ajv = new Ajv2020({ strict: true, strictRequired: false, strictTypes: false, allErrors: true });
const matchesSchema = ajv.compile(await readJson('docs/cli-output.schema.json'));
const matchesReportSchema = ajv.compile(await readJson('docs/check-report.schema.json'));

/** Parses one line of JSON output, and validates it against its schema. */
function parseOutput(line: string): Output {
  const output: unknown = JSON.parse(line);
  matchesSchema(output);
  expect(matchesSchema.errors ?? []).toEqual([]);
  return output as Output;
}

type Files = Readonly<Record<string, string>>;

/**
 * Runs a command with `--json`, and returns its output and its standard error.
 * The output must be one line that matches the schema, and the exit code must be that of the error code.
 */
async function run(line: string, files: Files = {}) {
  const prepare = (folder: string) =>
    Promise.all(Object.entries(files).map(([name, text]) => writeFile(join(folder, name), text)));
  const program = await startProgram({ onTestFinished }, [...line.split(' ').filter(Boolean), '--json'], { prepare });
  const { code } = await program.ended;
  const stdout = program.stdout();
  expect(stdout).toMatch(/^[^\n]+\n$/);
  const output = parseOutput(stdout);
  expect(getExitCodes(output.command === 'start' ? 'storefront' : output.command).map(([one]) => one)).toContain(
    String(code),
  );
  expect(output.ok).toBe(code === 0);
  if (output.error && output.error.code !== 'internal_error')
    expect({ code: output.error.code, exitCode: code }).toEqual({
      code: output.error.code,
      exitCode: ERROR_CODES[output.error.code].exitCode,
    });
  return { ...output, exitCode: code, stderr: program.stderr() };
}

const CONTRACT = `openapi: 3.0.3
info: { title: Notes, version: 1.0.0 }
paths:
  /notes:
    get:
      operationId: listNotes
      responses:
        '200': { description: OK, content: { application/json: { schema: { type: array, items: { type: string } } } } }
`;
const WITHOUT_NOTES = CONTRACT.replaceAll('/notes', '/texts').replace('listNotes', 'listTexts');

/** The commands without a server: a command line that succeeds and one that fails, with the code of its error. */
const LOCAL: Readonly<Record<string, readonly [good: string | undefined, bad: string, code: string]>> = {
  repair: ['repair --data broken.json', 'repair --contract none.yaml', 'invalid_contract'],
  // A test with PostgreSQL runs the command that succeeds.
  migrate: [undefined, 'migrate --database postgres://127.0.0.1:1/none', 'command_failed'],
  check: ['check --only listProducts --runs 1', 'check http://127.0.0.1:1 --contract none.yaml', 'check_not_run'],
  explain: ['explain notes.yaml', 'explain none.yaml', 'invalid_contract'],
  skill: ['skill install', 'skill remove', 'invalid_usage'],
  mcp: [undefined, 'mcp now', 'invalid_usage'],
  diff: ['diff notes.yaml notes.yaml', 'diff notes.yaml texts.yaml', 'changes_found'],
};

/** The commands of the control API, with the same values. */
const CONTROL: Readonly<Record<string, readonly [good: string, bad: string, code: string]>> = {
  reset: ['reset', 'reset --sandbox -', 'request_rejected'],
  flush: ['flush', 'flush --sandbox -', 'request_rejected'],
  snapshot: ['snapshot mine', 'snapshot none --delete', 'request_rejected'],
  restore: ['restore full-cart', 'restore none', 'request_rejected'],
  clock: ['clock', 'clock advance x', 'invalid_usage'],
  ids: ['ids seed 7', 'ids seed', 'invalid_usage'],
  state: ['state', 'state put none.json', 'invalid_usage'],
  sandboxes: ['sandboxes', 'sandboxes create', 'invalid_usage'],
  faults: ['faults add --status 503', 'faults add --operation none --status 503', 'request_rejected'],
  journal: ['journal', 'journal verify --times 7', 'verification_failed'],
  webhook: ['webhook', 'webhook send none', 'request_rejected'],
  coverage: ['coverage', 'coverage --min 100', 'coverage_too_low'],
};

/** The commands of servers in the background: the options with which they succeed, in this order, and those that fail. */
const BACKGROUND: Readonly<Record<string, readonly [good: string, bad: string, code: string]>> = {
  start: ['--background --port 0 --durability memory', '--background --contract none.yaml', 'invalid_contract'],
  status: ['', '', 'not_running'],
  logs: ['--lines 1', '', 'command_failed'],
  restart: ['', '', 'command_failed'],
  stop: ['', '--nam x', 'invalid_usage'],
};

const FILES = { 'notes.yaml': CONTRACT, 'texts.yaml': WITHOUT_NOTES, 'broken.json': '{' };

it('every command of the program has a test', () => {
  const { commands } = createProgram({ environment: {}, version: '', isTerminal: false }, () => {});
  const names = commands.map((command) => command.name());
  expect([...Object.keys(LOCAL), ...Object.keys(CONTROL), ...Object.keys(BACKGROUND)].sort()).toEqual(
    [...names].sort(),
  );
  for (const command of commands) expect(command.options.map(({ long }) => long)).toContain('--json');
});

describe('a command without a server prints one line of JSON', () => {
  it.each(Object.entries(LOCAL))('%s', async (command, [good, bad, code]) => {
    const failed = await run(bad, FILES);
    expect(failed).toMatchObject({ command, ok: false, error: { code } });
    if (good === undefined) return;
    const passed = await run(good, FILES);
    expect(passed).toMatchObject({ command, ok: true, data: expect.anything() });
    // A check takes seconds: the test of a check that fails does not repeat this one.
    if (command === 'check') expect(matchesReportSchema(passed.data)).toBe(true);
  });
});

describe('a command of the control API prints one line of JSON', () => {
  it.each(Object.entries(CONTROL))('%s', async (command, [good, bad, code]) => {
    const { url } = await startStorefront();
    const passed = await run(`${good} --url ${url}`);
    expect(passed).toMatchObject({ command, ok: true });
    expect(Object.hasOwn(passed, 'data')).toBe(true);
    const failed = await run(`${bad} --url ${url}`);
    expect(failed).toMatchObject({ command, ok: false, error: { code } });
  });

  it('names the status and the violations of a request that the server rejects', async () => {
    const { url } = await startStorefront();
    const { error } = await run(`faults add --status 503 --probability 0.5 --duration 99999999 --url ${url}`);
    expect(error).toMatchObject({ details: { status: 400, violations: [{ pointer: '/durationMs' }] } });
  });

  it('names the remedies of all violations', async () => {
    const { url } = await startStorefront();
    const { error } = await run(`faults add --status 503 --times 0 --duration 99999999 --url ${url}`);
    expect(error?.fix).toMatch(/times: use .*; durationMs: use |durationMs: use .*; times: use /i);
  });

  it('has the warnings about a new fault', async () => {
    const { url } = await startStorefront();
    const { data, warnings } = await run(`faults add --where {"path":"/none"} --status 500 --url ${url}`);
    expect(warnings).toEqual([expect.stringContaining('no operation is at /none')]);
    expect(data).toMatchObject({ warnings });
    const listed = await run(`faults --url ${url}`);
    expect(listed.warnings).toEqual([expect.stringMatching(/^fault f\d+: .*no operation is at \/none/)]);
  });

  it('of a state can be put again', async () => {
    const { url } = await startStorefront();
    const { data } = await run(`state --url ${url}`);
    const output = JSON.stringify({ schemaVersion: 1, command: 'state', ok: true, data, warnings: [] });
    expect(await run(`state put state.json --url ${url}`, { 'state.json': output })).toMatchObject({ ok: true });
    expect((await run(`state --url ${url}`)).data).toEqual(data);
  });

  it('names the remedy if no server responds', async () => {
    const { url, close } = await startPlainServer();
    await close();
    const { error } = await run(`reset --url ${url}`);
    expect(error).toMatchObject({
      code: 'connection_failed',
      fix: 'Start it, or set the address of a running server with --url or STOREFRONT_URL.',
    });
  });
});

describe('a command of a server in the background prints one line of JSON', () => {
  it.each(Object.entries(BACKGROUND))('%s fails without a server', async (command, [, bad, code]) => {
    expect(await run(`${command} ${bad}`)).toMatchObject({ command, ok: false, error: { code } });
  });

  it(`${Object.keys(BACKGROUND).join(', ')} in one folder`, async () => {
    const cwd = await folderWith({});
    const runIn = (line: string) =>
      promisify(execFile)(process.execPath, [projectFile('dist/main.js'), ...line.split(' ').filter(Boolean)], { cwd });
    onTestFinished(() => runIn('stop').then(() => {}));
    for (const [command, [good]] of Object.entries(BACKGROUND)) {
      const { stdout } = await runIn(`${command} ${good} --json`);
      expect(stdout).toMatch(/^[^\n]+\n$/);
      expect(parseOutput(stdout)).toMatchObject({ command, ok: true, data: expect.anything() });
    }
    await runIn('start --background --port 0 --durability memory');
    const following = runIn('logs --follow --json');
    following.child.stdout?.once('data', () => void runIn('stop'));
    const parts = (await following).stdout.trimEnd().split('\n').map(parseOutput);
    expect(parts[0]).toMatchObject({ command: 'logs', data: { lines: [expect.any(String), expect.any(String)] } });
  });
});

describe('a negative verdict has data and an error', () => {
  it('of a check: the report in the format of a report file', async () => {
    const answer = (_: unknown, response: ServerResponse) =>
      void response.writeHead(200, { 'Content-Type': 'application/json' }).end('{}');
    const { url } = await startRecorder(answer);
    const failed = await run(`check ${url} --contract notes.yaml --runs 1`, FILES);
    expect(failed).toMatchObject({ exitCode: 1, data: { verdict: 'failed' }, error: { code: 'check_failed' } });
    expect(matchesReportSchema(failed.data)).toBe(true);
  });

  it('of a diff, a verification and a coverage', async () => {
    const { url } = await startStorefront();
    const { data: changes } = await run('diff notes.yaml texts.yaml', FILES);
    expect(changes).toMatchObject({ breaking: [expect.objectContaining({ message: expect.any(String) })] });
    const { data: verification } = await run(`journal verify --times 7 --url ${url}`);
    expect(verification).toMatchObject({ verified: false });
    const { data: coverage, error } = await run(`coverage --min 100 --url ${url}`);
    expect(coverage).toMatchObject({ totals: expect.any(Array), operations: expect.any(Array) });
    expect(error?.message).toContain('%');
  });
});

describe('an invalid command line', () => {
  it.each([
    ['chek', 'start', 'Did you mean check?'],
    ['--prot 80', 'start', 'Did you mean --port?'],
    ['diff a.yaml', 'diff', 'Correct the command line. storefront diff --help lists the options.'],
    ['journal --limit x', 'journal', 'Use a whole number.'],
    ['faults ad', 'faults', 'add'],
    ['coverage --lcov', 'coverage', 'Use only one of --json and --lcov.'],
    ['diff a b --markdown', 'diff', 'Use only one of --json and --markdown.'],
    ['clock reset', 'clock', 'Use one of show, set, freeze, run, advance, follow.'],
  ])('%s has the code invalid_usage and a fix', async (line, command, fix) => {
    const output = await run(line);
    expect(output).toMatchObject({ command, exitCode: 2, error: { code: 'invalid_usage' } });
    expect(`${output.error?.message} ${output.error?.fix}`).toContain(fix);
  });

  it('can have --json before the command', async () => {
    const program = await startProgram({ onTestFinished }, ['--json', 'diff', 'a.yaml']);
    expect((await program.ended).code).toBe(2);
    expect(parseOutput(program.stdout())).toMatchObject({ command: 'diff', error: { code: 'invalid_usage' } });
  });

  it('an invalid configuration file has the code invalid_configuration', async () => {
    const files = { 'storefront.config.json': '{"prot":3000}' };
    const output = await run('explain', files);
    expect(output).toMatchObject({ command: 'explain', exitCode: 2, error: { code: 'invalid_configuration' } });
  });
});

describe('code of the user', () => {
  it('that writes to standard output does not change the JSON', async () => {
    const handlers =
      "console.log('noise'); process.stdout.write('more');\nexport const listOrders = () => ({ body: [] });";
    const { ok, stderr } = await run('explain --handlers h.mjs', { 'h.mjs': handlers });
    expect(ok).toBe(true);
    expect(stderr).toContain('noise\nmore');
  });

  it('that throws later than its module has the code internal_error, and the stack on standard error', async () => {
    const handlers =
      "queueMicrotask(() => { throw new Error('boom'); });\nexport const listOrders = () => ({ body: [] });";
    const { error, exitCode, stderr } = await run('explain --handlers h.mjs', { 'h.mjs': handlers });
    expect(error).toMatchObject({ code: 'internal_error', message: 'boom' });
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(/Error: boom\n +at .*h\.mjs/);
  });

  it('that a check waits for without end has the code check_not_run', async () => {
    const files = { 'storefront.config.mjs': 'export default { check: { before: () => new Promise(() => {}) } };' };
    const { error, exitCode } = await run('check --only listProducts', files);
    expect(error?.code).toBe('check_not_run');
    expect(exitCode).toBe(3);
  });
});

describe('the server', () => {
  it('prints one line when it is ready, and its log to standard error', async () => {
    const args = ['--port', '0', '--durability', 'memory', '--json'];
    const program = await startProgram({ onTestFinished }, args);
    await vi.waitFor(() => expect(program.stdout()).toContain('\n'), { timeout: 60_000 });
    const { command, data } = parseOutput(program.stdout());
    const { url, pid } = data as { readonly url: string; readonly pid: number };
    expect([command, pid]).toEqual(['start', program.child.pid]);
    expect((await fetch(`${url}/api/products`)).status).toBe(200);
    program.child.kill('SIGTERM');
    expect(await program.ended).toEqual({ code: 0, signal: null });
    expect(program.stdout()).toMatch(/^[^\n]+\n$/);
    expect(program.stderr()).toContain('listening at');
  });

  it('has the code port_in_use, or that of the data file, if it does not start', async () => {
    const { url } = await startPlainServer();
    const inUse = await run(`--port ${new URL(url).port} --durability memory`);
    expect(inUse.error).toMatchObject({ code: 'port_in_use', fix: expect.stringContaining('--port') });
    const invalid = await run('--port 0 --data broken.json', FILES);
    expect(invalid.error).toMatchObject({ code: 'invalid_data_file', fix: expect.stringContaining('repair') });
  });
});

describe('the standard output', () => {
  it('has a line for each entry that journal follow prints', async () => {
    const { url, ask } = await startStorefront();
    await ask('GET', '/api/orders');
    const program = await startProgram({ onTestFinished }, [
      'journal',
      'follow',
      '--after',
      '0',
      '--url',
      url,
      '--json',
    ]);
    await vi.waitFor(() => expect(program.stdout()).toContain('\n'), { timeout: 60_000 });
    const [line = ''] = program.stdout().split('\n');
    expect(parseOutput(line)).toMatchObject({ command: 'journal', ok: true, data: { operation: 'listOrders' } });
  });

  it('can be a pipe that is closed early', async () => {
    const program = await startProgram({ onTestFinished }, ['explain', '--json']);
    program.child.stdout?.destroy();
    expect(await program.ended).toEqual({ code: 0, signal: null });
    expect(program.stderr()).toBe('');
  });
});

describe('the table of error codes', () => {
  it('is in the documentation, with the exit codes', async () => {
    const page = await readFile(projectFile('docs/cli.md'), 'utf8');
    const rows = [...page.matchAll(/^\| `([a-z]+_[a-z_]+)` \| `(\d)` \| /gm)].map(([, name, exitCode]) => [
      name,
      Number(exitCode),
    ]);
    expect(rows).toEqual(Object.entries(ERROR_CODES).map(([name, { exitCode }]) => [name, exitCode]));
  });

  it.each(Object.keys(ERROR_CODES))('has a fix for %s if the message has none', (code) => {
    const error = { code: code as keyof typeof ERROR_CODES, message: 'It failed' };
    expect(parseOutput(formatJsonOutput('check', { error })).error?.fix).toMatch(/^[A-Z].*\.$/);
  });
});
