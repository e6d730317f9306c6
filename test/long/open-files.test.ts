import { spawn } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { projectFile } from '../support/fixtures/default-data.ts';

const MAX_OPEN_FILES = 80;

/** Starts the program with a limit of 80 open files. Resolves to its port and its process id. */
async function startLimited() {
  const folder = await mkdtemp(join(tmpdir(), 'storefront-'));
  const command = `ulimit -n ${MAX_OPEN_FILES}; exec "$0" "$1" --port 0`;
  const child = spawn('sh', ['-c', command, process.execPath, projectFile('dist/main.js')], { cwd: folder });
  let output = '';
  child.stdout.on('data', (part) => (output += part));
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await rm(folder, { recursive: true, force: true });
  });
  const port = await vi.waitFor(
    () => {
      const found = /http:\/\/127\.0\.0\.1:(\d+)/.exec(output)?.[1];
      if (found === undefined) throw new Error(`the server has not started: ${output}`);
      return Number(found);
    },
    { timeout: 60_000 },
  );
  return { port, pid: child.pid ?? 0 };
}

/** Sends requests on one connection. */
function createClient(port: number) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  onTestFinished(() => agent.destroy());
  return (method: string, path: string, body?: object) =>
    new Promise<{ status: number | undefined; retryAfter: string | undefined; body: string }>((resolve, reject) => {
      const headers = { 'Content-Type': 'application/json' };
      const sent = request({ host: '127.0.0.1', port, agent, method, path, headers }, (response) => {
        let text = '';
        response.on('data', (part) => (text += part));
        response.on('end', () =>
          resolve({
            status: response.statusCode,
            retryAfter: response.headers['retry-after'],
            body: text.slice(0, 1_000),
          }),
        );
      });
      sent.on('error', reject).end(body && JSON.stringify(body));
    });
}

it.runIf(process.platform === 'linux')(
  'A server that can open no more files responds with 503 and Retry-After, and works again when files are closed',
  async () => {
    const { port, pid } = await startLimited();
    const send = createClient(port);
    const countFiles = () => readdirSync(`/proc/${pid}/fd`).length;
    expect(await send('GET', '/api/products')).toMatchObject({ status: 200 });
    const others = Array.from({ length: 2 * MAX_OPEN_FILES }, () => connect(port, '127.0.0.1').on('error', () => {}));
    onTestFinished(() => {
      for (const socket of others) socket.destroy();
    });
    const image = '/images/products/athletic-cotton-socks-6-pairs.jpg';
    await vi.waitFor(() => expect(countFiles()).toBeGreaterThanOrEqual(MAX_OPEN_FILES), { timeout: 60_000 });
    const refused = { status: 503, retryAfter: expect.stringMatching(/^\d+$/) };
    for (const path of [image, '/_docs/'])
      expect(await send('GET', path), path).toMatchObject({ ...refused, body: expect.stringContaining('ulimit -n') });
    const cart = JSON.parse((await send('GET', '/api/cart-items')).body);
    const change = await send('PUT', `/api/cart-items/${cart[0].productId}`, { quantity: 3 });
    expect([200, 503]).toContain(change.status);
    for (const socket of others) socket.destroy();
    await vi.waitFor(async () => expect(await send('GET', image)).toMatchObject({ status: 200 }), { timeout: 60_000 });
  },
);
