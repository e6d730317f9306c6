import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  addItem,
  computePaymentSummary,
  findCartItem,
  QUANTITY_LIMIT,
  removeItem,
  replaceItem,
} from '../../../src/shop/domain/cart.ts';
import { createCartItem, createUuid } from '../../support/fixtures/catalogue-builders.ts';
import { anyShop } from '../../support/fixtures/domain-arbitraries.ts';

const [A, B, C] = [
  createCartItem({ productId: createUuid(1), quantity: 2, deliveryOptionId: '1' }),
  createCartItem({ productId: createUuid(2), quantity: 5, deliveryOptionId: '2' }),
  createCartItem({ productId: createUuid(3), quantity: 1, deliveryOptionId: '3' }),
];

describe('addItem', () => {
  it.each([
    ['puts the first item into an empty cart', [], C, [C]],
    ['appends a new item', [A, B], C, [A, B, C]],
    [
      'adds to the quantity of an item, which keeps its position',
      [A, B],
      { ...A, quantity: 3 },
      [{ ...A, quantity: 5 }, B],
    ],
    [
      'adds to the quantity of an item, which keeps its delivery option',
      [A, B],
      { ...B, deliveryOptionId: '1' },
      [A, { ...B, quantity: 10 }],
    ],
    [
      'adds up to the quantity limit',
      [A],
      { ...A, quantity: QUANTITY_LIMIT - 2 },
      [{ ...A, quantity: QUANTITY_LIMIT }],
    ],
  ])('%s', (_, cart, added, expected) => {
    expect(addItem(cart, added)).toEqual(expected);
  });

  it('throws quantity-limit above the quantity limit', () => {
    expect(() => addItem([A], { ...A, quantity: QUANTITY_LIMIT - 1 })).toThrow(
      expect.objectContaining({ code: 'quantity-limit' }),
    );
  });

  it('allows a million of one product', () => expect(QUANTITY_LIMIT).toBe(1_000_000));

  it('never lowers the total cost', () => {
    fc.assert(
      fc.property(anyShop, fc.nat(), fc.integer({ min: 1, max: 10 }), ({ cart, catalogue }, place, quantity) => {
        const productId = catalogue.products[place % catalogue.products.length]?.id ?? '';
        const after = addItem(cart, createCartItem({ productId, quantity }));
        const [cost, costAfter] = [cart, after].map((items) => computePaymentSummary(items, catalogue));
        expect(costAfter?.totalCostCents).toBeGreaterThanOrEqual(cost?.totalCostCents ?? Number.NaN);
        expect(costAfter?.totalItems).toBe((cost?.totalItems ?? Number.NaN) + quantity);
      }),
    );
  });

  it('never creates two items of one product', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 5 })), (numbers) => {
        const cart = numbers.reduce<ReturnType<typeof addItem>>(
          (items, number) => addItem(items, createCartItem({ productId: createUuid(number) })),
          [],
        );
        expect(cart.map(({ productId }) => productId)).toEqual([...new Set(numbers)].map(createUuid));
      }),
    );
  });
});

describe('replaceItem', () => {
  it('replaces the item of the same product', () => {
    expect(replaceItem([A, B, C], { ...B, quantity: 9 })).toEqual([A, { ...B, quantity: 9 }, C]);
  });
});

describe('removeItem', () => {
  it.each([
    ['the first item', [A, B, C], A, [B, C]],
    ['the last item', [A, B, C], C, [A, B]],
    ['the only item', [A], A, []],
  ])('removes %s', (_, cart, { productId }, expected) => {
    expect(removeItem(cart, productId)).toEqual(expected);
  });
});

describe('findCartItem', () => {
  it('returns the item of the product', () => expect(findCartItem([A, B], B.productId)).toBe(B));

  it('throws unknown-cart-item with the remedy if the cart has no item of the product', () => {
    expect(() => findCartItem([A], createUuid(9))).toThrow(
      expect.objectContaining({
        code: 'unknown-cart-item',
        message: `The cart has no item of product ${createUuid(9)}. Add the product first with POST /api/cart-items.`,
      }),
    );
  });
});

describe('a cart', () => {
  it('is not mutated by the functions that return a changed cart', () => {
    const cart = Object.freeze([Object.freeze({ ...A }), Object.freeze({ ...B })]);
    addItem(cart, { ...A, quantity: 1 });
    replaceItem(cart, { ...A, quantity: 9 });
    removeItem(cart, A.productId);
    expect(cart).toEqual([A, B]);
  });
});
