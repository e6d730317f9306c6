import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Refusal } from './refusal.ts';

const DAY_MS = 86_400_000;
const MOST_OF_A_PRODUCT = 1_000_000;
const DEFAULT_DATA = new URL('../../../../db.json.default', import.meta.url);

interface Product {
  readonly id: string;
  readonly image: string;
  readonly name: string;
  readonly priceCents: number;
  readonly keywords: readonly string[];
}

interface DeliveryOption {
  readonly id: string;
  readonly deliveryDays: number;
  readonly priceCents: number;
}

interface CartItem {
  readonly productId: string;
  quantity: number;
  deliveryOptionId: string;
}

interface Order {
  readonly id: string;
  readonly orderTimeMs: number;
  readonly totalCostCents: number;
  readonly products: readonly { productId: string; quantity: number; estimatedDeliveryTimeMs: number }[];
}

/** The state of the shop. */
export interface Shop {
  readonly products: Product[];
  readonly deliveryOptions: DeliveryOption[];
  readonly cartItems: CartItem[];
  readonly orders: Order[];
}

/** The properties that a PUT can change in an item. */
export interface ItemChange {
  readonly quantity?: number;
  readonly deliveryOptionId?: string | number;
}

/** Creates a shop with the default data. */
export function defaultShop(): Shop {
  return JSON.parse(readFileSync(DEFAULT_DATA, 'utf8'));
}

/** Returns the delivery options, each with its estimated delivery time. */
export function withEstimates(options: readonly DeliveryOption[]): object[] {
  const now = Date.now();
  return options.map((option) => ({ ...option, estimatedDeliveryTimeMs: now + option.deliveryDays * DAY_MS }));
}

/** Returns the items of the cart or of an order, each with its product. */
export function withProducts(shop: Shop, lines: readonly { productId: string }[]): object[] {
  return lines.map((line) => ({ ...line, product: productOf(shop, line.productId) }));
}

/** Returns the order with the product of each item. */
export function withOrderProducts(shop: Shop, order: Order): object {
  return { ...order, products: withProducts(shop, order.products) };
}

/** Adds to the cart and returns the changed item. */
export function addItem(shop: Shop, productId: string, quantity: number): CartItem {
  productOf(shop, productId);
  const present = shop.cartItems.find((item) => item.productId === productId);
  const sum = (present?.quantity ?? 0) + quantity;
  if (sum > MOST_OF_A_PRODUCT) {
    throw new Refusal('quantity-limit', `${sum} pass the limit of ${MOST_OF_A_PRODUCT} of a product: add fewer`);
  }
  const item = present ?? { productId, quantity, deliveryOptionId: firstChoice(shop) };
  item.quantity = sum;
  if (present === undefined) shop.cartItems.push(item);
  return item;
}

/** Returns the item of this product; throws if the cart has none. */
export function itemOf(shop: Shop, productId: string): CartItem {
  const item = shop.cartItems.find((each) => each.productId === productId);
  if (item) return item;
  throw new Refusal('unknown-cart-item', `the cart has no item of product ${productId}: add it first`);
}

/** Changes an item completely or not at all, and returns it. */
export function changeItem(shop: Shop, productId: string, change: ItemChange): CartItem {
  const item = itemOf(shop, productId);
  const { quantity = item.quantity, deliveryOptionId = item.deliveryOptionId } = change;
  const optionId = typeof deliveryOptionId === 'number' ? inDecimal(deliveryOptionId) : deliveryOptionId;
  optionOf(shop, optionId);
  return Object.assign(item, { quantity, deliveryOptionId: optionId });
}

/** Removes an item from the cart. */
export function removeItem(shop: Shop, productId: string): void {
  shop.cartItems.splice(shop.cartItems.indexOf(itemOf(shop, productId)), 1);
}

/** Orders the content of the cart and empties it. */
export function createOrder(shop: Shop): Order {
  if (shop.cartItems.length === 0) throw new Refusal('empty-cart', 'the cart is empty: add a product first');
  const orderTimeMs = Date.now();
  const { totalCostCents } = paymentSummary(shop);
  const products = shop.cartItems.splice(0).map(({ productId, quantity, deliveryOptionId }) => {
    const estimatedDeliveryTimeMs = orderTimeMs + optionOf(shop, deliveryOptionId).deliveryDays * DAY_MS;
    return { productId, quantity, estimatedDeliveryTimeMs };
  });
  const order = { id: randomUUID(), orderTimeMs, totalCostCents, products };
  shop.orders.unshift(order);
  return order;
}

/** Returns the order with this id. */
export function orderOf(shop: Shop, orderId: string): Order {
  const order = shop.orders.find(({ id }) => id === orderId);
  if (order) return order;
  throw new Refusal('unknown-order', `no order has the id ${orderId}: GET /api/orders lists those that there are`);
}

/** Returns the payment summary of the cart. */
export function paymentSummary(shop: Shop) {
  const sum = (price: (item: CartItem) => number) => shop.cartItems.reduce((total, item) => total + price(item), 0);
  const totalItems = sum((item) => item.quantity);
  const productCostCents = sum((item) => productOf(shop, item.productId).priceCents * item.quantity);
  const shippingCostCents = sum((item) => optionOf(shop, item.deliveryOptionId).priceCents);
  const totalCostBeforeTaxCents = productCostCents + shippingCostCents;
  const taxCents = Math.floor((totalCostBeforeTaxCents + 5) / 10);
  const totalCostCents = totalCostBeforeTaxCents + taxCents;
  return { totalItems, productCostCents, shippingCostCents, totalCostBeforeTaxCents, taxCents, totalCostCents };
}

function productOf(shop: Shop, productId: string): Product {
  const product = shop.products.find(({ id }) => id === productId);
  if (product) return product;
  throw new Refusal('unknown-product', `no product has the id ${productId}: GET /api/products lists them`);
}

function optionOf(shop: Shop, optionId: string): DeliveryOption {
  const option = shop.deliveryOptions.find(({ id }) => id === optionId);
  if (option) return option;
  const seen = JSON.stringify(optionId.slice(0, 200));
  const detail = `no delivery option has the id ${seen}: GET /api/delivery-options lists them`;
  throw new Refusal('unknown-delivery-option', detail);
}

function firstChoice(shop: Shop): string {
  const [first] = shop.deliveryOptions;
  return shop.deliveryOptions.some(({ id }) => id === '1') ? '1' : (first?.id ?? '1');
}

// String alone would write 1e21 with an exponent.
function inDecimal(value: number): string {
  return Number.isFinite(value) ? BigInt(value).toString() : String(value);
}
