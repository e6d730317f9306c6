import { setTimeout as wait } from 'node:timers/promises';
import { DomainError } from '../../../src/index.ts';
import type { State } from '../../../src/shop/state.ts';
import type { CartItem } from '../../../src/shop/types.ts';
import type { WrongHandler } from './defect.ts';
import { assertDeliveryOption, assertProduct, changeCart, getItem } from './plain-shop.ts';

/** The maximum quantity of a product in the cart. */
const QUANTITY_LIMIT = 1_000_000;

/** The time between the read and the write of a shop that loses concurrent changes, in ms. */
const RACE_MS = 10;

/**
 * Returns the cart after a product was added. `sum`: the correct item after the addition. `added`: an item with only the added quantity. `present`: the item
 * before the addition, if there is one.
 */
export type AddToCart = (
  cart: readonly CartItem[],
  sum: CartItem,
  added: CartItem,
  present?: CartItem,
) => readonly CartItem[];

/** Returns a handler of `addCartItem` with a defect. `add`: computes the cart. `demand`: checks the product. `limit`: the maximum quantity. */
export function createAddHandler(add: AddToCart, { demand = assertProduct, limit = QUANTITY_LIMIT } = {}) {
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

/** Returns a cart in which an item replaces the item of the same product. Appends the item if the cart does not contain the product. */
export function replaceItem(cart: readonly CartItem[], item: CartItem): readonly CartItem[] {
  const isThere = cart.some(({ productId }) => productId === item.productId);
  return isThere ? cart.map((other) => (other.productId === item.productId ? item : other)) : [...cart, item];
}

/** Returns a handler of `updateCartItem` with a defect. `update`: computes the cart. `demand`: checks the delivery option. */
export function createUpdateHandler(
  update: (cart: readonly CartItem[], changed: CartItem) => readonly CartItem[],
  demand: (state: State, optionId: string) => void = assertDeliveryOption,
) {
  const handler: WrongHandler<'updateCartItem'> = async ({ path, body }, shop) => {
    let responseItem: CartItem | undefined;
    await changeCart(shop, (cart, state) => {
      const present = getItem(cart, path.productId);
      const deliveryOptionId = String(body?.deliveryOptionId ?? present.deliveryOptionId);
      demand(state, deliveryOptionId);
      responseItem = { ...present, quantity: body?.quantity ?? present.quantity, deliveryOptionId };
      return update(cart, responseItem);
    });
    return { body: responseItem };
  };
  return { updateCartItem: handler };
}

/** Returns a handler of `removeCartItem` with a defect. `remove`: computes the cart. */
export function createRemoveHandler(remove: (cart: readonly CartItem[], item: CartItem) => readonly CartItem[]) {
  const handler: WrongHandler<'removeCartItem'> = async ({ path }, shop) => {
    await changeCart(shop, (cart) => remove(cart, getItem(cart, path.productId)));
    return {};
  };
  return { removeCartItem: handler };
}

/** A handler of `addCartItem` with a defect: it reads the state, waits, and then writes the changed state, so it overwrites concurrent changes. */
export const loseUpdates: WrongHandler<'addCartItem'> = async ({ body: { productId, quantity } }, shop) => {
  const before = shop.read();
  assertProduct(before, productId);
  await wait(RACE_MS);
  const present = before.cartItems.find((item) => item.productId === productId);
  const sum = (present?.quantity ?? 0) + quantity;
  if (sum > QUANTITY_LIMIT) throw new DomainError('quantity-limit', 'the cart takes no more of this product');
  const item = { productId, deliveryOptionId: '1', ...present, quantity: sum };
  await changeCart(shop, () => replaceItem(before.cartItems, item));
  return { body: item };
};
