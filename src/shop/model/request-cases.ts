import { createJsonRequest, type RequestToSend } from '../../check/exchange.ts';
import type { OperationId } from '../types.ts';
import { MAX_QUANTITY } from './model.ts';
import type { RequestCase } from './player.ts';

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

/** Content types that no operation accepts. */
const OTHER_TYPES = [
  'text/plain',
  'application/xml',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
];

const NO_UUID = 'the id in the path is not a UUID';
const CART = '/api/cart-items';
const JSON_TYPE = 'application/json';

/** A request that violates the contract, or HTTP. */
export interface InvalidRequest extends RequestCase {
  /** Pointers into the body that the violations must include. */
  readonly pointers?: readonly string[];
}

/** Returns invalid requests about a product in the cart, each with one violation. */
export function createInvalidRequests(productId: string): readonly InvalidRequest[] {
  const path = `${CART}/${productId}`;
  const add = (body: unknown) =>
    invalidCase('addCartItem', createJsonRequest('POST', CART, body), `the body is ${JSON.stringify(body)}`);
  const update = (body: unknown) =>
    invalidCase('updateCartItem', createJsonRequest('PUT', path, body), `the body is ${JSON.stringify(body)}`);
  return [
    ...[...QUANTITIES, 11].map((quantity) => add({ productId, quantity })),
    ...[1, null, '', 'kettle', `${productId}0`, [productId]].map((id) => add({ productId: id, quantity: 1 })),
    ...[{ productId }, { quantity: 1 }, {}, [], [{ productId, quantity: 1 }], 'text', 1, null].map(add),
    ...[...QUANTITIES, MAX_QUANTITY + 1].map((quantity) => update({ quantity })),
    ...[null, true, 1.5, ['1'], {}].map((deliveryOptionId) => update({ quantity: 2, deliveryOptionId })),
    ...[[], 'text', 1, null].map(update),
    {
      ...add({ productId: 1, quantity: 0 }),
      why: 'both properties are invalid',
      pointers: ['/productId', '/quantity'],
    },
    invalidCase('updateCartItem', createJsonRequest('PUT', `${CART}/kettle`, { quantity: 1 }), NO_UUID),
    invalidCase('removeCartItem', createJsonRequest('DELETE', `${CART}/kettle`), NO_UUID),
    invalidGet('getOrder', '/api/orders/1', NO_UUID),
    invalidGet('getOrder', `/api/orders/${productId}?expand=product`, 'expand has an unknown value'),
    invalidGet('listProducts', '/api/products?search=a&search=b', 'search occurs twice'),
    ...createInvalidExpands('listDeliveryOptions', '/api/delivery-options', 'estimatedDeliveryTime'),
    ...createInvalidExpands('listCartItems', CART, 'product'),
    ...createInvalidExpands('listOrders', '/api/orders', 'products'),
    ...createInvalidBodies('addCartItem', { method: 'POST', target: CART }, JSON.stringify({ productId, quantity: 1 })),
    ...createInvalidBodies('updateCartItem', { method: 'PUT', target: path }, JSON.stringify({ quantity: 7 })),
  ];
}

function invalidCase(id: OperationId, request: RequestToSend, why: string): RequestCase {
  return { id, request, status: 400, why };
}

function invalidGet(id: OperationId, target: string, why: string): RequestCase {
  return invalidCase(id, { method: 'GET', target }, why);
}

function createInvalidExpands(id: OperationId, path: string, value: string): readonly RequestCase[] {
  const queries = [`expand=${value}s`, 'expand=', `expand=${value.toUpperCase()}`, `expand=${value},${value}`];
  return [
    ...queries.map((query) => invalidGet(id, `${path}?${query}`, `the query is ${query}`)),
    invalidGet(id, `${path}?expand=${value}&expand=${value}`, 'expand occurs twice'),
  ];
}

