import { getNumberedItems, storeLastId } from '../domain/cart-item-ids.ts';
import { type Catalogue, findProduct } from '../domain/catalogue.ts';
import { createOrderFromCart, findOrder } from '../domain/order.ts';
import type { Order } from '../types.ts';
import type { Handler } from './handler.ts';
import { respondWithPage } from './page.ts';

/**
 * Returns the orders, the newest first. With `limit` or `after`, returns one page of them. With `expand=products`, an order also contains its whole products,
 * not only their ids.
 */
export const listOrders: Handler<'listOrders'> = ({ query }, shop) => {
  const state = shop.read();
  const response = respondWithPage(state.orders, '/api/orders', query);
  if (query.expand === undefined) return response;
  return { ...response, body: response.body.map((order) => expandProducts(order, state)) };
};

/** Creates an order of all items in the cart, empties the cart, and returns the order. */
export const createOrder: Handler<'createOrder'> = async (_input, shop) => {
  const order = await shop.update((state, nowMs) => {
    const order = createOrderFromCart(state.cartItems, state, { id: shop.newId(), orderTimeMs: nowMs });
    const lastId = storeLastId(getNumberedItems(state), [], state);
    return { next: { ...state, ...lastId, cartItems: [], orders: [order, ...state.orders] }, result: order };
  });
  return { body: order, headers: { Location: `/api/orders/${order.id}` } };
};

/** Returns one order. With `expand=products`, it also contains the whole products, not only their ids. */
export const getOrder: Handler<'getOrder'> = ({ path, query }, shop) => {
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
