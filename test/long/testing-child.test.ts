import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { projectFile } from '../support/fixtures/default-data.ts';
import { run, start } from '../support/harness/commands.ts';
import { folderWith } from '../support/harness/folder-with.ts';

const built = projectFile('dist/testing.cjs');
const { startStorefront } = createRequire(import.meta.url)(built) as typeof import('../../src/testing/child.ts');

/** Whether a server answers. */
async function answers(url: string): Promise<boolean> {
  return fetch(url).then(
    (response) => response.ok,
    () => false,
  );
}

/** A program that begins with what `storefront/testing` gives to those who require it. */
async function programFile(code: string): Promise<string> {
  const text = `const { startStorefront } = require(${JSON.stringify(built)});\n${code}`;
  return join(await folderWith({ 'program.cjs': text }), 'program.cjs');
}

describe('a shop in a process of its own', () => {
  it('starts, is steered, and ends when it is closed', async () => {
    const shop = await startStorefront();
    onTestFinished(() => shop.close());
    const sandbox = await shop.sandbox({ from: 'empty-cart' });
    expect(await (await sandbox.fetch('/api/cart-items')).json()).toEqual([]);
    expect(new URL(shop.url).port).toBe(String(shop.port));
    await shop.close();
    expect(await answers(`${shop.url}/api/products`)).toBe(false);
    await shop.close();
  });

  it('has the options that it is started with, whatever the environment says', async () => {
    vi.stubEnv('STOREFRONT_CONTROL_TOKEN', 'of others');
    onTestFinished(() => void vi.unstubAllEnvs());
    const shop = await startStorefront({ mock: ['listProducts'], strict: true });
    onTestFinished(() => shop.close());
    const products = await fetch(`${shop.url}/api/products`);
    expect(products.headers.get('x-mocked')).toBe('operation');
    expect((await fetch(`${shop.url}/api/products?colour=red`)).status).toBe(400);
    expect((await shop.sandbox()).id).toBe('test-1');
  });

  it('says why it does not start', async () => {
    await expect(startStorefront({ contract: 'none.yaml' })).rejects.toThrow(
      /^The storefront server ended with 1 instead of starting: storefront: .*none\.yaml can't be read/,
    );
  });

  it('ends with the process that started it, even where that is killed', async () => {
    const file = await programFile(
      "startStorefront().then(({ url }) => { console.log('at ' + url + '.'); setInterval(() => {}, 1_000); });",
    );
    const program = start('node', [file], { cwd: tmpdir() });
    const [, url = ''] = await program.said(/at (\S+)\./);
    expect(await answers(`${url}/api/products`)).toBe(true);
    program.kill('SIGKILL');
    await vi.waitFor(async () => expect(await answers(`${url}/api/products`)).toBe(false), { timeout: 10_000 });
  });

  it('ends where that is killed before it has started', async () => {
    const file = await programFile(`
      const child = require('node:child_process');
      const { spawn } = child;
      child.spawn = (...args) => {
        const shop = spawn(...args);
        process.stdout.write('the shop is ' + shop.pid + '.', () => process.kill(process.pid, 'SIGKILL'));
        return shop;
      };
      startStorefront();`);
    const program = start('node', [file], { cwd: tmpdir() });
    const [, pid] = await program.said(/the shop is (\d+)\./);
    await vi.waitFor(() => expect(() => process.kill(Number(pid), 0)).toThrow(), { timeout: 20_000, interval: 100 });
  });

  it('keeps no program from ending that forgets to close it', async () => {
    const file = await programFile('startStorefront().then(({ url }) => console.log(url));');
    const { exitCode, output } = await run('node', [file], { cwd: tmpdir() });
    expect(exitCode).toBe(0);
    await vi.waitFor(async () => expect(await answers(`${output.trim()}/api/products`)).toBe(false), {
      timeout: 10_000,
    });
  });
});
