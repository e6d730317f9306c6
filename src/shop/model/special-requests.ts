import { INVALID_JSON } from '../../check/hostile-input.ts';
import { MAX_BODY_BYTES } from '../../util/limits.ts';
import { QUANTITY_LIMIT } from '../domain/cart.ts';
import type { OperationId } from '../types.ts';
import { MAX_ADDED_QUANTITY } from './model.ts';
import type { RequestCase } from './shop-tester.ts';

/** Quantities that every operation must reject. */
const INVALID_QUANTITIES: readonly unknown[] = [0, -1, 1.5, '3', true, null, [1], {}];

/** Content types that no operation accepts. */
const UNSUPPORTED_TYPES = [
  'text/plain',
  'application/xml',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
];

const NOT_A_UUID = 'the id in the path is not a UUID';
const CART = '/api/cart-items';
const JSON_TYPE = 'application/json';
const JSON_HEADERS = { 'content-type': JSON_TYPE };

/**
 * Returns invalid requests with their expected statuses (400, 413 or 415).
 * `productId`: the id of a product in the cart.
 */
export function createInvalidRequests(productId: string): readonly RequestCase[] {
  const path = `${CART}/${productId}`;
  const add = (body: unknown) => invalidCase('addCartItem', CART, `the body is ${JSON.stringify(body)}`, body);
  const update = (body: unknown) => invalidCase('updateCartItem', path, `the body is ${JSON.stringify(body)}`, body);
  return [
    ...[...INVALID_QUANTITIES, MAX_ADDED_QUANTITY + 1].map((quantity) => add({ productId, quantity })),
    ...[1, null, '', 'kettle', `${productId}0`, [productId]].map((id) => add({ productId: id, quantity: 1 })),
    ...[{ productId }, { quantity: 1 }, {}, [], [{ productId, quantity: 1 }], 'text', 1, null].map(add),
    ...[...INVALID_QUANTITIES, QUANTITY_LIMIT + 1].map((quantity) => update({ quantity })),
    ...[null, true, 1.5, ['1'], {}].map((deliveryOptionId) => update({ quantity: 2, deliveryOptionId })),
    ...[[], 'text', 1, null].map(update),
    { ...add({ productId: 1, quantity: 0 }), why: 'two values are invalid', pointers: ['/productId', '/quantity'] },
    invalidCase('updateCartItem', `${CART}/kettle`, NOT_A_UUID, { quantity: 1 }),
    invalidCase('removeCartItem', `${CART}/kettle`, NOT_A_UUID),
    invalidCase('getOrder', '/api/orders/1', NOT_A_UUID),
    invalidCase('listProducts', '/api/products?search=a&search=b', 'search occurs twice'),
    createRepeatedExpand('listDeliveryOptions', '/api/delivery-options', 'estimatedDeliveryTime'),
    createRepeatedExpand('listCartItems', CART, 'product'),
    createRepeatedExpand('listOrders', '/api/orders', 'products'),
    ...createInvalidBodies('addCartItem', CART, JSON.stringify({ productId, quantity: 1 })),
    ...createInvalidBodies('updateCartItem', path, JSON.stringify({ quantity: 7 })),
  ];
}

/**
 * Creates a request that the server must reject with status 400.
 * It has a JSON body if `json` is defined.
 * `why`: the reason for the status.
 */
function invalidCase(id: OperationId, target: string, why: string, json?: unknown): RequestCase {
  return { id, target, json, status: 400, why };
}

function createRepeatedExpand(id: OperationId, path: string, value: string): RequestCase {
  return invalidCase(id, `${path}?expand=${value}&expand=${value}`, 'expand occurs twice');
}

/**
 * Returns requests with a bad body: invalid JSON, a body that is too large, or an unsupported content type.
 * `validBody`: a JSON body that the operation accepts.
 */
function createInvalidBodies(id: OperationId, target: string, validBody: string): readonly RequestCase[] {
  const invalid = { id, target, status: 400, headers: JSON_HEADERS };
  const unsupported = { id, target, status: 415, body: validBody };
  const spaces = MAX_BODY_BYTES + 1 - validBody.length;
  return [
    ...[...INVALID_JSON, `${validBody}}`].map((text) => ({ ...invalid, body: text, why: `the body is ${text}` })),
    {
      ...invalid,
      body: ' '.repeat(spaces) + validBody,
      printCommand: `printf '%${spaces}s%s' '' '${validBody}'`,
      status: 413,
      why: `the body has ${MAX_BODY_BYTES + 1} bytes`,
    },
    { ...unsupported, why: 'the content type is missing' },
    ...UNSUPPORTED_TYPES.map((type) => ({
      ...unsupported,
      headers: { 'content-type': type },
      why: `the content type is ${type}`,
    })),
    { ...unsupported, headers: { ...JSON_HEADERS, 'content-encoding': 'rot13' }, why: 'the content encoding is rot13' },
  ];
}

/**
 * Returns valid requests that servers often reject by mistake.
 * `itemId`: the id of a product in the cart.
 * `productId`: the id of another product.
 * `isStrict`: whether the contract forbids unknown query parameters.
 */
export function createUnusualRequests(itemId: string, productId: string, isStrict = false): readonly RequestCase[] {
  const body = JSON.stringify({ productId, quantity: 1 });
  const add = { id: 'addCartItem', target: CART, headers: JSON_HEADERS, body, status: 201 } as const;
  const accept = { why: 'the Accept header has another media type', headers: { accept: 'text/html' } };
  return [
    { ...add, why: 'the content type has a charset', headers: { 'content-type': `${JSON_TYPE}; charset=utf-8` } },
    { ...add, why: 'the content type has capital letters', headers: { 'content-type': 'Application/JSON' } },
    { ...add, why: 'the body is sent in chunks', headers: { ...JSON_HEADERS, 'transfer-encoding': 'chunked' } },
    {
      ...add,
      why: `the body has ${MAX_BODY_BYTES} bytes`,
      body: body.padStart(MAX_BODY_BYTES),
      printCommand: `printf '%${MAX_BODY_BYTES}s' '${body}'`,
    },
    { ...add, why: 'the path has a trailing slash', target: `${CART}/` },
    { ...add, why: 'a query parameter is unknown', target: `${CART}?unknown=1`, ...(isStrict && { status: 400 }) },
    { ...add, ...accept, headers: { ...JSON_HEADERS, ...accept.headers } },
    {
      id: 'listProducts',
      target: '/api/products?unknown=1',
      status: isStrict ? 400 : 200,
      why: 'a query parameter is unknown',
    },
    { id: 'listProducts', target: '/api/products?search=100%', status: 200, why: 'a % does not start an escape' },
    { id: 'listCartItems', target: CART, status: 200, ...accept },
    ...createUndocumentedBodies(itemId),
  ];
}

/** Returns requests with a body to operations that do not document a body. */
function createUndocumentedBodies(itemId: string): readonly RequestCase[] {
  const why = 'a body is sent, but not documented';
  return ['text/plain', JSON_TYPE].flatMap((type) => {
    const unexpected = { headers: { 'content-type': type }, body: 'x', why };
    return [
      { id: 'createOrder', target: '/api/orders', status: 201, ...unexpected },
      { id: 'resetData', target: '/api/reset', status: 204, ...unexpected },
      { id: 'removeCartItem', target: `${CART}/${itemId}`, status: 204, ...unexpected },
    ];
  });
}
