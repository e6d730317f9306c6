/** A request to the shop. */
export interface Ask {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** How each documented answer of an operation is provoked. */
export interface Recipe {
  /** A request that the operation does. */
  readonly good: Ask;
  /** By the name of the documented response: what leads to it, what is done before, and the example that it is. */
  readonly answers: Readonly<
    Record<string, { readonly example?: string; readonly before?: readonly Ask[]; readonly ask: Ask }>
  >;
}

const SOCKS = '6fb12208-d3f8-49e5-8f52-3d2038703fc6';
const LAMP = 'e8114bee-1db4-40db-bf45-99f4ccf0d441';
const KETTLE = 'fafe42e1-2f3e-46e3-a2c5-d94a792572e6';
const ORDER = 'b3a9e0e9-66e7-439f-bb29-7a2f1c4c06e9';
const UNKNOWN = '00000000-0000-4000-8000-000000000000';

const get = (path: string): Ask => ({ method: 'GET', path });
const post = (path: string, body?: unknown): Ask => ({ method: 'POST', path, body });
const put = (body: unknown, id = SOCKS): Ask => ({ method: 'PUT', path: `/api/cart-items/${id}`, body });
const remove = (id: string): Ask => ({ method: 'DELETE', path: `/api/cart-items/${id}` });

const TOO_LARGE = ' '.repeat(102_401);
const AS_TEXT = { 'content-type': 'text/plain' };
const emptied = [remove(SOCKS), remove(LAMP)];

/** For each operation, how each of its answers is provoked; ranges, which all share, are not among these. */
export const recipes: Readonly<Record<string, Recipe>> = {
  listProducts: {
    good: get('/api/products'),
    answers: {
      200: { example: 'byName', ask: get('/api/products?search=kettle') },
      400: { example: 'repeatedSearch', ask: get('/api/products?search=socks&search=towels') },
    },
  },
  listDeliveryOptions: {
    good: get('/api/delivery-options'),
    answers: {
      200: { example: 'expanded', ask: get('/api/delivery-options?expand=estimatedDeliveryTime') },
      400: { example: 'unknownExpand', ask: get('/api/delivery-options?expand=price') },
    },
  },
  listCartItems: {
    good: get('/api/cart-items'),
    answers: {
      200: { example: 'expanded', ask: get('/api/cart-items?expand=product') },
      400: { example: 'unknownExpand', ask: get('/api/cart-items?expand=products') },
    },
  },
  addCartItem: {
    good: post('/api/cart-items', { productId: KETTLE, quantity: 2 }),
    answers: {
      201: { example: 'added', ask: post('/api/cart-items', { productId: KETTLE, quantity: 2 }) },
      400: { example: 'quantityAboveMaximum', ask: post('/api/cart-items', { productId: KETTLE, quantity: 11 }) },
      404: { example: 'unknownProduct', ask: post('/api/cart-items', { productId: UNKNOWN, quantity: 1 }) },
      409: {
        example: 'quantityLimit',
        before: [put({ quantity: 1_000_000 }, LAMP)],
        ask: post('/api/cart-items', { productId: LAMP, quantity: 1 }),
      },
      413: { example: 'bodyTooLarge', ask: post('/api/cart-items', TOO_LARGE) },
      415: { example: 'unsupportedMediaType', ask: { ...post('/api/cart-items', 'quantity: 1'), headers: AS_TEXT } },
    },
  },
  updateCartItem: {
    good: put({ quantity: 3 }),
    answers: {
      200: { example: 'both', ask: put({ quantity: 3, deliveryOptionId: '2' }) },
      400: { example: 'quantityBelowMinimum', ask: put({ quantity: 0 }) },
      404: { example: 'unknownCartItem', ask: put({ quantity: 3 }, KETTLE) },
      413: { example: 'bodyTooLarge', ask: put(TOO_LARGE) },
      415: { example: 'unsupportedMediaType', ask: { ...put('quantity: 1'), headers: AS_TEXT } },
    },
  },
  removeCartItem: {
    good: remove(SOCKS),
    answers: {
      204: { ask: remove(SOCKS) },
      400: { example: 'notAUuid', ask: remove('socks') },
      404: { example: 'unknownCartItem', ask: remove(KETTLE) },
    },
  },
  listOrders: {
    good: get('/api/orders'),
    answers: {
      200: { example: 'expanded', ask: get('/api/orders?expand=products') },
      400: { example: 'unknownExpand', ask: get('/api/orders?expand=product') },
    },
  },
  createOrder: {
    good: post('/api/orders'),
    answers: {
      201: { example: 'created', ask: post('/api/orders') },
      409: { example: 'emptyCart', before: emptied, ask: post('/api/orders') },
    },
  },
  getOrder: {
    good: get(`/api/orders/${ORDER}`),
    answers: {
      200: { example: 'expanded', ask: get(`/api/orders/${ORDER}?expand=products`) },
      400: { example: 'notAUuid', ask: get('/api/orders/1') },
      404: { example: 'unknownOrder', ask: get(`/api/orders/${UNKNOWN}`) },
    },
  },
  getPaymentSummary: {
    good: get('/api/payment-summary'),
    answers: { 200: { example: 'cart', ask: get('/api/payment-summary') } },
  },
  resetData: {
    good: post('/api/reset'),
    answers: { 204: { ask: post('/api/reset') } },
  },
};
