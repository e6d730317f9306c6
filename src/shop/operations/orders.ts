import { type Catalogue, findProduct } from '../domain/catalogue.ts';
import { createOrderFromCart, orderWithId } from '../domain/order.ts';
import type { Order } from '../types.ts';
import type { Handler } from './handler.ts';

/** The orders, the one created last first; on request with their products. */
export const listOrders: Handler<'listOrders'> = ({ query }, shop) => {
  const state = shop.read();
  if (query.expand === undefined) return { body: state.orders };
  return { body: state.orders.map((order) => expanded(order, state)) };
};

/** The order of all that is in the cart, which is empty then. */
export const createOrder: Handler<'createOrder'> = async (_input, shop) => {
  const order = await shop.update((state, nowMs) => {
    const order = createOrderFromCart(state.cartItems, state, { id: shop.newId(), orderTimeMs: nowMs });
    return { next: { ...state, cartItems: [], orders: [order, ...state.orders] }, result: order };
  });
  return { body: order, headers: { Location: `/api/orders/${order.id}` } };
};

/** One order, on request with its products. */
export const getOrder: Handler<'getOrder'> = ({ path, query }, shop) => {
  const state = shop.read();
  const order = orderWithId(state.orders, path.orderId);
  return { body: query.expand === undefined ? order : expanded(order, state) };
};

function expanded(order: Order, catalogue: Catalogue): Order {
  return {
    ...order,
    products: order.products.map((entry) => ({ ...entry, product: findProduct(catalogue, entry.productId) })),
  };
}
