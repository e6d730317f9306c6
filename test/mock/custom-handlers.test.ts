import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createStorefront } from '../../src/index.ts';
import type { AnyHandler, Handler } from '../../src/shop/operations/handler.ts';
import { getOperation } from '../support/fixtures/contract-document.ts';
import { defaults, getProductId } from '../support/fixtures/default-data.ts';
import { folderWith } from '../support/harness/folder-with.ts';
import { startStorefront } from '../support/harness/start-storefront.ts';
import { getExample } from './response-example.ts';

const KETTLE = getProductId('Cordless Electric Kettle');

/** Removes the type of a handler, as in a module that isn't type-checked. */
function untyped(handler: AnyHandler): never {
  return handler as never;
}

describe('a custom handler', () => {
  it('replaces the built-in one, and gets the state and the request', async () => {
    const listCartItems: Handler<'listCartItems'> = ({ query }, { read }) => ({
      body: query.expand ? [] : read().cartItems.slice(0, 1),
    });
    const shop = await startStorefront({ handlers: { listCartItems } });
    const { body, headers } = await shop.ask('GET', '/api/cart-items');
    expect([body, headers.get('x-mocked')]).toEqual([defaults.cartItems.slice(0, 1), null]);
    expect((await shop.ask('GET', '/api/cart-items?expand=product')).body).toEqual([]);
  });

  it('can return any documented status, with the media type of problems for a problem', async () => {
    const problem = getExample(getOperation('addCartItem'), 'unknownProduct').body;
    const shop = await startStorefront({ handlers: { addCartItem: () => ({ status: 404, body: problem }) } });
    const { status, headers, body } = await shop.ask('POST', '/api/cart-items', { productId: KETTLE, quantity: 1 });
    expect([status, headers.get('content-type'), body]).toEqual([404, 'application/problem+json', problem]);
  });

  it.each([
    ['undefined', () => undefined],
    ['a string', () => 'ok'],
    ['an invalid status', () => ({ status: 99 })],
    ['a body that JSON cannot represent', () => ({ body: { count: 1n } })],
    ['a header with a line break', () => ({ headers: { 'X-Two': 'a\nb' }, body: {} })],
  ])('that returns %s becomes a 500 with a problem document', async (_, handler) => {
    const shop = await startStorefront({
      errorsExpected: true,
      verify: 'off',
      handlers: { getPaymentSummary: untyped(handler as AnyHandler) },
    });
    const { status, headers, body } = await shop.ask('GET', '/api/payment-summary');
    expect([status, headers.get('content-type'), body.type]).toEqual([
      500,
      'application/problem+json',
      '/problems/internal-error',
    ]);
  });

  it('can set Content-Type in lower case', async () => {
    const handler = untyped(() => ({ headers: { 'content-type': 'text/html' }, body: {} }));
    const shop = await startStorefront({ errorsExpected: true, handlers: { getPaymentSummary: handler } });
    expect((await shop.ask('GET', '/api/payment-summary')).body.detail).toContain(
      'content type text/html is not documented',
    );
  });

  it('can return headers without a body for a 204', async () => {
    const shop = await startStorefront({ handlers: { resetData: untyped(() => ({ headers: { 'X-Team': 'cart' } })) } });
    const { status, headers, text } = await shop.ask('POST', '/api/reset');
    expect([status, headers.get('x-team'), headers.get('content-type'), text]).toEqual([204, 'cart', null, '']);
  });

  it('is called for every request, since it may use other sources than the state', async () => {
    let totalItems = 0;
    const summary = getExample(getOperation('getPaymentSummary'), 'cart').body;
    const shop = await startStorefront({
      handlers: { getPaymentSummary: () => ({ body: { ...summary, totalItems: ++totalItems } }) },
    });
    for (const time of [1, 2, 3]) expect((await shop.ask('GET', '/api/payment-summary')).body.totalItems).toBe(time);
  });

  it('is not called if another response is preferred', async () => {
    let times = 0;
    const resetData = () => {
      times++;
      return {};
    };
    const shop = await startStorefront({ handlers: { resetData } });
    await shop.ask('POST', '/api/reset', undefined, { Prefer: 'code=503' });
    expect(times).toBe(0);
  });

  it('is not called for an invalid request', async () => {
    const shop = await startStorefront({ handlers: { addCartItem: untyped(() => ({ status: 404 })) } });
    expect((await shop.ask('POST', '/api/cart-items', { quantity: 11 })).status).toBe(400);
  });

  it.each([
    ['by its name', 'export const listOrders = () => ({ body: [] });'],
    ['as the default', 'export default { listOrders: async () => ({ body: [] }) };'],
  ])('can come from a module that exports it %s', async (_, text) => {
    const handlers = join(await folderWith({ 'handlers.mjs': text }), 'handlers.mjs');
    const shop = await startStorefront({ handlers });
    expect((await shop.ask('GET', '/api/orders')).body).toEqual([]);
    expect((await shop.ask('GET', '/api/products')).body).toEqual(defaults.products);
  });

  it.each([
    ['does not exist', undefined, 'the file does not exist: check the path'],
    ['has a syntax error', 'export {', "can't be loaded"],
    ['exports nothing', '', 'exports no handlers'],
    ['exports no function for it', 'export const listOrders = [];', 'listOrders is not a handler: use a function'],
    ['has a handler of an unknown operation', 'export const placeOrder = () => ({});', 'has no operation placeOrder'],
  ])('stops the start if its module %s', async (_, text, reason) => {
    const handlers = join(await folderWith(text === undefined ? {} : { 'handlers.mjs': text }), 'handlers.mjs');
    await expect(createStorefront({ handlers })).rejects.toThrow(reason);
  });
});
