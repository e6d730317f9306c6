import type { CartItem, Order } from '../types.ts';
import { type Catalogue, findDeliveryOption } from './catalogue.ts';
import { estimatedDeliveryTimeMs } from './delivery.ts';
import { DomainError } from './domain-error.ts';
import { paymentSummary } from './pricing.ts';

/** When and under which id an order is made. */
export interface OrderMark {
  readonly id: string;
  /** In ms since 1970. */
  readonly orderTimeMs: number;
}

/**
 * The order of all that is in the cart; its total is that of the payment summary, its estimates keep the delivery options in force.
 * Ours: an empty cart is refused as `empty-cart`.
 */
export function createOrderFromCart(
  cart: readonly CartItem[],
  catalogue: Catalogue,
  { id, orderTimeMs }: OrderMark,
): Order {
  if (cart.length === 0) {
    throw new DomainError(
      'empty-cart',
      'the cart is empty, so there is nothing to order: add a product first with POST /api/cart-items',
    );
  }
  return {
    id,
    orderTimeMs,
    totalCostCents: paymentSummary(cart, catalogue).totalCostCents,
    products: cart.map(({ productId, quantity, deliveryOptionId }) => ({
      productId,
      quantity,
      estimatedDeliveryTimeMs: estimatedDeliveryTimeMs(orderTimeMs, findDeliveryOption(catalogue, deliveryOptionId)),
    })),
  };
}

/** The order of this id; refused as `unknown-order` where there is none. */
export function orderWithId(orders: readonly Order[], orderId: string): Order {
  const order = orders.find(({ id }) => id === orderId);
  if (order) return order;
  throw new DomainError('unknown-order', `no order has the id ${orderId}: GET /api/orders lists those that there are`);
}
