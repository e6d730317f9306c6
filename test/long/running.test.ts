import { once } from 'node:events';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { defaultText, projectFile } from '../support/fixtures/default-data.ts';
import { connectRaw, parseRawResponses } from '../support/harness/raw-client.ts';
import { hasIpv6, type Program, startProgram } from '../support/harness/start-program.ts';

/** The time limit of a stop, in ms: less than the 30 s after which an incomplete request times out. A stop takes up to 10 s, and longer on a busy machine. */
const STOP_MS = 25_000;

const PUT = 'PUT /api/cart-items/6fb12208-d3f8-49e5-8f52-3d2038703fc6 HTTP/1.1\r\nHost: localhost\r\n';
const CHANGE = '{"quantity":7}';
const HEADERS = `${PUT}Content-Type: application/json\r\nContent-Length: ${CHANGE.length}\r\n\r\n`;

async function getPort(program: Program): Promise<number> {
  return Number(new URL(await program.url()).port);
}

/** Resolves to how the program ended, or to a text if it still runs after STOP_MS. */
function endWithinLimit({ ended }: Program): Promise<unknown> {
  return Promise.race([ended, new Promise((resolve) => setTimeout(resolve, STOP_MS, 'still running').unref())]);
}

/** Resolves once a port refuses connections. */
function waitUntilClosed(port: number): Promise<void> {
  return vi.waitFor(
    async () => {
      const socket = connect({ port, host: '127.0.0.1' });
      const [outcome] = await Promise.race([once(socket, 'connect').then(() => ['open']), once(socket, 'error')]);
      socket.destroy();
      expect(outcome).toMatchObject({ code: 'ECONNREFUSED' });
    },
    { timeout: STOP_MS, interval: 20 },
  );
}

/** Returns a port that is not in use. */
async function findFreePort(): Promise<number> {
  const { port, free } = await occupyPort('127.0.0.1');
  await free();
  return port;
}

/** Listens on a free port of one address. */
async function occupyPort(host: string): Promise<{ port: number; free: () => Promise<unknown> }> {
  const server = createServer().listen(0, host);
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  return { port, free: () => new Promise((resolve) => server.close(resolve)) };
}

/** An error message of one line. */
const ONE_LINE = /^storefront: [^\n]+\n$/;

describe('storefront', { concurrent: true }, () => {
  it('prints its version with --version', async (test) => {
    const { ended, stdout } = await startProgram(test, ['--version']);
    expect(await ended).toEqual({ code: 0, signal: null });
    expect(stdout()).toBe(`${JSON.parse(await readFile(projectFile('package.json'), 'utf8')).version}\n`);
  });

  it('prints the address that it serves in IPv4 and IPv6, and creates db.json in the current folder', async (test) => {
    const program = await startProgram(test, ['--port', '0']);
    const url = await program.url();
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    const addresses = [url, ...(hasIpv6 ? [url.replace('127.0.0.1', '[::1]')] : [])];
    for (const address of addresses) expect((await fetch(`${address}/api/products`)).status, address).toBe(200);
    expect(await readFile(join(program.folder, 'db.json'), 'utf8')).toBe(defaultText);
    program.child.kill('SIGTERM');
    expect(await endWithinLimit(program)).toEqual({ code: 0, signal: null });
    expect(program.stderr()).toBe('');
  });

  it('listens on the port in PORT, and prints its address if the log is off', async (test) => {
    const port = await findFreePort();
    const program = await startProgram(test, ['--log', 'off'], { environment: { PORT: `${port}` } });
    expect(await program.url()).toBe(`http://127.0.0.1:${port}`);
    await fetch(`http://127.0.0.1:${port}/api/products`);
    program.child.kill('SIGTERM');
    expect(await endWithinLimit(program)).toEqual({ code: 0, signal: null });
    expect(program.stdout().trim().split('\n')).toHaveLength(1);
  });

  it.for(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)(
    'finishes current requests after %s, accepts no new ones, and ends with 0',
    async (signal, test) => {
      const program = await startProgram(test, ['--port', '0']);
      const port = await getPort(program);
      const connection = connectRaw(port);
      connection.write(`${HEADERS}${CHANGE.slice(0, 5)}`);
      // A response on another connection shows that the server has read the earlier bytes.
      await fetch(`${await program.url()}/api/orders`);
      program.child.kill(signal);
      await waitUntilClosed(port);
      connection.write(CHANGE.slice(5));
      expect(parseRawResponses(await connection.end())).toMatchObject([{ status: 200, body: { quantity: 7 } }]);
      expect(await endWithinLimit(program)).toEqual({ code: 0, signal: null });
      expect(JSON.parse(await readFile(join(program.folder, 'db.json'), 'utf8')).cartItems[0].quantity).toBe(7);
      expect(await readdir(program.folder)).toEqual(['db.json']);
    },
  );

  it('ends with 0 after SIGINT, without waiting until incomplete requests of connected clients time out', async (test) => {
    const program = await startProgram(test, ['--port', '0']);
    const port = await getPort(program);
    for (const bytes of ['', PUT, `${HEADERS}{`]) connectRaw(port).write(bytes);
    await fetch(`${await program.url()}/api/orders`);
    program.child.kill('SIGINT');
    expect(await endWithinLimit(program)).toEqual({ code: 0, signal: null });
  });

  it.for(['json', 'off'])('continues to serve requests if nobody reads its output: --log %s', async (style, test) => {
    const port = await findFreePort();
    const program = await startProgram(test, ['--port', `${port}`, '--log', style]);
    program.child.stdout?.destroy();
    const hasEnded = program.ended.then(() => program.stderr());
    const request = () => fetch(`http://127.0.0.1:${port}/api/orders`).then(({ status }) => status);
    const answers = vi.waitFor(request, { timeout: 60_000, interval: 50 });
    expect(await Promise.race([answers, hasEnded])).toBe(200);
    for (let time = 1; time <= 3; time++) expect(await request()).toBe(200);
    program.child.kill('SIGTERM');
    expect(await endWithinLimit(program)).toEqual({ code: 0, signal: null });
  });

  it('ends with 2 and one line for an invalid command line', async (test) => {
    const { ended, stdout, stderr } = await startProgram(test, ['--prot', '0']);
    expect(await ended).toEqual({ code: 2, signal: null });
    expect(stderr()).toMatch(ONE_LINE);
    expect(stderr()).toContain('--port');
    expect(stdout()).toBe('');
  });

  it('ends with 1 and one line that names a damaged data file, and does not change the file', async (test) => {
    const damaged = '{ "products": [';
    const prepare = (folder: string) => writeFile(join(folder, 'db.json'), damaged);
    const { ended, stderr, folder } = await startProgram(test, ['--port', '0'], { prepare });
    expect(await ended).toEqual({ code: 1, signal: null });
    expect(stderr()).toMatch(ONE_LINE);
    expect(stderr()).toContain(join(folder, 'db.json:1'));
    expect(await readFile(join(folder, 'db.json'), 'utf8')).toBe(damaged);
  });

  it.for(hasIpv6 ? ['127.0.0.1', '::1'] : ['127.0.0.1'])(
    'ends with 1 and one line if its port is in use on %s',
    async (host, test) => {
      const { port, free } = await occupyPort(host);
      test.onTestFinished(async () => void (await free()));
      const program = await startProgram(test, ['--port', `${port}`]);
      expect(await endWithinLimit(program)).toEqual({ code: 1, signal: null });
      expect(program.stderr()).toMatch(ONE_LINE);
      expect(program.stderr()).toContain(`Port ${port} is in use`);
    },
  );
});
