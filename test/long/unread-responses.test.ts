import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { defaults } from '../support/fixtures/default-data.ts';
import { createControlClient } from '../support/harness/sandboxes.ts';
import { startStorefront, type TestShop } from '../support/harness/start-storefront.ts';
import { watchResponses } from '../support/reference-servers/server-responses.ts';

/** The number of unread bytes of responses: more than the socket buffers of both sides hold. */
const UNREAD_BYTES = 20_000_000;

const MOST_REQUESTS = 300;

/** The number of requests of other clients meanwhile. */
const OTHERS = 10;

/** The maximum number of bytes that Node.js reads at once. */
const PACKET_BYTES = 65_536;

const [IN_CART] = defaults.cartItems.map(({ productId }) => productId) as [string];
const [IMAGE] = defaults.products.map(({ image }) => image) as [string];

/** An upper bound for the size of response headers. */
const HEAD_BYTES = 2_000;

/** Targets, each with its header lines. The sandbox w1 has many orders. */
const TARGETS: readonly [string, ...string[]][] = [
  ['/api/orders?expand=products', 'X-Sandbox: w1'],
  ['/api/products'],
  ['/_control/sandboxes/w1/state'],
  [`/${IMAGE}`],
  ['/openapi.json'],
];

/** Connects a paused client. */
async function connectUnread(port: number): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1' });
  await once(socket, 'connect');
  return socket;
}

/** Reads until the server closes the connection, and returns the number of responses. */
async function countResponses(socket: Socket): Promise<number> {
  let count = 0;
  let rest = '';
  for await (const part of socket.setEncoding('latin1')) {
    const text: string = rest + part;
    count += text.split('HTTP/1.1 200 OK\r\n').length - 1;
    rest = text.slice(-16);
  }
  return count;
}

async function startLargeShop(): Promise<TestShop> {
  const shop = await startStorefront();
  expect((await createControlClient(shop)('PUT', '/w1', { from: 'many-orders' })).status).toBe(200);
  return shop;
}

describe('a client that sends requests without reading the responses', () => {
  it.each(TARGETS)('has at most two pending responses: %s', async (target, ...headers) => {
    const shop = await startLargeShop();
    const whole = await shop.ask('GET', target, undefined, { 'X-Sandbox': 'w1' });
    const wholeBytes = Number(whole.headers.get('content-length')) + HEAD_BYTES;
    const count = Math.min(MOST_REQUESTS, Math.ceil(UNREAD_BYTES / wholeBytes));
    const watched = watchResponses();
    const client = await connectUnread(shop.port);
    const request = (last: readonly string[] = []) =>
      `GET ${target} HTTP/1.1\r\n${['Host: localhost', ...headers, ...last].join('\r\n')}\r\n\r\n`;
    client.write(request().repeat(count - 1) + request(['Connection: close']));
    for (let quantity = 1; quantity <= OTHERS; quantity++) {
      expect((await shop.ask('PUT', `/api/cart-items/${IN_CART}`, { quantity })).status).toBe(200);
      expect(watched.queuedBytes(client.localPort), target).toBeLessThanOrEqual(2 * wholeBytes);
    }
    expect(await countResponses(client)).toBe(count);
  });

  it.each([
    ['GET', ''],
    ['POST', ' '],
  ])('has at most two packets of requests read from its connection: %s with the body "%s"', async (method, body) => {
    const shop = await startStorefront();
    const watched = watchResponses();
    const client = await connectUnread(shop.port);
    const request = `${method} /api/reset HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
    client.write(request.repeat(5_000));
    for (let count = 0; count < OTHERS; count++) {
      await shop.ask('GET', '/api/cart-items');
      expect(watched.openRequests(client.localPort)).toBeLessThanOrEqual((2 * PACKET_BYTES) / request.length);
    }
    client.destroy();
  });
});

describe('pipelined requests', () => {
  it('are handled one after the other', async () => {
    const { port } = await startStorefront();
    const client = await connectUnread(port);
    const put = (quantity: number) =>
      `PUT /api/cart-items/${IN_CART} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 14\r\n\r\n{"quantity":${quantity}}`;
    const get = 'GET /api/cart-items HTTP/1.1\r\nHost: localhost\r\n';
    const bytes = [1, 2, 3].map((quantity) => `${put(quantity)}${get}\r\n`).join('');
    client.write(`${bytes}${get}Connection: close\r\n\r\n`);
    let text = '';
    for await (const part of client.setEncoding('latin1')) text += part;
    const quantities = [...text.matchAll(new RegExp(`"${IN_CART}","quantity":(\\d)`, 'g'))].map(([, found]) => found);
    expect(quantities).toEqual(['1', '1', '2', '2', '3', '3', '3']);
  });

  it('do not delay the requests of other clients until all are handled', async () => {
    const shop = await startStorefront();
    const watched = watchResponses();
    const client = await connectUnread(shop.port);
    client.write('GET /api/products?search=socks HTTP/1.1\r\nHost: localhost\r\n\r\n'.repeat(500));
    await once(client, 'readable');
    expect((await shop.ask('GET', '/api/cart-items')).status).toBe(200);
    expect(watched.openRequests(client.localPort)).toBeGreaterThan(0);
    client.destroy();
  });
});
