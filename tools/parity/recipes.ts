import { MAX_BODY_BYTES } from '../../src/util/limits.ts';

/** A request to the shop. */
export interface RecipeRequest {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The requests that cause the documented responses of an operation. */
export interface Recipe {
  /** A request that succeeds. */
  readonly validRequest: RecipeRequest;
  /** By the name of the documented response: the request, the requests to send before it, and the name of the response example. */
  readonly responses: Readonly<
    Record<
      string,
      { readonly example?: string; readonly before?: readonly RecipeRequest[]; readonly request: RecipeRequest }
    >
  >;
}

const SOCKS = '6fb12208-d3f8-49e5-8f52-3d2038703fc6';
const LAMP = 'e8114bee-1db4-40db-bf45-99f4ccf0d441';
const KETTLE = 'fafe42e1-2f3e-46e3-a2c5-d94a792572e6';
const ORDER = 'b3a9e0e9-66e7-439f-bb29-7a2f1c4c06e9';
const UNKNOWN = '00000000-0000-4000-8000-000000000000';

const get = (path: string): RecipeRequest => ({ method: 'GET', path });
const post = (path: string, body?: unknown): RecipeRequest => ({ method: 'POST', path, body });
const put = (body: unknown, id = SOCKS): RecipeRequest => ({ method: 'PUT', path: `/api/cart-items/${id}`, body });
const remove = (id: string): RecipeRequest => ({ method: 'DELETE', path: `/api/cart-items/${id}` });

const TOO_LARGE = ' '.repeat(MAX_BODY_BYTES + 1);
const AS_TEXT = { 'content-type': 'text/plain' };
const emptyCart = [remove(SOCKS), remove(LAMP)];

/** The recipes by operationId. Ranges have no recipe, since the same request causes them for all operations. */
export const recipes: Readonly<Record<string, Recipe>> = {
  listProducts: {
    validRequest: get('/api/products'),
    responses: {
      200: { example: 'byName', request: get('/api/products?search=kettle') },
      400: { example: 'repeatedSearch', request: get('/api/products?search=socks&search=towels') },
      404: { example: 'unknownCursor', request: get(`/api/products?after=${UNKNOWN}`) },
    },
  },
  listDeliveryOptions: {
    validRequest: get('/api/delivery-options'),
    responses: {
      200: { example: 'expanded', request: get('/api/delivery-options?expand=estimatedDeliveryTime') },
      400: {
        example: 'repeatedExpand',
        request: get('/api/delivery-options?expand=estimatedDeliveryTime&expand=estimatedDeliveryTime'),
      },
    },
  },
  listCartItems: {
    validRequest: get('/api/cart-items'),
    responses: {
      200: { example: 'expanded', request: get('/api/cart-items?expand=product') },
      400: { example: 'repeatedExpand', request: get('/api/cart-items?expand=product&expand=product') },
    },
  },
  addCartItem: {
    validRequest: post('/api/cart-items', { productId: KETTLE, quantity: 2 }),
    responses: {
      201: { example: 'added', request: post('/api/cart-items', { productId: KETTLE, quantity: 2 }) },
      400: { example: 'quantityAboveMaximum', request: post('/api/cart-items', { productId: KETTLE, quantity: 11 }) },
      404: { example: 'unknownProduct', request: post('/api/cart-items', { productId: UNKNOWN, quantity: 1 }) },
      409: {
        example: 'quantityLimit',
        before: [put({ quantity: 1_000_000 }, LAMP)],
        request: post('/api/cart-items', { productId: LAMP, quantity: 1 }),
      },
      413: { example: 'bodyTooLarge', request: post('/api/cart-items', TOO_LARGE) },
      415: {
        example: 'unsupportedMediaType',
        request: { ...post('/api/cart-items', 'quantity: 1'), headers: AS_TEXT },
      },
    },
  },
  updateCartItem: {
    validRequest: put({ quantity: 3 }),
    responses: {
      200: { example: 'both', request: put({ quantity: 3, deliveryOptionId: '2' }) },
      400: { example: 'quantityBelowMinimum', request: put({ quantity: 0 }) },
      404: { example: 'unknownCartItem', request: put({ quantity: 3 }, KETTLE) },
      413: { example: 'bodyTooLarge', request: put(TOO_LARGE) },
      415: { example: 'unsupportedMediaType', request: { ...put('quantity: 1'), headers: AS_TEXT } },
    },
  },
  removeCartItem: {
    validRequest: remove(SOCKS),
    responses: {
      204: { request: remove(SOCKS) },
      400: { example: 'notAUuid', request: remove('socks') },
      404: { example: 'unknownCartItem', request: remove(KETTLE) },
    },
  },
  listOrders: {
    validRequest: get('/api/orders'),
    responses: {
      200: { example: 'expanded', request: get('/api/orders?expand=products') },
      400: { example: 'repeatedExpand', request: get('/api/orders?expand=products&expand=products') },
      404: { example: 'unknownCursor', request: get(`/api/orders?after=${UNKNOWN}`) },
    },
  },
  createOrder: {
    validRequest: post('/api/orders'),
    responses: {
      201: { example: 'created', request: post('/api/orders') },
      409: { example: 'emptyCart', before: emptyCart, request: post('/api/orders') },
    },
  },
  getOrder: {
    validRequest: get(`/api/orders/${ORDER}`),
    responses: {
      200: { example: 'expanded', request: get(`/api/orders/${ORDER}?expand=products`) },
      400: { example: 'notAUuid', request: get('/api/orders/1') },
      404: { example: 'unknownOrder', request: get(`/api/orders/${UNKNOWN}`) },
    },
  },
  getPaymentSummary: {
    validRequest: get('/api/payment-summary'),
    responses: { 200: { example: 'cart', request: get('/api/payment-summary') } },
  },
  resetData: {
    validRequest: post('/api/reset'),
    responses: { 204: { request: post('/api/reset') } },
  },
};
