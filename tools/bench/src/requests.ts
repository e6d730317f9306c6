/** A request of the measurements, with the expected status of its response. */
export interface ShopRequest {
  /** Method and path. */
  readonly name: string;
  readonly method: 'GET' | 'POST' | 'PUT';
  readonly path: string;
  /** JSON; undefined if the request has no body. */
  readonly body?: string;
  readonly status: number;
  /** Further requests. A measurement sends them in turn with this request. */
  readonly variants?: readonly ShopRequest[];
  /** The target: the CPU time of `bare` divided by the CPU time of our server. */
  readonly wantedRatio?: number;
}

/** Returns a request and its variants. */
export function withVariants(request: ShopRequest): readonly ShopRequest[] {
  return [request, ...(request.variants ?? [])];
}

/** The targets for cached responses, for many different searches, for changes that are durable, and for refused requests. */
const WANTED = { cached: 0.87, search: 0.6, durable: 0.45, refused: 0.45 };

/** The request for the list of products. A server has started when it responds to this request. */
export const products = get('/api/products');

/** Resets the data to the default data. */
export const reset: ShopRequest = { name: 'POST /api/reset', method: 'POST', path: '/api/reset', status: 204 };

/** The request for the cart with its products. */
export const expandedCart = get('/api/cart-items?expand=product');

/** The measured GET requests that all servers support. None of them depends on the time or has a parameter. */
export const gets: readonly ShopRequest[] = [
  products,
  get('/api/delivery-options'),
  get('/api/cart-items'),
  get('/api/payment-summary'),
  get('/api/orders'),
];

const SEARCHES = 300;

/** Creates the request for a search, with 299 other terms as variants. `words`: the words of the names and keywords of the products. */
export function searchProducts(words: readonly string[]): ShopRequest {
  const long = words.filter((word) => word.length > 3);
  // A word, a prefix of it, and the word with two exchanged letters.
  const terms = long.flatMap((word) => [word, word.slice(0, -1), `${word[0]}${word[2]}${word[1]}${word.slice(3)}`]);
  const [first, ...variants] = [...new Set(terms)]
    .slice(0, SEARCHES)
    .map((term) => get(`/api/products?search=${term}`));
  if (first === undefined) throw new RangeError('a product must have a word of four letters');
  const name = `GET /api/products?search=…, ${variants.length + 1} terms`;
  return { ...first, name, variants, wantedRatio: WANTED.search };
}

/** Creates changes of the quantity of an item in the cart. Each request changes the state, because its variants have other quantities. */
export function changeQuantity(productId: string): ShopRequest {
  const [first, ...variants] = [2, 3, 4, 5].map((quantity) => putQuantity(productId, quantity));
  return { ...(first as ShopRequest), variants, wantedRatio: WANTED.durable };
}

/** The requests to add an item that violate the contract: a body with two invalid values, and a body without the required properties. */
export const refused: readonly ShopRequest[] = [{ productId: 'x', quantity: 0 }, {}].map((item) => {
  const body = JSON.stringify(item);
  const name = `POST /api/cart-items ${body}`;
  return { name, method: 'POST', path: '/api/cart-items', body, status: 400, wantedRatio: WANTED.refused };
});

/** Creates the measured change: adds one unit of a product to the cart. Our server stores the change durably before it responds. */
export function addCartItem(productId: string): ShopRequest {
  const path = '/api/cart-items';
  const body = JSON.stringify({ productId, quantity: 1 });
  return { name: `POST ${path}`, method: 'POST', path, body, status: 201, wantedRatio: WANTED.durable };
}

/** Creates a change that json-server supports. */
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
