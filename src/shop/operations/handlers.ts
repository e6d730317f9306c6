import { isLongList } from '../../util/limits.ts';
import { findOffset, formatLinks, slicePage } from '../../util/pages.ts';
import { HttpProblemError } from '../../util/problem.ts';
import {
  addItem,
  type Catalogue,
  computePaymentSummary,
  createOrderFromCart,
  findCartItem,
  findDeliveryOption,
  findOrder,
  findProduct,
  getDefaultDeliveryOption,
  getEstimatedDeliveryTimeMs,
  getLastId,
  getNumberedItems,
  hasExactCosts,
  MAX_CART_COST_CENTS,
  removeItem,
  replaceItem,
  storeLastId,
} from '../domain/cart.ts';
import { DomainError } from '../domain/domain-error.ts';
import { MAX_TERM_LENGTH } from '../search/product-search.ts';
import type { Order, Product } from '../types.ts';
import type { Handler, Handlers } from './handler.ts';

/**
 * The query parameters that select a page of a list.
 * `limit`: the maximum number of entries.
 * `after`: the id of the last entry before the page.
 */
interface PageQuery {
  readonly limit?: string;
  readonly after?: string;
}

/**
 * Returns whether a query selects one page of a list.
 * Otherwise the response contains the whole list, without the headers `Link` and `X-Total-Count`.
 */
function isPaged({ limit, after }: PageQuery): boolean {
  return limit !== undefined || after !== undefined;
}

/**
 * Returns a response with the page that the query selects.
 * Without `limit` and `after`, returns a response with all entries.
 * Throws `unknown-cursor` if `after` is not the id of an entry.
 * `path`: the path of the operation, for the link to the next page.
 */
function respondWithPage<Entry extends { readonly id: string }>(
  entries: readonly Entry[],
  path: string,
  query: PageQuery,
): {
  readonly body: readonly Entry[];
  readonly headers?: { readonly Link?: string; readonly 'X-Total-Count': string };
} {
  if (!isPaged(query)) return { body: entries };
  const limit = query.limit === undefined ? undefined : Number(query.limit);
  const offset = query.after === undefined ? 0 : requireOffset(entries, query.after);
  const page = slicePage(entries, { offset, limit }, ({ id }) => id);
  const link = formatLinks(page, { name: 'after', kind: 'cursor', first: 0 }, { path, query: { ...query } });
  return {
    body: page.entries,
    headers: { ...(link !== undefined && { Link: link }), 'X-Total-Count': String(page.total) },
  };
}

/**
 * Returns the number of entries up to and including the entry with the given `id`.
 * Throws `unknown-cursor` if there is no such entry.
 * Decision: an unknown id is an error, because otherwise the client would miss or repeat entries.
 */
function requireOffset(entries: readonly { readonly id: string }[], id: string): number {
  const offset = findOffset(entries, id, (entry) => entry.id);
  if (offset !== undefined) return offset;
  const remedy = 'Request the list again without after, or use the id of the last entry on a page.';
  throw new DomainError('unknown-cursor', `The list has no entry with the id ${id}. ${remedy}`);
}

/** Returns the items of the cart. With `expand=product`, each item also contains the whole product. */
const listCartItems: Handler<'listCartItems'> = ({ query }, shop) => {
  const state = shop.read();
  const items = getNumberedItems(state);
  if (query.expand === undefined) return { body: items };
  return { body: items.map((item) => ({ ...item, product: findProduct(state, item.productId) })) };
};

/** Adds a product to the cart. Returns the cart item of the product. */
const addCartItem: Handler<'addCartItem'> = async ({ body: { productId, quantity } }, shop) => {
  const item = await shop.update((state) => {
    findProduct(state, productId);
    const items = getNumberedItems(state);
    const id = getLastId(items, state) + 1;
    const added = { id, productId, quantity, deliveryOptionId: getDefaultDeliveryOption(state).id };
    const cartItems = addItem(items, added);
    if (!hasExactCosts(cartItems, state)) throw new DomainError('quantity-limit', COSTS_TOO_MUCH);
    return { next: { ...state, cartItems }, result: findCartItem(cartItems, productId) };
  });
  return { body: item };
};

/** Changes the quantity or the delivery option of a cart item, or both. Returns the changed item. */
const updateCartItem: Handler<'updateCartItem'> = async ({ path, body = {} }, shop) => {
  const item = await shop.update((state) => {
    const items = getNumberedItems(state);
    const current = findCartItem(items, path.productId);
    const { quantity = current.quantity } = body;
    // Decision: an id that is a number is converted to a decimal string, because some front ends send a number.
    const deliveryOptionId = String(body.deliveryOptionId ?? current.deliveryOptionId);
    if (quantity === current.quantity && deliveryOptionId === current.deliveryOptionId) return { result: current };
    const changed = { ...current, quantity, deliveryOptionId: findDeliveryOption(state, deliveryOptionId).id };
    const cartItems = replaceItem(items, changed);
    if (!hasExactCosts(cartItems, state)) throw createQuantityError(quantity);
    return { next: { ...state, cartItems }, result: changed };
  });
  return { body: item };
};

