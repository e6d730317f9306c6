import { runAtOnce, type Steps } from '../../util/slices.ts';
import type { CartItem, DeliveryOption, Order, PaymentSummary, Product } from '../types.ts';
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

/** The products and the delivery options of the shop. */
export interface Catalogue {
  readonly products: readonly Product[];
  /** The delivery options. The list is never empty. */
  readonly deliveryOptions: readonly DeliveryOption[];
}

/** Finds a product by its id, in constant time. Throws `unknown-product` if there is none. */
export function findProduct({ products }: Catalogue, productId: string): Product {
  const byId = productMaps.get(products) ?? runAtOnce(indexProducts(products));
  const product = byId.get(productId);
  if (product) return product;
  throw new DomainError('unknown-product', `No product has the id ${productId}. GET /api/products lists all products.`);
}

/** For each list of products, a map from product ids to products. */
const productMaps = new WeakMap<readonly Product[], ReadonlyMap<string, Product>>();

/** The number of products after which `indexProducts` yields. */
const STEP_PRODUCTS = 1_000;

/**
 * Creates the map in which `findProduct` looks up products by id.
 * Yields after every `STEP_PRODUCTS` products, so that a long list does not block the server.
 * Without this preparation, the first call of `findProduct` creates the map.
 */
export function* indexProducts(products: readonly Product[]): Steps<ReadonlyMap<string, Product>> {
  const byId = new Map<string, Product>();
  for (const product of products) {
    byId.set(product.id, product);
    if (byId.size % STEP_PRODUCTS === 0) yield;
  }
  productMaps.set(products, byId);
  return byId;
}

/** The maximum length of an id in an error message, in characters. Longer ids are truncated. */
const MAX_ID_LENGTH = 100;

/** Finds a delivery option by its id. Throws `unknown-delivery-option` if there is none. */
export function findDeliveryOption({ deliveryOptions }: Catalogue, optionId: string): DeliveryOption {
  const option = deliveryOptions.find(({ id }) => id === optionId);
  if (option) return option;
  const shownId = optionId.length > MAX_ID_LENGTH ? `${optionId.slice(0, MAX_ID_LENGTH)}…` : optionId;
  throw new DomainError(
    'unknown-delivery-option',
    `No delivery option has the id ${JSON.stringify(shownId)}. GET /api/delivery-options lists all delivery options.`,
  );
}

/**
 * Decision: the id of the delivery option that a new cart item has.
 * Front ends for this contract select the same option.
 */
export const DEFAULT_OPTION_ID = '1';

/**
 * Returns the delivery option of a new cart item: the option with the id "1", or the first option if that id does not
 * exist.
 */
export function getDefaultDeliveryOption({ deliveryOptions }: Catalogue): DeliveryOption {
  const option = deliveryOptions.find(({ id }) => id === DEFAULT_OPTION_ID) ?? deliveryOptions[0];
  if (!option) throw new Error('A catalogue must have at least one delivery option.');
  return option;
}

/** A day, in ms. */
export const DAY_MS = 86_400_000;

/**
 * Returns the estimated delivery time of an order, in ms since 1970.
 * Decision: the result is a point in time and not a duration, because front ends show a date.
 */
export function getEstimatedDeliveryTimeMs(orderTimeMs: number, { deliveryDays }: DeliveryOption): number {
  return orderTimeMs + deliveryDays * DAY_MS;
}

/** Decision: the tax rate, in percent of the cost before tax. It has at most two decimals. */
export const TAX_PERCENT = 10;

/** Tax is computed in hundredths of a percent: 8.25 % is 825, and 100 % is 10,000. */
const HUNDREDTHS_PER_PERCENT = 100;
const FULL_RATE = 100 * HUNDREDTHS_PER_PERCENT;

/**
 * The maximum shipping cost of a cart, in cents: 800,000 items at the highest delivery price in the contract.
 * A data file of the maximum size has fewer items.
 */
const MAX_SHIPPING_COST_CENTS = 8_000_000_000_000;

