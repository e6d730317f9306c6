import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { paymentSummary, percentHalfUp } from '../../../src/shop/domain/pricing.ts';
import { cartItem, deliveryOption, product, uuid } from '../../support/fixtures/catalogue-builders.ts';
import { anyShop } from '../../support/fixtures/domain-arbitraries.ts';

/** The highest amount whose total with the tax is still a safe whole number. */
const HIGHEST_BEFORE_TAX_CENTS = Math.floor(Number.MAX_SAFE_INTEGER / 1.1);

describe('percentHalfUp', () => {
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
    [Number.MAX_SAFE_INTEGER, 10, 900_719_925_474_099],
  ])('of %i cents, %i per cent is %i', (cents, percent, expected) => {
    expect(percentHalfUp(cents, percent)).toBe(expected);
  });

  it('is what whole numbers without a limit give, over the whole range', () => {
    const anyCents = fc.oneof(
      fc.integer({ min: 0, max: 10_000 }),
      fc.integer({ min: 0, max: HIGHEST_BEFORE_TAX_CENTS }),
      fc.integer({ min: HIGHEST_BEFORE_TAX_CENTS - 1000, max: HIGHEST_BEFORE_TAX_CENTS }),
    );
    fc.assert(
      fc.property(anyCents, fc.constantFrom(10, 1, 7, 19, 100), (cents, percent) => {
        const exact = (BigInt(cents) * BigInt(percent) + 50n) / 100n;
        expect(BigInt(percentHalfUp(cents, percent))).toBe(exact);
      }),
      { numRuns: 1000 },
    );
  });
});

describe('paymentSummary', () => {
  const catalogue = {
    products: [product({ id: uuid(1), priceCents: 999 }), product({ id: uuid(2), priceCents: 2500 })],
    deliveryOptions: [deliveryOption({ id: '1', priceCents: 0 }), deliveryOption({ id: '2', priceCents: 499 })],
  };
  const ZERO = { totalItems: 0, productCostCents: 0, shippingCostCents: 0, totalCostBeforeTaxCents: 0, taxCents: 0 };

  it.each([
    ['nothing', [], { ...ZERO, totalCostCents: 0 }],
    [
      'one item',
      [cartItem({ productId: uuid(1), quantity: 3 })],
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
      'two items that are sent by the same option',
      [
        cartItem({ productId: uuid(1), quantity: 1, deliveryOptionId: '2' }),
        cartItem({ productId: uuid(2), quantity: 4, deliveryOptionId: '2' }),
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
  ])('is what %s costs', (_, cart, expected) => {
    expect(paymentSummary(cart, catalogue)).toEqual(expected);
  });

  it.each([
    ['product', { productId: uuid(9) }, 'unknown-product'],
    ['delivery option', { deliveryOptionId: '9' }, 'unknown-delivery-option'],
  ])('is refused where the catalogue lacks a %s', (_, lacking, code) => {
    expect(() => paymentSummary([cartItem(lacking)], catalogue)).toThrow(expect.objectContaining({ code }));
  });

  it('has totals that are the sums of their parts', () => {
    fc.assert(
      fc.property(anyShop, ({ cart, catalogue }) => {
        const summary = paymentSummary(cart, catalogue);
        expect(summary.totalCostBeforeTaxCents).toBe(summary.productCostCents + summary.shippingCostCents);
        expect(summary.totalCostCents).toBe(summary.totalCostBeforeTaxCents + summary.taxCents);
      }),
    );
  });

  it('has as its costs those of its items, each by itself', () => {
    fc.assert(
      fc.property(anyShop, ({ cart, catalogue }) => {
        const alone = cart.map((item) => paymentSummary([item], catalogue));
        const sum = (field: 'productCostCents' | 'shippingCostCents' | 'totalItems') =>
          alone.reduce((total, summary) => total + summary[field], 0);
        expect(paymentSummary(cart, catalogue)).toMatchObject({
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
        expect(paymentSummary(cart.toReversed(), catalogue)).toEqual(paymentSummary(cart, catalogue));
      }),
    );
  });
});
