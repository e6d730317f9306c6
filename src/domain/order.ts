import type { CartItem, Order } from '../contract/operation.ts';
import { type Catalogue, deliveryOptionOf } from './catalogue.ts';
import { estimatedDeliveryTimeMs } from './delivery.ts';
import { paymentSummary } from './pricing.ts';
import { Refusal } from './refusal.ts';

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
export function orderOf(cart: readonly CartItem[], catalogue: Catalogue, { id, orderTimeMs }: OrderMark): Order {
  if (cart.length === 0) {
    throw new Refusal(
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
      estimatedDeliveryTimeMs: estimatedDeliveryTimeMs(orderTimeMs, deliveryOptionOf(catalogue, deliveryOptionId)),
    })),
  };
}

/** The order of this id; refused as `unknown-order` where there is none. */
export function orderWithId(orders: readonly Order[], orderId: string): Order {
  const order = orders.find(({ id }) => id === orderId);
  if (order) return order;
  throw new Refusal('unknown-order', `no order has the id ${orderId}: GET /api/orders lists those that there are`);
}
