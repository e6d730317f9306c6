import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { defaults, getProductId } from '../support/fixtures/default-data.ts';
import { expectProblem } from '../support/harness/problems.ts';
import { type RawResponse, sendRaw, sendRawRequest } from '../support/harness/raw-client.ts';
import { startStorefront } from '../support/harness/start-storefront.ts';

const TEXT = JSON.stringify({ productId: getProductId('Cordless Electric Kettle'), quantity: 1 });
const [IN_CART] = defaults.cartItems.map((item) => item.productId) as [string];
const PATH = '/api/cart-items';
const LIMIT_BYTES = 102_400;
const JSON_TYPE = 'Content-Type: application/json';

/** Returns the bytes of a POST request to the cart on a keep-alive connection. */
function post(headers: readonly string[], body: string | Buffer): Buffer {
  const head = [`POST ${PATH} HTTP/1.1`, 'Host: localhost', JSON_TYPE, ...headers];
  return Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`), Buffer.from(body)]);
}

/** Returns the bytes of a POST request with a body in gzip, which is repeated some times: a file in gzip can have several members (RFC 1952, section 2.2). */
function zipped(body: Buffer, times = 1): Buffer {
  const member = gzipSync(body);
  const bytes = Buffer.concat(Array.from({ length: times }, () => member));
  return post(['Content-Encoding: gzip', `Content-Length: ${bytes.length}`], bytes);
}

/** Returns the bytes of a POST request with one chunk. */
function chunked(body: string | Buffer): Buffer {
  const [bytes, end] = [Buffer.from(body), Buffer.from('\r\n0\r\n\r\n')];
  return post(
    ['Transfer-Encoding: chunked'],
    Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, end]),
  );
}

/** A request that closes the connection. */
const LAST = Buffer.from('GET /api/orders HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n');

describe('the content type of a body', () => {
  const REFUSED = [
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/jsonp',
    'application/problem+json',
    'application/json; charset=latin1',
    'application/json; charset="utf-16"',
    ', application/json',
  ];
  const ACCEPTED = [
    'application/json',
    'APPLICATION/JSON',
    'application/json; charset=utf-8',
    'application/json;charset="UTF-8"',
    'application/json ; profile=x',
  ];

  it('is rejected if it is not JSON in UTF-8', async () => {
    const shop = await startStorefront();
    for (const type of REFUSED) {
      const reply = await shop.ask('POST', PATH, TEXT, { 'content-type': type });
      expectProblem(reply, 415, 'unsupported-media-type', type);
      expect(reply.body.detail).toContain(JSON.stringify(type));
    }
    expect((await shop.ask('GET', PATH)).body).toEqual(defaults.cartItems);
  });

  it('is accepted in any spelling of JSON', async () => {
    const shop = await startStorefront();
    for (const type of ACCEPTED)
      expect((await shop.ask('POST', PATH, TEXT, { 'content-type': type })).status, type).toBe(201);
  });

  it('is required', async () => {
    const { port } = await startStorefront();
    const reply = await sendRawRequest(port, `POST ${PATH}`, [`Content-Length: ${TEXT.length}`], TEXT);
    expectProblem(reply, 415, 'unsupported-media-type');
  });

  it('is ignored if the request has no body', async () => {
    const { port } = await startStorefront();
    const type = ['Content-Type: text/plain', 'Content-Length: 0'];
    expect((await sendRawRequest(port, `PUT ${PATH}/${IN_CART}`, type)).status).toBe(200);
    expectProblem(await sendRawRequest(port, `POST ${PATH}`, type), 400, 'invalid-request');
  });
});

describe('the text of a body', () => {
  const sendTo = async (port: number, bytes: Buffer) => (await sendRaw(port, Buffer.concat([bytes, LAST])))[0]?.status;

  it('can begin with a byte order mark in any transfer encoding', async () => {
    const { port } = await startStorefront();
    const body = Buffer.from(`\ufeff${TEXT}`);
    for (const bytes of [post([`Content-Length: ${body.length}`], body), chunked(body), zipped(body)])
      expect(await sendTo(port, bytes)).toBe(201);
  });

  it('has replacement characters for invalid UTF-8 in any transfer encoding', async () => {
    const { port, ask } = await startStorefront();
    const body = Buffer.concat([
      Buffer.from('{"productId":"'),
      Buffer.from([0xe2, 0x82, 0x41, 0xff]),
      Buffer.from('"}'),
    ]);
    for (const bytes of [post([`Content-Length: ${body.length}`], body), chunked(body), zipped(body)])
      expect(await sendTo(port, bytes)).toBe(400);
    const journal: { request: { body?: unknown } }[] = (await ask('GET', '/_control/sandboxes/default/requests')).body;
    const bodies = journal.map(({ request }) => request.body).filter((received) => received !== undefined);
    expect(bodies).toEqual(Array(3).fill({ productId: '\ufffdA\ufffd' }));
  });
});

describe('a body that is not JSON', () => {
  it('is rejected and changes nothing', async () => {
    const shop = await startStorefront();
    for (const text of ['{', '{"productId":}', "{'quantity': 1}", '{} {}', 'undefined', 'NaN', '\0', '[1,]', '"\n"']) {
      expectProblem(await shop.ask('POST', PATH, text), 400, 'malformed-json', `POST ${text}`);
      expectProblem(await shop.ask('PUT', `${PATH}/${IN_CART}`, text), 400, 'malformed-json', `PUT ${text}`);
    }
    expect((await shop.ask('GET', PATH)).body).toEqual(defaults.cartItems);
  });
});

describe('a compressed body', () => {
  const compressed = (coding: string, body: Buffer) =>
    post([`Content-Encoding: ${coding}`, `Content-Length: ${body.length}`, 'Connection: close'], body);
  it.each([
    ['gzip, deflate and br', { gzip: gzipSync, deflate: deflateSync, br: brotliCompressSync }],
    ['GZIP, whose name has no case', { GZIP: gzipSync }],
  ])('with the encoding %s is decoded', async (_, codings) => {
    const { port } = await startStorefront();
    for (const [coding, compress] of Object.entries(codings))
      expect((await sendRaw(port, compressed(coding, compress(TEXT)))).map(({ status }) => status)).toEqual([201]);
  });

  it('with another encoding is rejected', async () => {
    const shop = await startStorefront();
    for (const coding of ['compress', 'zstd', 'aws-chunked', 'gzip, gzip']) {
      const reply = await shop.ask('POST', PATH, TEXT, { 'content-encoding': coding });
      expectProblem(reply, 415, 'unsupported-media-type', coding);
    }
  });

  it('that is invalid, truncated or damaged is rejected', async () => {
    const { port } = await startStorefront();
    const damaged = Buffer.concat([gzipSync(TEXT).subarray(0, 12), Buffer.from('damaged beyond repair')]);
    for (const body of [Buffer.from(TEXT), gzipSync(TEXT).subarray(0, -12), damaged]) {
      const [reply] = await sendRaw(port, compressed('gzip', body));
      expectProblem(reply as RawResponse, 400, 'malformed-request', body.toString());
    }
  });
});

describe('a large body', () => {
  it('is accepted with 102,400 bytes in any transfer encoding', async () => {
    const { port } = await startStorefront();
    const body = TEXT.padEnd(LIMIT_BYTES);
    for (const bytes of [post([`Content-Length: ${LIMIT_BYTES}`], body), chunked(body), zipped(Buffer.from(body))]) {
      const replies = await sendRaw(port, Buffer.concat([bytes, LAST]));
      expect(replies.map(({ status }) => status)).toEqual([201, 200]);
    }
  });

  it('is rejected with one byte more in any transfer encoding', async () => {
    const { port } = await startStorefront();
    const body = TEXT.padEnd(LIMIT_BYTES + 1);
    for (const bytes of [post([`Content-Length: ${body.length}`], body), chunked(body), zipped(Buffer.from(body))]) {
      const [refused] = await sendRaw(port, Buffer.concat([bytes, LAST]));
      expectProblem(refused as RawResponse, 413, 'body-too-large');
    }
  });

  const megabytes = (count: number) => count * 1_000_000;
  it.each([
    ['5 MB with their length', () => post([`Content-Length: ${megabytes(5)}`], ' '.repeat(megabytes(5)))],
    ['5 MB in chunks', () => chunked(' '.repeat(megabytes(5)))],
    ['200 MB in 200 kB of gzip', () => zipped(Buffer.alloc(megabytes(10), ' '), 20)],
  ])('does not block the connection after it is rejected: %s', async (_, bytes) => {
    const { port } = await startStorefront({ requestTimeoutMs: 1_000 });
    const [refused, ...next] = await sendRaw(port, Buffer.concat([bytes(), LAST]));
    expectProblem(refused as RawResponse, 413, 'body-too-large');
    // The server may close the connection instead.
    for (const { status } of next) expect(status).toBe(200);
  });
});

describe('a body of an operation without a request body', () => {
  const TYPES = [[], ['Content-Type: text/plain'], [JSON_TYPE, 'Content-Encoding: zstd'], ['Content-Type: nonsense']];

  it('is accepted with any content type and size', async () => {
    const shop = await startStorefront();
    const requests = {
      'POST /api/orders': 201,
      'POST /api/reset': 204,
      [`DELETE ${PATH}/${IN_CART}`]: 204,
      'GET /api/products': 200,
    };
    for (const [start, status] of Object.entries(requests)) {
      for (const type of TYPES) {
        for (const body of ['{', ' '.repeat(2 * LIMIT_BYTES)]) {
          await shop.ask('POST', '/api/reset');
          const reply = await sendRawRequest(shop.port, start, [...type, `Content-Length: ${body.length}`], body);
          expect(reply.status, `${start} ${type} ${body.length}`).toBe(status);
        }
      }
    }
  });
});
