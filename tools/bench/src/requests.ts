/** A request of the measurements, and the expected status of the response. */
export interface ShopRequest {
  /** The name of the request in reports: the method and the path. */
  readonly name: string;
  readonly method: 'GET' | 'POST' | 'PUT';
  readonly path: string;
  /** The body as JSON. Undefined if the request has no body. */
  readonly body?: string;
  readonly status: number;
  /** Similar requests. A measurement sends the request and its variants in turn. */
  readonly variants?: readonly ShopRequest[];
  /** The target: the minimum ratio of the CPU time of the server with only `node:http` to the CPU time of our server. */
  readonly wantedRatio?: number;
}

/** Returns a request and its variants. */
export function withVariants(request: ShopRequest): readonly ShopRequest[] {
  return [request, ...(request.variants ?? [])];
}

/** The target ratios for cached responses, for many different searches, for durable changes, and for rejected requests. */
const WANTED = { cached: 0.8, search: 0.55, durable: 0.35, refused: 0.35 };

/** The request for the list of products. A server counts as started when it responds to this request. */
export const products = get('/api/products');

/** The request that restores the default data. */
export const reset: ShopRequest = { name: 'POST /api/reset', method: 'POST', path: '/api/reset', status: 204 };

/** The request for the cart with the product of each item. */
export const expandedCart = get('/api/cart-items?expand=product');

/** The measured GET requests that all servers support. Their responses do not depend on the time, and they have no query parameters. */
export const gets: readonly ShopRequest[] = [
  products,
  get('/api/delivery-options'),
  get('/api/cart-items'),
  get('/api/payment-summary'),
  get('/api/orders'),
];

const SEARCHES = 300;

/** Returns the request for a search. It has up to 299 variants with other terms. `words`: the words in the names and keywords of the products. */
export function searchProducts(words: readonly string[]): ShopRequest {
  const long = words.filter((word) => word.length > 3);
  // The terms for a word: the word itself, the word without its last letter, and the word with two swapped letters.
  const terms = long.flatMap((word) => [word, word.slice(0, -1), `${word[0]}${word[2]}${word[1]}${word.slice(3)}`]);
  const [first, ...variants] = [...new Set(terms)]
    .slice(0, SEARCHES)
    .map((term) => get(`/api/products?search=${term}`));
  if (first === undefined) throw new RangeError('a product must have a word of four letters');
  const name = `GET /api/products?search=…, ${variants.length + 1} terms`;
  return { ...first, name, variants, wantedRatio: WANTED.search };
}

/** Returns the request that changes the quantity of a cart item. Its variants have other quantities, so that each request changes the state. */
export function changeQuantity(productId: string): ShopRequest {
  const [first, ...variants] = [2, 3, 4, 5].map((quantity) => putQuantity(productId, quantity));
  return { ...(first as ShopRequest), variants, wantedRatio: WANTED.durable };
}

/** The rejected requests that add a cart item. They violate the contract: the first body has two invalid values, and the second body has no properties. */
export const refused: readonly ShopRequest[] = [{ productId: 'x', quantity: 0 }, {}].map((item) => {
  const body = JSON.stringify(item);
  const name = `POST /api/cart-items ${body}`;
  return { name, method: 'POST', path: '/api/cart-items', body, status: 400, wantedRatio: WANTED.refused };
});

/** Returns the request that adds one unit of a product to the cart. Our server stores this change durably before it responds. */
export function addCartItem(productId: string): ShopRequest {
  const path = '/api/cart-items';
  const body = JSON.stringify({ productId, quantity: 1 });
  return { name: `POST ${path}`, method: 'POST', path, body, status: 201, wantedRatio: WANTED.durable };
}

/** Returns a request that changes a cart item and that json-server supports. */
export function replaceCartItem(productId: string): ShopRequest {
  return putQuantity(productId, 2);
}

function putQuantity(productId: string, quantity: number): ShopRequest {
  const path = `/api/cart-items/${productId}`;
  return { name: 'PUT /api/cart-items/ID', method: 'PUT', path, body: JSON.stringify({ quantity }), status: 200 };
}

function get(path: string): ShopRequest {
  return { name: `GET ${path}`, method: 'GET', path, status: 200, wantedRatio: WANTED.cached };
}
