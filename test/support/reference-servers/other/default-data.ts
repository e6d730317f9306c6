/** A product in the catalogue of this shop. */
export interface Product {
  readonly keywords: readonly string[];
  readonly rating: { readonly count: number; readonly stars: number };
  readonly priceCents: number;
  readonly name: string;
  readonly image: string;
  readonly id: string;
}

/** A delivery option. */
export interface DeliveryOption {
  readonly priceCents: number;
  readonly deliveryDays: number;
  readonly id: string;
}

function product(
  id: string,
  name: string,
  picture: string,
  priceCents: number,
  [stars, count]: readonly [number, number],
  keywords: readonly string[],
): Product {
  return { keywords, rating: { count, stars }, priceCents, name, image: `pictures/${picture}`, id };
}

/** The catalogue of the second shop. The products are valid edge cases. Their ids are UUIDs of several versions, and one id is in upper case. */
export const products: readonly Product[] = [
  product(
    '0190163d-8694-739b-aea5-966c26f8ad91',
    'Crème Brûlée Ramekins, Set of Six',
    'ramekins.svg',
    2750,
    [3.5, 88],
    ['porcelain', 'dessert', 'oven dish'],
  ),
  product(
    'f81d4fae-7dec-11d0-a765-00a0c91e6bf6',
    'Garden Trowel',
    'trowel.svg?size=small',
    1105,
    [4, 312],
    ['digging'],
  ),
  product('2ED6657D-E927-568B-95E1-2665A8AEA6A2', 'Unlabelled Mystery Parcel', 'parcel.svg', 666, [0, 0], []),
  product(
    '919108f7-52d1-4320-9bac-f847db4148a8',
    'Paper Catalogue',
    'catalogue.svg',
    0,
    [2.5, 7],
    ['brochure', 'free'],
  ),
  product(
    '017f22e2-79b0-7cc3-98c4-dc0c0c07398f',
    'Concert Harpsichord',
    'harpsichord.svg',
    10_000_000,
    [5, 1],
    ['instrument', 'baroque', 'music'],
  ),
  product(
    '5df41881-3aed-3515-88a7-2f4a814cf09e',
    '抹茶 Bamboo Whisk',
    'th%C3%A9.svg',
    1895,
    [4.5, 20_480],
    ['tea ceremony', 'matcha'],
  ),
  product(
    '1ec9414c-232a-6b00-b3c8-9e6bdeced846',
    'Ring "A & B" <Silver>, ½ Size',
    'ring.svg',
    12_345,
    [1, 3],
    ['jewellery', 'gift, wrapped'],
  ),
  product(
    '320c3d4d-cc00-875b-8ec9-32d5f69181c0',
    'Garden Trowel',
    'trowel-again.svg',
    1,
    [4, 312],
    ['digging', 'steel'],
  ),
  product('ffffffff-ffff-ffff-ffff-fffffffffffe', 'X', 'x.svg', 99, [3, 1_000_000], ['x']),
];

/** The delivery options of the second shop. None of them has the id "1", so the first delivery option is the default for a new cart item. */
export const deliveryOptions: readonly DeliveryOption[] = [
  { priceCents: 295, deliveryDays: 4, id: 'std' },
  { priceCents: 1499, deliveryDays: 0, id: '7' },
  { priceCents: 0, deliveryDays: 30, id: 'eco' },
];
