import type { CartItem } from '../types.ts';

/** The name of the internal list of the state that stores the latest ids. */
export const SEQUENCES = 'sequences';

/**
 * The largest id that the entries of a list have had.
 * It is stored when an entry is removed, so that no other entry gets its id.
 */
type Sequence = { readonly list: string; readonly lastId: number };

/** The part of the state that determines the ids of cart items. */
interface NumberedState {
  readonly cartItems: readonly CartItem[];
  readonly [SEQUENCES]?: readonly Sequence[];
}

/** The largest id that a data file can contain: 2^52. It leaves as many ids for new items. */
export const MAX_STORED_ID = 2 ** 52;

/**
 * Returns the items of the cart, each with an id.
 * Items without an id come from data files of earlier versions, and from clients of the control API.
 * They get the next ids in the order of the cart, and the next change of the cart stores these ids.
 */
export function getNumberedItems(state: NumberedState): readonly CartItem[] {
  const { cartItems } = state;
  if (cartItems.every(({ id }) => id !== undefined)) return cartItems;
  let lastId = getLastId(cartItems, state);
  return cartItems.map((item) => {
    if (item.id !== undefined) return item;
    lastId++;
    return { id: lastId, ...item };
  });
}

/**
 * Returns the largest id that the items of a cart have or had.
 * `items`: the items of the cart, each with an id.
 * Returns 0 if there was no item.
 */
export function getLastId(items: readonly CartItem[], state: NumberedState): number {
  const stored = state[SEQUENCES]?.[0]?.lastId;
  return items.reduce((last, { id = 0 }) => Math.max(last, id), Number.isSafeInteger(stored) ? Number(stored) : 0);
}

/**
 * Returns the change of a state that stores the largest id of `items`.
 * Returns no change if the id is still known afterwards, so that an item can be removed from a state that must not
 * grow.
 * `remaining`: the items that stay in the cart.
 */
export function storeLastId(
  items: readonly CartItem[],
  remaining: readonly CartItem[],
  state: NumberedState,
): Partial<NumberedState> {
  const lastId = getLastId(items, state);
  return lastId === getLastId(remaining, state) ? {} : { [SEQUENCES]: [{ list: 'cartItems', lastId }] };
}
