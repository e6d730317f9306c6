import { connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import type { Options } from '../../src/index.ts';
import { expectProblem } from '../support/harness/problems.ts';
import { type RawResponse, sendRaw } from '../support/harness/raw-client.ts';
import { startStorefront } from '../support/harness/start-storefront.ts';

const HOST = 'Host: localhost\r\n';
const POST = `POST /api/cart-items HTTP/1.1\r\n${HOST}Content-Type: application/json\r\n`;

/** The request timeout of these tests, in ms. */
const SHORT_MS = 200;

describe('a request that takes too long to arrive', () => {
  it('gets one 408 response, and the connection is closed', async () => {
    const shop = await startStorefront({ requestTimeoutMs: SHORT_MS });
    const late = {
      [`GET /api/products HTTP/1.1\r\n${HOST}X-`]: '/',
      [`${POST}Content-Length: 99\r\n\r\n{"productId"`]: '/api/cart-items',
      [`${POST}Transfer-Encoding: chunked\r\n\r\n3\r\n{"p\r\n`]: '/api/cart-items',
      [`POST /api/reset HTTP/1.1\r\n${HOST}Content-Length: 99\r\n\r\n{`]: '/api/reset',
    };
    const asked = Object.entries(late).map(async ([bytes, instance]) => {
      const [reply, ...more] = (await sendRaw(shop.port, bytes)) as [RawResponse, ...RawResponse[]];
      expectProblem(reply, 408, 'request-timeout', bytes);
      expect(reply.body.instance).toBe(instance);
      expect(more, bytes).toEqual([]);
    });
    await Promise.all(asked);
    expect((await shop.ask('GET', '/api/cart-items')).status).toBe(200);
  });

  it('gets no second response if it already has one', async () => {
    const { port } = await startStorefront({ requestTimeoutMs: SHORT_MS });
    const bytes = `OPTIONS /api/reset HTTP/1.1\r\n${HOST}Content-Length: 99\r\n\r\n{`;
    expect((await sendRaw(port, bytes)).map(({ status, text }) => [status, text])).toEqual([[204, '']]);
  });
});

describe('a client that keeps its connection open', () => {
  it.each<[string, string, Options]>([
    ['not HTTP', 'GARBAGE\r\n\r\n', {}],
    ['late', `GET / HTTP/1.1\r\n${HOST}X-`, { requestTimeoutMs: SHORT_MS }],
    ['a tunnel', `CONNECT other.test:443 HTTP/1.1\r\n${HOST}\r\n`, { requestTimeoutMs: SHORT_MS }],
  ])('is disconnected after a rejected request: %s', async (_, bytes, options) => {
    const { port } = await startStorefront(options);
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
    const ended = new Promise((resolve) => socket.once('end', resolve));
    const closed = new Promise((resolve) => socket.once('close', resolve));
    socket.on('error', () => {}).resume();
    socket.write(bytes);
    await ended;
    // Only a client that continues to send notices that the server has closed the connection.
    const sending = setInterval(() => socket.write('x'), 20);
    await expect(Promise.race([closed.then(() => 'closed'), rejectAtDeadline()])).resolves.toBe('closed');
    clearInterval(sending);
    socket.destroy();
  });
});

/** Rejects after the deadline of a test. */
function rejectAtDeadline(): Promise<never> {
  return new Promise((_, reject) =>
    setTimeout(() => reject(new Error('the server did not close the connection within 25 s')), 25_000).unref(),
  );
}
