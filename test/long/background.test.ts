import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { projectFile } from '../support/fixtures/default-data.ts';
import { runProgramIn } from '../support/harness/run-program.ts';

const IN_MEMORY = ['--port', '0', '--durability', 'memory'];

/** Creates a folder, and returns a function that runs the program in it. Stops all servers when the test ends. */
async function createFolder() {
  const folder = await mkdtemp(join(tmpdir(), 'storefront-'));
  const runWith = (environment: Readonly<Record<string, string>>, ...args: readonly string[]) =>
    runProgramIn(folder, args, environment);
  const run = (...args: readonly string[]) => runWith({}, ...args);
  const status = async (...args: readonly string[]) => {
    const { stdout } = await run('status', '--json', ...args);
    return JSON.parse(stdout).data.servers as readonly { name: string; status: string; pid: number; url: string }[];
  };
  onTestFinished(async () => {
    for (const { name } of await status()) await run('stop', '--name', name);
    await rm(folder, { recursive: true, force: true });
  });
  return { folder, run, runWith, status };
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

it('A server runs in the background until it is stopped', async () => {
  const { run, status } = await createFolder();
  const started = await run('start', '--background', '--json', ...IN_MEMORY);
  expect(started.code).toBe(0);
  const { url, pid, logFile, contract, console } = JSON.parse(started.stdout).data;
  expect((await fetch(`${url}/api/products`)).status).toBe(200);
  expect((await fetch(console)).status).toBe(200);
  expect(contract).toBe(projectFile('openapi.yaml'));
  expect(await status()).toMatchObject([{ name: 'default', status: 'running', url, pid }]);
  expect(await readFile(logFile, 'utf8')).toContain(`listening at ${url}`);
  expect((await run('logs', '--lines', '1')).stdout).toContain('GET    200 /api/products');
  expect(await run('stop')).toEqual({ code: 0, stderr: '', stdout: `default: stopped (process ${pid})\n` });
  await expect(fetch(`${url}/api/products`)).rejects.toThrow();
  expect((await run('status')).code).toBe(1);
  expect(await run('stop')).toEqual({ code: 0, stderr: '', stdout: 'default: was not running\n' });
});

it('A second start finds the running server, and names other options', async () => {
  const { run, status } = await createFolder();
  const [first, second] = await Promise.all([1, 2].map(() => run('start', '--background', ...IN_MEMORY)));
  expect([first?.code, second?.code]).toEqual([0, 0]);
  expect([first, second].filter((one) => one?.stdout.startsWith('Already running'))).toHaveLength(1);
  const [server] = await status();
  for (const one of [first, second])
    expect(one?.stdout).toContain(`running at ${server?.url} (process ${server?.pid})`);
  expect(await run('start', '--background', ...IN_MEMORY, '--strict')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining(`already runs at ${server?.url} with another --strict`),
  });
});

it('Servers with names run beside each other', async () => {
  const { run, status } = await createFolder();
  for (const name of ['one', 'two']) await run('start', '--background', '--name', name, ...IN_MEMORY);
  for (const args of [['stop'], ['status', '--name', 'three']])
    expect(await run(...args)).toMatchObject({ code: 1, stdout: expect.stringContaining('that run: one, two.') });
  for (const command of ['restart', 'logs'])
    expect(await run(command, '--name', 'three')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('that run: one, two. Start it: storefront start --background --name three'),
    });
  expect(await run('stop', '--name', 'three')).toMatchObject({
    code: 0,
    stdout: 'three: was not running. Use --name with one of those that run: one, two.\n',
  });
  await run('stop', '--name', 'one');
  expect(await status()).toMatchObject([{ name: 'two', status: 'running' }]);
  for (const name of ['../one', '-x', '--'])
    expect(await run('start', '--background', '--name', name)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('without a hyphen at the start'),
    });
  expect(await run('start', '--name', 'one')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('--background'),
  });
});

it('A server that was killed is shown as stopped, and can be started again', async () => {
  const { run, status } = await createFolder();
  await run('start', '--background', ...IN_MEMORY);
  const [killed] = await status();
  process.kill(killed?.pid ?? 0, 'SIGKILL');
  await vi.waitFor(async () => expect(await status()).toMatchObject([{ status: 'stopped' }]), { timeout: 60_000 });
  expect((await run('start', '--background', ...IN_MEMORY)).stdout).toMatch(/^default: running/);
});

