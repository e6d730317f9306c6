import type { State } from '../state.ts';
import type { CartItem, Order, PaymentSummary } from '../types.ts';

/** The expected state of a shop. What a correct shop does is computed here without the domain of this one, whose errors it would share. */
export type Model = Omit<State, 'cartItems'> & { readonly cart: State['cartItems'] };

/** A delivery day, in ms. */
export const DAY_MS = 86_400_000;

/** The maximum quantity of a cart item. */
export const MAX_QUANTITY = 1_000_000;

/** Returns the item of a product; undefined if the cart does not have it. */
export function findItem({ cart }: Model, productId: string): CartItem | undefined {
  return cart.find((item) => item.productId === productId);
}

/** Returns the model with a quantity of a product added to the cart. A new item has delivery option 1, or the first one if there is no 1. */
export function withAdded(model: Model, productId: string, quantity: number): Model {
  const item = findItem(model, productId);
  if (item) return withChanged(model, { ...item, quantity: item.quantity + quantity });
  const option = model.deliveryOptions.find(({ id }) => id === '1') ?? model.deliveryOptions[0];
  return { ...model, cart: [...model.cart, { productId, quantity, deliveryOptionId: option?.id ?? '1' }] };
}

/** Returns the model with a cart item changed. */
export function withChanged(model: Model, changed: CartItem): Model {
  return { ...model, cart: model.cart.map((item) => (item.productId === changed.productId ? changed : item)) };
}

/** Returns the model without a cart item. */
export function withoutItem(model: Model, productId: string): Model {
  return { ...model, cart: model.cart.filter((item) => item.productId !== productId) };
}

/** Returns the costs of the cart; the tax is 10 %, rounded half up to a cent. */
export function calculateSummary({ cart, products, deliveryOptions }: Model): PaymentSummary {
  const price = (id: string) => products.find((product) => product.id === id)?.priceCents ?? 0;
  const shipping = (id: string) => deliveryOptions.find((option) => option.id === id)?.priceCents ?? 0;
  const productCostCents = sum(cart.map(({ productId, quantity }) => price(productId) * quantity));
  const shippingCostCents = sum(cart.map(({ deliveryOptionId }) => shipping(deliveryOptionId)));
  const totalCostBeforeTaxCents = productCostCents + shippingCostCents;
  const taxCents = Math.round(totalCostBeforeTaxCents / 10);
  return {
    totalItems: sum(cart.map(({ quantity }) => quantity)),
    productCostCents,
    shippingCostCents,
    totalCostBeforeTaxCents,
    taxCents,
    totalCostCents: totalCostBeforeTaxCents + taxCents,
  };
}

/** Returns the order of the cart. */
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

/** Returns entries with their products, as `expand` does. */
export function withProducts<Entry extends { readonly productId: string }>(
  { products }: Model,
  entries: readonly Entry[],
): readonly Entry[] {
  return entries.map((entry) => ({ ...entry, product: products.find(({ id }) => id === entry.productId) }));
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