const COSTS_TOO_MUCH = `The products in the cart would cost more than ${MAX_CART_COST_CENTS} cents in total. Use a lower quantity, or remove items first.`;

function createQuantityError(quantity: number): HttpProblemError {
  const remedy = 'use a lower quantity, or remove items first';
  const violation = { in: 'body', pointer: '/quantity', rule: 'maximum', value: quantity, remedy } as const;
  return new HttpProblemError({ code: 'invalid-request', detail: COSTS_TOO_MUCH, violations: [violation] });
}

/** Removes a product from the cart. */
const removeCartItem: Handler<'removeCartItem'> = async ({ path: { productId } }, shop) => {
  await shop.update((state) => {
    const items = getNumberedItems(state);
    findCartItem(items, productId);
    const cartItems = removeItem(items, productId);
    return { next: { ...state, ...storeLastId(items, cartItems, state), cartItems }, result: undefined };
  });
  return {};
};

/** Returns the costs of the cart: products, shipping, tax and total. */
const getPaymentSummary: Handler<'getPaymentSummary'> = (_input, shop) => {
  const state = shop.read();
  return { body: computePaymentSummary(state.cartItems, state) };
};

/**
 * Returns all products.
 * With `search`, returns only products that match the search term, the most relevant first.
 * With `limit` or `after`, returns one page of the list.
 */
const listProducts: Handler<'listProducts'> = ({ query }, shop) => {
  const { products } = shop.read();
  // One UTF-16 code unit more than a search uses.
  // If this cut splits a surrogate pair, the link to the next page still has all code units that a search uses.
  const search = query.search?.slice(0, MAX_TERM_LENGTH + 1);
  const used = { ...query, search };
  const respond = (found: readonly Product[]) => respondWithPage(found, '/api/products', used);
  if (search === undefined) return respond(products);
  if (!isLongList(products)) return respond(shop.search(products, search));
  return shop.searchInSlices(products, search).then(respond);
};

/**
 * Returns the delivery options.
 * With `expand=estimatedDeliveryTime`, each option also contains the delivery time of an order that is placed now.
 */
const listDeliveryOptions: Handler<'listDeliveryOptions'> = ({ query }, shop) => {
  const { deliveryOptions } = shop.read();
  if (query.expand === undefined) return { body: deliveryOptions };
  const nowMs = shop.nowMs();
  const body = deliveryOptions.map((option) => {
    const estimatedDeliveryTimeMs = getEstimatedDeliveryTimeMs(nowMs, option);
    return { ...option, estimatedDeliveryTimeMs };
  });
  return { body };
};

/**
 * Returns the orders, the newest first.
 * With `limit` or `after`, returns one page of them.
 * With `expand=products`, an order also contains its whole products, not only their ids.
 */
const listOrders: Handler<'listOrders'> = ({ query }, shop) => {
  const state = shop.read();
  const response = respondWithPage(state.orders, '/api/orders', query);
  if (query.expand === undefined) return response;
  return { ...response, body: response.body.map((order) => expandProducts(order, state)) };
};

/** Creates an order of all items in the cart, empties the cart, and returns the order. */
const createOrder: Handler<'createOrder'> = async (_input, shop) => {
  const order = await shop.update((state, nowMs) => {
    const order = createOrderFromCart(state.cartItems, state, { id: shop.newId(), orderTimeMs: nowMs });
    const lastId = storeLastId(getNumberedItems(state), [], state);
    return { next: { ...state, ...lastId, cartItems: [], orders: [order, ...state.orders] }, result: order };
  });
  return { body: order, headers: { Location: `/api/orders/${order.id}` } };
};

/** Returns one order. With `expand=products`, it also contains the whole products, not only their ids. */
const getOrder: Handler<'getOrder'> = ({ path, query }, shop) => {
  const state = shop.read();
  const order = findOrder(state.orders, path.orderId);
  return { body: query.expand === undefined ? order : expandProducts(order, state) };
};

function expandProducts(order: Order, catalogue: Catalogue): Order {
  return {
    ...order,
    products: order.products.map((entry) => ({ ...entry, product: findProduct(catalogue, entry.productId) })),
  };
}

/** Restores the default data. */
const resetData: Handler<'resetData'> = async (_input, shop) => {
  await shop.reset();
  return {};
};

/**
 * The handlers of all operations.
 * The keys are operationIds.
 * TypeScript reports an error if an operation of the contract has no handler.
 */
export const handlers: Handlers = {
  listCartItems,
  addCartItem,
  updateCartItem,
  removeCartItem,
  getPaymentSummary,
  listProducts,
  listDeliveryOptions,
  listOrders,
  createOrder,
  getOrder,
  resetData,
};
