/** A request of the measurements, with the expected status of its response. */
export interface ShopRequest {
  /** Method and path. */
  readonly name: string;
  readonly method: 'GET' | 'POST' | 'PUT';
  readonly path: string;
  /** JSON; undefined if the request has no body. */
  readonly body?: string;
  readonly status: number;
}

/** The request for the list of products. A server has started when it responds to this request. */
export const products = get('/api/products');

/** Resets the data to the default data. */
export const reset: ShopRequest = { name: 'POST /api/reset', method: 'POST', path: '/api/reset', status: 204 };

/** The measured GET requests. None of them depends on the time or has a parameter. */
export const gets: readonly ShopRequest[] = [
  products,
  get('/api/delivery-options'),
  get('/api/cart-items'),
  get('/api/payment-summary'),
  get('/api/orders'),
];

/** Creates the measured change: adds one unit of a product to the cart. Our server stores the change durably before it responds. */
export function addCartItem(productId: string): ShopRequest {
  const path = '/api/cart-items';
  return { name: `POST ${path}`, method: 'POST', path, body: JSON.stringify({ productId, quantity: 1 }), status: 201 };
}

/** Creates a change that json-server supports. */
export function replaceCartItem(productId: string): ShopRequest {
  const path = `/api/cart-items/${productId}`;
  return { name: 'PUT /api/cart-items/ID', method: 'PUT', path, body: JSON.stringify({ quantity: 2 }), status: 200 };
}

function get(path: string): ShopRequest {
  return { name: `GET ${path}`, method: 'GET', path, status: 200 };
}
