import { describe, expect, it } from 'vitest';
import { defaults } from '../support/fixtures/default-data.ts';
import { expectProblem, getHeader } from '../support/harness/problems.ts';
import { type RawResponse, sendRawRequest } from '../support/harness/raw-client.ts';
import { startStorefront } from '../support/harness/start-storefront.ts';

const [IN_CART] = defaults.cartItems.map((item) => item.productId) as [string];
const [ORDERED] = defaults.orders.map((order) => order.id) as [string];
const UNKNOWN = '00000000-0000-4000-8000-000000000000';

/** The methods of the API by path. */
const METHODS: Readonly<Record<string, readonly string[]>> = {
  '/api/products': ['GET'],
  '/api/delivery-options': ['GET'],
  '/api/cart-items': ['GET', 'POST'],
  [`/api/cart-items/${IN_CART}`]: ['DELETE', 'PUT'],
  '/api/orders': ['GET', 'POST'],
  [`/api/orders/${ORDERED}`]: ['GET'],
  '/api/payment-summary': ['GET'],
  '/api/reset': ['POST'],
};
const ANY = ['GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'TRACE', 'QUERY', 'PROPFIND', 'MKCOL', 'LOCK', 'PURGE', 'SEARCH'];

/** Returns the methods in the Allow header of a response in alphabetical order. */
function allowed(reply: RawResponse): readonly string[] {
  return (getHeader(reply, 'Allow') ?? '').split(', ').sort();
}

describe('a method that a path does not support', () => {
  it('is rejected at every path, with the supported methods', async () => {
    const shop = await startStorefront();
    for (const [path, methods] of Object.entries(METHODS)) {
      for (const method of ANY.filter((one) => !methods.includes(one))) {
        const reply = await sendRawRequest(shop.port, `${method} ${path}?x=1`);
        expectProblem(reply, 405, 'method-not-allowed', `${method} ${path}`);
        expect(allowed(reply), method).toEqual(methods);
        expect(reply.body.detail).toContain(method);
        expect(reply.body.instance).toBe(path);
      }
    }
    expect((await shop.ask('GET', '/api/cart-items')).body).toEqual(defaults.cartItems);
  });

  it('is rejected without a body if it is HEAD', async () => {
    const { port } = await startStorefront();
    const reply = await sendRawRequest(port, 'HEAD /api/reset');
    expect(reply).toMatchObject({ status: 405, text: '' });
    expect(allowed(reply)).toEqual(['POST']);
  });

  it('is rejected at every page and file outside of the API', async () => {
    const { port } = await startStorefront();
    const paths = ['/', '/openapi.yaml', '/openapi.json', '/_control/health', '/problems', '/images/logo.png'];
    for (const path of paths) {
      for (const method of ['POST', 'PUT', 'DELETE', 'PATCH', 'TRACE', 'QUERY']) {
        const reply = await sendRawRequest(port, `${method} ${path}`);
        expectProblem(reply, 405, 'method-not-allowed', `${method} ${path}`);
        expect(allowed(reply)).toEqual(['GET', 'HEAD']);
      }
    }
  });
});

describe('OPTIONS', () => {
  it('returns exactly the methods that the contract defines for a path', async () => {
    const { port } = await startStorefront();
    for (const [path, methods] of Object.entries(METHODS)) {
      const reply = await sendRawRequest(port, `OPTIONS ${path}`);
      expect(reply, path).toMatchObject({ status: 204, text: '' });
      expect(allowed(reply), path).toEqual(methods);
    }
  });

  it('returns GET and HEAD for a page', async () => {
    const { port } = await startStorefront();
    const reply = await sendRawRequest(port, 'OPTIONS /_control/health');
    expect(reply).toMatchObject({ status: 204, text: '' });
    expect(allowed(reply)).toEqual(['GET', 'HEAD']);
  });

  it('returns 404 for an unknown path', async () => {
    const { port } = await startStorefront();
    for (const path of ['/api', '/api/', '/api/nothing', '/nothing'])
      expectProblem(await sendRawRequest(port, `OPTIONS ${path}`), 404, 'unknown-path', path);
  });
});

describe('HEAD', () => {
  it('gets the same response as GET, without the body', async () => {
    const { port } = await startStorefront();
    const targets = [
      ...Object.keys(METHODS).filter((path) => METHODS[path]?.includes('GET')),
      '/api/products?search=socks',
      '/api/cart-items?expand=product',
      '/api/cart-items?expand=a&expand=b',
      `/api/orders/${UNKNOWN}`,
      '/api/orders/1',
      '/api/nothing',
      '/nothing',
      '/',
      '/openapi.yaml',
      '/openapi.json',
      '/_control/health',
      '/problems/empty-cart',
      '/images/logo.png',
      '/images/nothing.png',
    ];
    for (const target of targets) {
      const head = await sendRawRequest(port, `HEAD ${target}`);
      const get = await sendRawRequest(port, `GET ${target}`);
      // Each page has a nonce of its own.
      const { date: _, 'content-security-policy': policy, ...headers } = get.headers;
      if (target !== '/') expect(head.headers['content-security-policy'], target).toEqual(policy);
      expect(head, target).toMatchObject({ status: get.status, headers, text: '' });
      expect(getHeader(head, 'Content-Length'), target).toBe(String(get.size));
    }
  });
});

describe('an unknown path', () => {
  it('returns 404 below /api and elsewhere for any method', async () => {
    const { port } = await startStorefront();
    const paths = [
      '/api',
      '/api/',
      '/api/nothing',
      '/api/products/1',
      '/apiary',
      '/nothing',
      '/API/products',
      '/images',
    ];
    for (const path of paths) {
      for (const method of ['GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'TRACE'])
        expectProblem(await sendRawRequest(port, `${method} ${path}`), 404, 'unknown-path', `${method} ${path}`);
    }
  });
});
