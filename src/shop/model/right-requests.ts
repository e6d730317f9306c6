import type { Ask } from '../../check/exchange.ts';
import type { OperationId } from '../types.ts';

/** A request that keeps the contract in a way that servers stumble over, and the status that it is answered with. */
export interface RightRequest {
  readonly id: OperationId;
  readonly ask: Ask;
  readonly status: number;
  /** What the server must accept: the end of a sentence that starts with "if". */
  readonly why: string;
}

/** The largest body that is taken, in bytes. */
const LARGEST_BODY = 102_400;

const CART = '/api/cart-items';
const JSON_TYPE = 'application/json';

/** Requests that hold by what the contract says in words, to a shop that has a product in its cart, and another product. */
export function rightRequests(inCart: string, other: string): readonly RightRequest[] {
  const added = JSON.stringify({ productId: other, quantity: 1 });
  const add = (why: string, headers: Ask['headers'], body = added, target = CART): RightRequest => ({
    id: 'addCartItem',
    ask: { method: 'POST', target, headers: { 'content-type': JSON_TYPE, ...headers }, body, ...printed(body) },
    status: 201,
    why,
  });
  return [
    add('the content type has a charset', { 'content-type': `${JSON_TYPE}; charset=utf-8` }),
    add('the content type has capital letters', { 'content-type': 'Application/JSON' }),
    add('the body is sent in chunks', { 'transfer-encoding': 'chunked' }),
    add(`the body has ${LARGEST_BODY} bytes`, {}, added.padStart(LARGEST_BODY)),
    add('the path has a trailing slash', {}, added, `${CART}/`),
    add('a query parameter is unknown', {}, added, `${CART}?unknown=1`),
    add('another media type is accepted', { accept: 'text/html' }),
    get('listProducts', '/api/products?unknown=1', 'a query parameter is unknown'),
    get('listProducts', '/api/products?search=100%', 'a % does not start an escape'),
    get('listCartItems', CART, 'another media type is accepted', { accept: 'text/html' }),
    ...withoutBody(inCart),
  ];
}

/** Where no body is described one is accepted, whatever its type. */
function withoutBody(inCart: string): readonly RightRequest[] {
  const sent = (method: string, target: string, type: string): Ask => ({
    method,
    target,
    headers: { 'content-type': type },
    body: 'x',
  });
  const why = 'a body is sent, but not documented';
  return ['text/plain', JSON_TYPE].flatMap((type) => [
    { id: 'createOrder', ask: sent('POST', '/api/orders', type), status: 201, why },
    { id: 'resetData', ask: sent('POST', '/api/reset', type), status: 204, why },
    { id: 'removeCartItem', ask: sent('DELETE', `${CART}/${inCart}`, type), status: 204, why },
  ]);
}

function get(id: OperationId, target: string, why: string, headers: Ask['headers'] = {}): RightRequest {
  return { id, ask: { method: 'GET', target, headers }, status: 200, why };
}

/** How a shell prints a body that is padded with blanks. */
function printed(body: string): { printedBy?: string } {
  return body.length > LARGEST_BODY / 2 ? { printedBy: `printf '%${LARGEST_BODY}s' '${body.trimStart()}'` } : {};
}
