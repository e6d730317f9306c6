import type { CartItem } from '../types.ts';
import { DomainError } from './domain-error.ts';

/** Decision: the highest quantity of one product in a cart, so that costs stay exact. `Quantity` of the contract has the same limit. */
export const QUANTITY_LIMIT = 1_000_000;

/** Returns the item of a product. Throws `unknown-cart-item` if the cart does not contain the product. */
export function findCartItem(cart: readonly CartItem[], productId: string): CartItem {
  const item = cart.find((item) => item.productId === productId);
  if (item) return item;
  throw new DomainError(
    'unknown-cart-item',
    `The cart has no item of product ${productId}. Add the product first with POST /api/cart-items.`,
  );
}

/**
 * Returns the cart with `added` as its last item. Decision: if the cart contains the product already, the quantity is added to that item, which keeps
 * its position and its delivery option. Throws `quantity-limit` if the sum exceeds `QUANTITY_LIMIT`.
 */
export function addItem(cart: readonly CartItem[], added: CartItem): readonly CartItem[] {
  const current = cart.find(({ productId }) => productId === added.productId);
  if (!current) return [...cart, added];
  const quantity = current.quantity + added.quantity;
  if (quantity > QUANTITY_LIMIT) {
    throw new DomainError(
      'quantity-limit',
      `${current.quantity} in the cart and ${added.quantity} more exceed the limit of ${QUANTITY_LIMIT} of a product. ` +
        'Add fewer, or lower the quantity first.',
    );
  }
  return replaceItem(cart, { ...current, quantity });
}

/** Returns the cart with `changed` in place of the item of the same product. */
export function replaceItem(cart: readonly CartItem[], changed: CartItem): readonly CartItem[] {
  return cart.map((item) => (item.productId === changed.productId ? changed : item));
}

/** Returns the cart without the item of a product. */
export function removeItem(cart: readonly CartItem[], productId: string): readonly CartItem[] {
  return cart.filter((item) => item.productId !== productId);
}
