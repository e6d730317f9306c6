import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { defaults, getProductId } from '../support/fixtures/default-data.ts';
import { sendRaw, sendRawRequest } from '../support/harness/raw-client.ts';
import { startAlike } from '../support/harness/start-alike.ts';
import { startStorefront, type TestShop } from '../support/harness/start-storefront.ts';

const KETTLE = getProductId('Cordless Electric Kettle');
const [CART_ITEM] = defaults.cartItems.map((item) => item.productId) as [string];

/** GET and HEAD requests, each with several spellings and headers. */
const READS = [
  '/api/products',
  '/api/products?search=socks',
  '/api/products?Search=socks',
  '/api/cart-items',
  '/api/cart-items?expand=product',
  '/api/cart-items?expand=a&expand=b',
  '/api/orders?expand=products',
  '/api/orders/none',
  '/api/delivery-options',
  '/api/payment-summary',
  '/api/payment-summary?__code=200',
];

/** Headers of the GET requests: some select another response, or forbid the request. */
const HEADERS = [
  'Origin: http://localhost:5173',
  'Origin: https://foreign.example',
  'X-Sandbox: w1',
  'Cookie: sandbox=w1',
  'Prefer: code=200',
  'X-Trace: 1',
  'Content-Length: 0',
];

/** Requests that change the state or are rejected. */
const CHANGES: readonly (readonly [string, string, object?])[] = [
  ['POST', '/api/cart-items', { productId: KETTLE, quantity: 1 }],
  ['POST', '/api/cart-items', { productId: KETTLE, quantity: 0 }],
  ['PUT', `/api/cart-items/${CART_ITEM}`, { quantity: 3 }],
  ['DELETE', `/api/cart-items/${CART_ITEM}`],
  ['POST', '/api/orders'],
  ['POST', '/api/reset'],
];

/** Sends a request, and returns the status, the headers except the date, and the bytes of the response. */
async function read({ port }: TestShop, path: string, sentHeaders: readonly string[]) {
  const { status, headers, text } = await sendRawRequest(port, `GET ${path}`, sentHeaders);
  return { status, headers: { ...headers, date: [] }, text };
}

describe('the response cache', () => {
  it('sends the same status, headers and bytes as the normal path after any changes', async () => {
    const [cached, normal] = await Promise.all([startAlike(true), startAlike(false)]);
    const reads = fc.record({
      path: fc.constantFrom(...READS),
      headers: fc.subarray(HEADERS, { maxLength: 3 }),
    });
    const steps = fc.array(
      fc.oneof({ weight: 4, arbitrary: reads }, { weight: 1, arbitrary: fc.constantFrom(...CHANGES) }),
      {
        minLength: 5,
        maxLength: 25,
      },
    );
    await fc.assert(
      fc.asyncProperty(steps, async (sequence) => {
        for (const step of sequence) {
          if ('path' in step) {
            // The second response may have the bytes of the first one.
            for (let time = 1; time <= 2; time++)
              expect(await read(cached, step.path, step.headers)).toEqual(await read(normal, step.path, step.headers));
          } else {
            const [method, path, body] = step;
            const responses = await Promise.all([cached, normal].map((shop) => shop.ask(method, path, body)));
            expect(responses[0]?.text).toBe(responses[1]?.text);
          }
        }
      }),
      { numRuns: 6, seed: 1 },
    );
  });
});

describe('a cached response', () => {
  it('is sent only to requests with an allowed host', async () => {
    const { port } = await startStorefront();
    const getStatus = async (target: string, ...headers: readonly string[]) => {
      const [reply] = await sendRaw(port, [`GET ${target} HTTP/1.0`, ...headers, '', ''].join('\r\n'));
      return reply?.status;
    };
    for (let time = 1; time <= 2; time++) expect(await getStatus('/api/products')).toBe(200);
    expect(await getStatus('/api/products', 'Host: foreign.example')).toBe(403);
    expect(await getStatus('http://foreign.example/api/products')).toBe(403);
    expect(await getStatus('http://localhost/api/products')).toBe(200);
    expect(await getStatus('/api/products')).toBe(200);
  });

  it('has the same bytes as the first response, with and without characters that are not ASCII', async () => {
    const { port, ask } = await startStorefront();
    const [product] = defaults.products;
    for (const name of ['Cafe', 'Café', 'カフェ ☕', '\u{1f680}']) {
      const state = { ...defaults, products: [{ ...product, name }], cartItems: [], orders: [] };
      expect((await ask('PUT', '/_control/sandboxes/default/state', state)).status).toBe(204);
      for (let time = 1; time <= 2; time++) {
        const { body, headers, size } = await sendRawRequest(port, 'GET /api/products');
        expect(body).toEqual(state.products);
        expect(headers['content-length']).toEqual([`${size}`]);
      }
    }
  });

  it('is not sent to requests that name a sandbox or have a preference', async () => {
    const shop = await startStorefront();
    await shop.ask('POST', '/api/cart-items', { productId: KETTLE, quantity: 1 }, { 'x-sandbox': 'w1' });
    const read = (headers: Readonly<Record<string, string>> = {}) =>
      shop.ask('GET', '/api/cart-items', undefined, headers);
    const plain = (await read()).text;
    for (const other of [{ 'x-sandbox': 'w1' }, { cookie: 'sandbox=w1' }])
      expect((await read(other)).text).not.toBe(plain);
    expect((await read({ prefer: 'code=503' })).status).toBe(503);
    expect((await read()).text).toBe(plain);
  });
});
