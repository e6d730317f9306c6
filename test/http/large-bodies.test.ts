import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, it, onTestFinished } from 'vitest';
import { LargeBodies } from '../../src/http/large-bodies.ts';
import { connectRaw } from '../support/harness/raw-client.ts';

const KB = 1024;

/** Starts a server that receives bodies with a limit of 1 MB for the memory of all of them. The response to a request has the length of the text. */
async function startReceiver() {
  const bodies = new LargeBodies(KB * KB);
  const results: string[] = [];
  const receive = async (req: IncomingMessage) => {
    const { bytes, release } = await bodies.receive(req, 800 * KB);
    release();
    return `received ${bytes.length}`;
  };
  const server = createServer((req, res) => {
    receive(req)
      .catch((error) => `failed: ${error.problem?.code ?? error.status ?? error.message}`)
      .then((result) => {
        results.push(result);
        res.end(result);
      });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const send = (length: number, body: string | Buffer, headers = '') => {
    const connection = connectRaw(port);
    connection.write(`PUT / HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${length}\r\n${headers}\r\n`);
    connection.write(body);
    onTestFinished(() => {
      connection.socket.destroy();
    });
    return connection;
  };
  return { send, results };
}

const text = (kilobytes: number) => 'x'.repeat(kilobytes * KB);

describe('the receiver of large bodies', () => {
  it.each([
    ['gzip', gzipSync],
    ['deflate', deflateSync],
    ['br', brotliCompressSync],
  ] as const)('decompresses a body with the coding %s, and limits its decompressed size', async (coding, compress) => {
    const { send } = await startReceiver();
    for (const [size, result] of [
      [100, `received ${100 * KB}`],
      [900, 'failed: 413'],
    ] as const) {
      const body = compress(Buffer.from(text(size)));
      await send(body.length, body, `Content-Encoding: ${coding}\r\n`).until(result);
    }
  });

  it('refuses a body with an unknown coding, and one that announces too many bytes', async () => {
    const { send } = await startReceiver();
    await send(3, 'abc', 'Content-Encoding: zip\r\n').until('failed: 415');
    await send(900 * KB, '').until('failed: 413');
  });

  it('receives a body while many other clients send nothing more', async () => {
    const { send, results } = await startReceiver();
    for (let count = 0; count < 100; count++) send(700 * KB, 'x');
    await send(700 * KB, text(700)).until(`received ${700 * KB}`);
    expect(results).toEqual([`received ${700 * KB}`]);
  });

  it('refuses stalled bodies if they use the memory that another body needs', async () => {
    const { send, results } = await startReceiver();
    const stalled = [send(700 * KB, text(600)), send(700 * KB, text(600))];
    await send(700 * KB, text(700)).until(`received ${700 * KB}`);
    expect(results.at(-1)).toBe(`received ${700 * KB}`);
    expect(results.slice(0, -1)).toContain('failed: unavailable');
    for (const { received } of stalled) expect(received()).not.toContain('received');
  });

  it('receives bodies that together exceed the memory, one after the other', async () => {
    const { send, results } = await startReceiver();
    const connections = Array.from({ length: 6 }, () => send(700 * KB, text(700)));
    await Promise.all(connections.map(({ until }) => until(`received ${700 * KB}`)));
    expect(results).toHaveLength(6);
  });
});

it('Two requests take their turn at once, and the others in the order of the calls', async () => {
  const bodies = new LargeBodies();
  const started: number[] = [];
  const [first, second] = [await bodies.waitForTurn(), await bodies.waitForTurn()];
  const third = bodies.waitForTurn().then((end) => [started.push(3), end] as const);
  const fourth = bodies.waitForTurn().then((end) => [started.push(4), end] as const);
  second();
  const [, endThird] = await third;
  expect(started).toEqual([3]);
  first();
  const [, endFourth] = await fourth;
  expect(started).toEqual([3, 4]);
  for (const end of [endThird, endFourth]) end();
  expect(await bodies.waitForTurn()).toBeTypeOf('function');
});
