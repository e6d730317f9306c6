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

/** An order. */
export interface Order {
  readonly id: string;
  readonly orderTimeMs: number;
  readonly totalCostCents: number;
  readonly products: readonly { productId: string; quantity: number; estimatedDeliveryTimeMs: number }[];
}

/** The state of the shop. The operations change it in place. */
export interface Shop {
  readonly products: Product[];
  readonly deliveryOptions: DeliveryOption[];
  readonly cartItems: CartItem[];
  readonly orders: Order[];
}

/** The properties of a cart item that a PUT request can change. */
export interface ItemChange {
  readonly quantity?: number;
  readonly deliveryOptionId?: string | number;
}

/** Returns a new shop with the default data. */
export function defaultShop(): Shop {
  return JSON.parse(readFileSync(DEFAULT_DATA, 'utf8'));
}

/** Returns the delivery options with the estimated delivery time of each option. */
export function withEstimates(options: readonly DeliveryOption[]): object[] {
  const now = Date.now();
  return options.map((option) => ({ ...option, estimatedDeliveryTimeMs: now + option.deliveryDays * DAY_MS }));
}

/** Returns cart items, or the items of an order, with the product of each item. */
export function withProducts(shop: Shop, lines: readonly { productId: string }[]): object[] {
  return lines.map((line) => ({ ...line, product: getProduct(shop, line.productId) }));
}

/** Returns an order with the product of each item. */
export function withOrderProducts(shop: Shop, order: Order): object {
  return { ...order, products: withProducts(shop, order.products) };
}

/**
 * Adds a quantity of a product to the cart. Returns the new or changed item. Throws a `Refusal` if the product does not exist, or if the total quantity
 * exceeds the limit.
 */
export function addItem(shop: Shop, productId: string, quantity: number): CartItem {
  getProduct(shop, productId);
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

/** Returns the cart item of a product. Throws a `Refusal` if the cart does not contain the product. */
export function getItem(shop: Shop, productId: string): CartItem {
  const item = shop.cartItems.find((each) => each.productId === productId);
  if (item) return item;
  throw new Refusal('unknown-cart-item', `the cart has no item of product ${productId}: add it first`);
}

/**
 * Changes the quantity and the delivery option of a cart item. Returns the item. Throws a `Refusal` and changes nothing if the item or the delivery option
 * does not exist.
 */
export function changeItem(shop: Shop, productId: string, change: ItemChange): CartItem {
  const item = getItem(shop, productId);
  const { quantity = item.quantity, deliveryOptionId = item.deliveryOptionId } = change;
  const optionId = typeof deliveryOptionId === 'number' ? inDecimal(deliveryOptionId) : deliveryOptionId;
  getOption(shop, optionId);
  return Object.assign(item, { quantity, deliveryOptionId: optionId });
}

/** Removes the item of a product from the cart. Throws a `Refusal` if the cart does not contain the product. */
export function removeItem(shop: Shop, productId: string): void {
  shop.cartItems.splice(shop.cartItems.indexOf(getItem(shop, productId)), 1);
}

/** Creates an order from the items of the cart, and empties the cart. Returns the order. Throws a `Refusal` if the cart is empty. */
export function createOrder(shop: Shop): Order {
  if (shop.cartItems.length === 0) throw new Refusal('empty-cart', 'the cart is empty: add a product first');
  const orderTimeMs = Date.now();
  const { totalCostCents } = paymentSummary(shop);
  const products = shop.cartItems.splice(0).map(({ productId, quantity, deliveryOptionId }) => {
    const estimatedDeliveryTimeMs = orderTimeMs + getOption(shop, deliveryOptionId).deliveryDays * DAY_MS;
    return { productId, quantity, estimatedDeliveryTimeMs };
  });
  const order = { id: randomUUID(), orderTimeMs, totalCostCents, products };
  shop.orders.unshift(order);
  return order;
}

/** Returns the order with this id. Throws a `Refusal` if it does not exist. */
export function orderOf(shop: Shop, orderId: string): Order {
  const order = shop.orders.find(({ id }) => id === orderId);
  if (order) return order;
  throw new Refusal('unknown-order', `no order has the id ${orderId}: GET /api/orders lists those that there are`);
}

/** Returns the payment summary of the cart: the number of items, and the costs in cents. */
export function paymentSummary(shop: Shop) {
  const sum = (price: (item: CartItem) => number) => shop.cartItems.reduce((total, item) => total + price(item), 0);
  const totalItems = sum((item) => item.quantity);
  const productCostCents = sum((item) => getProduct(shop, item.productId).priceCents * item.quantity);
  const shippingCostCents = sum((item) => getOption(shop, item.deliveryOptionId).priceCents);
  const totalCostBeforeTaxCents = productCostCents + shippingCostCents;
  const taxCents = Math.floor((totalCostBeforeTaxCents + 5) / 10);
  const totalCostCents = totalCostBeforeTaxCents + taxCents;
  return { totalItems, productCostCents, shippingCostCents, totalCostBeforeTaxCents, taxCents, totalCostCents };
}

function getProduct(shop: Shop, productId: string): Product {
  const product = shop.products.find(({ id }) => id === productId);
  if (product) return product;
  throw new Refusal('unknown-product', `no product has the id ${productId}: GET /api/products lists them`);
}

function getOption(shop: Shop, optionId: string): DeliveryOption {
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

// `String` alone would write 1e21 with an exponent.
function inDecimal(value: number): string {
  return Number.isFinite(value) ? BigInt(value).toString() : String(value);
}
