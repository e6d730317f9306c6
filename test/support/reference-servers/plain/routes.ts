import { readFileSync } from 'node:fs';
import {
  bodyViolations,
  cartItemChange,
  type Fields,
  newCartItem,
  pageViolations,
  pathViolations,
  queryViolations,
} from './checks.ts';
import { type Answer, invalid, problemPage, Refusal, type Violation } from './refusal.ts';
import { searchProducts } from './search.ts';
import * as shops from './shop.ts';

const ROOT = new URL('../../../../', import.meta.url);

/** The state of the server. `POST /api/reset` replaces the shop. */
export interface Session {
  shop: shops.Shop;
}

/** The parts of a request that an operation needs. */
export interface Call {
  /** The value of the path parameter. Empty if the path has no parameter. */
  readonly id: string;
  readonly query: URLSearchParams;
  /** The parsed JSON body. Undefined if the request has no body. */
  readonly body: unknown;
}

/** An operation of the contract. */
export interface Operation {
  /** The name of the query parameter. Undefined if the operation has none. */
  readonly query?: string;
  /** Whether the query parameters `limit` and `after` can select a page. */
  readonly hasPages?: boolean;
  readonly body?: { readonly fields: Fields; readonly required: boolean };
  /** Called before the body is parsed, for example to check whether the resource exists. Throws a `Refusal` to reject the request. */
  before?(session: Session, id: string): void;
  run(session: Session, call: Call): Answer;
}

/** A path and its operations. */
export interface Route {
  readonly path: string;
  readonly operations: Readonly<Record<string, Operation>>;
}

/** The route that matches a path, and the name and value of its path parameter. Name and value are empty if the route has no parameter. */
export interface Found {
  readonly route: Route;
  readonly parameter: string;
  readonly id: string;
}

const getProducts: Operation = {
  query: 'search',
  hasPages: true,
  run: ({ shop }, { query }) => page('/api/products', searchProducts(shop.products, query.get('search') ?? ''), query),
};

const getDeliveryOptions: Operation = {
  query: 'expand',
  run: ({ shop }, { query }) =>
    json(
      query.get('expand') === 'estimatedDeliveryTime'
        ? shops.withEstimates(shop.deliveryOptions)
        : shop.deliveryOptions,
    ),
};

const getCart: Operation = {
  query: 'expand',
  run: ({ shop }, { query }) =>
    json(query.get('expand') === 'product' ? shops.withProducts(shop, shop.cartItems) : shop.cartItems),
};

const postCartItem: Operation = {
  body: { fields: newCartItem, required: true },
  run: ({ shop }, { body }) => {
    const { productId, quantity } = body as { productId: string; quantity: number };
    return json(shops.addItem(shop, productId, quantity), 201);
  },
};

const putCartItem: Operation = {
  body: { fields: cartItemChange, required: false },
  before: ({ shop }, id) => void shops.getItem(shop, id),
  run: ({ shop }, { id, body }) => json(shops.changeItem(shop, id, (body ?? {}) as shops.ItemChange)),
};

const deleteCartItem: Operation = {
  run: ({ shop }, { id }) => {
    shops.removeItem(shop, id);
    return { status: 204 };
  },
};

const getOrders: Operation = {
  query: 'expand',
  hasPages: true,
  run: ({ shop }, { query }) => {
    const orders: readonly shops.Order[] = shop.orders;
    return page('/api/orders', orders, query, (each) =>
      query.get('expand') === 'products' ? shops.withOrderProducts(shop, each) : each,
    );
  },
};

const postOrder: Operation = {
  run: ({ shop }) => {
    const order = shops.createOrder(shop);
    return { ...json(order, 201), headers: { Location: `/api/orders/${order.id}` } };
  },
};

const getOrder: Operation = {
  query: 'expand',
  run: ({ shop }, { id, query }) => {
    const order = shops.orderOf(shop, id);
    return json(query.get('expand') === 'products' ? shops.withOrderProducts(shop, order) : order);
  },
};

const getSummary: Operation = { run: ({ shop }) => json(shops.paymentSummary(shop)) };

const postReset: Operation = {
  run: (session) => {
    session.shop = shops.defaultShop();
    return { status: 204 };
  },
};

// These two operations are also part of the contract: the `type` of a problem is the path of a page, and the path of an image is relative to the root of the
// server.
const getProblemPage: Operation = {
  run: (_, { id }) => problemPage(id) ?? nothingThere(),
};

const getImage: Operation = {
  run: ({ shop }, { id }) => {
    const image = shop.products.find((product) => product.image === `images/products/${id}`)?.image ?? nothingThere();
    return { status: 200, type: 'image/svg+xml', body: readFileSync(new URL(image, ROOT)) };
  },
};

