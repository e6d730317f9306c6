import { describe, expect, it } from 'vitest';
import type { Handlers } from '../../src/shop/operations/handler.ts';
import type { OperationId } from '../../src/shop/types.ts';
import { contractDocument, documentedOperations } from '../support/fixtures/contract-document.ts';
import { defaults, getProductId } from '../support/fixtures/default-data.ts';
import { startStorefront, type TestResponse, type TestShop } from '../support/harness/start-storefront.ts';
import { getResponseIssues } from '../support/oracles/contract-validator.ts';

const KETTLE = getProductId('Cordless Electric Kettle');
const [IN_CART = ''] = defaults.cartItems.map((item) => item.productId);
const [ORDERED = ''] = defaults.orders.map(({ id }) => id);
const UNKNOWN = '00000000-0000-4000-8000-000000000000';
const TEXT_TYPE = { 'content-type': 'text/plain' };

type SendRequest = (shop: TestShop) => Promise<TestResponse>;

const request =
  (...args: Parameters<TestShop['ask']>): SendRequest =>
  (shop) =>
    shop.ask(...args);

/** Requests for each status of each operation. */
const requests: Readonly<Record<string, readonly SendRequest[]>> = {
  'listProducts 200': [request('GET', '/api/products'), request('GET', '/api/products?search=kettle')],
  'listProducts 400': [request('GET', '/api/products?search=a&search=b')],
  'listProducts 404': [request('GET', '/api/products?after=00000000-0000-4000-8000-000000000000')],
  'listDeliveryOptions 200': [
    request('GET', '/api/delivery-options'),
    request('GET', '/api/delivery-options?expand=estimatedDeliveryTime'),
  ],
  'listDeliveryOptions 400': [request('GET', '/api/delivery-options?expand=a&expand=b')],
  'listCartItems 200': [request('GET', '/api/cart-items'), request('GET', '/api/cart-items?expand=product')],
  'listCartItems 400': [request('GET', '/api/cart-items?expand=product&expand=product')],
  'addCartItem 201': [request('POST', '/api/cart-items', { productId: KETTLE, quantity: 1 })],
  'addCartItem 400': [
    request('POST', '/api/cart-items', { productId: 5, quantity: [[[[{}]]]] }),
    request('POST', '/api/cart-items', '{'),
    request('POST', '/api/cart-items'),
  ],
  'addCartItem 404': [request('POST', '/api/cart-items', { productId: UNKNOWN, quantity: 1 })],
  'addCartItem 409': [
    async (shop) => {
      await shop.ask('PUT', `/api/cart-items/${IN_CART}`, { quantity: 1_000_000 });
      return shop.ask('POST', '/api/cart-items', { productId: IN_CART, quantity: 1 });
    },
  ],
  'addCartItem 413': [request('POST', '/api/cart-items', ' '.repeat(102_401))],
  'addCartItem 415': [request('POST', '/api/cart-items', '{}', TEXT_TYPE)],
  'updateCartItem 200': [
    request('PUT', `/api/cart-items/${IN_CART}`, { deliveryOptionId: 2 }),
    request('PUT', `/api/cart-items/${IN_CART}`),
  ],
  'updateCartItem 400': [
    request('PUT', `/api/cart-items/${IN_CART}`, { quantity: 0 }),
    request('PUT', `/api/cart-items/${IN_CART}`, '{'),
    request('PUT', '/api/cart-items/1'),
  ],
  'updateCartItem 404': [
    request('PUT', `/api/cart-items/${UNKNOWN}`),
    request('PUT', `/api/cart-items/${IN_CART}`, { deliveryOptionId: '9' }),
  ],
  'updateCartItem 413': [request('PUT', `/api/cart-items/${IN_CART}`, ' '.repeat(102_401))],
  'updateCartItem 415': [request('PUT', `/api/cart-items/${IN_CART}`, '{}', TEXT_TYPE)],
  'removeCartItem 204': [request('DELETE', `/api/cart-items/${IN_CART}`)],
  'removeCartItem 400': [request('DELETE', '/api/cart-items/%20')],
  'removeCartItem 404': [request('DELETE', `/api/cart-items/${KETTLE}`)],
  'listOrders 200': [request('GET', '/api/orders'), request('GET', '/api/orders?expand=products')],
  'listOrders 400': [request('GET', '/api/orders?expand=&expand=')],
  'listOrders 404': [request('GET', '/api/orders?after=00000000-0000-4000-8000-000000000000')],
  'createOrder 201': [request('POST', '/api/orders')],
  'createOrder 409': [
    async (shop) => {
      await shop.ask('POST', '/api/orders');
      return shop.ask('POST', '/api/orders');
    },
  ],
  'getOrder 200': [request('GET', `/api/orders/${ORDERED}`), request('GET', `/api/orders/${ORDERED}?expand=products`)],
  'getOrder 400': [request('GET', '/api/orders/1?expand=product')],
  'getOrder 404': [request('GET', `/api/orders/${UNKNOWN}`)],
  'getPaymentSummary 200': [request('GET', '/api/payment-summary')],
  'resetData 204': [request('POST', '/api/reset')],
};

const documented = documentedOperations.flatMap(({ operationId, responses }) =>
  Object.keys(responses)
    .filter((status) => /^\d{3}$/.test(status))
    .map((status) => `${operationId} ${status}`),
);

/** A request to each operation that reaches its handler. */
const validRequests = documentedOperations.map(({ operationId }) => {
  const [good] = Object.entries(requests).find(([key]) => new RegExp(`^${operationId} 2`).test(key))?.[1] ?? [];
  return [operationId, good] as const;
});

const broken = Object.fromEntries(
  documentedOperations.map(({ operationId }) => [
    operationId,
    () => {
      throw new Error('broken');
    },
  ]),
) as Readonly<Record<OperationId, () => never>> satisfies Handlers;

describe('every documented response', () => {
  it('is provoked by a request in this file, and no undocumented response is', () => {
    expect(Object.keys(requests).toSorted()).toEqual(documented.toSorted());
  });

  it.each(documentedOperations)('of $operationId is valid against the contract', async ({ operationId }) => {
    const shop = await startStorefront();
    for (const key of documented.filter((name) => name.startsWith(`${operationId} `)))
      for (const ask of requests[key] ?? []) {
        const reply = await ask(shop);
        expect.soft(`${operationId} ${reply.status}`).toBe(key);
        expect.soft(getResponseIssues(operationId, reply), key).toEqual([]);
        await shop.ask('POST', '/api/reset');
      }
  });

  it('of a handler that throws is a valid 500', async () => {
    const shop = await startStorefront({ errorsExpected: true, handlers: broken });
    for (const [operationId, ask] of validRequests) {
      const reply = await ask?.(shop);
      expect(reply, operationId).toMatchObject({ status: 500, body: { type: '/problems/internal-error' } });
      expect(reply && getResponseIssues(operationId, reply), operationId).toEqual([]);
    }
  });
});

describe('a method that a path does not support', () => {
  it('is refused with 405 and the supported methods in Allow', async () => {
    const shop = await startStorefront();
    for (const [path, methods] of Object.entries(contractDocument.paths)) {
      const reply = await shop.ask('PATCH', path.replace(/\{.*\}/, UNKNOWN));
      expect(reply.status, path).toBe(405);
      expect(reply.headers.get('allow')?.toLowerCase().split(', ').toSorted(), path).toEqual(
        Object.keys(methods).toSorted(),
      );
      for (const { operationId } of Object.values(methods)) expect(getResponseIssues(operationId, reply)).toEqual([]);
    }
  });
});
