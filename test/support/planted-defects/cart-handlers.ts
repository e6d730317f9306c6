import { setTimeout as wait } from 'node:timers/promises';
import { DomainError } from '../../../src/index.ts';
import type { State } from '../../../src/shop/state.ts';
import type { CartItem } from '../../../src/shop/types.ts';
import type { WrongHandler } from './defect.ts';
import { changeCart, demandOption, demandProduct, itemIn } from './plain-shop.ts';

/** The most of a product that a cart takes. */
const QUANTITY_LIMIT = 1_000_000;

/** How long a shop sleeps between reading and writing that loses what others write meanwhile, in ms. */
const RACE_MS = 10;

/** What a cart makes of an addition; `sum` is the item as the contract has it then, `present` what was there. */
export type Adding = (
  cart: readonly CartItem[],
  sum: CartItem,
  added: CartItem,
  present?: CartItem,
) => readonly CartItem[];

/** A handler that puts products into the cart in a way of its own. */
export function adding(add: Adding, { demand = demandProduct, limit = QUANTITY_LIMIT } = {}) {
  const handler: WrongHandler<'addCartItem'> = async ({ body: { productId, quantity } }, shop) => {
    const cart = await changeCart(shop, (cart, state) => {
      demand(state, productId);
      const present = cart.find((item) => item.productId === productId);
      const added = { productId, quantity, deliveryOptionId: '1' };
      const sum = present ? { ...present, quantity: present.quantity + quantity } : added;
      if (sum.quantity > limit) throw new DomainError('quantity-limit', 'the cart takes no more of this product');
      return add(cart, sum, added, present);
    });
    return { body: cart.findLast((item) => item.productId === productId) };
  };
  return { addCartItem: handler };
}

/** The cart with an item in the place of its product's, or as the last. */
export function withItem(cart: readonly CartItem[], item: CartItem): readonly CartItem[] {
  const isThere = cart.some(({ productId }) => productId === item.productId);
  return isThere ? cart.map((other) => (other.productId === item.productId ? item : other)) : [...cart, item];
}

/** A handler that changes items in a way of its own. */
export function updating(
  update: (cart: readonly CartItem[], changed: CartItem) => readonly CartItem[],
  demand: (state: State, optionId: string) => void = demandOption,
) {
  const handler: WrongHandler<'updateCartItem'> = async ({ path, body }, shop) => {
    let answered: CartItem | undefined;
    await changeCart(shop, (cart, state) => {
      const present = itemIn(cart, path.productId);
      const deliveryOptionId = String(body?.deliveryOptionId ?? present.deliveryOptionId);
      demand(state, deliveryOptionId);
      answered = { ...present, quantity: body?.quantity ?? present.quantity, deliveryOptionId };
      return update(cart, answered);
    });
    return { body: answered };
  };
  return { updateCartItem: handler };
}

/** A handler that removes items in a way of its own. */
export function removing(remove: (cart: readonly CartItem[], item: CartItem) => readonly CartItem[]) {
  const handler: WrongHandler<'removeCartItem'> = async ({ path }, shop) => {
    await changeCart(shop, (cart) => remove(cart, itemIn(cart, path.productId)));
    return {};
  };
  return { removeCartItem: handler };
}

/** Adds to what it has read a moment ago, and so forgets what came meanwhile. */
export const losingUpdates: WrongHandler<'addCartItem'> = async ({ body: { productId, quantity } }, shop) => {
  const before = shop.read();
  demandProduct(before, productId);
  await wait(RACE_MS);
  const present = before.cartItems.find((item) => item.productId === productId);
  const sum = (present?.quantity ?? 0) + quantity;
  if (sum > QUANTITY_LIMIT) throw new DomainError('quantity-limit', 'the cart takes no more of this product');
  const item = { productId, deliveryOptionId: '1', ...present, quantity: sum };
  await changeCart(shop, () => withItem(before.cartItems, item));
  return { body: item };
};
