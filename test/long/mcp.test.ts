import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { expect, it, onTestFinished } from 'vitest';
import { projectFile } from '../support/fixtures/default-data.ts';

/** Returns the arguments of `storefront` in the configuration of a client. */
async function readArguments(): Promise<readonly string[]> {
  const { mcpServers } = JSON.parse(await readFile(projectFile('test/examples/config/mcp.json'), 'utf8'));
  const { command, args } = mcpServers.storefront;
  expect([command, ...args.slice(0, 2)]).toEqual(['npx', '--no-install', 'storefront']);
  return args.slice(2);
}

/** Starts the server of the configuration in a folder. Returns the tools, and a function that calls one. */
async function connect() {
  const folder = await mkdtemp(join(tmpdir(), 'storefront-'));
  const client = new Client({ name: 'test', version: '1' });
  const args = [projectFile('dist/main.js'), ...(await readArguments())];
  await client.connect(new StdioClientTransport({ command: process.execPath, args, cwd: folder, stderr: 'pipe' }));
  const call = async (name: string, values: Record<string, unknown> = {}) => {
    const { content, isError } = await client.callTool({ name, arguments: values });
    const [{ text = '' } = {}] = content as { text?: string }[];
    return { isError, ...JSON.parse(text) };
  };
  onTestFinished(async () => {
    await call('stop');
    await client.close();
    await rm(folder, { recursive: true, force: true });
  });
  const { tools } = await client.listTools();
  return { tools, call };
}

it('An agent starts a server, makes an order fail, and verifies the requests', async () => {
  const { tools, call } = await connect();
  expect(tools.map(({ name }) => name)).toEqual(['explain', 'start', 'stop', 'data', 'faults', 'requests', 'check']);
  // A token has about four characters of JSON.
  expect(JSON.stringify(tools).length).toBeLessThan(2_500 * 4);
  expect(await call('explain', { contract: projectFile('openapi.yaml') })).toMatchObject({ isError: false, ok: true });
  const { data } = await call('start', { port: 0, durability: 'memory' });
  const { url } = data;
  await call('data', { action: 'reset', sandbox: 't1', url });
  await call('faults', { action: 'add', operation: 'createOrder', skip: 1, times: 1, status: 503, sandbox: 't1', url });
  const order = () => fetch(`${url}/api/orders`, { method: 'POST', headers: { 'X-Sandbox': 't1' } });
  expect([(await order()).status, (await order()).status]).toEqual([201, 503]);
  const shown = await call('requests', { action: 'show', sandbox: 't1', url });
  expect(shown.data).toHaveLength(2);
  const verified = await call('requests', { action: 'verify', operation: 'createOrder', times: 3, sandbox: 't1', url });
  expect(verified).toMatchObject({ isError: true, error: { code: 'verification_failed' } });
  expect((await call('data', { action: 'show', sandbox: 't1', url })).data).toHaveProperty('orders');
  expect(await call('faults', { action: 'clear', sandbox: 't1', url })).toMatchObject({ isError: false });
  expect(await call('stop')).toMatchObject({ data: { wasRunning: true } });
});

it.each<[name: string, values: Record<string, unknown>, message: RegExp]>([
  ['start', { port: '80' }, /port is "80": use an integer/],
  ['start', { color: 'red' }, /color is unknown: use contract, port/],
  ['data', {}, /action is missing/],
  ['data', { action: 'delete' }, /action is "delete": use show, put/],
  ['explain', { contract: '--help' }, /must not begin with a hyphen/],
  ['other', {}, /Unknown tool other/],
])('A malformed call of %s gets an error', async (name, values, message) => {
  const { call } = await connect();
  await expect(call(name, values)).rejects.toThrow(message);
});
