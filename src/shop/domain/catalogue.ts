import { runAtOnce, type Steps } from '../../util/slices.ts';
import type { DeliveryOption, Product } from '../types.ts';
import { DomainError } from './domain-error.ts';

/** The products and the delivery options of the shop. */
export interface Catalogue {
  readonly products: readonly Product[];
  /** The delivery options. The list is never empty. */
  readonly deliveryOptions: readonly DeliveryOption[];
}

/** Finds a product by its id, in constant time. Throws `unknown-product` if there is none. */
export function findProduct({ products }: Catalogue, productId: string): Product {
  const product = getProductMap(products).get(productId);
  if (product) return product;
  throw new DomainError('unknown-product', `No product has the id ${productId}. GET /api/products lists all products.`);
}

/** For each list of products, a map from product ids to products. */
const productMaps = new WeakMap<readonly Product[], ReadonlyMap<string, Product>>();

function getProductMap(products: readonly Product[]): ReadonlyMap<string, Product> {
  return productMaps.get(products) ?? runAtOnce(indexProducts(products));
}

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
