import type { CartItem, DeliveryOption, Product } from '../../src/contract/operation.ts';

/** The uuid that ends in this number. */
export function uuid(number: number): string {
  return `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;
}

/** A product of which only what is given matters. */
export function product(given: Partial<Product> = {}): Product {
  return {
    id: uuid(1),
    image: 'images/products/any.svg',
    name: 'Any',
    rating: { stars: 4, count: 10 },
    priceCents: 100,
    keywords: [],
    ...given,
  };
}

/** Products of these names and keywords, each with an id of its own. */
export function catalogueOf(entries: readonly (readonly [name: string, ...keywords: string[]])[]): readonly Product[] {
  return entries.map(([name, ...keywords], place) => product({ id: uuid(place + 1), name, keywords }));
}

/** A delivery option of which only what is given matters. */
export function deliveryOption(given: Partial<DeliveryOption> = {}): DeliveryOption {
  return { id: '1', deliveryDays: 7, priceCents: 0, ...given };
}

/** A cart item of which only what is given matters. */
export function cartItem(given: Partial<CartItem> = {}): CartItem {
  return { productId: uuid(1), quantity: 1, deliveryOptionId: '1', ...given };
}
