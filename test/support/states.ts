import type { State } from '../../src/store/state.ts';
import type { Change } from '../../src/store/store.ts';
import { defaults } from './default-data.ts';

/** Ids of products of the default data that its cart doesn't hold. */
export const PRODUCT_IDS: readonly string[] = defaults.products
  .map(({ id }) => id)
  .filter((id) => defaults.cartItems.every(({ productId }) => productId !== id));

/** A change that puts an item at the end of the cart, and whose result is the item's product. */
export function putting(productId: string, quantity = 1): Change<string> {
  return (state) => ({
    next: { ...state, cartItems: [...state.cartItems, { productId, quantity, deliveryOptionId: '1' }] },
    result: productId,
  });
}

/** The products in a state's cart, without those that the default cart has. */
export function putInto({ cartItems }: State): readonly string[] {
  return cartItems.map(({ productId }) => productId).filter((id) => PRODUCT_IDS.includes(id));
}
