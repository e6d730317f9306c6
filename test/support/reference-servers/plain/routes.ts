import { readFileSync } from 'node:fs';
import { bodyViolations, cartItemChange, type Fields, newCartItem, pathViolations, queryViolations } from './checks.ts';
import { type Answer, invalid, problemPage, Refusal, type Violation } from './refusal.ts';
import { searchProducts } from './search.ts';
import * as shops from './shop.ts';

const ROOT = new URL('../../../../', import.meta.url);

/** The shop that the operations use; `POST /api/reset` replaces it. */
export interface Session {
  shop: shops.Shop;
}

/** The input of an operation. */
export interface Call {
  /** The value of the path parameter; empty if the path has none. */
  readonly id: string;
  readonly query: URLSearchParams;
  /** Undefined without a body. */
  readonly body: unknown;
}

/** An operation of a path. */
export interface Operation {
  /** The name of the query parameter, and its only allowed value, if any. */
  readonly query?: readonly [name: string, allowed?: string];
  readonly body?: { readonly fields: Fields; readonly required: boolean };
  /** Checks the path before the body is parsed. */
  before?(session: Session, id: string): void;
  run(session: Session, call: Call): Answer;
}

/** A path and its operations. */
export interface Route {
  readonly path: string;
  readonly operations: Readonly<Record<string, Operation>>;
}

/** The route of a path, with the name and value of its parameter; both are empty if it has none. */
export interface Found {
  readonly route: Route;
  readonly parameter: string;
  readonly id: string;
}

const getProducts: Operation = {
  query: ['search'],
  run: ({ shop }, { query }) => json(searchProducts(shop.products, query.get('search') ?? '')),
};

const getDeliveryOptions: Operation = {
  query: ['expand', 'estimatedDeliveryTime'],
  run: ({ shop }, { query }) =>
    json(query.has('expand') ? shops.withEstimates(shop.deliveryOptions) : shop.deliveryOptions),
};

const getCart: Operation = {
  query: ['expand', 'product'],
  run: ({ shop }, { query }) => json(query.has('expand') ? shops.withProducts(shop, shop.cartItems) : shop.cartItems),
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
  before: ({ shop }, id) => void shops.itemOf(shop, id),
  run: ({ shop }, { id, body }) => json(shops.changeItem(shop, id, (body ?? {}) as shops.ItemChange)),
};

const deleteCartItem: Operation = {
  run: ({ shop }, { id }) => {
    shops.removeItem(shop, id);
    return { status: 204 };
  },
};

const getOrders: Operation = {
  query: ['expand', 'products'],
  run: ({ shop }, { query }) =>
    json(query.has('expand') ? shop.orders.map((each) => shops.withOrderProducts(shop, each)) : shop.orders),
};

const postOrder: Operation = {
  run: ({ shop }) => {
    const order = shops.createOrder(shop);
    return { ...json(order, 201), headers: { Location: `/api/orders/${order.id}` } };
  },
};

const getOrder: Operation = {
  query: ['expand', 'products'],
  run: ({ shop }, { id, query }) => {
    const order = shops.orderOf(shop, id);
    return json(query.has('expand') ? shops.withOrderProducts(shop, order) : order);
  },
};

const getSummary: Operation = { run: ({ shop }) => json(shops.paymentSummary(shop)) };

const postReset: Operation = {
  run: (session) => {
    session.shop = shops.defaultShop();
    return { status: 204 };
  },
};

// Also part of the contract: a problem type leads to a page, and an image path is relative to the root of the server.
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

/** Finds the route of a path; throws if there is none. */
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

/** Handles a request, unless its path, query or body breaks the contract. */
export function perform(
  session: Session,
  operation: Operation,
  { parameter, id }: Found,
  query: URLSearchParams,
  readBody: () => unknown,
): Answer {
  const inPath = parameter.endsWith('Id') ? pathViolations(parameter, id) : [];
  if (inPath.length === 0) operation.before?.(session, id);
  const inQuery = operation.query ? queryViolations(query, ...operation.query) : [];
  const body = operation.body ? readBody() : undefined;
  const violations = [...inPath, ...inQuery, ...(operation.body ? violationsOf(operation.body, body) : [])];
  if (violations.length > 0) throw invalid(violations);
  return operation.run(session, { id, query, body });
}

/** Returns the operation of a method; throws if the path does not have it. */
export function operationOf(route: Route, method: string): Operation {
  const operation = Object.hasOwn(route.operations, method) ? route.operations[method] : undefined;
  if (operation) return operation;
  const allow = allowOf(route);
  const detail = `${method} is not a method of ${route.path}: use ${allow}`;
  throw new Refusal('method-not-allowed', detail, { headers: { Allow: allow } });
}

/** Returns the methods of a route for `Allow`. */
export function allowOf(route: Route): string {
  return Object.keys(route.operations).join(', ');
}

function violationsOf({ fields, required }: NonNullable<Operation['body']>, body: unknown): Violation[] {
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

function json(value: unknown, status = 200): Answer {
  return { status, type: 'application/json', body: JSON.stringify(value) };
}
