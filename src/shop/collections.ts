import type { Collection } from '../store/validate-state.ts';
import type { State } from './state.ts';
import type { SchemaName } from './types.ts';

/** The lists of the shop's state, in the order in which db.json has them. */
export const collections: Readonly<Record<keyof State, Collection & { readonly schema: SchemaName }>> = {
  products: { schema: 'Product', key: 'id' },
  // A cart item refers to one.
  deliveryOptions: { schema: 'DeliveryOption', key: 'id', isNeverEmpty: true },
  cartItems: { schema: 'CartItem', key: 'productId' },
  orders: { schema: 'Order', key: 'id' },
};
