import { memoizeByObject } from '../../util/memoize-by-object.ts';
import type { DeliveryOption, Product } from '../types.ts';
import { DomainError } from './domain-error.ts';

/** The products of the shop and the ways to deliver them. */
export interface Catalogue {
  readonly products: readonly Product[];
  /** Never empty. */
  readonly deliveryOptions: readonly DeliveryOption[];
}

/** Returns the product with an id. Throws `unknown-product` if there is none. Costs one lookup: the map of a product list is created on its first use. */
export function findProduct({ products }: Catalogue, productId: string): Product {
  const product = getProductMap(products).get(productId);
  if (product) return product;
  throw new DomainError('unknown-product', `No product has the id ${productId}. GET /api/products lists all products.`);
}

/** Returns the delivery option with an id. Throws `unknown-delivery-option` if there is none. */
export function findDeliveryOption({ deliveryOptions }: Catalogue, deliveryOptionId: string): DeliveryOption {
  const option = deliveryOptions.find(({ id }) => id === deliveryOptionId);
  if (option) return option;
  throw new DomainError(
    'unknown-delivery-option',
    `No delivery option has the id ${JSON.stringify(truncate(deliveryOptionId))}. ` +
      'GET /api/delivery-options lists all delivery options.',
  );
}

/** The longest id that an error message repeats, in characters. */
const MAX_ID_LENGTH = 100;

function truncate(id: string): string {
  return id.length > MAX_ID_LENGTH ? `${id.slice(0, MAX_ID_LENGTH)}…` : id;
}

const getProductMap = memoizeByObject(
  (products: readonly Product[]): ReadonlyMap<string, Product> =>
    new Map(products.map((product) => [product.id, product])),
);
