import { isNode } from '../../openapi/document.ts';
import { formatPointer } from '../../util/json-pointer.ts';
import { computePercentHalfUp, DAY_MS, DEFAULT_OPTION_ID, TAX_PERCENT } from '../domain/cart.ts';
import type { State } from '../state.ts';
import type { CartItem, Order, PaymentSummary } from '../types.ts';

/**
 * The state that a shop should have during a check.
 * This folder computes it without the business logic of the server (`src/shop/domain`).
 * Otherwise a bug in the server would also be in the model.
 * Only limits, rates and the rounding rule are shared.
 */
export type Model = Omit<State, 'cartItems'> & { readonly cart: State['cartItems'] };

/** The maximum quantity that one request can add to the cart. */
export const MAX_ADDED_QUANTITY = 10;

/** A quantity of a product that is added to the cart, and the id of the item. */
type AddedItem = Pick<CartItem, 'productId' | 'quantity'> & { readonly id?: number | undefined };

/** Finds the cart item of a product. Returns undefined if the product is not in the cart. */
export function findItem({ cart }: Model, productId: string): CartItem | undefined {
  return cart.find((item) => item.productId === productId);
}

/**
 * Returns the model after a quantity of a product is added to the cart.
 * A new item gets the default delivery option, or the first option if the default option does not exist.
 * `id`: the id of a new item, which only the server knows; undefined if the server gives items no ids.
 */
export function withAdded(model: Model, { productId, quantity, id }: AddedItem): Model {
  const current = findItem(model, productId);
  if (current) return withChanged(model, { ...current, quantity: current.quantity + quantity });
  const option = model.deliveryOptions.find(({ id }) => id === DEFAULT_OPTION_ID) ?? model.deliveryOptions[0];
  const item = { productId, quantity, deliveryOptionId: option?.id ?? DEFAULT_OPTION_ID };
  const added = id === undefined ? item : { id, ...item };
  return { ...model, cart: [...model.cart, added] };
}

/** Returns the model in which `changed` replaces the cart item of the same product. */
export function withChanged(model: Model, changed: CartItem): Model {
  return { ...model, cart: model.cart.map((item) => (item.productId === changed.productId ? changed : item)) };
}

/** Returns the model without the cart item of a product. */
export function withoutItem(model: Model, productId: string): Model {
  return { ...model, cart: model.cart.filter((item) => item.productId !== productId) };
}

/** Calculates the payment summary of the cart, in cents. */
export function calculateSummary({ cart, products, deliveryOptions }: Model): PaymentSummary {
  const price = (id: string) => products.find((product) => product.id === id)?.priceCents ?? 0;
  const shipping = (id: string) => deliveryOptions.find((option) => option.id === id)?.priceCents ?? 0;
  const productCostCents = sum(cart.map(({ productId, quantity }) => price(productId) * quantity));
  const shippingCostCents = sum(cart.map(({ deliveryOptionId }) => shipping(deliveryOptionId)));
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
 * Returns the order that the shop must create from the cart.
 * `orderTimeMs`: the time of the order, in ms since 1970.
 */
export function createModelOrder(model: Model, id: string, orderTimeMs: number): Order {
  const days = (optionId: string) => model.deliveryOptions.find((option) => option.id === optionId)?.deliveryDays ?? 0;
  return {
    id,
    orderTimeMs,
    totalCostCents: calculateSummary(model).totalCostCents,
    products: model.cart.map(({ productId, quantity, deliveryOptionId }) => ({
      productId,
      quantity,
      estimatedDeliveryTimeMs: orderTimeMs + days(deliveryOptionId) * DAY_MS,
    })),
  };
}

/**
 * Returns the cart items in a response, without the ids that the model does not know: a server can add an item without
 * telling its id.
 * `expected`: the items in the model.
 */
export function withoutUnknownIds(expected: Model['cart'], actual: unknown): unknown {
  if (!Array.isArray(actual)) return actual;
  return actual.map((item: unknown, index) => {
    if (!isNode(item) || expected[index]?.id !== undefined) return item;
    const { id: _, ...rest } = item;
    return rest;
  });
}

/** Adds the property `product` to each item of a cart or an order, as the query parameter `expand` does. */
export function withProducts<Entry extends { readonly productId: string }>(
  { products }: Model,
  entries: readonly Entry[],
): readonly Entry[] {
  return entries.map((entry) => ({ ...entry, product: products.find(({ id }) => id === entry.productId) }));
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

/** The maximum length of a value in the description of a difference, in characters. */
const MAX_VALUE_LENGTH = 120;

/**
 * Describes the first difference between two JSON values, such as "/0/quantity is 1 instead of 2".
 * Returns undefined if the values are equal.
 * Ignores the order of properties.
 */
export function findDifference(expected: unknown, actual: unknown, pointer = ''): string | undefined {
  const location = pointer === '' ? 'The body' : pointer;
  if (Array.isArray(expected) && Array.isArray(actual)) {
    if (expected.length !== actual.length)
      return `${location} has ${actual.length} entries instead of ${expected.length}`;
    return findDefined(expected.map((entry, index) => findDifference(entry, actual[index], `${pointer}/${index}`)));
  }
  if (isNode(expected) && isNode(actual)) {
    const keys = [...new Set([...Object.keys(expected), ...Object.keys(actual)])];
    return findDefined(keys.map((key) => findDifference(expected[key], actual[key], pointer + formatPointer(key))));
  }
  return Object.is(expected, actual) ? undefined : `${location} is ${format(actual)} instead of ${format(expected)}`;
}

function findDefined(differences: readonly (string | undefined)[]): string | undefined {
  return differences.find((difference) => difference !== undefined);
}

function format(value: unknown): string {
  const text = value === undefined ? 'missing' : JSON.stringify(value);
  return text.length > MAX_VALUE_LENGTH ? `${text.slice(0, MAX_VALUE_LENGTH)}…` : text;
}
