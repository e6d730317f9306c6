import type { Shop } from '../../../src/shop/operations/handler.ts';
import type { State } from '../../../src/shop/state.ts';
import type { CartItem } from '../../../src/shop/types.ts';
import type { Defect } from './defect.ts';

/** Creates a defect: a reset keeps a part of the previous state. `keep` returns the state after the reset. */
function createResetDefect(name: string, keep: (restored: State, before: State) => State): Defect {
  const resetData = async (_input: unknown, shop: Shop) => {
    const before = shop.read();
    await shop.reset();
    await shop.update((restored) => ({ next: keep(restored, before), result: undefined }));
    return {};
  };
  return { name, operationId: 'resetData', handlers: { resetData } };
}

/**
 * Returns a function that changes each item of the default cart after a reset. `before`: the item of the same product before the reset; undefined if the
 * cart did not contain the product. If `change` returns undefined, the item is removed.
 */
function changeItems(change: (item: CartItem, before: CartItem | undefined) => CartItem | undefined) {
  return (restored: State, { cartItems }: State): State => ({
    ...restored,
    cartItems: restored.cartItems.flatMap((item) => {
      const before = cartItems.find(({ productId }) => productId === item.productId);
      return change(item, before) ?? [];
    }),
  });
}

/** Defects of the reset. */
export const resetDefects: readonly Defect[] = [
  createResetDefect(
    'does not restore the delivery options of default cart items on a reset',
    changeItems((item, before) => ({ ...item, deliveryOptionId: before?.deliveryOptionId ?? item.deliveryOptionId })),
  ),
  createResetDefect(
    'does not restore the quantities of default cart items on a reset',
    changeItems((item, before) => ({ ...item, quantity: before?.quantity ?? item.quantity })),
  ),
  createResetDefect(
    'does not restore removed default cart items on a reset',
    changeItems((item, before) => before && item),
  ),
  createResetDefect('does not remove added cart items on a reset', (restored, { cartItems }) => ({
    ...restored,
    cartItems: [
      ...restored.cartItems,
      ...cartItems.filter(({ productId }) => !restored.cartItems.some((item) => item.productId === productId)),
    ],
  })),
  createResetDefect('keeps the cart on a reset', (restored, { cartItems }) => ({ ...restored, cartItems })),
  createResetDefect('does not restore the order of the default cart items on a reset', (restored, { cartItems }) => {
    const getIndex = ({ productId }: CartItem) => cartItems.findIndex((item) => item.productId === productId);
    return { ...restored, cartItems: restored.cartItems.toSorted((one, other) => getIndex(one) - getIndex(other)) };
  }),
  createResetDefect('does not remove the newest order on a reset', (restored, { orders }) => {
    const [newest] = orders;
    const isNew = newest && !restored.orders.some(({ id }) => id === newest.id);
    return { ...restored, orders: isNew ? [newest, ...restored.orders] : restored.orders };
  }),
];