/** Returns requests with invalid, too large, or unsupported bodies. `valid`: a valid body. */
function createInvalidBodies(
  id: OperationId,
  line: Pick<RequestToSend, 'method' | 'target'>,
  valid: string,
): readonly RequestCase[] {
  const send = (type: string, body: string) => ({ ...line, headers: { 'content-type': type }, body });
  const unsupportedCase = (request: RequestToSend, why: string) => ({ id, request, status: 415, why });
  const spaces = MAX_BODY_BYTES + 1 - valid.length;
  const padded = {
    ...send(JSON_TYPE, ' '.repeat(spaces) + valid),
    printCommand: `printf '%${spaces}s%s' '' '${valid}'`,
  };
  const encoded = { ...line, headers: { 'content-type': JSON_TYPE, 'content-encoding': 'rot13' }, body: valid };
  return [
    ...TEXTS.map((text) => invalidCase(id, send(JSON_TYPE, text), `the body is ${text}`)),
    { id, request: padded, status: 413, why: `the body has ${MAX_BODY_BYTES + 1} bytes` },
    unsupportedCase({ ...line, body: valid }, 'the content type is missing'),
    ...OTHER_TYPES.map((type) => unsupportedCase(send(type, valid), `the content type is ${type}`)),
    unsupportedCase(encoded, 'the content encoding is rot13'),
  ];
}

/**
 * Returns valid requests that servers often reject, by rules that schemas can't express, for a shop with the product `inCart` in its cart, and another
 * product.
 */
export function createUnusualRequests(inCart: string, other: string): readonly RequestCase[] {
  const added = JSON.stringify({ productId: other, quantity: 1 });
  const add = (why: string, { headers = {}, body = added, target = CART }: Partial<RequestToSend>): RequestCase => ({
    id: 'addCartItem',
    request: { method: 'POST', target, headers: { 'content-type': JSON_TYPE, ...headers }, body },
    status: 201,
    why,
  });
  const padded = add(`the body has ${MAX_BODY_BYTES} bytes`, { body: added.padStart(MAX_BODY_BYTES) });
  const html = { accept: 'text/html' };
  return [
    add('the content type has a charset', { headers: { 'content-type': `${JSON_TYPE}; charset=utf-8` } }),
    add('the content type has capital letters', { headers: { 'content-type': 'Application/JSON' } }),
    add('the body is sent in chunks', { headers: { 'transfer-encoding': 'chunked' } }),
    { ...padded, request: { ...padded.request, printCommand: `printf '%${MAX_BODY_BYTES}s' '${added}'` } },
    add('the path has a trailing slash', { target: `${CART}/` }),
    add('a query parameter is unknown', { target: `${CART}?unknown=1` }),
    add('another media type is accepted', { headers: html }),
    validGet('listProducts', '/api/products?unknown=1', 'a query parameter is unknown'),
    validGet('listProducts', '/api/products?search=100%', 'a % does not start an escape'),
    validGet('listCartItems', CART, 'another media type is accepted', html),
    ...createUndocumentedBodies(inCart),
  ];
}

/** Returns requests with a body of any type where none is documented. */
function createUndocumentedBodies(inCart: string): readonly RequestCase[] {
  const why = 'a body is sent, but not documented';
  return ['text/plain', JSON_TYPE].flatMap((type) => {
    const sent = { headers: { 'content-type': type }, body: 'x' };
    return [
      { id: 'createOrder', request: { method: 'POST', target: '/api/orders', ...sent }, status: 201, why },
      { id: 'resetData', request: { method: 'POST', target: '/api/reset', ...sent }, status: 204, why },
      { id: 'removeCartItem', request: { method: 'DELETE', target: `${CART}/${inCart}`, ...sent }, status: 204, why },
    ];
  });
}

function validGet(id: OperationId, target: string, why: string, headers: RequestToSend['headers'] = {}): RequestCase {
  return { id, request: { method: 'GET', target, headers }, status: 200, why };
}
