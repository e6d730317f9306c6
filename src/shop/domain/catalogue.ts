import type { DeliveryOption, Product } from '../types.ts';
import { DomainError } from './domain-error.ts';

/** What the shop sells and how it delivers. */
export interface Catalogue {
  readonly products: readonly Product[];
  /** Never empty. */
  readonly deliveryOptions: readonly DeliveryOption[];
}

/**
 * The product of this id; refused as `unknown-product` where there is none.
 * Costs a map lookup: the map of a list of products is made once, when it is first asked.
 */
export function findProduct({ products }: Catalogue, productId: string): Product {
  const product = byId(products).get(productId);
  if (product) return product;
  throw new DomainError(
    'unknown-product',
    `no product has the id ${productId}: GET /api/products lists those that there are`,
  );
}

/** The delivery option of this id; refused as `unknown-delivery-option` where there is none. */
export function findDeliveryOption({ deliveryOptions }: Catalogue, deliveryOptionId: string): DeliveryOption {
  const option = deliveryOptions.find(({ id }) => id === deliveryOptionId);
  if (option) return option;
  throw new DomainError(
    'unknown-delivery-option',
    `no delivery option has the id ${JSON.stringify(shortened(deliveryOptionId))}: GET /api/delivery-options lists those that there are`,
  );
}

/** The longest id that a sentence repeats, in characters. */
const ID_SHOWN = 100;

function shortened(id: string): string {
  return id.length > ID_SHOWN ? `${id.slice(0, ID_SHOWN)}…` : id;
}

const maps = new WeakMap<readonly Product[], ReadonlyMap<string, Product>>();

function byId(products: readonly Product[]): ReadonlyMap<string, Product> {
  let map = maps.get(products);
  if (!map) {
    map = new Map(products.map((product) => [product.id, product]));
    maps.set(products, map);
  }
  return map;
}
