import { execFile, spawnSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { createControlClient } from '../support/harness/sandboxes.ts';
import { startStorefront } from '../support/harness/start-storefront.ts';
import { tempFolder } from '../support/harness/temp-folder.ts';

const run = promisify(execFile);
const getPath = (program: string) => spawnSync('which', [program], { encoding: 'utf8' }).stdout.trim();
const CHROMIUM = getPath('chromium');
const CURL = getPath('curl');

/** A page that creates three orders in the default sandbox and shows the results. */
const PAGE = `<!doctype html><title>orders</title><body><script type="module">
const ask = (method, path) => fetch(path, { method }).then((reply) => reply.status, () => 'failed');
await ask('GET', '/api/orders');
const seen = [];
for (let n = 0; n < 3; n++) seen.push(await ask('POST', '/api/orders'));
const orders = await (await fetch('/api/orders')).json();
document.body.textContent = seen.join(' ') + ', orders: ' + orders.length;
</script></body>`;

const RESETS = [
  ['before', 1, 'failed 201 409, orders: 3'],
  ['before', 2, 'failed failed 201, orders: 3'],
  ['after', 1, 'failed 409 409, orders: 3'],
  ['after', 2, 'failed failed 409, orders: 3'],
] as const;

it.skipIf(CHROMIUM === '').each(RESETS)(
  'a page in Chromium gets exactly as many resets as the fault defines: %s the operation, %i times',
  async (phase, times, expected) => {
    const folder = await tempFolder();
    await writeFile(join(folder, 'index.html'), PAGE);
    const shop = await startStorefront({ static: folder });
    await createControlClient(shop)('POST', '/default/faults', {
      operation: 'createOrder',
      connection: 'reset',
      times,
      phase,
    });
    const args = ['--headless=new', '--no-sandbox', '--disable-gpu', '--virtual-time-budget=20000', '--dump-dom'];
    const { stdout } = await run(CHROMIUM, [...args, shop.url]);
    expect(stdout).toContain(expected);
  },
);

it.skipIf(CURL === '').each([
  ['before', '200 000 201 '],
  ['after', '200 000 409 '],
] as const)('curl gets exactly one reset from a fault with times: 1, %s the operation', async (phase, expected) => {
  const shop = await startStorefront();
  await createControlClient(shop)('POST', '/default/faults', {
    operation: 'createOrder',
    connection: 'reset',
    times: 1,
    phase,
  });
  const one = [`${shop.url}/api/orders`, '-s', '-o', '/dev/null', '-w', '%{http_code} '];
  const post = ['--next', '-X', 'POST', ...one];
  const { stdout } = await run(CURL, [...one, ...post, ...post]).catch((error: { stdout: string }) => error);
  expect(stdout).toBe(expected);
});

it.skipIf(CURL === '')('curl gets exactly one reset of an image from a fault with times: 1', async () => {
  const shop = await startStorefront();
  const fault = { where: { path: '/images/*' }, connection: 'reset', times: 1 };
  await createControlClient(shop)('POST', '/default/faults', fault);
  const to = (path: string) => [`${shop.url}${path}`, '-s', '-o', '/dev/null', '-w', '%{http_code} '];
  const image = ['--next', ...to('/images/logo.png')];
  const { stdout } = await run(CURL, [...to('/api/orders'), ...image, ...image]).catch(
    (error: { stdout: string }) => error,
  );
  expect(stdout).toBe('200 000 200 ');
});
