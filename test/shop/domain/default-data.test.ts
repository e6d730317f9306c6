import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  computePaymentSummary,
  createOrderFromCart,
  getEstimatedDeliveryTimeMs,
} from '../../../src/shop/domain/cart.ts';
import type { CartItem, DeliveryOption, Order, OrderProduct } from '../../../src/shop/types.ts';
import { contractDocument } from '../../support/fixtures/contract-document.ts';
import { defaults, projectFile } from '../../support/fixtures/default-data.ts';
import { getValueIssues } from '../../support/oracles/contract-validator.ts';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** The delivery options by which something of an order arrives when its estimate says. */
function optionsFor({ orderTimeMs }: Order, entry: OrderProduct): readonly DeliveryOption[] {
  return defaults.deliveryOptions.filter(
    (option) => getEstimatedDeliveryTimeMs(orderTimeMs, option) === entry.estimatedDeliveryTimeMs,
  );
}

/** Returns the cart from which an order was created, with the delivery options that fit its delivery times. */
function getCart(order: Order): readonly CartItem[] {
  return order.products.map((entry) => {
    const { productId, quantity } = entry;
    return { productId, quantity, deliveryOptionId: optionsFor(order, entry)[0]?.id ?? 'none' };
  });
}

describe('the default data', () => {
  it('has 40 products', () => expect(defaults.products).toHaveLength(40));

  it('matches the schemas of the contract', () => {
    const { Product, DeliveryOption, CartItem, Order } = contractDocument.components.schemas;
    const troubles = [
      ...getValueIssues({ type: 'array', items: Product ?? {} }, defaults.products),
      ...getValueIssues({ type: 'array', items: DeliveryOption ?? {} }, defaults.deliveryOptions),
      ...getValueIssues({ type: 'array', items: CartItem ?? {} }, defaults.cartItems),
      ...getValueIssues({ type: 'array', items: Order ?? {} }, defaults.orders),
    ];
    expect(troubles).toEqual([]);
  });

  it('uses a unique UUID for each product and order', () => {
    const ids = [...defaults.products, ...defaults.orders].map(({ id }) => id);
    expect(ids.filter((id) => !UUID.test(id))).toEqual([]);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('gives each product a different name', () => {
    const names = defaults.products.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
  });

  it('has the delivery options that front ends rely on', () => {
    expect(defaults.deliveryOptions).toEqual([
      { id: '1', deliveryDays: 7, priceCents: 0 },
      { id: '2', deliveryDays: 3, priceCents: 499 },
      { id: '3', deliveryDays: 1, priceCents: 999 },
    ]);
  });

  it('has a cart whose payment summary can be computed', () => {
    expect(defaults.cartItems.length).toBeGreaterThan(0);
    expect(computePaymentSummary(defaults.cartItems, defaults).totalItems).toBe(3);
  });

  it('lists the newest order first', () => {
    const times = defaults.orders.map(({ orderTimeMs }) => orderTimeMs);
    expect(times.length).toBeGreaterThan(0);
    expect(times).toEqual(times.toSorted((a, b) => b - a));
  });

  it.each(defaults.orders)(
    'has an order with the total and the delivery times that the shop computes: $id',
    (order) => {
      expect(order.products.map((entry) => optionsFor(order, entry).length)).toEqual(order.products.map(() => 1));
      expect(createOrderFromCart(getCart(order), defaults, order)).toEqual(order);
    },
  );
});

describe('the images', () => {
  const ratings = Array.from({ length: 11 }, (_, half) => `ratings/rating-${half * 5}.png`);
  const icons = ['buy-again', 'cart-icon', 'checkmark', 'checkmark-white', 'checkout-lock-icon', 'search-icon'];
  const logos = ['logo', 'logo-white', 'mobile-logo', 'mobile-logo-white'];

  it('include a different file for each product', () => {
    const images = defaults.products.map(({ image }) => image);
    expect(images.filter((image) => !/^images\/products\/[a-z-]+\.svg$/.test(image))).toEqual([]);
    expect(images.filter((image) => !existsSync(projectFile(image)))).toEqual([]);
    expect(new Set(images).size).toBe(images.length);
  });

  it.each([...ratings, ...icons.map((name) => `icons/${name}.png`), ...logos.map((name) => `${name}.png`)])(
    'include %s, which front ends request',
    (path) => expect(existsSync(projectFile(`images/${path}`))).toBe(true),
  );
});
