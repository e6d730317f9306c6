import type { CartItem } from '../types.ts';
import { DomainError } from './domain-error.ts';

/**
 * Decision: the maximum quantity of one product in a cart.
 * The limit keeps costs exact.
 * The contract has the same limit, as the `maximum` of the schema `Quantity`.
 */
export const QUANTITY_LIMIT = 1_000_000;

/** Finds the cart item of a product. Throws `unknown-cart-item` if the cart does not contain the product. */
export function findCartItem(cart: readonly CartItem[], productId: string): CartItem {
  const item = cart.find((item) => item.productId === productId);
  if (item) return item;
  throw new DomainError(
    'unknown-cart-item',
    `The cart has no item of product ${productId}. Add the product first with POST /api/cart-items.`,
  );
}

/**
 * Returns the cart with an item added at the end.
 * Decision: if the cart already contains the product, increases the quantity of the existing item instead.
 * Throws `quantity-limit` if the sum exceeds `QUANTITY_LIMIT`.
 */
export function addItem(cart: readonly CartItem[], added: CartItem): readonly CartItem[] {
  const current = cart.find(({ productId }) => productId === added.productId);
  if (!current) return [...cart, added];
  const quantity = current.quantity + added.quantity;
  if (quantity > QUANTITY_LIMIT) {
    throw new DomainError(
      'quantity-limit',
      `The cart contains ${current.quantity} units of this product: ${added.quantity} more would exceed the limit of ${QUANTITY_LIMIT}. ` +
        'Add fewer units, or lower the quantity first.',
    );
  }
  return replaceItem(cart, { ...current, quantity });
}

/** Returns the cart in which `changed` replaces the item of the same product. The order of the items stays the same. */
export function replaceItem(cart: readonly CartItem[], changed: CartItem): readonly CartItem[] {
  return cart.map((item) => (item.productId === changed.productId ? changed : item));
}

/** Returns the cart without the item of the given product. */
export function removeItem(cart: readonly CartItem[], productId: string): readonly CartItem[] {
  return cart.filter((item) => item.productId !== productId);
}
