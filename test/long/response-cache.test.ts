import { describe, expect, it } from 'vitest';
import { defaults, getProductId } from '../support/fixtures/default-data.ts';
import { type RawResponse, sendRaw, sendRawRequest } from '../support/harness/raw-client.ts';
import { NOW_MS, startStorefront, type TestShop } from '../support/harness/start-storefront.ts';

const KETTLE = getProductId('Cordless Electric Kettle');
const [IN_CART] = defaults.cartItems.map((item) => item.productId) as [string];
const ITEM = { productId: KETTLE, quantity: 1 };
const DAY_MS = 86_400_000;

/** The paths whose responses depend on the cart or the orders. */
const VIEWS = [
  '/api/cart-items',
  '/api/cart-items?expand=product',
  '/api/orders',
  '/api/orders?expand=products',
  '/api/payment-summary',
];

/** Requests each view twice, since the second response may come from the cache, and returns the texts. */
async function getViews({ ask }: TestShop): Promise<readonly string[]> {
  const texts: string[] = [];
  for (const view of VIEWS) {
    const first = await ask('GET', view);
    const second = await ask('GET', view);
    expect(second.text, view).toBe(first.text);
    texts.push(first.text);
  }
  return texts;
}

describe('a repeated GET request', () => {
  it('gets the same bytes and headers', async () => {
    const { port } = await startStorefront();
    for (const path of [...VIEWS, '/api/products', '/api/products?search=socks', '/api/delivery-options']) {
      const request = async (): Promise<RawResponse> => {
        const reply = await sendRawRequest(port, `GET ${path}`, ['Origin: http://localhost:5173']);
        return { ...reply, headers: { ...reply.headers, date: [] } };
      };
      const first = await request();
      expect(await request(), path).toEqual(first);
      expect(await request(), path).toEqual(first);
      expect(first.headers['content-length'], path).toEqual([String(first.size)]);
    }
  });

  it('gets another response if its parameters differ in value, order or letter case', async () => {
    const { ask } = await startStorefront();
    const plain = (await ask('GET', '/api/cart-items')).text;
    expect((await ask('GET', '/api/cart-items?expand=product')).text).not.toBe(plain);
    expect((await ask('GET', '/api/cart-items?Expand=product')).text).toBe(plain);
    expect((await ask('GET', '/api/cart-items?expand=Product')).text).toBe(plain);
    expect((await ask('GET', '/api/cart-items?')).text).toBe(plain);
  });

  it('gets a new response if the response before was a 404', async () => {
    const shop = await startStorefront({ newId: () => KETTLE });
    const path = `/api/orders/${KETTLE}`;
    for (let time = 1; time <= 2; time++) expect((await shop.ask('GET', path)).status).toBe(404);
    await shop.ask('POST', '/api/orders');
    expect((await shop.ask('GET', path)).status).toBe(200);
    await shop.ask('POST', '/api/reset');
    expect((await shop.ask('GET', path)).status).toBe(404);
  });

  it('gets a new response if the response before was a 500', async () => {
    let isBroken = true;
    const listOrders = () => {
      if (isBroken) throw new Error('a fault');
      return { body: [] };
    };
    const shop = await startStorefront({ handlers: { listOrders }, errorsExpected: true });
    expect((await shop.ask('GET', '/api/orders')).status).toBe(500);
    isBroken = false;
    expect((await shop.ask('GET', '/api/orders')).body).toEqual([]);
  });
});

describe('a GET request after a change', () => {
  const CHANGES: readonly [string, string, object | undefined, readonly number[]][] = [
    ['POST', '/api/cart-items', ITEM, [0, 1, 4]],
    ['PUT', `/api/cart-items/${IN_CART}`, { quantity: 9 }, [0, 1, 4]],
    ['DELETE', `/api/cart-items/${IN_CART}`, undefined, [0, 1, 4]],
    ['POST', '/api/orders', undefined, [0, 1, 2, 3, 4]],
  ];

  it('shows the change in every view, and the restored data after a reset', async () => {
    const shop = await startStorefront();
    const before = await getViews(shop);
    for (const [method, path, body, changed] of CHANGES) {
      await shop.ask(method, path, body);
      const after = await getViews(shop);
      expect(
        VIEWS.map((_, place) => place).filter((place) => before[place] !== after[place]),
        `${method} ${path}`,
      ).toEqual(changed);
      await shop.ask('POST', '/api/reset');
      expect(await getViews(shop), `reset after ${method} ${path}`).toEqual(before);
    }
  });

  it('shows each of many changes', async () => {
    const { ask } = await startStorefront();
    for (let quantity = 1; quantity <= 20; quantity++) {
      await ask('PUT', `/api/cart-items/${IN_CART}`, { quantity });
      expect((await ask('GET', '/api/cart-items')).body[0].quantity).toBe(quantity);
    }
  });
});

describe('a response that depends on the time', () => {
  it('is not cached', async () => {
    let nowMs = NOW_MS;
    const { ask } = await startStorefront({ nowMs: () => nowMs });
    for (let step = 0; step < 3; step++) {
      nowMs = NOW_MS + step;
      const { body } = await ask('GET', '/api/delivery-options?expand=estimatedDeliveryTime');
      expect(body[0].estimatedDeliveryTimeMs).toBe(nowMs + 7 * DAY_MS);
    }
  });
});

describe('2,000 different requests in a row', () => {
  it('all get correct responses, and so do the requests after them', async () => {
    const shop = await startStorefront();
    const targets = Array.from({ length: 2_000 }, (_, n) => (n % 2 ? `search=qq${n}qq` : `search=&n=${n}`));
    const requests = targets.map((query) => `GET /api/products?${query} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
    const last = 'GET /api/products HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n';
    const replies = await sendRaw(shop.port, [...requests, last].join(''));
    const whole = replies.at(-1)?.text;
    expect(JSON.parse(whole ?? '')).toEqual(defaults.products);
    expect(replies).toHaveLength(2_001);
    expect(replies.filter(({ text }, n) => text !== (n % 2 ? '[]' : whole))).toEqual([]);
    await shop.ask('POST', '/api/cart-items', ITEM);
    expect((await shop.ask('GET', '/api/cart-items')).body).toHaveLength(defaults.cartItems.length + 1);
  });
});

describe('a cached response', () => {
  it('is not affected by a request whose body is rejected while its response is generated', async () => {
    const shop = await startStorefront();
    const bytes = 'GET /api/products HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nno chunk\r\n\r\n';
    const [refused] = await sendRaw(shop.port, bytes);
    expect(refused?.status).toBe(400);
    const { status, headers, body } = await shop.ask('GET', '/api/products');
    expect([status, headers.get('content-type')]).toEqual([200, 'application/json']);
    expect(body).toEqual(defaults.products);
  });
});