const routes: readonly Route[] = [
  { path: '/api/products', operations: { GET: getProducts } },
  { path: '/api/delivery-options', operations: { GET: getDeliveryOptions } },
  { path: '/api/cart-items', operations: { GET: getCart, POST: postCartItem } },
  { path: '/api/cart-items/{productId}', operations: { PUT: putCartItem, DELETE: deleteCartItem } },
  { path: '/api/orders', operations: { GET: getOrders, POST: postOrder } },
  { path: '/api/orders/{orderId}', operations: { GET: getOrder } },
  { path: '/api/payment-summary', operations: { GET: getSummary } },
  { path: '/api/reset', operations: { POST: postReset } },
  { path: '/problems/{name}', operations: { GET: getProblemPage } },
  { path: '/images/products/{file}', operations: { GET: getImage } },
];

/** Returns the route that matches a path. Throws a `Refusal` if no route matches. */
export function findRoute(path: string): Found {
  const segments = path
    .replace(/(.)\/$/, '$1')
    .split('/')
    .map(unescaped);
  for (const route of routes) {
    const parts = route.path.split('/');
    const open = parts.findIndex((part) => part.startsWith('{'));
    const fits = parts.every((part, index) => (index === open ? segments[index] !== '' : segments[index] === part));
    if (!fits || parts.length !== segments.length) continue;
    return { route, parameter: parts[open]?.slice(1, -1) ?? '', id: segments[open] ?? '' };
  }
  return nothingThere();
}

/** Validates a request and runs its operation. Throws a `Refusal` if the path, the query or the body violates the contract. */
export function perform(
  session: Session,
  operation: Operation,
  { parameter, id }: Found,
  query: URLSearchParams,
  readBody: () => unknown,
): Answer {
  const inPath = parameter.endsWith('Id') ? pathViolations(parameter, id) : [];
  if (inPath.length === 0) operation.before?.(session, id);
  const inQuery = operation.query ? queryViolations(query, operation.query) : [];
  const inPage = operation.hasPages ? pageViolations(query) : [];
  const body = operation.body ? readBody() : undefined;
  const violations = [...inPath, ...inQuery, ...inPage, ...(operation.body ? getViolations(operation.body, body) : [])];
  if (violations.length > 0) throw invalid(violations);
  return operation.run(session, { id, query, body });
}

/** Returns the operation of a route with this method. Throws a `Refusal` if the route does not support the method. */
export function getOperation(route: Route, method: string): Operation {
  const operation = Object.hasOwn(route.operations, method) ? route.operations[method] : undefined;
  if (operation) return operation;
  const allow = getAllow(route);
  const detail = `${method} is not a method of ${route.path}: use ${allow}`;
  throw new Refusal('method-not-allowed', detail, { headers: { Allow: allow } });
}

/** Returns the value of the header `Allow` for a route: its methods. */
export function getAllow(route: Route): string {
  return Object.keys(route.operations).join(', ');
}

function getViolations({ fields, required }: NonNullable<Operation['body']>, body: unknown): Violation[] {
  if (body !== undefined) return bodyViolations(fields, body);
  return required ? [{ in: 'body', pointer: '', rule: 'required', remedy: 'send a JSON object' }] : [];
}

function unescaped(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    throw new Refusal('malformed-request', 'the path has a % that begins no escape of UTF-8: write it as %25');
  }
}

function nothingThere(): never {
  throw new Refusal('unknown-path', 'the contract has no such path: see openapi.yaml for those that there are');
}

/** Returns the page of a list that a query selects, or the whole list if the query selects no page. */
function page<Entry extends { readonly id: string }>(
  path: string,
  entries: readonly Entry[],
  query: URLSearchParams,
  show: (entry: Entry) => object = (entry) => entry,
): Answer {
  if (!query.has('limit') && !query.has('after')) return json(entries.map(show));
  const ids = entries.map(({ id }) => id);
  const after = query.get('after');
  if (after !== null && !ids.includes(after)) throw new Refusal('unknown-cursor', `no entry has the id ${after}`);
  const start = after === null ? 0 : ids.indexOf(after) + 1;
  const end = query.has('limit') ? start + Number(query.get('limit')) : ids.length;
  const next = new URLSearchParams(query);
  next.set('after', ids[end - 1] ?? '');
  const link = end < ids.length ? { Link: `<${path}?${next}>; rel="next"` } : {};
  return { ...json(entries.slice(start, end).map(show)), headers: { ...link, 'X-Total-Count': String(ids.length) } };
}

function json(value: unknown, status = 200): Answer {
  return { status, type: 'application/json', body: JSON.stringify(value) };
}
