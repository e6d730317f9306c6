import type { CartItem } from '../types.ts';
import { DomainError } from './domain-error.ts';

/** Ours: the most of one product that a cart holds, so that money stays exact. Stands in the contract as `Quantity`. */
export const QUANTITY_LIMIT = 1_000_000;

/** The item of this product; refused as `unknown-cart-item` where the cart has none. */
export function findCartItem(cart: readonly CartItem[], productId: string): CartItem {
  const item = cart.find((item) => item.productId === productId);
  if (item) return item;
  throw new DomainError(
    'unknown-cart-item',
    `the cart has no item of product ${productId}: add it first with POST /api/cart-items`,
  );
}

/**
 * The cart with `added` in it: as the last item, or, Ours, on top of the quantity of the item that the product has already,
 * which keeps its place and its delivery option. Refused as `quantity-limit` where the sum passes 1,000,000.
 */
export function withAdded(cart: readonly CartItem[], added: CartItem): readonly CartItem[] {
  const present = cart.find(({ productId }) => productId === added.productId);
  if (!present) return [...cart, added];
  const quantity = present.quantity + added.quantity;
  if (quantity > QUANTITY_LIMIT) {
    throw new DomainError(
      'quantity-limit',
      `${present.quantity} in the cart and ${added.quantity} more pass the limit of ${QUANTITY_LIMIT} of a product: ` +
        'add fewer, or lower the quantity first',
    );
  }
  return withItem(cart, { ...present, quantity });
}

/** The cart with this item in the place of the one of the same product. */
export function withItem(cart: readonly CartItem[], changed: CartItem): readonly CartItem[] {
  return cart.map((item) => (item.productId === changed.productId ? changed : item));
}

/** The cart without the item of this product. */
export function withoutItem(cart: readonly CartItem[], productId: string): readonly CartItem[] {
  return cart.filter((item) => item.productId !== productId);
}
