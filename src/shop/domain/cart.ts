import type { CartItem, Order } from '../types.ts';
import { type Catalogue, findDeliveryOption, getEstimatedDeliveryTimeMs } from './catalogue.ts';
import { DomainError } from './domain-error.ts';
import { computePaymentSummary } from './pricing.ts';

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

/**
 * Creates an order of all items in the cart.
 * The order stores its total cost and delivery times, so later changes of prices do not affect it.
 * Decision: throws `empty-cart` if the cart is empty.
 */
export function createOrderFromCart(
  cart: readonly CartItem[],
  catalogue: Catalogue,
  { id, orderTimeMs }: Pick<Order, 'id' | 'orderTimeMs'>,
): Order {
  if (cart.length === 0) {
    throw new DomainError('empty-cart', 'The cart is empty. Add a product first with POST /api/cart-items.');
  }
  return {
    id,
    orderTimeMs,
    totalCostCents: computePaymentSummary(cart, catalogue).totalCostCents,
    products: cart.map(({ productId, quantity, deliveryOptionId }) => ({
      productId,
      quantity,
      estimatedDeliveryTimeMs: getEstimatedDeliveryTimeMs(orderTimeMs, findDeliveryOption(catalogue, deliveryOptionId)),
    })),
  };
}

/** Finds an order by its id. Throws `unknown-order` if there is none. */
export function findOrder(orders: readonly Order[], orderId: string): Order {
  const order = orders.find(({ id }) => id === orderId);
  if (order) return order;
  throw new DomainError('unknown-order', `No order has the id ${orderId}. GET /api/orders lists all orders.`);
}
