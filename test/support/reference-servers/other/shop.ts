import { randomBytes } from 'node:crypto';
import { type DeliveryOption, deliveryOptions, type Product, products } from './default-data.ts';
import { Refusal } from './problems.ts';

/** The fixed time of this shop, in ms since 1970. All orders have the same time, so their sequence only depends on when they were created. */
export const NOW_MS = Date.UTC(2024, 1, 29, 12);

const DAY_MS = 86_400_000;
const MOST_OF_A_PRODUCT = 1_000_000;

/** An item of the cart. */
export interface CartItem {
  readonly deliveryOptionId: string;
  readonly quantity: number;
  readonly productId: string;
}

/** An order. */
export interface Order {
  readonly products: readonly {
    readonly estimatedDeliveryTimeMs: number;
    readonly quantity: number;
    readonly productId: string;
  }[];
  readonly totalCostCents: number;
  readonly orderTimeMs: number;
  readonly id: string;
}

/** The cart and the orders of the shop, in memory. Each change is synchronous, so concurrent requests can't see a partial change. */
export class Shop {
  #cart: readonly CartItem[] = [];
  #orders: readonly Order[] = [];

  get cart(): readonly CartItem[] {
    return this.#cart;
  }

  /** The orders; the newest order is the first. */
  get orders(): readonly Order[] {
    return this.#orders;
  }

  reset(): void {
    this.#cart = [];
    this.#orders = [];
  }

  getItem(productId: string): CartItem {
    const item = this.#cart.find((one) => one.productId === productId);
    if (!item) throw new Refusal('unknown-cart-item', `Nothing of ${productId} lies in the cart; add some before.`);
    return item;
  }

  add(productId: string, more: number): CartItem {
    getProduct(productId);
    const there = this.#cart.find((one) => one.productId === productId);
    const quantity = (there?.quantity ?? 0) + more;
    if (quantity > MOST_OF_A_PRODUCT)
      throw new Refusal('quantity-limit', `${quantity} are too many; order some first.`);
    if (there) return this.#replace({ ...there, quantity });
    const item = { deliveryOptionId: defaultOption().id, quantity, productId };
    this.#cart = [...this.#cart, item];
    return item;
  }

  change(productId: string, values: Partial<CartItem>): CartItem {
    const item = { ...this.getItem(productId), ...values };
    getOption(item.deliveryOptionId);
    return this.#replace(item);
  }

  remove(productId: string): void {
    const item = this.getItem(productId);
    this.#cart = this.#cart.filter((one) => one !== item);
  }

  summary() {
    const productCostCents = sum(this.#cart.map((one) => getProduct(one.productId).priceCents * one.quantity));
    const shippingCostCents = sum(this.#cart.map((one) => getOption(one.deliveryOptionId).priceCents));
    const totalCostBeforeTaxCents = productCostCents + shippingCostCents;
    const taxCents = Math.floor((totalCostBeforeTaxCents + 5) / 10);
    const totalCostCents = totalCostBeforeTaxCents + taxCents;
    const totalItems = sum(this.#cart.map((one) => one.quantity));
    return { totalCostCents, taxCents, totalCostBeforeTaxCents, shippingCostCents, productCostCents, totalItems };
  }

  order(): Order {
    if (this.#cart.length === 0) throw new Refusal('empty-cart', 'An order needs something in the cart.');
    const bought = this.#cart.map(({ productId, quantity, deliveryOptionId }) => {
      return { estimatedDeliveryTimeMs: getArrival(getOption(deliveryOptionId)), quantity, productId };
    });
    const { totalCostCents } = this.summary();
    const order = { products: bought, totalCostCents, orderTimeMs: NOW_MS, id: newId() };
    this.#orders = [order, ...this.#orders];
    this.#cart = [];
    return order;
  }

  orderOf(id: string): Order {
    const order = this.#orders.find((one) => one.id === id);
    if (!order) throw new Refusal('unknown-order', `${id} was never ordered; look at the list of orders.`);
    return order;
  }

  #replace(item: CartItem): CartItem {
    this.#cart = this.#cart.map((one) => (one.productId === item.productId ? item : one));
    return item;
  }
}

/** Returns the product with this id. Throws a `Refusal` if it does not exist. */
export function getProduct(id: string): Product {
  const product = products.find((one) => one.id === id);
  if (!product) throw new Refusal('unknown-product', `${id} is not sold here; look at the list of products.`);
  return product;
}

/** Returns the estimated delivery time of an item that is ordered now, in ms since 1970. */
export function getArrival(option: DeliveryOption): number {
  return NOW_MS + option.deliveryDays * DAY_MS;
}

function getOption(id: string): DeliveryOption {
  const option = deliveryOptions.find((one) => one.id === id);
  if (!option) throw new Refusal('unknown-delivery-option', `“${id}” is no way of delivery; look at the list of them.`);
  return option;
}

function defaultOption(): DeliveryOption {
  return deliveryOptions.find((one) => one.id === '1') ?? getOption('std');
}

/** Returns a UUID of version 7 in upper case. RFC 9562 allows upper case. */
function newId(): string {
  const random = randomBytes(10).toString('hex');
  const time = NOW_MS.toString(16).padStart(12, '0');
  const parts = [
    time.slice(0, 8),
    time.slice(8),
    `7${random.slice(0, 3)}`,
    `a${random.slice(3, 6)}`,
    random.slice(6, 18),
  ];
  return parts.join('-').toUpperCase();
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0);
}
