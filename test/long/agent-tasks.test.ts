import { copyFile, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { projectFile } from '../support/fixtures/default-data.ts';
import { runProgramIn } from '../support/harness/run-program.ts';
import { tempFolder } from '../support/harness/temp-folder.ts';

it('A script without a terminal does ten tasks in at most 25 commands, and leaves no server', async () => {
  const folder = await tempFolder();
  const contract = join(folder, 'openapi.yaml');
  await copyFile(projectFile('openapi.yaml'), contract);
  let url = '';
  let commands = 0;
  /** Runs a command that succeeds, and returns its data. */
  const run = async (line: string) => {
    commands++;
    const { code, stdout, stderr } = await runProgramIn(folder, [...line.split(' '), '--json'], {
      STOREFRONT_URL: url,
    });
    const { ok, data, error } = JSON.parse(stdout);
    expect({ line, code, ok, error, stderr: ok ? '' : stderr }).toEqual({ line, code: 0, ok: true, stderr: '' });
    return data;
  };
  onTestFinished(async () => void (await runProgramIn(folder, ['stop'])));
  const ask = async (sandbox: string, method: string, path: string) => {
    const response = await fetch(`${url}/api/${path}`, { method, headers: { 'X-Sandbox': sandbox } });
    return {
      status: response.status,
      body: JSON.parse((await response.text()) || 'null') as { readonly orderTimeMs: number },
    };
  };

  // Serve a document.
  const { pid, ...server } = await run('start --background --port 0 openapi.yaml');
  ({ url } = server);
  expect(await run('status')).toMatchObject({ servers: [{ pid, url }] });

  // Seed data.
  const state = await run('state');
  state.cartItems = state.cartItems.slice(0, 1);
  await writeFile(join(folder, 'state.json'), JSON.stringify(state));
  await run('state put state.json');
  await run('snapshot seeded');

  // Isolate two tests.
  for (const id of ['t1', 't2']) await run(`sandboxes create --sandbox ${id} --from seeded`);
  expect(await ask('t1', 'DELETE', `cart-items/${state.cartItems[0].productId}`)).toMatchObject({ status: 204 });
  expect((await ask('t1', 'GET', 'cart-items')).body).toEqual([]);
  expect((await ask('t2', 'GET', 'cart-items')).body).toHaveLength(1);

  // Freeze the clock, and make the second order fail.
  await run('clock freeze 2030-01-01T12:00:00Z --sandbox t2');
  await run('faults add --sandbox t2 --operation createOrder --skip 1 --times 1 --status 503');
  const order = await ask('t2', 'POST', 'orders');
  expect(order).toMatchObject({ status: 201, body: { orderTimeMs: Date.parse('2030-01-01T12:00:00Z') } });
  expect((await ask('t2', 'POST', 'orders')).status).toBe(503);

  // Verify the requests, check the server, and read the coverage of the tests.
  await run('journal verify --sandbox t2 --operation createOrder --times 2');
  const { totals } = await run('coverage');
  expect(totals[0]).toMatchObject({ kind: 'operation', touched: 3 });
  expect(await run('check --runs 1')).toMatchObject({ verdict: 'passed' });

  // Change the document.
  await writeFile(
    contract,
    (await readFile(contract, 'utf8')).replace('operationId: createOrder', 'operationId: order'),
  );
  await expect
    .poll(async () => JSON.stringify(await run('logs --lines 5')), { timeout: 60_000, interval: 1_000 })
    .toContain('openapi.yaml');
  await run('faults add --sandbox t2 --operation order --status 503');

  // Stop.
  await run('stop');
  await expect(fetch(url)).rejects.toThrow();
  expect(commands).toBeLessThanOrEqual(25);
});
