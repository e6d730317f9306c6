import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  computePaymentSummary,
  computePercentHalfUp,
  getMaxCartCostCents,
  MAX_CART_COST_CENTS,
} from '../../../src/shop/domain/cart.ts';
import {
  createCartItem,
  createDeliveryOption,
  createProduct,
  createUuid,
} from '../../support/fixtures/catalogue-builders.ts';
import { anyShop } from '../../support/fixtures/domain-arbitraries.ts';

/** The most that shipping can cost: the contract's highest price, for more items than a data file can hold. */
const HIGHEST_SHIPPING_CENTS = 500_000 * 10_000_000;

/** Rates in percent, and in hundredths of a percent as the exact arithmetic needs them. */
const RATES: readonly (readonly [number, bigint])[] = [
  [0, 0n],
  [0.01, 1n],
  [1, 100n],
  [1.1, 110n],
  [7, 700n],
  [8.25, 825n],
  [8.87, 887n],
  [10, 1_000n],
  [19, 1_900n],
  [99.99, 9_999n],
  [100, 10_000n],
];

describe('computePercentHalfUp', () => {
  it.each([
    [0, 10, 0],
    [4, 10, 0],
    [5, 10, 1],
    [14, 10, 1],
    [15, 10, 2],
    [10_796, 10, 1080],
    [99, 100, 99],
    [150, 1, 2],
    [149, 1, 1],
    [1, 50, 1],
    [123_456, 0, 0],
    [200, 8.25, 17],
    [6, 8.25, 0],
    [7, 8.25, 1],
    [10_796, 8.25, 891],
    [Number.MAX_SAFE_INTEGER, 10, 900_719_925_474_099],
    [Number.MAX_SAFE_INTEGER, 8.25, 743_093_938_516_132],
  ])('returns for %i cents at %d percent %i cents', (cents, percent, expected) => {
    expect(computePercentHalfUp(cents, percent)).toBe(expected);
  });

  it.each(RATES)('is exact at %d percent for every amount up to the cost limit', (percent, hundredths) => {
    const limitCents = getMaxCartCostCents(percent) + HIGHEST_SHIPPING_CENTS;
    const anyCents = fc.oneof(
      fc.integer({ min: 0, max: 10_000 }),
      fc.integer({ min: 0, max: limitCents }),
      fc.integer({ min: limitCents - 1000, max: limitCents }),
    );
    fc.assert(
      fc.property(anyCents, (cents) => {
        const exact = (BigInt(cents) * hundredths + 5_000n) / 10_000n;
        expect(BigInt(computePercentHalfUp(cents, percent))).toBe(exact);
      }),
      { numRuns: 300 },
    );
  });

  it.each([8.875, 0.001, 1 / 3, -1, 100.01, Number.NaN])('throws for a rate of %d percent', (percent) => {
    expect(() => computePercentHalfUp(100, percent)).toThrow(RangeError);
  });
});

describe('getMaxCartCostCents', () => {
  it.each(RATES)('keeps the total below 2^53 cents with shipping and a tax of %d percent', (percent, hundredths) => {
    const beforeTaxCents = BigInt(getMaxCartCostCents(percent) + HIGHEST_SHIPPING_CENTS);
    const totalCents = beforeTaxCents + (beforeTaxCents * hundredths + 5_000n) / 10_000n;
    expect(totalCents).toBeLessThanOrEqual(BigInt(Number.MAX_SAFE_INTEGER));
  });

  it('returns 8.18e15 cents at the tax rate of the shop', () => {
    expect(MAX_CART_COST_CENTS).toBe(8_180_000_000_000_000);
  });
});

describe('computePaymentSummary', () => {
  const catalogue = {
    products: [
      createProduct({ id: createUuid(1), priceCents: 999 }),
      createProduct({ id: createUuid(2), priceCents: 2500 }),
    ],
    deliveryOptions: [
      createDeliveryOption({ id: '1', priceCents: 0 }),
      createDeliveryOption({ id: '2', priceCents: 499 }),
    ],
  };
  const ZERO = { totalItems: 0, productCostCents: 0, shippingCostCents: 0, totalCostBeforeTaxCents: 0, taxCents: 0 };

  it.each([
    ['an empty cart', [], { ...ZERO, totalCostCents: 0 }],
    [
      'one item',
      [createCartItem({ productId: createUuid(1), quantity: 3 })],
      {
        totalItems: 3,
        productCostCents: 2997,
        shippingCostCents: 0,
        totalCostBeforeTaxCents: 2997,
        taxCents: 300,
        totalCostCents: 3297,
      },
    ],
    [
      'two items with the same delivery option',
      [
        createCartItem({ productId: createUuid(1), quantity: 1, deliveryOptionId: '2' }),
        createCartItem({ productId: createUuid(2), quantity: 4, deliveryOptionId: '2' }),
      ],
      {
        totalItems: 5,
        productCostCents: 10_999,
        shippingCostCents: 998,
        totalCostBeforeTaxCents: 11_997,
        taxCents: 1200,
        totalCostCents: 13_197,
      },
    ],
  ])('returns the costs of %s', (_, cart, expected) => {
    expect(computePaymentSummary(cart, catalogue)).toEqual(expected);
  });

  it.each([
    ['product', { productId: createUuid(9) }, 'unknown-product'],
    ['delivery option', { deliveryOptionId: '9' }, 'unknown-delivery-option'],
  ])('throws if the catalogue does not contain the %s of an item', (_, lacking, code) => {
    expect(() => computePaymentSummary([createCartItem(lacking)], catalogue)).toThrow(
      expect.objectContaining({ code }),
    );
  });

  it('returns totals that are the sums of their parts', () => {
    fc.assert(
      fc.property(anyShop, ({ cart, catalogue }) => {
        const summary = computePaymentSummary(cart, catalogue);
        expect(summary.totalCostBeforeTaxCents).toBe(summary.productCostCents + summary.shippingCostCents);
        expect(summary.totalCostCents).toBe(summary.totalCostBeforeTaxCents + summary.taxCents);
      }),
    );
  });

  it('returns costs that are the sums of the costs of single items', () => {
    fc.assert(
      fc.property(anyShop, ({ cart, catalogue }) => {
        const alone = cart.map((item) => computePaymentSummary([item], catalogue));
        const sum = (field: 'productCostCents' | 'shippingCostCents' | 'totalItems') =>
          alone.reduce((total, summary) => total + summary[field], 0);
        expect(computePaymentSummary(cart, catalogue)).toMatchObject({
          totalItems: sum('totalItems'),
          productCostCents: sum('productCostCents'),
          shippingCostCents: sum('shippingCostCents'),
        });
      }),
    );
  });

  it('does not depend on the order of the items', () => {
    fc.assert(
      fc.property(anyShop, ({ cart, catalogue }) => {
        expect(computePaymentSummary(cart.toReversed(), catalogue)).toEqual(computePaymentSummary(cart, catalogue));
      }),
    );
  });
});
