import type { CartItem, Order } from '../types.ts';
import { type Catalogue, findDeliveryOption, getEstimatedDeliveryTimeMs } from './catalogue.ts';
import { DomainError } from './domain-error.ts';
import { computePaymentSummary } from './pricing.ts';

/**
 * Creates an order of all items in the cart.
 * The order stores its total cost and delivery times, so later changes of prices do not affect it.
 * Decision: throws `empty-cart` if the cart is empty.
 */
export function createOrderFromCart(
  cart: readonly CartItem[],
  catalogue: Catalogue,
  { id, orderTimeMs }: Pick<Order, 'id' | 'orderTimeMs'>,
): Order {
  if (cart.length === 0) {
    throw new DomainError('empty-cart', 'The cart is empty. Add a product first with POST /api/cart-items.');
  }
  return {
    id,
    orderTimeMs,
    totalCostCents: computePaymentSummary(cart, catalogue).totalCostCents,
    products: cart.map(({ productId, quantity, deliveryOptionId }) => ({
      productId,
      quantity,
      estimatedDeliveryTimeMs: getEstimatedDeliveryTimeMs(orderTimeMs, findDeliveryOption(catalogue, deliveryOptionId)),
    })),
  };
}

/** Finds an order by its id. Throws `unknown-order` if there is none. */
export function findOrder(orders: readonly Order[], orderId: string): Order {
  const order = orders.find(({ id }) => id === orderId);
  if (order) return order;
  throw new DomainError('unknown-order', `No order has the id ${orderId}. GET /api/orders lists all orders.`);
}
