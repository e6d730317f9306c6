import { describe, expect, it } from 'vitest';
import { getHeader } from '../support/harness/problems.ts';
import { type RawResponse, sendRaw, sendRawRequest } from '../support/harness/raw-client.ts';
import { startStorefront } from '../support/harness/start-storefront.ts';

const ORIGIN = 'http://localhost:5173';
const FROM = `Origin: ${ORIGIN}`;
const JSON_TYPE = 'Content-Type: application/json';

/** Returns the items of a comma-separated header in lower case. */
function getItems(reply: RawResponse, name: string): readonly string[] {
  return (getHeader(reply, name) ?? '').toLowerCase().split(/, */);
}

/** Expects that scripts of the origin can read a response, even with credentials. */
function expectReadableBy(origin: string, reply: RawResponse, about: string): void {
  expect(reply.headers, about).toMatchObject({
    'access-control-allow-origin': [origin],
    'access-control-allow-credentials': ['true'],
  });
  expect(getItems(reply, 'Vary'), about).toContain('origin');
  expect(getItems(reply, 'Access-Control-Expose-Headers'), about).toEqual(
    expect.arrayContaining(['location', 'allow', 'retry-after']),
  );
}

describe('a response to an allowed cross-origin request', () => {
  it('can be read, with the headers that the contract documents', async () => {
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
      expectReadableBy(ORIGIN, await sendRawRequest(port, start, [FROM]), start);
  });

  it('can be read if it is an error', async () => {
    const broken = () => {
      throw new Error('unexpected');
    };
    const { port } = await startStorefront({ handlers: { listOrders: broken }, errorsExpected: true });
    const requests: readonly [number, string, readonly string[], string][] = [
      [400, 'GET /api/cart-items?expand=x&expand=x', [], ''],
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
      expectReadableBy(ORIGIN, reply, start);
    }
  });

  it('can be read if the server rejects the request before the app handles it', async () => {
    const { port } = await startStorefront();
    const head = `GET /api/products HTTP/1.1\r\nHost: localhost\r\n${FROM}\r\n`;
    const requests: readonly [number, string][] = [
      [400, `${head}bad header: x\r\n\r\n`],
      [417, `${head}Expect: a miracle\r\n\r\n`],
      // Node.js passes only the end of headers that are too large.
      [431, `GET /api/products HTTP/1.1\r\nX: ${'x'.repeat(70_000)}\r\nHost: localhost\r\n${FROM}\r\n\r\n`],
    ];
    const checks = requests.map(async ([status, bytes]) => {
      const [reply] = (await sendRaw(port, bytes)) as [RawResponse];
      expect(reply.status).toBe(status);
      expect(getHeader(reply, 'Access-Control-Allow-Origin')).toBe(ORIGIN);
    });
    await Promise.all(checks);
  });

  it('has no CORS headers if the headers of the request are incomplete', async () => {
    const { port } = await startStorefront({ requestTimeoutMs: 100 });
    const [reply] = await sendRaw(port, `GET /api/products HTTP/1.1\r\nHost: localhost\r\n${FROM}\r\n`);
    expect([reply?.status, reply && getHeader(reply, 'Access-Control-Allow-Origin')]).toEqual([408, undefined]);
  });

  it('names the origin of the request, even if the response is cached for another origin', async () => {
    const { port } = await startStorefront();
    const [first, ...others] = ['http://localhost:1', 'http://127.0.0.1:2', 'https://w1.localhost', 'http://[::1]'];
    for (const origin of [first, ...others, first] as string[]) {
      const reply = await sendRawRequest(port, 'GET /api/delivery-options', [`Origin: ${origin}`]);
      expectReadableBy(origin, reply, origin);
    }
  });

  it('names no origin if the request has none, even if the response is cached for an origin', async () => {
    const { port } = await startStorefront();
    await sendRawRequest(port, 'GET /api/delivery-options', [FROM]);
    for (let time = 1; time <= 2; time++) {
      const reply = await sendRawRequest(port, 'GET /api/delivery-options');
      expect(reply.headers).not.toHaveProperty('access-control-allow-origin');
      expect(getItems(reply, 'Vary')).toContain('origin');
    }
  });
});

describe('a preflight request', () => {
  const preflight = (port: number, path: string, ...more: string[]) =>
    sendRawRequest(port, `OPTIONS ${path}`, [FROM, 'Access-Control-Request-Method: PUT', ...more]);

  it('is allowed for every method of the API, and the response can be cached', async () => {
    const { port } = await startStorefront();
    const reply = await preflight(port, '/api/cart-items/x');
    expect(reply).toMatchObject({ status: 204, text: '' });
    expect(getItems(reply, 'Access-Control-Allow-Methods')).toEqual(
      expect.arrayContaining(['get', 'head', 'post', 'put', 'delete']),
    );
    expect(getHeader(reply, 'Access-Control-Allow-Origin')).toBe(ORIGIN);
    expect(getHeader(reply, 'Access-Control-Allow-Credentials')).toBe('true');
    expect(getHeader(reply, 'Access-Control-Max-Age')).toMatch(/^[1-9]\d+$/);
    expect(getItems(reply, 'Vary')).toContain('origin');
  });

  it('is allowed for any request headers', async () => {
    const { port } = await startStorefront();
    const headers = 'content-type, authorization, x-anything-at-all';
    const reply = await preflight(port, '/api/cart-items', `Access-Control-Request-Headers: ${headers}`);
    expect(getItems(reply, 'Access-Control-Allow-Headers')).toEqual(headers.split(', '));
  });

  it('is allowed for unknown paths too, so that pages can read the 404 response', async () => {
    const { port } = await startStorefront();
    for (const path of ['/api/nothing', '/nothing', '/images/nothing.png', '/'])
      expect((await preflight(port, path)).status, path).toBe(204);
  });
});
