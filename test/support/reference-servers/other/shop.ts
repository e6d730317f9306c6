import { randomBytes } from 'node:crypto';
import { type DeliveryOption, deliveryOptions, type Product, products } from './default-data.ts';
import { Refusal } from './problems.ts';

/** The fixed time of this shop: all orders have the same time, so only their creation determines their order. */
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

/** The cart and the orders, in memory. Every change is synchronous and therefore atomic. */
export class Shop {
  #cart: readonly CartItem[] = [];
  #orders: readonly Order[] = [];

  get cart(): readonly CartItem[] {
    return this.#cart;
  }

  /** The newest order first. */
  get orders(): readonly Order[] {
    return this.#orders;
  }

  reset(): void {
    this.#cart = [];
    this.#orders = [];
  }

  itemOf(productId: string): CartItem {
    const item = this.#cart.find((one) => one.productId === productId);
    if (!item) throw new Refusal('unknown-cart-item', `Nothing of ${productId} lies in the cart; add some before.`);
    return item;
  }

  add(productId: string, more: number): CartItem {
    productOf(productId);
    const there = this.#cart.find((one) => one.productId === productId);
    const quantity = (there?.quantity ?? 0) + more;
    if (quantity > MOST_OF_A_PRODUCT)
      throw new Refusal('quantity-limit', `${quantity} are too many; order some first.`);
    if (there) return this.#replace({ ...there, quantity });
    const item = { deliveryOptionId: defaultOption().id, quantity, productId };
    this.#cart = [...this.#cart, item];
    return item;
  }

  change(productId: string, wish: Partial<CartItem>): CartItem {
    const item = { ...this.itemOf(productId), ...wish };
    optionOf(item.deliveryOptionId);
    return this.#replace(item);
  }

  remove(productId: string): void {
    const item = this.itemOf(productId);
    this.#cart = this.#cart.filter((one) => one !== item);
  }

  summary() {
    const productCostCents = sum(this.#cart.map((one) => productOf(one.productId).priceCents * one.quantity));
    const shippingCostCents = sum(this.#cart.map((one) => optionOf(one.deliveryOptionId).priceCents));
    const totalCostBeforeTaxCents = productCostCents + shippingCostCents;
    const taxCents = Math.floor((totalCostBeforeTaxCents + 5) / 10);
    const totalCostCents = totalCostBeforeTaxCents + taxCents;
    const totalItems = sum(this.#cart.map((one) => one.quantity));
    return { totalCostCents, taxCents, totalCostBeforeTaxCents, shippingCostCents, productCostCents, totalItems };
  }

  order(): Order {
    if (this.#cart.length === 0) throw new Refusal('empty-cart', 'An order needs something in the cart.');
    const bought = this.#cart.map(({ productId, quantity, deliveryOptionId }) => {
      return { estimatedDeliveryTimeMs: arrivalOf(optionOf(deliveryOptionId)), quantity, productId };
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

/** Returns the product with an id. */
export function productOf(id: string): Product {
  const product = products.find((one) => one.id === id);
  if (!product) throw new Refusal('unknown-product', `${id} is not sold here; look at the list of products.`);
  return product;
}

/** Returns the time at which an item ordered now would arrive. */
export function arrivalOf(option: DeliveryOption): number {
  return NOW_MS + option.deliveryDays * DAY_MS;
}

function optionOf(id: string): DeliveryOption {
  const option = deliveryOptions.find((one) => one.id === id);
  if (!option) throw new Refusal('unknown-delivery-option', `“${id}” is no way of delivery; look at the list of them.`);
  return option;
}

function defaultOption(): DeliveryOption {
  return deliveryOptions.find((one) => one.id === '1') ?? optionOf('std');
}

/** Returns a version 7 UUID in upper case, which RFC 9562 allows. */
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
