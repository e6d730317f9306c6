import { describe, expect, it } from 'vitest';
import {
  calculateSummary,
  createModelOrder,
  findDifference,
  type Model,
  withAdded,
} from '../../src/shop/model/model.ts';

/** A cart item: product, quantity and delivery option. */
type Item = readonly [productId: string, quantity: number, deliveryOptionId: string];

/** Returns the state of a shop with three products, three delivery options and a cart. */
function shop(...cart: readonly Item[]): Model {
  const product = (id: string, priceCents: number) => ({
    id,
    image: 'i.svg',
    name: id,
    rating: { stars: 4, count: 1 },
    priceCents,
    keywords: [],
  });
  return {
    products: [product('pen', 1), product('cup', 25), product('lamp', 1_999)],
    deliveryOptions: [
      { id: '3', deliveryDays: 1, priceCents: 999 },
      { id: '1', deliveryDays: 7, priceCents: 0 },
      { id: '2', deliveryDays: 3, priceCents: 499 },
    ],
    cart: cart.map(([productId, quantity, deliveryOptionId]) => ({ productId, quantity, deliveryOptionId })),
    orders: [],
  };
}

describe('calculateSummary', () => {
  /** Calculated by hand: items, products, shipping, before tax, tax, total. */
  const SUMMARIES: readonly [what: string, cart: readonly Item[], sums: readonly number[]][] = [
    ['nothing', [], [0, 0, 0, 0, 0, 0]],
    ['a tax of 0.4 cents', [['pen', 4, '1']], [4, 4, 0, 4, 0, 4]],
    ['a tax of half a cent', [['pen', 5, '1']], [5, 5, 0, 5, 1, 6]],
    ['a tax of 2.5 cents', [['cup', 1, '1']], [1, 25, 0, 25, 3, 28]],
    [
      'a tax of 3.5 cents',
      [
        ['cup', 1, '1'],
        ['pen', 10, '1'],
      ],
      [11, 35, 0, 35, 4, 39],
    ],
    ['shipping once an item', [['lamp', 3, '2']], [3, 5_997, 499, 6_496, 650, 7_146]],
    [
      'shipping for each item',
      [
        ['lamp', 1, '2'],
        ['cup', 2, '2'],
        ['pen', 1, '3'],
      ],
      [4, 2_050, 1_997, 4_047, 405, 4_452],
    ],
    [
      'a million',
      [['lamp', 1_000_000, '3']],
      [1_000_000, 1_999_000_000, 999, 1_999_000_999, 199_900_100, 2_198_901_099],
    ],
  ];
  it.each(SUMMARIES)('adds up %s', (_, cart, sums) => {
    const names = [
      'totalItems',
      'productCostCents',
      'shippingCostCents',
      'totalCostBeforeTaxCents',
      'taxCents',
      'totalCostCents',
    ];
    expect(calculateSummary(shop(...cart))).toEqual(Object.fromEntries(names.map((name, at) => [name, sums[at]])));
  });
});

describe('withAdded', () => {
  it('gives a new item the delivery option 1, or the first one if there is no 1', () => {
    expect(withAdded(shop(), { productId: 'cup', quantity: 2 }).cart).toEqual([
      { productId: 'cup', quantity: 2, deliveryOptionId: '1' },
    ]);
    const others = { ...shop(), deliveryOptions: shop().deliveryOptions.filter(({ id }) => id !== '1') };
    expect(withAdded(others, { productId: 'cup', quantity: 2 }).cart).toEqual([
      { productId: 'cup', quantity: 2, deliveryOptionId: '3' },
    ]);
  });

  it('adds to the quantity of an item, and keeps its place and delivery option', () => {
    expect(withAdded(shop(['cup', 9, '3'], ['pen', 1, '1']), { productId: 'cup', quantity: 5 }).cart).toEqual(
      shop(['cup', 14, '3'], ['pen', 1, '1']).cart,
    );
  });
});

describe('createModelOrder', () => {
  it('has the items, the total with tax, and days of 86,400,000 ms', () => {
    expect(createModelOrder(shop(['lamp', 3, '2'], ['cup', 1, '3']), 'o', 1_000)).toEqual({
      id: 'o',
      orderTimeMs: 1_000,
      totalCostCents: 8_272,
      products: [
        { productId: 'lamp', quantity: 3, estimatedDeliveryTimeMs: 259_201_000 },
        { productId: 'cup', quantity: 1, estimatedDeliveryTimeMs: 86_401_000 },
      ],
    });
  });
});

describe('findDifference', () => {
  const SAME: readonly [expected: unknown, actual: unknown][] = [
    [1, 1],
    [
      { a: 1, b: [1, { c: null }] },
      { b: [1, { c: null }], a: 1 },
    ],
    [[], []],
    [undefined, undefined],
  ];
  it.each(SAME)('returns undefined for %j and %j', (expected, actual) =>
    expect(findDifference(expected, actual)).toBeUndefined(),
  );

  const OTHER: readonly [expected: unknown, actual: unknown, said: string][] = [
    [1, '1', 'The body is "1" instead of 1'],
    [[1, 2], [1], 'The body has 1 entries instead of 2'],
    [{ a: [{ b: 1 }] }, { a: [{ b: 2 }] }, '/a/0/b is 2 instead of 1'],
    [{ a: 1 }, {}, '/a is missing instead of 1'],
    [{}, { a: null }, '/a is null instead of missing'],
    [{ 'a/b': 1 }, { 'a/b': 2 }, '/a~1b is 2 instead of 1'],
    [[], {}, 'The body is {} instead of []'],
    [null, {}, 'The body is {} instead of null'],
    ['x', 'y'.repeat(200), `The body is "${'y'.repeat(119)}… instead of "x"`],
  ];
  it.each(OTHER)('describes the difference between %j and %j', (expected, actual, said) =>
    expect(findDifference(expected, actual)).toBe(said),
  );
});
