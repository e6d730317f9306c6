import { describe, expect, it } from 'vitest';
import { defaults } from '../support/fixtures/default-data.ts';
import { expectProblem, getHeader } from '../support/harness/problems.ts';
import { type RawResponse, sendRaw, sendRawRequest } from '../support/harness/raw-client.ts';
import { startStorefront, type TestShop } from '../support/harness/start-storefront.ts';

const HOST = 'Host: localhost\r\n';
const SMUGGLED = `POST /api/reset HTTP/1.1\r\n${HOST}\r\n`;

/** Expects one problem document for some bytes, a closed connection, and a server that handles the next request. */
async function expectRefused(
  shop: TestShop,
  bytes: string | Buffer,
  status: number,
  code: string,
): Promise<RawResponse> {
  const [reply, ...more] = (await sendRaw(shop.port, bytes)) as [RawResponse, ...RawResponse[]];
  const about = bytes.toString('latin1').slice(0, 80);
  expectProblem(reply, status, code, about);
  expect(getHeader(reply, 'Connection'), about).toBe('close');
  expect(Number(getHeader(reply, 'Content-Length')), about).toBe(Buffer.byteLength(reply.text));
  expect(more, about).toEqual([]);
  expect((await shop.ask('GET', '/api/cart-items')).body, about).toEqual(defaults.cartItems);
  return reply;
}

describe('data that is not HTTP', () => {
  const NONSENSE = {
    garbage: 'hello\r\n\r\n',
    'the greeting of TLS': Buffer.from('16030100c8010000c40303', 'hex'),
    'a method in lower case': `get /api/products HTTP/1.1\r\n${HOST}\r\n`,
    'a target without a slash': `GET api/products HTTP/1.1\r\n${HOST}\r\n`,
    'an unknown version': `GET /api/products HTTP/9.9\r\n${HOST}\r\n`,
    'a header name with a space': `GET /api/products HTTP/1.1\r\n${HOST}bad header: x\r\n\r\n`,
    'a header without a colon': `GET /api/products HTTP/1.1\r\n${HOST}header\r\n\r\n`,
    'a NUL in a header': `GET /api/products HTTP/1.1\r\n${HOST}X: a\0b\r\n\r\n`,
    'a NUL in the path': `GET /api/pro\0ducts HTTP/1.1\r\n${HOST}\r\n`,
  };

  it('gets a 400 response with a problem document', async () => {
    const shop = await startStorefront();
    for (const bytes of Object.values(NONSENSE)) await expectRefused(shop, bytes, 400, 'malformed-request');
  });

  it('gets a problem document with the path if the path is known', async () => {
    const bytes = `GET /api/products?search=x HTTP/1.1\r\n${HOST}bad header: x\r\n\r\n`;
    const reply = await expectRefused(await startStorefront(), bytes, 400, 'malformed-request');
    expect(reply.body.instance).toBe('/api/products');
  });
});

describe('a body of ambiguous length', () => {
  const post = (headers: string, body: string) =>
    `POST /api/cart-items HTTP/1.1\r\n${HOST}Content-Type: application/json\r\n${headers}\r\n\r\n${body}${SMUGGLED}`;
  const AMBIGUOUS = {
    'two lengths': post('Content-Length: 2\r\nContent-Length: 3', '{}'),
    'two equal lengths': post('Content-Length: 2\r\nContent-Length: 2', '{}'),
    'a list of lengths': post('Content-Length: 2, 2', '{}'),
    'a negative length': post('Content-Length: -2', '{}'),
    'a length with a sign': post('Content-Length: +2', '{}'),
    'a length that is too large for a number': post(`Content-Length: ${'9'.repeat(40)}`, '{}'),
    'a length and chunks': post('Content-Length: 2\r\nTransfer-Encoding: chunked', '0\r\n\r\n'),
    'chunks and a length': post('Transfer-Encoding: chunked\r\nContent-Length: 2', '0\r\n\r\n'),
    'an unknown transfer encoding': post('Transfer-Encoding: xchunked', '0\r\n\r\n'),
    'a transfer encoding after chunked': post('Transfer-Encoding: chunked, gzip', '0\r\n\r\n'),
    'an invalid chunk size': post('Transfer-Encoding: chunked', 'zz\r\n{}\r\n0\r\n\r\n'),
    'a chunk longer than its size': post('Transfer-Encoding: chunked', '1\r\n{}\r\n0\r\n\r\n'),
  };

  it('is rejected, and the data after it is not handled as a request', async () => {
    const shop = await startStorefront();
    // The smuggled reset would undo this change.
    const item = defaults.cartItems[0]?.productId;
    const changed = (await shop.ask('PUT', `/api/cart-items/${item}`, { quantity: 7 })).body;
    for (const [name, bytes] of Object.entries(AMBIGUOUS)) {
      const replies = await sendRaw(shop.port, bytes);
      expect(replies, name).toHaveLength(1);
      expectProblem(replies[0] as RawResponse, 400, 'malformed-request', name);
      expect((await shop.ask('GET', '/api/cart-items')).body[0], name).toEqual(changed);
    }
  });
});