it('A start that fails says why, and where the log is', async () => {
  const { folder, run, status } = await createFolder();
  await writeFile(join(folder, 'api.yaml'), 'openapi: 3.0.0\npaths: 5\n');
  const { code, stderr } = await run('start', '--background', 'api.yaml', ...IN_MEMORY);
  expect(code).toBe(1);
  expect(stderr).toContain('ended with 1 instead of starting');
  expect(stderr).toContain('api.yaml');
  expect(stderr).toContain(join('.storefront', 'default.log'));
  expect(await status()).toMatchObject([{ name: 'default', status: 'stopped' }]);
  await writeFile(join(folder, 'api.yaml'), 'openapi: 3.0.0\ninfo: { title: T, version: "1" }\npaths: {}\n');
  expect((await run('restart')).stdout).toContain('api.yaml, data in memory');
});

it('A start that fails has the error code of its reason', async () => {
  const { folder, run } = await createFolder();
  const getCode = async (...args: readonly string[]) => {
    const { stdout } = await run('start', '--background', '--json', ...args);
    return JSON.parse(stdout).error.code;
  };
  await writeFile(join(folder, 'api.yaml'), 'openapi: 3.0.0\npaths: 5\n');
  expect(await getCode('api.yaml', ...IN_MEMORY)).toBe('invalid_contract');
  await writeFile(join(folder, 'db.json'), '{ "products": 5 }');
  expect(await getCode('--port', '0')).toBe('invalid_data_file');
  await run('start', '--background', '--name', 'first', ...IN_MEMORY);
  const [first] = JSON.parse((await run('status', '--json', '--name', 'first')).stdout).data.servers;
  expect(await getCode('--port', new URL(first.url).port, '--durability', 'memory')).toBe('port_in_use');
});

it('A start in a folder without write permission says what to do', async () => {
  const { folder, run } = await createFolder();
  await writeFile(join(folder, '.storefront'), '');
  const { code, stdout } = await run('start', '--background', '--json', ...IN_MEMORY);
  expect(code).toBe(1);
  expect(JSON.parse(stdout).error).toMatchObject({
    code: 'command_failed',
    message: expect.stringContaining(`Cannot write to the folder ${join(folder, '.storefront')} (EEXIST`),
    fix: expect.stringContaining('Move or rename this file'),
  });
});

it('A stop ends a server that is just being started', async () => {
  const { folder, run, status } = await createFolder();
  // Only the process of the server has an IPC channel. It waits before it has its lock.
  const config = `
    import { writeFileSync } from 'node:fs';
    if (process.send) {
      writeFileSync('begun', '');
      await new Promise((resolve) => setTimeout(resolve, 3_000));
    }
    export default {};
  `;
  await writeFile(join(folder, 'storefront.config.mjs'), config);
  const starting = run('start', '--background', ...IN_MEMORY);
  await vi.waitFor(() => stat(join(folder, 'begun')), { timeout: 60_000 });
  expect((await run('stop')).stdout).toMatch(/^default: stopped/);
  expect((await starting).code).toBe(1);
  expect(await status()).toEqual([]);
});

it('A restart uses the same options, and its log can be followed to the end', async () => {
  const { run, status } = await createFolder();
  await run('start', '--background', ...IN_MEMORY, '--control-token', 'secret-token-1');
  const [first] = await status();
  expect((await run('restart')).stdout).toMatch(/^default: running/);
  const [second] = await status();
  expect(second?.pid).not.toBe(first?.pid);
  expect((await fetch(`${second?.url}/_control/clock`)).status).toBe(401);
  const following = run('logs', '--follow');
  await fetch(`${second?.url}/api/products`);
  await run('stop');
  expect((await following).stdout).toContain('/api/products');
  expect((await run('restart')).stderr).toContain('storefront start --background');
});

it('A restart uses the environment variables of the start, not its own', async () => {
  const { folder, run, runWith, status } = await createFolder();
  await runWith({ PORT: '0', STOREFRONT_CONTROL_TOKEN: 'secret-token-1' }, 'start', '--background');
  const { stdout } = await runWith({ DATABASE_URL: 'invalid', PORT: 'invalid' }, 'restart', '--json');
  const { url, dataFile } = JSON.parse(stdout).data;
  expect((await fetch(`${url}/_control/clock`)).status).toBe(401);
  expect(dataFile).toBe(join(folder, 'db.json'));
  expect(stdout + (await run('status', '--json')).stdout).not.toContain('secret-token-1');
  // Also after a restart that fails before the server reads its options.
  await writeFile(join(folder, 'storefront.config.json'), 'invalid');
  expect((await run('restart')).code).toBe(1);
  expect(await status()).toMatchObject([{ name: 'default', status: 'stopped' }]);
  await rm(join(folder, 'storefront.config.json'));
  expect((await run('restart')).stdout).toMatch(/^default: running/);
  const [server] = await status();
  expect((await fetch(`${server?.url}/_control/clock`)).status).toBe(401);
});

