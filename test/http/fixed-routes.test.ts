import { describe, expect, it } from 'vitest';
import { sendRawRequest } from '../support/harness/raw-client.ts';
import { startStorefront } from '../support/harness/start-storefront.ts';

const PATHS = [
  '/',
  '/_console',
  '/_console/',
  '/_docs',
  '/docs',
  '/docs/control',
  '/openapi.yaml',
  '/openapi.json',
  '/_docs/openapi.json',
  '/problems',
  '/problems/empty-cart',
  '/_control/health',
];

describe('the built-in routes', () => {
  it.each([...PATHS, '/_control/openapi.yaml', '/_control/openapi.json'])(
    '%s allows GET and HEAD only',
    async (path) => {
      const { port } = await startStorefront();
      expect((await sendRawRequest(port, `GET ${path}`)).status).toBe(200);
      const head = await sendRawRequest(port, `HEAD ${path}`);
      expect([head.status, head.text]).toEqual([200, '']);
      const options = await sendRawRequest(port, `OPTIONS ${path}`);
      expect([options.status, options.headers.allow]).toEqual([204, ['GET, HEAD']]);
      const post = await sendRawRequest(port, `POST ${path}`);
      expect([post.status, post.headers.allow]).toEqual([405, ['GET, HEAD']]);
    },
  );

  it.each([
    '/openapi.yaml/',
    '/_console/nothing',
    '/_docs/nothing',
    '/_console/assets/nothing.js',
    '/docs/nothing',
    '/OpenAPI.yaml',
    '/problems/',
    '/problems/nothing',
    '/problems/empty-cart/more',
  ])('%s is not one of the built-in routes', async (path) => {
    const { port } = await startStorefront();
    expect((await sendRawRequest(port, `GET ${path}`)).body).toMatchObject({
      status: 404,
      type: '/problems/unknown-path',
    });
  });
});

describe('the requests of a sandbox', () => {
  it.each([
    ['text/event-stream', 'text/event-stream'],
    ['application/json;q=0.5, text/event-stream', 'text/event-stream'],
    ['application/json', 'application/json'],
    ['*/*', 'application/json'],
    ['text/event-stream;q=0, */*', 'application/json'],
  ])('are sent for Accept: %s as %s', async (accept, type) => {
    const { url } = await startStorefront();
    const stop = new AbortController();
    const response = await fetch(`${url}/_control/sandboxes/default/requests`, {
      headers: { Accept: accept },
      signal: stop.signal,
    });
    expect(response.headers.get('content-type')).toBe(type);
    stop.abort();
  });
});
