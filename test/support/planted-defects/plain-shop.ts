import { type AnyResponse, DomainError } from '../../../src/index.ts';
import type { Shop } from '../../../src/shop/operations/handler.ts';
import type { State } from '../../../src/shop/state.ts';
import type { CartItem, Order, PaymentSummary } from '../../../src/shop/types.ts';
import type { Defect, WrongHandler } from './defect.ts';

/** The duration of a day, in ms. */
export const DAY_MS = 86_400_000;

/** The calculations of a payment summary. A defect replaces some of them. */
export interface CostCalculation {
  readonly items: (cart: readonly CartItem[]) => number;
  readonly product: (priceCents: number, quantity: number) => number;
  readonly shipping: (priceCents: number, quantity: number) => number;
  readonly tax: (beforeTaxCents: number) => number;
}

/** The correct calculations, as the contract defines them. The arithmetic is simple, and exact for the amounts in tests. */
const RIGHT: CostCalculation = {
  items: (cart) => sum(cart.map(({ quantity }) => quantity)),
  product: (priceCents, quantity) => priceCents * quantity,
  shipping: (priceCents) => priceCents,
  tax: (beforeTaxCents) => Math.floor((beforeTaxCents + 5) / 10),
};

/** Returns the payment summary of the cart in a state. `wrong`: the calculations with a defect. */
export function calculateCost(state: State, wrong: Partial<CostCalculation> = {}): PaymentSummary {
  const { items, product, shipping, tax } = { ...RIGHT, ...wrong };
  const cart = state.cartItems;
  const productCostCents = sum(cart.map((item) => product(getPrice(state.products, item.productId), item.quantity)));
  const shippingCostCents = sum(
    cart.map((item) => shipping(getPrice(state.deliveryOptions, item.deliveryOptionId), item.quantity)),
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

/** Returns handlers that use wrong calculations for both the payment summary and the total of an order. */
export function createCostHandlers(wrong: Partial<CostCalculation>): NonNullable<Defect['handlers']> {
  return {
    getPaymentSummary: (_input, shop) => ({ body: calculateCost(shop.read(), wrong) }),
    createOrder: createOrderHandler({ total: (state) => calculateCost(state, wrong).totalCostCents }),
  };
}

/** The steps that create an order. A defect replaces some of them. */
export interface OrderSteps {
  readonly total: (state: State) => number;
  /** Returns the estimated delivery time of a product, in ms since 1970. `nowMs`: the time of the order. */
  readonly estimate: (nowMs: number, deliveryDays: number) => number;
  /** Returns the state after the order was created. */
  readonly next: (state: State, order: Order) => State;
  readonly isRefused: (state: State) => boolean;
}

const RIGHT_ORDERING: OrderSteps = {
  total: (state) => calculateCost(state).totalCostCents,
  estimate: (nowMs, deliveryDays) => nowMs + deliveryDays * DAY_MS,
  next: (state, order) => ({ ...state, cartItems: [], orders: [order, ...state.orders] }),
  isRefused: ({ cartItems }) => cartItems.length === 0,
};

/** Returns a handler of `createOrder` with a defect. `wrong`: the steps with a defect. */
export function createOrderHandler(wrong: Partial<OrderSteps>): WrongHandler<'createOrder'> {
  const { total, estimate, next, isRefused } = { ...RIGHT_ORDERING, ...wrong };
  return async (_input, shop): Promise<AnyResponse> => {
    const order = await shop.update((state, nowMs) => {
      if (isRefused(state)) throw new DomainError('empty-cart', 'the cart is empty: add a product first');
      const products = state.cartItems.map(({ productId, quantity, deliveryOptionId }) => ({
        productId,
        quantity,
        estimatedDeliveryTimeMs: estimate(nowMs, getDays(state, deliveryOptionId)),
      }));
      const order = { id: shop.newId(), orderTimeMs: nowMs, totalCostCents: total(state), products };
      return { next: next(state, order), result: order };
    });
    return { body: order, headers: { Location: `/api/orders/${order.id}` } };
  };
}

/** Changes the cart in the state. Resolves to the new cart. If `change` throws an error, rejects with the error and changes nothing. */
export function changeCart(
  shop: Shop,
  change: (cart: readonly CartItem[], state: State) => readonly CartItem[],
): Promise<readonly CartItem[]> {
  return shop.update((state) => {
    const cartItems = change(state.cartItems, state);
    return { next: { ...state, cartItems }, result: cartItems };
  });
}

/** Returns the cart item of a product. Throws a `DomainError` if the cart does not contain the product. */
export function getItem(cart: readonly CartItem[], productId: string): CartItem {
  const item = cart.find((item) => item.productId === productId);
  if (item) return item;
  throw new DomainError('unknown-cart-item', `the cart has no item of product ${productId}: add it first`);
}

/** Throws a `DomainError` if no product has this id. */
export function assertProduct({ products }: State, productId: string): void {
  if (products.some(({ id }) => id === productId)) return;
  throw new DomainError('unknown-product', `no product has the id ${productId}: GET /api/products lists them`);
}

/** Throws a `DomainError` if no delivery option has this id. */
export function assertDeliveryOption({ deliveryOptions }: State, optionId: string): void {
  if (deliveryOptions.some(({ id }) => id === optionId)) return;
  throw new DomainError('unknown-delivery-option', `no delivery option has the id ${optionId}`);
}

function getPrice(priced: readonly { readonly id: string; readonly priceCents: number }[], wanted: string): number {
  return priced.find(({ id }) => id === wanted)?.priceCents ?? 0;
}

function getDays({ deliveryOptions }: State, optionId: string): number {
  return deliveryOptions.find(({ id }) => id === optionId)?.deliveryDays ?? 0;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
