import { type AnyResponse, DomainError } from '../../../src/index.ts';
import type { Shop } from '../../../src/shop/operations/handler.ts';
import type { State } from '../../../src/shop/state.ts';
import type { CartItem, Order, PaymentSummary } from '../../../src/shop/types.ts';
import type { Defect, WrongHandler } from './defect.ts';

/** A day in ms. */
export const DAY_MS = 86_400_000;

/** The calculations of a shop; each part can have a defect. */
export interface CostCalculation {
  readonly items: (cart: readonly CartItem[]) => number;
  readonly product: (priceCents: number, quantity: number) => number;
  readonly shipping: (priceCents: number, quantity: number) => number;
  readonly tax: (beforeTaxCents: number) => number;
}

/** The calculations of the contract in the simplest arithmetic, which is exact for the amounts in tests. */
const RIGHT: CostCalculation = {
  items: (cart) => sum(cart.map(({ quantity }) => quantity)),
  product: (priceCents, quantity) => priceCents * quantity,
  shipping: (priceCents) => priceCents,
  tax: (beforeTaxCents) => Math.floor((beforeTaxCents + 5) / 10),
};

/** Returns the payment summary for the cart of a state. */
export function calculateCost(state: State, wrong: Partial<CostCalculation> = {}): PaymentSummary {
  const { items, product, shipping, tax } = { ...RIGHT, ...wrong };
  const cart = state.cartItems;
  const productCostCents = sum(cart.map((item) => product(priceOf(state.products, item.productId), item.quantity)));
  const shippingCostCents = sum(
    cart.map((item) => shipping(priceOf(state.deliveryOptions, item.deliveryOptionId), item.quantity)),
  );
  const totalCostBeforeTaxCents = productCostCents + shippingCostCents;
  const taxCents = tax(totalCostBeforeTaxCents);
  const totalCostCents = totalCostBeforeTaxCents + taxCents;
  return {
    totalItems: items(cart),
    productCostCents,
    shippingCostCents,
    totalCostBeforeTaxCents,
    taxCents,
    totalCostCents,
  };
}

/** Returns handlers of a shop whose summary and orders have the same defect. */
export function createCostHandlers(wrong: Partial<CostCalculation>): NonNullable<Defect['handlers']> {
  return {
    getPaymentSummary: (_input, shop) => ({ body: calculateCost(shop.read(), wrong) }),
    createOrder: createOrderHandler({ total: (state) => calculateCost(state, wrong).totalCostCents }),
  };
}

/** The steps that create an order; each part can have a defect. */
export interface OrderSteps {
  readonly total: (state: State) => number;
  /** Returns the delivery time of a product that is ordered at `nowMs`. */
  readonly estimate: (nowMs: number, deliveryDays: number) => number;
  /** Returns the state after the order. */
  readonly next: (state: State, order: Order) => State;
  readonly isRefused: (state: State) => boolean;
}

const RIGHT_ORDERING: OrderSteps = {
  total: (state) => calculateCost(state).totalCostCents,
  estimate: (nowMs, deliveryDays) => nowMs + deliveryDays * DAY_MS,
  next: (state, order) => ({ ...state, cartItems: [], orders: [order, ...state.orders] }),
  isRefused: ({ cartItems }) => cartItems.length === 0,
};

/** Returns a handler that creates orders with the given defects. */
export function createOrderHandler(wrong: Partial<OrderSteps>): WrongHandler<'createOrder'> {
  const { total, estimate, next, isRefused } = { ...RIGHT_ORDERING, ...wrong };
  return async (_input, shop): Promise<AnyResponse> => {
    const order = await shop.update((state, nowMs) => {
      if (isRefused(state)) throw new DomainError('empty-cart', 'the cart is empty: add a product first');
      const products = state.cartItems.map(({ productId, quantity, deliveryOptionId }) => ({
        productId,
        quantity,
        estimatedDeliveryTimeMs: estimate(nowMs, daysOf(state, deliveryOptionId)),
      }));
      const order = { id: shop.newId(), orderTimeMs: nowMs, totalCostCents: total(state), products };
      return { next: next(state, order), result: order };
    });
    return { body: order, headers: { Location: `/api/orders/${order.id}` } };
  };
}

/** Changes the cart and returns the result of `change`; a change that throws changes nothing. */
export function changeCart(
  shop: Shop,
  change: (cart: readonly CartItem[], state: State) => readonly CartItem[],
): Promise<readonly CartItem[]> {
  return shop.update((state) => {
    const cartItems = change(state.cartItems, state);
    return { next: { ...state, cartItems }, result: cartItems };
  });
}

/** Returns the item of a product; throws the error of the shop if there is none. */
export function getItem(cart: readonly CartItem[], productId: string): CartItem {
  const item = cart.find((item) => item.productId === productId);
  if (item) return item;
  throw new DomainError('unknown-cart-item', `the cart has no item of product ${productId}: add it first`);
}

/** Throws if the catalogue does not have the product. */
export function assertProduct({ products }: State, productId: string): void {
  if (products.some(({ id }) => id === productId)) return;
  throw new DomainError('unknown-product', `no product has the id ${productId}: GET /api/products lists them`);
}

/** Throws if the delivery option does not exist. */
export function assertDeliveryOption({ deliveryOptions }: State, optionId: string): void {
  if (deliveryOptions.some(({ id }) => id === optionId)) return;
  throw new DomainError('unknown-delivery-option', `no delivery option has the id ${optionId}`);
}

function priceOf(priced: readonly { readonly id: string; readonly priceCents: number }[], wanted: string): number {
  return priced.find(({ id }) => id === wanted)?.priceCents ?? 0;
}

function daysOf({ deliveryOptions }: State, optionId: string): number {
  return deliveryOptions.find(({ id }) => id === optionId)?.deliveryDays ?? 0;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
