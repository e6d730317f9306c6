import { once } from 'node:events';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { defaultText, projectFile } from '../support/fixtures/default-data.ts';
import { rawConnection, repliesIn } from '../support/harness/raw-client.ts';
import { hasIpv6, type Program, startProgram } from '../support/harness/start-program.ts';

/** How long a test with a process of its own may take, in ms. */
const PATIENCE_MS = 30_000;

/** How long the program may take to stop, in ms. */
const STOP_MS = 10_000;

const PUT = 'PUT /api/cart-items/6fb12208-d3f8-49e5-8f52-3d2038703fc6 HTTP/1.1\r\nHost: localhost\r\n';
const CHANGE = '{"quantity":7}';
const HEADERS = `${PUT}Content-Type: application/json\r\nContent-Length: ${CHANGE.length}\r\n\r\n`;

async function portOf(program: Program): Promise<number> {
  return Number(new URL(await program.url()).port);
}

/** How the program ended within the time that it has for stopping. */
function endedInTime({ ended }: Program): Promise<unknown> {
  return Promise.race([ended, new Promise((resolve) => setTimeout(resolve, STOP_MS, 'still running').unref())]);
}

/** Resolves once nobody answers on a port any more. */
function closed(port: number): Promise<void> {
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

/** A port that nobody listens on. */
async function freePort(): Promise<number> {
  const { port, free } = await takePort('127.0.0.1');
  await free();
  return port;
}

/** A port that is taken, on this address alone. */
async function takePort(host: string): Promise<{ port: number; free: () => Promise<unknown> }> {
  const server = createServer().listen(0, host);
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  return { port, free: () => new Promise((resolve) => server.close(resolve)) };
}

/** The one line that a program has written about why it did not start. */
const ONE_LINE = /^storefront: [^\n]+\n$/;

describe('the program', { timeout: PATIENCE_MS, concurrent: true }, () => {
  it('prints its version', async (test) => {
    const { ended, stdout } = await startProgram(test, ['--version']);
    expect(await ended).toEqual({ code: 0, signal: null });
    expect(stdout()).toBe(`${JSON.parse(await readFile(projectFile('package.json'), 'utf8')).version}\n`);
  });

  it('prints the address that it answers on, in IPv4 and IPv6, and makes its data file here', async (test) => {
    const program = await startProgram(test, ['--port', '0']);
    const url = await program.url();
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    const addresses = [url, ...(hasIpv6 ? [url.replace('127.0.0.1', '[::1]')] : [])];
    for (const address of addresses) expect((await fetch(`${address}/api/products`)).status, address).toBe(200);
    expect(await readFile(join(program.folder, 'db.json'), 'utf8')).toBe(defaultText);
    program.child.kill('SIGTERM');
    expect(await endedInTime(program)).toEqual({ code: 0, signal: null });
    expect(program.stderr()).toBe('');
  });

  it('takes its port from PORT, and says where it is when the log is off', async (test) => {
    const port = await freePort();
    const program = await startProgram(test, ['--log', 'off'], { environment: { PORT: `${port}` } });
    expect(await program.url()).toBe(`http://127.0.0.1:${port}`);
    await fetch(`http://127.0.0.1:${port}/api/products`);
    program.child.kill('SIGTERM');
    expect(await endedInTime(program)).toEqual({ code: 0, signal: null });
    expect(program.stdout().trim().split('\n')).toHaveLength(1);
  });

  it.for(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)(
    'finishes what has begun after %s, takes nothing new, and ends with 0',
    async (signal, test) => {
      const program = await startProgram(test, ['--port', '0']);
      const port = await portOf(program);
      const connection = rawConnection(port);
      connection.write(`${HEADERS}${CHANGE.slice(0, 5)}`);
      // An answer on another connection shows that the server has read what came before.
      await fetch(`${await program.url()}/api/orders`);
      program.child.kill(signal);
      await closed(port);
      connection.write(CHANGE.slice(5));
      expect(repliesIn(await connection.end())).toMatchObject([{ status: 200, body: { quantity: 7 } }]);
      expect(await endedInTime(program)).toEqual({ code: 0, signal: null });
      expect(JSON.parse(await readFile(join(program.folder, 'db.json'), 'utf8')).cartItems[0].quantity).toBe(7);
      expect(await readdir(program.folder)).toEqual(['db.json']);
    },
  );

  it('ends with 0 within 10 s of SIGINT though clients have sent nothing, half of their headers or half of a body, and stay', async (test) => {
    const program = await startProgram(test, ['--port', '0']);
    const port = await portOf(program);
    for (const bytes of ['', PUT, `${HEADERS}{`]) rawConnection(port).write(bytes);
    await fetch(`${await program.url()}/api/orders`);
    program.child.kill('SIGINT');
    expect(await endedInTime(program)).toEqual({ code: 0, signal: null });
  });

  it.for(['json', 'off'])('goes on when nobody reads what it prints: --log %s', async (style, test) => {
    const port = await freePort();
    const program = await startProgram(test, ['--port', `${port}`, '--log', style]);
    program.child.stdout?.destroy();
    const hasEnded = program.ended.then(() => program.stderr());
    const look = () => fetch(`http://127.0.0.1:${port}/api/orders`).then(({ status }) => status);
    const answers = vi.waitFor(look, { timeout: 15_000, interval: 50 });
    expect(await Promise.race([answers, hasEnded])).toBe(200);
    for (let time = 1; time <= 3; time++) expect(await look()).toBe(200);
    program.child.kill('SIGTERM');
    expect(await endedInTime(program)).toEqual({ code: 0, signal: null });
  });

  it('ends with 2 and one line where the command line makes no sense', async (test) => {
    const { ended, stdout, stderr } = await startProgram(test, ['--prot', '0']);
    expect(await ended).toEqual({ code: 2, signal: null });
    expect(stderr()).toMatch(ONE_LINE);
    expect(stderr()).toContain('--port');
    expect(stdout()).toBe('');
  });

  it('ends with 1 and one line, which names the file, where the data is damaged, and leaves it as it is', async (test) => {
    const damaged = '{ "products": [';
    const prepare = (folder: string) => writeFile(join(folder, 'db.json'), damaged);
    const { ended, stderr, folder } = await startProgram(test, ['--port', '0'], { prepare });
    expect(await ended).toEqual({ code: 1, signal: null });
    expect(stderr()).toMatch(ONE_LINE);
    expect(stderr()).toContain(join(folder, 'db.json:1'));
    expect(await readFile(join(folder, 'db.json'), 'utf8')).toBe(damaged);
  });

  it.for(hasIpv6 ? ['127.0.0.1', '::1'] : ['127.0.0.1'])(
    'ends with 1 and one line where its port is taken on %s',
    async (host, test) => {
      const { port, free } = await takePort(host);
      test.onTestFinished(async () => void (await free()));
      const program = await startProgram(test, ['--port', `${port}`]);
      expect(await endedInTime(program)).toEqual({ code: 1, signal: null });
      expect(program.stderr()).toMatch(ONE_LINE);
      expect(program.stderr()).toContain(`Port ${port} is in use`);
    },
  );
});
