import * as cartItems from './cart-items.ts';
import * as deliveryOptions from './delivery-options.ts';
import type { Handlers } from './handler.ts';
import * as orders from './orders.ts';
import * as paymentSummary from './payment-summary.ts';
import * as products from './products.ts';
import * as reset from './reset.ts';

/**
 * The handlers of all operations. A file of this folder exports each handler under its operationId. The code does not compile while an operation of
 * the contract has no handler.
 */
export const handlers: Handlers = {
  ...cartItems,
  ...deliveryOptions,
  ...orders,
  ...paymentSummary,
  ...products,
  ...reset,
};
