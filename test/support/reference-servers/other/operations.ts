import type { IncomingMessage } from 'node:http';
import { getJson } from './body.ts';
import {
  additionViolations,
  changeViolations,
  expandViolations,
  idViolations,
  pageViolations,
  searchViolations,
} from './checks.ts';
import { deliveryOptions, products } from './default-data.ts';
import { problemPage, Refusal, refuseIfAny } from './problems.ts';
import { searchProducts } from './search.ts';
import { type CartItem, getArrival, getProduct, type Order, type Shop } from './shop.ts';

/** The parts of a request that an operation needs. */
export interface Call {
  readonly shop: Shop;
  readonly query: URLSearchParams;
  /** The decoded path parameter. Empty if the path has no parameter, or if it can't be decoded. */
  readonly parameter: string;
  readonly request: IncomingMessage;
  readonly serverUrl: string;
}

/** A response. Its body is either `json`, which is sent as JSON, or `text`, which has its own content type. */
export interface Answer {
  readonly status: number;
  readonly json?: object;
  readonly text?: { readonly type: string; readonly content: string };
  readonly headers?: Readonly<Record<string, string>>;
}

type Operation = (call: Call) => Answer | Promise<Answer>;

/** The operations by path and method. `*` in a path stands for a parameter. */
export const routes: Readonly<Record<string, Readonly<Record<string, Operation>>>> = {
  'api/products': { GET: listProducts },
  'api/delivery-options': { GET: listDeliveryOptions },
  'api/cart-items': { POST: addCartItem, GET: listCartItems },
  'api/cart-items/*': { DELETE: removeCartItem, PUT: updateCartItem },
  'api/orders': { POST: createOrder, GET: listOrders },
  'api/orders/*': { GET: getOrder },
  'api/payment-summary': { GET: ({ shop }) => ({ status: 200, json: shop.summary() }) },
  'api/reset': { POST: resetData },
  'problems/*': { GET: getProblemPage },
  'pictures/*': { GET: getPicture },
};

function listProducts({ query, serverUrl }: Call): Answer {
  refuseIfAny([...searchViolations(query), ...pageViolations(query)]);
  return getPage(searchProducts(products, query.get('search') ?? ''), query, `${serverUrl}/api/products`);
}

function listDeliveryOptions({ query }: Call): Answer {
  refuseIfAny(expandViolations(query));
  if (query.get('expand') !== 'estimatedDeliveryTime') return { status: 200, json: deliveryOptions };
  return { status: 200, json: deliveryOptions.map((one) => ({ estimatedDeliveryTimeMs: getArrival(one), ...one })) };
}

function listCartItems({ query, shop }: Call): Answer {
  refuseIfAny(expandViolations(query));
  return { status: 200, json: query.get('expand') === 'product' ? shop.cart.map(withProduct) : shop.cart };
}

async function addCartItem({ request, shop }: Call): Promise<Answer> {
  const body = await getJson(request);
  refuseIfAny(additionViolations(body));
  const { productId, quantity } = body as { productId: string; quantity: number };
  return { status: 201, json: shop.add(productId, quantity) };
}

async function updateCartItem({ request, parameter, shop }: Call): Promise<Answer> {
  const violations = idViolations('productId', parameter);
  // A request for an unknown item gets 404, even if its body is invalid.
  if (violations.length === 0) shop.getItem(parameter);
  const body = await getJson(request);
  refuseIfAny([...violations, ...changeViolations(body)]);
  return { status: 200, json: shop.change(parameter, getChange(body)) };
}

function getChange(body: unknown): Partial<CartItem> {
  const { quantity, deliveryOptionId: id } = (body ?? {}) as { quantity?: number; deliveryOptionId?: string | number };
  return {
    ...(quantity !== undefined && { quantity }),
    // BigInt, because `String` would write a large number with an exponent.
    ...(id !== undefined && { deliveryOptionId: typeof id === 'number' ? BigInt(id).toString() : id }),
  };
}

function removeCartItem({ parameter, shop }: Call): Answer {
  refuseIfAny(idViolations('productId', parameter));
  shop.remove(parameter);
  return { status: 204 };
}

function listOrders({ query, shop, serverUrl }: Call): Answer {
  refuseIfAny([...expandViolations(query), ...pageViolations(query)]);
  const shown = query.get('expand') === 'products' ? shop.orders.map(withProducts) : shop.orders;
  return getPage(shown, query, `${serverUrl}/api/orders`);
}

function createOrder({ shop, serverUrl }: Call): Answer {
  const order = shop.order();
  return { status: 201, json: order, headers: { LOCATION: `${serverUrl}/api/orders/${order.id}` } };
}

function getOrder({ parameter, query, shop }: Call): Answer {
  refuseIfAny([...expandViolations(query), ...idViolations('orderId', parameter)]);
  const order = shop.orderOf(parameter);
  return { status: 200, json: query.get('expand') === 'products' ? withProducts(order) : order };
}

function resetData({ shop }: Call): Answer {
  shop.reset();
  return { status: 204 };
}

function getProblemPage({ parameter }: Call): Answer {
  const content = problemPage(parameter);
  if (!content) throw new Refusal('unknown-path', 'There is no such problem.');
  return { status: 200, text: { type: 'text/html', content } };
}

function getPicture({ parameter }: Call): Answer {
  const addresses = products.map((one) => decodeURI(one.image.replace(/\?.*/, '')));
  if (!addresses.includes(`pictures/${parameter}`)) throw new Refusal('unknown-path', 'There is no such picture.');
  const content = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 2 2"><circle cx="1" cy="1" r="1"/></svg>\n';
  return { status: 200, text: { type: 'image/svg+xml', content } };
}

/** Returns the page of a list that a query selects, or the whole list if the query selects no page. */
function getPage(all: readonly { readonly id: string }[], query: URLSearchParams, url: string): Answer {
  const [size, place] = [query.get('limit'), query.get('after')];
  if (size === null && place === null) return { status: 200, json: all };
  const before = all.findIndex(({ id }) => id === place) + 1;
  if (place !== null && before === 0) throw new Refusal('unknown-cursor', `${place} is not in the list.`);
  const rest = all.slice(before);
  const shown = size === null ? rest : rest.slice(0, Number(size));
  const headers: Record<string, string> = { 'x-TOTAL-count': `${all.length}` };
  const query2 = new URLSearchParams({ ...Object.fromEntries(query), after: shown.at(-1)?.id ?? '' });
  if (shown.length < rest.length) headers.LINK = `<${url}?${query2}>; title="more"; rel=next`;
  return { status: 200, json: shown, headers };
}

function withProduct<Of extends { readonly productId: string }>(one: Of) {
  return { product: getProduct(one.productId), ...one };
}

function withProducts(order: Order) {
  return { ...order, products: order.products.map(withProduct) };
}
