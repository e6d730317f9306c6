import type { Collection } from '../store/validate-state.ts';
import type * as api from './api-types.ts';
import type { components } from './schema.d.ts';
import type { DeepReadonly } from './types.ts';

/** The state of the shop, which db.json contains. It is read-only: the server never changes it in place. */
export type State = DeepReadonly<api.State>;

/** The collections of the state, in the order of db.json. */
export const collections: Readonly<Record<keyof State, Collection & { schema: keyof components['schemas'] }>> = {
  products: { schema: 'Product', key: 'id' },
  // A new cart item refers to the default delivery option.
  deliveryOptions: { schema: 'DeliveryOption', key: 'id', isNeverEmpty: true },
  cartItems: { schema: 'CartItem', key: 'productId' },
  orders: { schema: 'Order', key: 'id' },
};
