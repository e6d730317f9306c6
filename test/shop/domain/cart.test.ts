import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findCartItem, QUANTITY_LIMIT, withAdded, withItem, withoutItem } from '../../../src/shop/domain/cart.ts';
import { paymentSummary } from '../../../src/shop/domain/pricing.ts';
import { cartItem, uuid } from '../../support/fixtures/catalogue-builders.ts';
import { anyShop } from '../../support/fixtures/domain-arbitraries.ts';

const [A, B, C] = [
  cartItem({ productId: uuid(1), quantity: 2, deliveryOptionId: '1' }),
  cartItem({ productId: uuid(2), quantity: 5, deliveryOptionId: '2' }),
  cartItem({ productId: uuid(3), quantity: 1, deliveryOptionId: '3' }),
];

describe('withAdded', () => {
  it.each([
    ['the first item', [], C, [C]],
    ['the last item', [A, B], C, [A, B, C]],
    ['more of an item, which keeps its place', [A, B], { ...A, quantity: 3 }, [{ ...A, quantity: 5 }, B]],
    ['more of an item, which keeps its option', [A, B], { ...B, deliveryOptionId: '1' }, [A, { ...B, quantity: 10 }]],
    ['up to the limit', [A], { ...A, quantity: QUANTITY_LIMIT - 2 }, [{ ...A, quantity: QUANTITY_LIMIT }]],
  ])('has %s', (_, cart, added, expected) => {
    expect(withAdded(cart, added)).toEqual(expected);
  });

  it('is refused past the limit', () => {
    expect(() => withAdded([A], { ...A, quantity: QUANTITY_LIMIT - 1 })).toThrow(
      expect.objectContaining({ code: 'quantity-limit' }),
    );
  });

  it('takes a million of a product', () => expect(QUANTITY_LIMIT).toBe(1_000_000));

  it('never costs less than before', () => {
    fc.assert(
      fc.property(anyShop, fc.nat(), fc.integer({ min: 1, max: 10 }), ({ cart, catalogue }, place, quantity) => {
        const productId = catalogue.products[place % catalogue.products.length]?.id ?? '';
        const after = withAdded(cart, cartItem({ productId, quantity }));
        const [cost, costAfter] = [cart, after].map((items) => paymentSummary(items, catalogue));
        expect(costAfter?.totalCostCents).toBeGreaterThanOrEqual(cost?.totalCostCents ?? Number.NaN);
        expect(costAfter?.totalItems).toBe((cost?.totalItems ?? Number.NaN) + quantity);
      }),
    );
  });

  it('never has two items of a product', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 5 })), (numbers) => {
        const cart = numbers.reduce<ReturnType<typeof withAdded>>(
          (items, number) => withAdded(items, cartItem({ productId: uuid(number) })),
          [],
        );
        expect(cart.map(({ productId }) => productId)).toEqual([...new Set(numbers)].map(uuid));
      }),
    );
  });
});

describe('withItem', () => {
  it('has the changed item in the place of the old one', () => {
    expect(withItem([A, B, C], { ...B, quantity: 9 })).toEqual([A, { ...B, quantity: 9 }, C]);
  });
});

describe('withoutItem', () => {
  it.each([
    ['the first', [A, B, C], A, [B, C]],
    ['the last', [A, B, C], C, [A, B]],
    ['the only one', [A], A, []],
  ])('lacks the item: %s', (_, cart, { productId }, expected) => {
    expect(withoutItem(cart, productId)).toEqual(expected);
  });
});

describe('itemOf', () => {
  it('is the item of the product', () => expect(findCartItem([A, B], B.productId)).toBe(B));

  it('is refused where the cart has none, with the remedy', () => {
    expect(() => findCartItem([A], uuid(9))).toThrow(
      expect.objectContaining({
        code: 'unknown-cart-item',
        message: `the cart has no item of product ${uuid(9)}: add it first with POST /api/cart-items`,
      }),
    );
  });
});

describe('a cart', () => {
  it('is not changed by what is made of it', () => {
    const cart = Object.freeze([Object.freeze({ ...A }), Object.freeze({ ...B })]);
    withAdded(cart, { ...A, quantity: 1 });
    withItem(cart, { ...A, quantity: 9 });
    withoutItem(cart, A.productId);
    expect(cart).toEqual([A, B]);
  });
});
