import { performance } from 'node:perf_hooks';
import { describe, expect, it } from 'vitest';
import { defaults, getProductId } from '../support/fixtures/default-data.ts';
import { getHeader } from '../support/harness/problems.ts';
import { type RawResponse, sendRawRequest } from '../support/harness/raw-client.ts';
import { startStorefront } from '../support/harness/start-storefront.ts';
import { askPreferring, getApplied } from './prefer.ts';

const KETTLE = getProductId('Cordless Electric Kettle');
const [IN_CART] = defaults.cartItems.map((item) => item.productId) as [string];

describe('a preferred response', () => {
  const CHANGES: readonly [method: string, path: string, body: object | undefined, prefer: string][] = [
    ['POST', '/api/cart-items', { productId: KETTLE, quantity: 1 }, 'code=201'],
    ['POST', '/api/cart-items', { productId: KETTLE, quantity: 1 }, 'dynamic=true'],
    ['PUT', `/api/cart-items/${IN_CART}`, { quantity: 9 }, 'example=quantity'],
    ['DELETE', `/api/cart-items/${IN_CART}`, undefined, 'code=204'],
    ['POST', '/api/orders', undefined, 'code=201'],
    ['POST', '/api/orders', undefined, 'code=503'],
  ];

  it.each(CHANGES)('does not change the state: %s %s', async (method, path, body, prefer) => {
    const shop = await startStorefront();
    const reply = await askPreferring(shop, prefer, method, path, body);
    expect([reply.headers.get('x-mocked'), getApplied(reply)]).toEqual(['operation', [prefer]]);
    expect((await shop.ask('GET', '/api/cart-items')).body).toEqual(defaults.cartItems);
    expect((await shop.ask('GET', '/api/orders')).body).toEqual(defaults.orders);
  });

  it('does not reset the data: POST /api/reset', async () => {
    const shop = await startStorefront();
    await shop.ask('DELETE', `/api/cart-items/${IN_CART}`);
    expect((await askPreferring(shop, 'code=204', 'POST', '/api/reset')).status).toBe(204);
    expect((await shop.ask('GET', '/api/cart-items')).body).toHaveLength(defaults.cartItems.length - 1);
  });

  it('differs from a delayed one, which does change the state', async () => {
    const shop = await startStorefront();
    expect((await askPreferring(shop, 'delay=1', 'POST', '/api/orders')).status).toBe(201);
    expect((await shop.ask('GET', '/api/cart-items')).body).toEqual([]);
  });

  it('is neither taken from the response cache nor stored in it', async () => {
    const shop = await startStorefront();
    const plain = await shop.ask('GET', '/api/orders');
    expect((await shop.ask('GET', '/api/orders')).text).toBe(plain.text);
    for (const prefer of ['code=404', 'example=expanded', 'dynamic=true', 'delay=1']) {
      expect(getApplied(await askPreferring(shop, prefer, 'GET', '/api/orders')), prefer).toEqual([prefer]);
      const next = await shop.ask('GET', '/api/orders');
      expect([next.status, next.text, getApplied(next), next.headers.get('x-mocked')]).toEqual([
        200,
        plain.text,
        [],
        null,
      ]);
    }
  });

  it('is not cached if it is the first response of its path', async () => {
    for (const prefer of ['example=expanded', 'delay=1', 'seed=1']) {
      const shop = await startStorefront();
      await askPreferring(shop, prefer, 'GET', '/api/orders');
      const next = await shop.ask('GET', '/api/orders');
      expect([next.body, getApplied(next)], prefer).toEqual([defaults.orders, []]);
    }
  });

  it('is delayed every time if the query says so', async () => {
    const shop = await startStorefront();
    for (let time = 1; time <= 2; time++) {
      const startMs = performance.now();
      await shop.ask('GET', '/api/orders?__delay=40');
      expect(performance.now() - startMs).toBeGreaterThan(35);
    }
  });

  it('can be recognized by scripts of allowed origins', async () => {
    const { port } = await startStorefront();
    const from = (prefer: string): Promise<RawResponse> =>
      sendRawRequest(port, 'GET /api/orders', ['Origin: http://localhost:5173', `Prefer: ${prefer}`]);
    for (const prefer of ['code=404', 'delay=1', 'code=302']) {
      const exposed = (getHeader(await from(prefer), 'Access-Control-Expose-Headers') ?? '').toLowerCase().split(/, */);
      expect(exposed, prefer).toEqual(expect.arrayContaining(['x-mocked', 'preference-applied']));
    }
  });
});
