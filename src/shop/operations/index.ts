import { addCartItem, listCartItems, removeCartItem, updateCartItem } from './cart-items.ts';
import { listDeliveryOptions } from './delivery-options.ts';
import type { Handlers } from './handler.ts';
import { createOrder, getOrder, listOrders } from './orders.ts';
import { getPaymentSummary } from './payment-summary.ts';
import { listProducts } from './products.ts';
import { resetData } from './reset.ts';

/** The handler of each operation of the contract. A missing operation does not compile. */
export const handlers: Handlers = {
  listProducts,
  listDeliveryOptions,
  listCartItems,
  addCartItem,
  updateCartItem,
  removeCartItem,
  listOrders,
  createOrder,
  getOrder,
  getPaymentSummary,
  resetData,
};
