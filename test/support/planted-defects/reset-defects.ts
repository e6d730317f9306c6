import type { Shop } from '../../../src/shop/operations/handler.ts';
import type { State } from '../../../src/shop/state.ts';
import type { CartItem } from '../../../src/shop/types.ts';
import type { Defect } from './defect.ts';

/** Returns a reset that keeps part of the state before. */
function keeping(name: string, keep: (restored: State, before: State) => State): Defect {
  const resetData = async (_input: unknown, shop: Shop) => {
    const before = shop.read();
    await shop.reset();
    await shop.update((restored) => ({ next: keep(restored, before), result: undefined }));
    return {};
  };
  return { name, operationId: 'resetData', handlers: { resetData } };
}

/** Combines each item of the default cart with the item that was in its place before. */
function ofItems(change: (item: CartItem, before: CartItem | undefined) => CartItem | undefined) {
  return (restored: State, { cartItems }: State): State => ({
    ...restored,
    cartItems: restored.cartItems.flatMap((item) => {
      const kept = change(
        item,
        cartItems.find(({ productId }) => productId === item.productId),
      );
      return kept ? [kept] : [];
    }),
  });
}

/** Defects of a reset. */
export const resetDefects: readonly Defect[] = [
  keeping(
    'leaves a changed delivery option on default cart items at a reset',
    ofItems((item, before) => ({ ...item, deliveryOptionId: before?.deliveryOptionId ?? item.deliveryOptionId })),
  ),
  keeping(
    'leaves a changed quantity of default cart items at a reset',
    ofItems((item, before) => ({ ...item, quantity: before?.quantity ?? item.quantity })),
  ),
  keeping(
    'does not put removed default cart items back at a reset',
    ofItems((item, before) => before && item),
  ),
  keeping('leaves items that were added to the default cart at a reset', (restored, { cartItems }) => ({
    ...restored,
    cartItems: [
      ...restored.cartItems,
      ...cartItems.filter(({ productId }) => !restored.cartItems.some((item) => item.productId === productId)),
    ],
  })),
  keeping('leaves the default cart items in the order of before at a reset', (restored, { cartItems }) => {
    const placeOf = ({ productId }: CartItem) => cartItems.findIndex((item) => item.productId === productId);
    return { ...restored, cartItems: restored.cartItems.toSorted((one, other) => placeOf(one) - placeOf(other)) };
  }),
  keeping('leaves the newest order at a reset', (restored, { orders }) => {
    const [newest] = orders;
    const isNew = newest && !restored.orders.some(({ id }) => id === newest.id);
    return { ...restored, orders: isNew ? [newest, ...restored.orders] : restored.orders };
  }),
];