describe('the Host header', () => {
  const get = (headers: string) => `GET /api/products HTTP/1.1\r\n${headers}Connection: close\r\n\r\n`;

  it('is required even if the response is cached for other requests', async () => {
    const shop = await startStorefront();
    await expectRefused(shop, get(''), 400, 'malformed-request');
    await shop.ask('GET', '/api/products');
    await expectRefused(shop, get(''), 400, 'malformed-request');
  });

  it('must not be repeated', async () => {
    await expectRefused(await startStorefront(), get('Host: a.test\r\nHost: b.test\r\n'), 400, 'malformed-request');
  });

  it('is optional in HTTP/1.0', async () => {
    const { port } = await startStorefront();
    expect(await sendRaw(port, 'GET /api/cart-items HTTP/1.0\r\n\r\n')).toMatchObject([
      { status: 200, body: defaults.cartItems },
    ]);
  });
});

it('a request with Transfer-Encoding in HTTP/1.0 is rejected, changes nothing, and closes the connection (RFC 9112, section 6.1)', async () => {
  const shop = await startStorefront();
  const chunked = 'POST /api/orders HTTP/1.0\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n';
  const [reply, ...more] = await sendRaw(shop.port, chunked);
  expect([reply?.status, reply?.headers.connection, more]).toEqual([400, ['close'], []]);
  expect(reply?.body.detail).toContain('HTTP/1.0 has no Transfer-Encoding');
  expect((await shop.ask('GET', '/api/orders')).body).toEqual(defaults.orders);
});

describe('the headers of a request', () => {
  it('are rejected above 64 kB', async () => {
    const shop = await startStorefront();
    for (const bytes of [
      `GET /api/products HTTP/1.1\r\n${HOST}X: ${'x'.repeat(66_000)}\r\n\r\n`,
      `GET /api/products HTTP/1.1\r\n${HOST}${`X: ${'x'.repeat(1000)}\r\n`.repeat(66)}\r\n`,
      `GET /api/products?${'x'.repeat(66_000)} HTTP/1.1\r\n${HOST}\r\n`,
    ])
      await expectRefused(shop, bytes, 431, 'headers-too-large');
  });

  it('are accepted with 60 kB', async () => {
    const { port } = await startStorefront();
    expect((await sendRawRequest(port, 'GET /api/products', [`Cookie: ${'x'.repeat(60_000)}`])).status).toBe(200);
    expect((await sendRawRequest(port, `GET /api/products?search=${'x'.repeat(60_000)}`)).status).toBe(200);
  });
});

describe('the server', () => {
  it('supports no expectation except 100-continue', async () => {
    const bytes = `POST /api/reset HTTP/1.1\r\n${HOST}Expect: a miracle\r\nContent-Length: 0\r\n\r\n`;
    const reply = await expectRefused(await startStorefront(), bytes, 417, 'expectation-failed');
    expect(reply.body).toMatchObject({ detail: expect.stringContaining('a miracle'), instance: '/api/reset' });
  });

  it('opens no tunnels', async () => {
    const bytes = `CONNECT other.test:443 HTTP/1.1\r\n${HOST}\r\n`;
    const reply = await expectRefused(await startStorefront(), bytes, 405, 'method-not-allowed');
    expect(getHeader(reply, 'Allow')).toContain('GET');
  });

  it('switches to no other protocol and continues in HTTP/1.1', async () => {
    const { port } = await startStorefront();
    const upgrade = ['Upgrade: h2c, websocket', 'Connection: Upgrade, HTTP2-Settings', 'HTTP2-Settings: x'];
    expect((await sendRawRequest(port, 'GET /api/payment-summary', upgrade)).status).toBe(200);
  });
});
