import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { projectFile } from '../support/fixtures/default-data.ts';
import { runCommand, startCommand } from '../support/harness/commands.ts';
import { folderWith } from '../support/harness/folder-with.ts';

const built = projectFile('dist/testing.cjs');
const { startStorefront } = createRequire(import.meta.url)(built) as typeof import('../../src/testing/child.ts');

/** Whether a server responds with success. */
async function isServing(url: string): Promise<boolean> {
  return fetch(url).then(
    (response) => response.ok,
    () => false,
  );
}

/** Writes a program that requires `storefront/testing`, and returns its path. */
async function writeProgram(code: string): Promise<string> {
  const text = `const { startStorefront } = require(${JSON.stringify(built)});\n${code}`;
  return join(await folderWith({ 'program.cjs': text }), 'program.cjs');
}

describe('startStorefront of storefront/testing for require', () => {
  it('starts a child process, controls it, and ends it on close()', async () => {
    const shop = await startStorefront();
    onTestFinished(() => shop.close());
    const sandbox = await shop.sandbox({ from: 'empty-cart' });
    expect(await (await sandbox.fetch('/api/cart-items')).json()).toEqual([]);
    expect(new URL(shop.url).port).toBe(String(shop.port));
    await shop.close();
    expect(await isServing(`${shop.url}/api/products`)).toBe(false);
    await shop.close();
  });

  it('passes its options to the child regardless of the environment', async () => {
    vi.stubEnv('STOREFRONT_CONTROL_TOKEN', 'of others');
    onTestFinished(() => void vi.unstubAllEnvs());
    const shop = await startStorefront({ mock: ['listProducts'], strict: true });
    onTestFinished(() => shop.close());
    const products = await fetch(`${shop.url}/api/products`);
    expect(products.headers.get('x-mocked')).toBe('operation');
    expect((await fetch(`${shop.url}/api/products?colour=red`)).status).toBe(400);
    expect((await shop.sandbox()).id).toBe('test-1');
  });

  it('rejects with the error output of a child that does not start', async () => {
    await expect(startStorefront({ contract: 'none.yaml' })).rejects.toThrow(
      /^The storefront server ended with 1 instead of starting: storefront: .*none\.yaml does not exist/,
    );
  });

  it('ends the child with the parent process, even if that is killed', async () => {
    const file = await writeProgram(
      "startStorefront().then(({ url }) => { console.log('at ' + url + '.'); setInterval(() => {}, 1_000); });",
    );
    const program = startCommand('node', [file], { cwd: tmpdir() });
    const [, url = ''] = await program.said(/at (\S+)\./);
    expect(await isServing(`${url}/api/products`)).toBe(true);
    program.kill('SIGKILL');
    await vi.waitFor(async () => expect(await isServing(`${url}/api/products`)).toBe(false), { timeout: 60_000 });
  });

  it('ends the child if the parent is killed during the start', async () => {
    const file = await writeProgram(`
      const child = require('node:child_process');
      const { spawn } = child;
      child.spawn = (...args) => {
        const shop = spawn(...args);
        process.stdout.write('the shop is ' + shop.pid + '.', () => process.kill(process.pid, 'SIGKILL'));
        return shop;
      };
      startStorefront();`);
    const program = startCommand('node', [file], { cwd: tmpdir() });
    const [, pid] = await program.said(/the shop is (\d+)\./);
    await vi.waitFor(() => expect(() => process.kill(Number(pid), 0)).toThrow(), { timeout: 60_000, interval: 100 });
  });

  it('lets a program end that does not call close()', async () => {
    const file = await writeProgram('startStorefront().then(({ url }) => console.log(url));');
    const { exitCode, output } = await runCommand('node', [file], { cwd: tmpdir() });
    expect(exitCode).toBe(0);
    await vi.waitFor(async () => expect(await isServing(`${output.trim()}/api/products`)).toBe(false), {
      timeout: 60_000,
    });
  });
});
