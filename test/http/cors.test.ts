import { describe, expect, it } from 'vitest';
import { getHeader } from '../support/harness/problems.ts';
import { type RawResponse, sendRaw, sendRawRequest } from '../support/harness/raw-client.ts';
import { startStorefront } from '../support/harness/start-storefront.ts';

const ORIGIN = 'http://localhost:5173';
const FROM = `Origin: ${ORIGIN}`;
const JSON_TYPE = 'Content-Type: application/json';

/** The words of a header with commas. */
function words(reply: RawResponse, name: string): readonly string[] {
  return (getHeader(reply, name) ?? '').toLowerCase().split(/, */);
}

/** Expects an answer to be readable by scripts of the origin, those that send credentials too. */
function expectOpenTo(origin: string, reply: RawResponse, about: string): void {
  expect(reply.headers, about).toMatchObject({
    'access-control-allow-origin': [origin],
    'access-control-allow-credentials': ['true'],
  });
  expect(words(reply, 'Vary'), about).toContain('origin');
  expect(words(reply, 'Access-Control-Expose-Headers'), about).toEqual(
    expect.arrayContaining(['location', 'allow', 'retry-after']),
  );
}

describe('an answer to another origin that is allowed', () => {
  it('may be read there, with the headers that the contract documents', async () => {
    const { port } = await startStorefront();
    for (const start of [
      'GET /api/products',
      'HEAD /api/products',
      'POST /api/orders',
      'POST /api/reset',
      'GET /',
      'GET /openapi.yaml',
      'GET /_control/health',
      'GET /images/logo.png',
    ])
      expectOpenTo(ORIGIN, await sendRawRequest(port, start, [FROM]), start);
  });

  it('may be read there when it is a problem', async () => {
    const broken = () => {
      throw new Error('a fault');
    };
    const { port } = await startStorefront({ handlers: { listOrders: broken }, faultsExpected: true });
    const requests: readonly [number, string, readonly string[], string][] = [
      [400, 'GET /api/cart-items?expand=x', [], ''],
      [400, 'POST /api/cart-items', [JSON_TYPE, 'Content-Length: 1'], '{'],
      [404, 'GET /api/nothing', [], ''],
      [404, 'GET /nothing', [], ''],
      [404, 'GET /images/nothing.png', [], ''],
      [405, 'PATCH /api/orders', [], ''],
      [413, 'POST /api/cart-items', [JSON_TYPE, 'Content-Length: 200000'], ' '.repeat(200_000)],
      [415, 'POST /api/cart-items', ['Content-Length: 1'], '{'],
      [500, 'GET /api/orders', [], ''],
    ];
    for (const [status, start, headers, body] of requests) {
      const reply = await sendRawRequest(port, start, [FROM, ...headers], body);
      expect(reply.status, start).toBe(status);
      expectOpenTo(ORIGIN, reply, start);
    }
  });

  it('may be read there when the request did not reach the app', async () => {
    const { port } = await startStorefront();
    const head = `GET /api/products HTTP/1.1\r\nHost: localhost\r\n${FROM}\r\n`;
    const requests: readonly [number, string][] = [
      [400, `${head}bad header: x\r\n\r\n`],
      [417, `${head}Expect: a miracle\r\n\r\n`],
      // Node's parser hands over the end of headers that are too large.
      [431, `GET /api/products HTTP/1.1\r\nX: ${'x'.repeat(70_000)}\r\nHost: localhost\r\n${FROM}\r\n\r\n`],
    ];
    const asked = requests.map(async ([status, bytes]) => {
      const [reply] = (await sendRaw(port, bytes)) as [RawResponse];
      expect(reply.status).toBe(status);
      expect(getHeader(reply, 'Access-Control-Allow-Origin')).toBe(ORIGIN);
    });
    await Promise.all(asked);
  });

  it('has no CORS headers where the origin is not known: a browser sends its headers at once', async () => {
    const { port } = await startStorefront({ requestTimeoutMs: 100 });
    const [reply] = await sendRaw(port, `GET /api/products HTTP/1.1\r\nHost: localhost\r\n${FROM}\r\n`);
    expect([reply?.status, reply && getHeader(reply, 'Access-Control-Allow-Origin')]).toEqual([408, undefined]);
  });

  it('names the origin that asked, also where the bytes are kept from another', async () => {
    const { port } = await startStorefront();
    const [first, ...others] = ['http://localhost:1', 'http://127.0.0.1:2', 'https://w1.localhost', 'http://[::1]'];
    for (const origin of [first, ...others, first] as string[]) {
      const reply = await sendRawRequest(port, 'GET /api/delivery-options', [`Origin: ${origin}`]);
      expectOpenTo(origin, reply, origin);
    }
  });

  it('says nothing of origins where none asked, also where the bytes are kept from one that did', async () => {
    const { port } = await startStorefront();
    await sendRawRequest(port, 'GET /api/delivery-options', [FROM]);
    for (let time = 1; time <= 2; time++) {
      const reply = await sendRawRequest(port, 'GET /api/delivery-options');
      expect(reply.headers).not.toHaveProperty('access-control-allow-origin');
      expect(words(reply, 'Vary')).toContain('origin');
    }
  });
});

describe('a preflight', () => {
  const preflight = (port: number, path: string, ...more: string[]) =>
    sendRawRequest(port, `OPTIONS ${path}`, [FROM, 'Access-Control-Request-Method: PUT', ...more]);

  it('allows every method of the interface, and can be remembered', async () => {
    const { port } = await startStorefront();
    const reply = await preflight(port, '/api/cart-items/x');
    expect(reply).toMatchObject({ status: 204, text: '' });
    expect(words(reply, 'Access-Control-Allow-Methods')).toEqual(
      expect.arrayContaining(['get', 'head', 'post', 'put', 'delete']),
    );
    expect(getHeader(reply, 'Access-Control-Allow-Origin')).toBe(ORIGIN);
    expect(getHeader(reply, 'Access-Control-Allow-Credentials')).toBe('true');
    expect(getHeader(reply, 'Access-Control-Max-Age')).toMatch(/^[1-9]\d+$/);
    expect(words(reply, 'Vary')).toContain('origin');
  });

  it('allows the headers that are asked for, whatever they are', async () => {
    const { port } = await startStorefront();
    const asked = 'content-type, authorization, x-anything-at-all';
    const reply = await preflight(port, '/api/cart-items', `Access-Control-Request-Headers: ${asked}`);
    expect(words(reply, 'Access-Control-Allow-Headers')).toEqual(asked.split(', '));
  });

  it('is answered at paths that lead nowhere too, so that the answer to the request can be read', async () => {
    const { port } = await startStorefront();
    for (const path of ['/api/nothing', '/nothing', '/images/nothing.png', '/'])
      expect((await preflight(port, path)).status, path).toBe(204);
  });
});
