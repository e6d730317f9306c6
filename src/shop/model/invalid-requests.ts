import { createJsonRequest, type RequestToSend } from '../../check/exchange.ts';
import type { OperationId } from '../types.ts';

/** A request that violates the contract, or HTTP, and its expected status. */
export interface InvalidRequest {
  readonly id: OperationId;
  readonly request: RequestToSend;
  readonly status: number;
  /** Why the server must reject it: the end of a sentence that starts with "if". */
  readonly why: string;
  /** Pointers into the body that the violations must include. */
  readonly pointers?: readonly string[];
}

/** The maximum size of a body, in bytes. */
const MAX_BODY_BYTES = 102_400;

/** Quantities that are always invalid. */
const QUANTITIES: readonly unknown[] = [0, -1, 1.5, '3', true, null, [1], {}];

/** Texts that are not valid JSON. */
const TEXTS = [
  '{"quantity": ',
  '{quantity: 1}',
  "{'quantity': 1}",
  '{"quantity": 01}',
  'quantity=1',
  '{"quantity": 1}}',
  'NaN',
];

/** Returns invalid requests about a product in the cart, each with one violation. */
export function createInvalidRequests(productId: string): readonly InvalidRequest[] {
  const path = `/api/cart-items/${productId}`;
  const fail = (id: OperationId, request: RequestToSend, why: string): InvalidRequest => ({
    id,
    request,
    status: 400,
    why,
  });
  const bodies = (id: OperationId, method: string, target: string, list: readonly unknown[]) =>
    list.map((body) => fail(id, createJsonRequest(method, target, body), `the body is ${JSON.stringify(body)}`));
  return [
    ...bodies('addCartItem', 'POST', '/api/cart-items', [
      ...[...QUANTITIES, 11].map((quantity) => ({ productId, quantity })),
      ...[1, null, '', 'kettle', `${productId}0`, [productId]].map((id) => ({ productId: id, quantity: 1 })),
      ...[{ productId }, { quantity: 1 }, {}, [], [{ productId, quantity: 1 }], 'text', 1, null],
    ]),
    ...bodies('updateCartItem', 'PUT', path, [
      ...[...QUANTITIES, 1_000_001].map((quantity) => ({ quantity })),
      ...[null, true, 1.5, ['1'], {}].map((deliveryOptionId) => ({ quantity: 2, deliveryOptionId })),
      ...[[], 'text', 1, null],
    ]),
    {
      ...fail(
        'addCartItem',
        createJsonRequest('POST', '/api/cart-items', { productId: 1, quantity: 0 }),
        'both properties are invalid',
      ),
      pointers: ['/productId', '/quantity'],
    },
    fail(
      'updateCartItem',
      createJsonRequest('PUT', '/api/cart-items/kettle', { quantity: 1 }),
      'the id in the path is not a UUID',
    ),
    fail('removeCartItem', createJsonRequest('DELETE', '/api/cart-items/kettle'), 'the id in the path is not a UUID'),
    fail('getOrder', createJsonRequest('GET', '/api/orders/1'), 'the id in the path is not a UUID'),
    fail(
      'getOrder',
      createJsonRequest('GET', `/api/orders/${productId}?expand=product`),
      'expand has an unknown value',
    ),
    fail('listProducts', createJsonRequest('GET', '/api/products?search=a&search=b'), 'search occurs twice'),
    ...expands('listDeliveryOptions', '/api/delivery-options', 'estimatedDeliveryTime'),
    ...expands('listCartItems', '/api/cart-items', 'product'),
    ...expands('listOrders', '/api/orders', 'products'),
    ...createInvalidBodies('addCartItem', 'POST', '/api/cart-items', JSON.stringify({ productId, quantity: 1 })),
    ...createInvalidBodies('updateCartItem', 'PUT', path, JSON.stringify({ quantity: 7 })),
  ];
}

function expands(id: OperationId, path: string, value: string): readonly InvalidRequest[] {
  const wrong = [`expand=${value}s`, 'expand=', `expand=${value.toUpperCase()}`, `expand=${value},${value}`];
  return [
    ...wrong.map((query) => ({
      id,
      request: createJsonRequest('GET', `${path}?${query}`),
      status: 400,
      why: `the query is ${query}`,
    })),
    {
      id,
      request: createJsonRequest('GET', `${path}?expand=${value}&expand=${value}`),
      status: 400,
      why: 'expand occurs twice',
    },
  ];
}

/** Returns requests with invalid, too large, or unsupported bodies. `right`: a valid body. */
function createInvalidBodies(
  id: OperationId,
  method: string,
  target: string,
  right: string,
): readonly InvalidRequest[] {
  const sent = (type: string, body: string | Buffer): RequestToSend => ({
    method,
    target,
    headers: { 'content-type': type },
    body,
  });
  const ofType = (type: string): InvalidRequest => ({
    id,
    request: sent(type, right),
    status: 415,
    why: `the content type is ${type}`,
  });
  const padded = `${' '.repeat(MAX_BODY_BYTES + 1 - right.length)}${right}`;
  const printCommand = `printf '%${MAX_BODY_BYTES + 1 - right.length}s%s' '' '${right}'`;
  return [
    ...TEXTS.map((text) => ({ id, request: sent('application/json', text), status: 400, why: `the body is ${text}` })),
    {
      id,
      request: { ...sent('application/json', padded), printCommand },
      status: 413,
      why: `the body has ${MAX_BODY_BYTES + 1} bytes`,
    },
    { id, request: { method, target, body: right }, status: 415, why: 'the content type is missing' },
    ...['text/plain', 'application/xml', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x'].map(
      ofType,
    ),
    {
      id,
      request: {
        method,
        target,
        headers: { 'content-type': 'application/json', 'content-encoding': 'rot13' },
        body: right,
      },
      status: 415,
      why: 'the content encoding is rot13',
    },
  ];
}
