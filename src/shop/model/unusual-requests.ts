import type { RequestToSend } from '../../check/exchange.ts';
import type { OperationId } from '../types.ts';

/** A valid request that servers often reject, and its expected status. */
export interface UnusualRequest {
  readonly id: OperationId;
  readonly request: RequestToSend;
  readonly status: number;
  /** What the server must accept: the end of a sentence that starts with "if". */
  readonly why: string;
}

/** The maximum size of a body, in bytes. */
const MAX_BODY_BYTES = 102_400;

const CART = '/api/cart-items';
const JSON_TYPE = 'application/json';

/** Returns valid requests by rules that schemas can't express, for a shop with the product `inCart` in its cart, and another product. */
export function createUnusualRequests(inCart: string, other: string): readonly UnusualRequest[] {
  const added = JSON.stringify({ productId: other, quantity: 1 });
  const add = (why: string, headers: RequestToSend['headers'], body = added, target = CART): UnusualRequest => ({
    id: 'addCartItem',
    request: {
      method: 'POST',
      target,
      headers: { 'content-type': JSON_TYPE, ...headers },
      body,
      ...toPrintCommand(body),
    },
    status: 201,
    why,
  });
  return [
    add('the content type has a charset', { 'content-type': `${JSON_TYPE}; charset=utf-8` }),
    add('the content type has capital letters', { 'content-type': 'Application/JSON' }),
    add('the body is sent in chunks', { 'transfer-encoding': 'chunked' }),
    add(`the body has ${MAX_BODY_BYTES} bytes`, {}, added.padStart(MAX_BODY_BYTES)),
    add('the path has a trailing slash', {}, added, `${CART}/`),
    add('a query parameter is unknown', {}, added, `${CART}?unknown=1`),
    add('another media type is accepted', { accept: 'text/html' }),
    get('listProducts', '/api/products?unknown=1', 'a query parameter is unknown'),
    get('listProducts', '/api/products?search=100%', 'a % does not start an escape'),
    get('listCartItems', CART, 'another media type is accepted', { accept: 'text/html' }),
    ...withoutBody(inCart),
  ];
}

/** Returns requests with a body of any type where none is documented. */
function withoutBody(inCart: string): readonly UnusualRequest[] {
  const sent = (method: string, target: string, type: string): RequestToSend => ({
    method,
    target,
    headers: { 'content-type': type },
    body: 'x',
  });
  const why = 'a body is sent, but not documented';
  return ['text/plain', JSON_TYPE].flatMap((type) => [
    { id: 'createOrder', request: sent('POST', '/api/orders', type), status: 201, why },
    { id: 'resetData', request: sent('POST', '/api/reset', type), status: 204, why },
    { id: 'removeCartItem', request: sent('DELETE', `${CART}/${inCart}`, type), status: 204, why },
  ]);
}

function get(id: OperationId, target: string, why: string, headers: RequestToSend['headers'] = {}): UnusualRequest {
  return { id, request: { method: 'GET', target, headers }, status: 200, why };
}

/** Returns the shell command that prints a body padded with spaces. */
function toPrintCommand(body: string): { printCommand?: string } {
  return body.length > MAX_BODY_BYTES / 2 ? { printCommand: `printf '%${MAX_BODY_BYTES}s' '${body.trimStart()}'` } : {};
}
