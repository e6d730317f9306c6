/** A request of the measurements, with the answer that it must get. */
export interface ShopRequest {
  /** Method and path. */
  readonly name: string;
  readonly method: 'GET' | 'POST' | 'PUT';
  readonly path: string;
  /** JSON; absent where the request has none. */
  readonly body?: string;
  readonly status: number;
}

/** The list of products: a server has started once it answers this one. */
export const products = get('/api/products');

/** Puts the data back to the default. */
export const reset: ShopRequest = { name: 'POST /api/reset', method: 'POST', path: '/api/reset', status: 204 };

/** The GETs that are measured, none of which reads a clock or takes a parameter. */
export const gets: readonly ShopRequest[] = [
  products,
  get('/api/delivery-options'),
  get('/api/cart-items'),
  get('/api/payment-summary'),
  get('/api/orders'),
];

/** The change that is measured: one more of a product. On our server it is on the disk before it is answered. */
export function addCartItem(productId: string): ShopRequest {
  const path = '/api/cart-items';
  return { name: `POST ${path}`, method: 'POST', path, body: JSON.stringify({ productId, quantity: 1 }), status: 201 };
}

/** A change as json-server has it. */
export function replaceCartItem(productId: string): ShopRequest {
  const path = `/api/cart-items/${productId}`;
  return { name: 'PUT /api/cart-items/ID', method: 'PUT', path, body: JSON.stringify({ quantity: 2 }), status: 200 };
}

function get(path: string): ShopRequest {
  return { name: `GET ${path}`, method: 'GET', path, status: 200 };
}
