import type { Collection } from '../store/validate-state.ts';
import type * as api from './api-types.ts';
import type { components } from './schema.d.ts';
import type { DeepReadonly } from './types.ts';

/** The data of the shop, as in the file `db.json`. The type is read-only, because each change creates a new object. */
export type State = DeepReadonly<api.State>;

/**
 * The lists in the data of the shop, in the order of `db.json`.
 * Each has the schema of its entries, and the property that identifies an entry.
 */
export const collections: Readonly<Record<keyof State, Collection & { schema: keyof components['schemas'] }>> = {
  products: { schema: 'Product', key: 'id' },
  // At least one delivery option is required, because each cart item refers to one.
  deliveryOptions: { schema: 'DeliveryOption', key: 'id', isNeverEmpty: true },
  cartItems: { schema: 'CartItem', key: 'productId' },
  orders: { schema: 'Order', key: 'id' },
};
