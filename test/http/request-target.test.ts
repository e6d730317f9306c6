import { describe, expect, it } from 'vitest';
import { parseRequestTarget } from '../../src/http/server.ts';
import { defaults } from '../support/fixtures/default-data.ts';
import { expectProblem } from '../support/harness/problems.ts';
import { type RawResponse, sendRaw } from '../support/harness/raw-client.ts';
import { startStorefront } from '../support/harness/start-storefront.ts';

/** Sends a request for a target on a new connection and returns the response. */
async function sendTarget(port: number, start: string, headers = 'Host: localhost\r\n'): Promise<RawResponse> {
  const bytes = `${start} HTTP/1.1\r\n${headers}Content-Type: application/json\r\nConnection: close\r\n\r\n`;
  const [reply, ...more] = await sendRaw(port, bytes);
  expect(more, start).toEqual([]);
  return reply as RawResponse;
}

describe('parseRequestTarget', () => {
  it.each([
    ['GET', '/api/orders?a=b', { url: '/api/orders?a=b' }],
    ['GET', '/api/orders#part', { url: '/api/orders' }],
    ['GET', '//a@b:[/x\u00a0y', { url: '//a@b:[/x%C2%A0y' }],
    ['GET', 'http://w3.localhost:81/api?x=/y', { url: '/api?x=/y', authority: 'w3.localhost:81' }],
    ['GET', 'HTTPS://[::1]:81', { url: '/', authority: '[::1]:81' }],
    ['GET', 'http://h?x', { url: '/?x', authority: 'h' }],
    ['GET', 'http://h#x', { url: '/', authority: 'h' }],
    ['GET', 'http://user@h/', undefined],
    ['GET', 'http:///api', undefined],
    ['GET', 'http://', undefined],
    ['GET', 'x://', undefined],
    ['GET', 'htp://evil?x=1', undefined],
    ['GET', 'shop.test:80', undefined],
    ['GET', '', undefined],
    ['GET', '*', undefined],
    ['OPTIONS', '*', { url: '/' }],
  ])('%s %s', (method, target, parsed) => {
    expect(parseRequestTarget(method, target)).toEqual(parsed);
  });
});

describe('an invalid request target', () => {
  it.each([
    'GET x://',
    'GET htp://evil?x=1',
    'POST ftp://shop.test/api/reset',
    'GET http://user@shop.test/api/products',
    'GET http://shop.test@evil.test/',
    'GET *',
    'POST *',
    'GET shop.test:80',
    'DELETE x://',
  ])('is rejected with a problem document: %s', async (start) => {
    const shop = await startStorefront();
    expectProblem(await sendTarget(shop.port, start), 400, 'malformed-request', start);
    expect((await shop.ask('GET', '/api/cart-items')).body).toEqual(defaults.cartItems);
  });
});

describe('a path that looks like a URL', () => {
  it.each(['GET //a@b:[#x', 'GET /\\]@[#', 'GET /\\%@{%#', 'GET //a@b:x#'])(
    'is handled as a path: %s',
    async (start) => {
      const shop = await startStorefront();
      expectProblem(await sendTarget(shop.port, start), 404, 'unknown-path', start);
    },
  );
});

describe('OPTIONS *', () => {
  it('returns the methods of /', async () => {
    const { port } = await startStorefront();
    expect(await sendTarget(port, 'OPTIONS *')).toMatchObject({ status: 204, headers: { allow: ['GET, HEAD'] } });
  });
});

describe('the host of a target in absolute form', () => {
  it('selects the sandbox regardless of the Host header', async () => {
    const { port } = await startStorefront();
    const reply = await sendTarget(port, 'GET http://w3.localhost:81/api/orders', 'Host: w4.localhost\r\n');
    expect(reply).toMatchObject({ status: 200, headers: { 'x-sandbox': ['w3'] } });
    const other = await sendTarget(port, 'GET http://localhost/api/orders', 'Host: w4.localhost\r\n');
    expect(other.headers).not.toHaveProperty('x-sandbox');
  });

  it('decides whether the control API is allowed', async () => {
    const { port } = await startStorefront();
    const target = '/_control/sandboxes';
    expectProblem(
      await sendTarget(port, `GET http://evil.test${target}`, 'Host: localhost\r\n'),
      403,
      'host-not-allowed',
    );
    expect((await sendTarget(port, `GET http://localhost${target}`, 'Host: evil.test\r\n')).status).toBe(200);
  });

  it('is the host that the journal shows', async () => {
    const shop = await startStorefront();
    await sendTarget(shop.port, 'GET http://localhost:81/api/orders', 'Host: other.test\r\n');
    const [entry] = (await shop.ask('GET', '/_control/sandboxes/default/requests')).body;
    expect(entry.request).toMatchObject({ url: '/api/orders', headers: { host: 'localhost:81' } });
  });

  it('does not replace the Host header that HTTP/1.1 requires', async () => {
    const { port } = await startStorefront();
    expectProblem(await sendTarget(port, 'GET http://shop.test/api/orders', ''), 400, 'malformed-request');
  });
});