it('Tokens are stored for the owner only, and not shown', async () => {
  const { folder, run } = await createFolder();
  const { stdout } = await run('start', '--background', '--json', ...IN_MEMORY, '--control-token', 'secret-token-1');
  expect(stdout + (await run('status', '--json')).stdout).not.toContain('secret-token-1');
  const files = join(folder, '.storefront');
  expect((await stat(join(files, 'default.json'))).mode & 0o077).toBe(0);
  expect(await readFile(join(files, '.gitignore'), 'utf8')).toBe('*\n');
  expect((await readdir(files)).toSorted()).toEqual(['.gitignore', 'default.json', 'default.log']);
});

it('A stop also ends the processes that handlers have started', async () => {
  const { folder, run } = await createFolder();
  const module = `
    import { spawn } from 'node:child_process';
    const { pid } = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });
    export const listProducts = () => ({ status: 200, body: [], headers: { 'x-pid': String(pid) } });
  `;
  await writeFile(join(folder, 'handlers.mjs'), module);
  const { stdout } = await run('start', '--background', '--json', ...IN_MEMORY, '--handlers', 'handlers.mjs');
  const { headers } = await fetch(`${JSON.parse(stdout).data.url}/api/products`);
  const pid = Number(headers.get('x-pid'));
  expect(isAlive(pid)).toBe(true);
  await run('stop');
  await vi.waitFor(() => expect(isAlive(pid)).toBe(false), { timeout: 60_000 });
});

it('A command that reaches no server names those that run in the folder', async () => {
  const { run, status } = await createFolder();
  await run('start', '--background', ...IN_MEMORY);
  const [server] = await status();
  const { code, stdout } = await run('faults', '--json', '--url', 'http://127.0.0.1:1');
  expect([code, JSON.parse(stdout).error]).toEqual([
    1,
    expect.objectContaining({
      code: 'connection_failed',
      message: expect.stringMatching(
        new RegExp(` In this folder run: default at ${server?.url}\\. Use --url ${server?.url}$`),
      ),
    }),
  ]);
});

it('A log that was deleted is restored, with what the server logs afterwards', async () => {
  const { folder, run, status } = await createFolder();
  await run('start', '--background', ...IN_MEMORY);
  const [server] = await status();
  const follower = spawn(process.execPath, [projectFile('dist/main.js'), 'logs', '--follow'], { cwd: folder });
  let followed = '';
  follower.stdout.on('data', (chunk) => {
    followed += chunk;
  });
  const ended = once(follower, 'close');
  await vi.waitFor(() => expect(followed).toContain('listening at'), { timeout: 60_000 });
  for (const [index, path] of ['.storefront', '.storefront/default.log'].entries()) {
    await rm(join(folder, path), { recursive: true });
    await vi.waitFor(() => stat(join(folder, '.storefront', 'default.log')), { timeout: 60_000 });
    await fetch(`${server?.url}/api/products?after=${index}`);
  }
  expect((await run('logs')).stdout).toContain('listening at');
  await rm(join(folder, '.storefront'), { recursive: true });
  await vi.waitFor(() => stat(join(folder, '.storefront', 'default.json')), { timeout: 60_000 });
  await run('stop');
  const lines = (await run('logs')).stdout.split('\n');
  for (const text of ['listening at', 'after=0', 'after=1'])
    expect(lines.filter((line) => line.includes(text))).toHaveLength(1);
  await ended;
  expect(followed).toContain('after=1');
});

it('A server is found also after the folder .storefront was deleted', async () => {
  const { folder, run, status } = await createFolder();
  await run('start', '--background', ...IN_MEMORY);
  const [server] = await status();
  for (const path of ['.storefront', '.storefront/default.json']) {
    await rm(join(folder, path), { recursive: true });
    await vi.waitFor(async () => expect(await status()).toEqual([server]), { timeout: 60_000 });
  }
  expect((await run('start', '--background', ...IN_MEMORY)).stdout).toMatch(/^Already running/);
  await rm(join(folder, '.storefront'), { recursive: true });
  await vi.waitFor(() => stat(join(folder, '.storefront', 'default.json')), { timeout: 60_000 });
  expect((await run('restart')).stdout).toMatch(/^default: running/);
  expect((await run('logs')).stdout).toContain('listening at');
  await rm(join(folder, '.storefront'), { recursive: true });
  await vi.waitFor(() => stat(join(folder, '.storefront', 'default.json')), { timeout: 60_000 });
  expect((await run('stop')).stdout).toMatch(/^default: stopped/);
  expect(await readdir(join(folder, '.storefront'))).not.toContain('default.json');
});
