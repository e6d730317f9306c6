import type { CartItem, DeliveryOption, Order, Product } from '../shop/types.ts';

/** All that a shop knows, as plain data that nobody changes: a change makes a new one. The shape of db.json. */
export interface State {
  readonly products: readonly Product[];
  readonly deliveryOptions: readonly DeliveryOption[];
  /** In the order in which the items were first added. */
  readonly cartItems: readonly CartItem[];
  /** The order created last first. */
  readonly orders: readonly Order[];
}

/** A committed state, and which one it is: the revision grows by one with each commit that changed something. */
export interface Snapshot {
  readonly state: State;
  readonly revision: number;
}