/** The maximum cost of a cart is rounded down to a multiple of this amount, in cents. */
const COST_LIMIT_STEP_CENTS = 1_000_000_000_000;

/**
 * Decision: the maximum cost of all products in a cart, in cents.
 * Up to this cost, all amounts in the payment summary are exact.
 */
export const MAX_CART_COST_CENTS = getMaxCartCostCents(TAX_PERCENT);

/**
 * Returns the maximum cost of all products in a cart, in cents.
 * With this cost, the total with shipping and tax stays below 2^53, so it is an exact JavaScript number.
 * Throws `RangeError` for an invalid tax rate.
 */
export function getMaxCartCostCents(taxPercent: number): number {
  const highestBeforeTaxCents = Number.MAX_SAFE_INTEGER / (1 + toHundredths(taxPercent) / FULL_RATE);
  return Math.floor((highestBeforeTaxCents - MAX_SHIPPING_COST_CENTS) / COST_LIMIT_STEP_CENTS) * COST_LIMIT_STEP_CENTS;
}

/** The highest cost of a cart item, in cents: `QUANTITY_LIMIT` units at the highest price in the contract. */
const MAX_ITEM_COST_CENTS = QUANTITY_LIMIT * 10_000_000;

/** Returns whether the products in a cart cost at most `MAX_CART_COST_CENTS`. */
export function hasExactCosts(cart: readonly CartItem[], catalogue: Catalogue): boolean {
  if (cart.length * MAX_ITEM_COST_CENTS <= MAX_CART_COST_CENTS) return true;
  const costs = cart.map(({ productId, quantity }) => findProduct(catalogue, productId).priceCents * quantity);
  return sum(costs) <= MAX_CART_COST_CENTS;
}

/**
 * Returns the costs of a cart, in whole cents.
 * All amounts are exact if the products cost at most `MAX_CART_COST_CENTS`.
 */
export function computePaymentSummary(cart: readonly CartItem[], catalogue: Catalogue): PaymentSummary {
  const productCostCents = sum(
    cart.map(({ productId, quantity }) => findProduct(catalogue, productId).priceCents * quantity),
  );
  // Decision: the price of the delivery option is charged once per cart item, not once per unit.
  const shippingCostCents = sum(
    cart.map(({ deliveryOptionId }) => findDeliveryOption(catalogue, deliveryOptionId).priceCents),
  );
  const totalCostBeforeTaxCents = productCostCents + shippingCostCents;
  const taxCents = computePercentHalfUp(totalCostBeforeTaxCents, TAX_PERCENT);
  return {
    totalItems: sum(cart.map(({ quantity }) => quantity)),
    productCostCents,
    shippingCostCents,
    totalCostBeforeTaxCents,
    taxCents,
    totalCostCents: totalCostBeforeTaxCents + taxCents,
  };
}

/**
 * Returns a percentage of an amount in cents, rounded half up to a whole cent.
 * `cents`: an integer below 2^53.
 * `percent`: a number from 0 to 100 with at most two decimals.
 * Throws `RangeError` for any other percentage.
 */
export function computePercentHalfUp(cents: number, percent: number): number {
  const rate = toHundredths(percent);
  // The amount is split so that each intermediate result is an integer below 2^53, which is an exact JavaScript number.
  const rest = cents % FULL_RATE;
  return ((cents - rest) / FULL_RATE) * rate + Math.floor((rest * rate + FULL_RATE / 2) / FULL_RATE);
}

/**
 * Converts a rate from percent to hundredths of a percent: 8.25 becomes 825.
 * Throws `RangeError` for an invalid rate.
 */
function toHundredths(percent: number): number {
  const hundredths = Math.round(percent * HUNDREDTHS_PER_PERCENT);
  // IEEE 754 division is correctly rounded. So for a rate with at most two decimals, the quotient is equal to the rate.
  if (hundredths >= 0 && hundredths <= FULL_RATE && hundredths / HUNDREDTHS_PER_PERCENT === percent) return hundredths;
  throw new RangeError(`Invalid tax rate ${percent} %: use a number from 0 to 100 with at most two decimals.`);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
