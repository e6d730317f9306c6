import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  computePaymentSummary,
  createOrderFromCart,
  findDeliveryOption,
  findOrder,
} from '../../../src/shop/domain/cart.ts';
import type { Order } from '../../../src/shop/types.ts';
import {
  createCartItem,
  createDeliveryOption,
  createProduct,
  createUuid,
} from '../../support/fixtures/catalogue-builders.ts';
import { anyShop } from '../../support/fixtures/domain-arbitraries.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

describe('createOrderFromCart', () => {
  it('returns an order with the items of the cart, in their order, and its total cost', () => {
    const catalogue = {
      products: [
        createProduct({ id: createUuid(1), priceCents: 100 }),
        createProduct({ id: createUuid(2), priceCents: 1000 }),
      ],
      deliveryOptions: [
        createDeliveryOption({ id: '1', deliveryDays: 7 }),
        createDeliveryOption({ id: 'x', deliveryDays: 0 }),
      ],
    };
    const cart = [
      createCartItem({ productId: createUuid(2), quantity: 2, deliveryOptionId: 'x' }),
      createCartItem({ productId: createUuid(1), quantity: 1, deliveryOptionId: '1' }),
    ];
    expect(createOrderFromCart(cart, catalogue, { id: createUuid(7), orderTimeMs: 1000 })).toEqual({
      id: createUuid(7),
      orderTimeMs: 1000,
      totalCostCents: 2310,
      products: [
        { productId: createUuid(2), quantity: 2, estimatedDeliveryTimeMs: 1000 },
        { productId: createUuid(1), quantity: 1, estimatedDeliveryTimeMs: 1000 + 7 * DAY_MS },
      ],
    });
  });

  it('throws empty-cart for an empty cart', () => {
    const catalogue = { products: [createProduct()], deliveryOptions: [createDeliveryOption()] };
    expect(() => createOrderFromCart([], catalogue, { id: createUuid(7), orderTimeMs: 0 })).toThrow(
      expect.objectContaining({ code: 'empty-cart' }),
    );
  });

  it('uses the total of the payment summary and the delivery days of the selected options', () => {
    const anyTimeMs = fc.integer({ min: 0, max: 8_000_000_000_000_000 });
    fc.assert(
      fc.property(anyShop, anyTimeMs, ({ cart, catalogue }, orderTimeMs) => {
        fc.pre(cart.length > 0);
        const order = createOrderFromCart(cart, catalogue, { id: createUuid(7), orderTimeMs });
        expect(order.totalCostCents).toBe(computePaymentSummary(cart, catalogue).totalCostCents);
        expect(order.products).toEqual(
          cart.map(({ productId, quantity, deliveryOptionId }) => ({
            productId,
            quantity,
            estimatedDeliveryTimeMs:
              orderTimeMs + findDeliveryOption(catalogue, deliveryOptionId).deliveryDays * DAY_MS,
          })),
        );
      }),
    );
  });
});

describe('findOrder', () => {
  const orders: readonly Order[] = [createUuid(1), createUuid(2)].map((id) => ({
    id,
    orderTimeMs: 0,
    totalCostCents: 0,
    products: [],
  }));

  it('returns the order with the id', () => expect(findOrder(orders, createUuid(2))).toBe(orders[1]));

  it('throws unknown-order if there is no such order', () => {
    expect(() => findOrder(orders, createUuid(3))).toThrow(expect.objectContaining({ code: 'unknown-order' }));
  });
});
