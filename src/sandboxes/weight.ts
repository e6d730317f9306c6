import type { State } from '../store/state.ts';

/** What an item of a cart, an order and a product of an order take, in bytes: 1,000 sandboxes with ten orders of one product each took 13 MB of heap. */
const ITEM_BYTES = 150;
const ORDER_BYTES = 400;
const SOLD_BYTES = 150;

/** What a sandbox takes by itself, in bytes. */
const SANDBOX_BYTES = 6_000;

/** About how much a state takes beside the default one, with which it shares what it has not changed, in bytes. */
export function weightOf(state: State, defaults: State): number {
  const shared = new Set<unknown>(defaults.orders);
  const orders = state.orders.filter((order) => !shared.has(order));
  const lists = [state.products, state.deliveryOptions] as const;
  const own = lists.filter((list) => list !== defaults.products && list !== defaults.deliveryOptions);
  return (
    SANDBOX_BYTES +
    state.cartItems.length * ITEM_BYTES +
    orders.reduce((bytes, { products }) => bytes + ORDER_BYTES + products.length * SOLD_BYTES, 0) +
    own.reduce((bytes, list) => bytes + lengthOf(list), 0)
  );
}

/** What lists of a catalogue take, by the list: it is a new one whenever it changes. */
const lengths = new WeakMap<object, number>();

function lengthOf(list: object): number {
  const known = lengths.get(list) ?? JSON.stringify(list).length * 2;
  lengths.set(list, known);
  return known;
}
