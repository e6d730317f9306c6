import type { CartItem, DeliveryOption, Order, Product } from './types.ts';

/** The state of the shop: the shape of db.json. */
export type State = {
  readonly products: readonly Product[];
  readonly deliveryOptions: readonly DeliveryOption[];
  /** In the order in which the items were first added. */
  readonly cartItems: readonly CartItem[];
  /** The order created last first. */
  readonly orders: readonly Order[];
};
