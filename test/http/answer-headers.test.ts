import { describe, expect, it } from 'vitest';
import { defaults, getProductId } from '../support/fixtures/default-data.ts';
import { getHeader } from '../support/harness/problems.ts';
import { type RawResponse, sendRawRequest } from '../support/harness/raw-client.ts';
import { startStorefront } from '../support/harness/start-storefront.ts';

const ITEM = JSON.stringify({ productId: getProductId('Cordless Electric Kettle'), quantity: 1 });
const [IN_CART] = defaults.cartItems.map((item) => item.productId) as [string];
const [ORDERED] = defaults.orders.map((order) => order.id) as [string];

/** A request for each kind of response of the API. */
const REQUESTS: readonly (readonly [start: string, body: string, status: number])[] = [
  ['GET /api/products', '', 200],
  ['GET /api/products?search=socks', '', 200],
  ['GET /api/delivery-options?expand=estimatedDeliveryTime', '', 200],
  ['GET /api/cart-items?expand=product', '', 200],
  ['GET /api/products?limit=x', '', 400],
  ['GET /api/orders?expand=products', '', 200],
  [`GET /api/orders/${ORDERED}`, '', 200],
  ['GET /api/orders/1', '', 400],
  ['GET /api/payment-summary', '', 200],
  ['GET /api/nothing', '', 404],
  ['PATCH /api/products', '', 405],
  ['POST /api/cart-items', ITEM, 201],
  ['POST /api/cart-items', '{', 400],
  [`PUT /api/cart-items/${IN_CART}`, '{"quantity":3}', 200],
  [`DELETE /api/cart-items/${IN_CART}`, '', 204],
  ['POST /api/orders', '', 201],
  ['POST /api/orders', '', 409],
  ['POST /api/reset', '', 204],
];

/** Sends all requests one after the other with additional headers. The last one restores the default data. */
async function sendAll(port: number, ...headers: string[]): Promise<readonly (readonly [string, RawResponse])[]> {
  const replies: (readonly [string, RawResponse])[] = [];
  for (const [start, body, status] of REQUESTS) {
    const sent = body === '' ? [] : ['Content-Type: application/json', `Content-Length: ${body.length}`];
    const reply = await sendRawRequest(port, start, [...headers, ...sent], body);
    expect(reply.status, start).toBe(status);
    replies.push([start, reply]);
  }
  return replies;
}

describe('a response of the API', () => {
  it('must not be stored or sniffed for another content type', async () => {
    const { port } = await startStorefront();
    for (const [start, { headers }] of await sendAll(port))
      expect(headers, start).toMatchObject({ 'cache-control': ['no-store'], 'x-content-type-options': ['nosniff'] });
  });

  it('has a content type without parameters, or none if it has no body', async () => {
    const { port } = await startStorefront();
    for (const [start, { headers, status }] of await sendAll(port)) {
      const type = status >= 400 ? ['application/problem+json'] : ['application/json'];
      expect(headers['content-type'], start).toEqual(status === 204 ? undefined : type);
    }
  });

  it('has its length in bytes in one header', async () => {
    const { port } = await startStorefront();
    for (const [start, { headers, size, status }] of await sendAll(port)) {
      expect(headers['content-length'], start).toEqual(status === 204 ? undefined : [String(size)]);
      expect(headers, start).not.toHaveProperty('transfer-encoding');
    }
  });

  it('is JSON for any Accept header', async () => {
    const { port } = await startStorefront();
    for (const accept of ['application/xml', 'image/png, application/json;q=0', '*/*;q=0', 'nonsense', '']) {
      for (const [start, { headers, status }] of await sendAll(port, `Accept: ${accept}`, 'Accept-Encoding: gzip, br'))
        if (status !== 204) expect(headers['content-type']?.[0], start).toMatch(/^application\/(problem\+)?json$/);
    }
  });

  it('does not reveal the software of the server', async () => {
    const { port } = await startStorefront();
    for (const [start, { headers }] of await sendAll(port)) {
      expect(headers, start).not.toHaveProperty('server');
      expect(headers, start).not.toHaveProperty('x-powered-by');
    }
  });
});

describe('a page or a file of the server', () => {
  it('must not be sniffed for another content type', async () => {
    const { port } = await startStorefront();
    for (const path of ['/', '/openapi.yaml', '/openapi.json', '/problems', '/images/logo.png', '/nothing'])
      expect(getHeader(await sendRawRequest(port, `GET ${path}`), 'X-Content-Type-Options'), path).toBe('nosniff');
  });

  it('is sent for any Accept header', async () => {
    const { port } = await startStorefront();
    for (const path of ['/', '/openapi.yaml', '/openapi.json', '/_control/health', '/problems', '/images/logo.png'])
      expect((await sendRawRequest(port, `GET ${path}`, ['Accept: video/mp4'])).status, path).toBe(200);
  });
});
