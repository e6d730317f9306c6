import { describe, expect, it } from 'vitest';
import {
  findDeliveryOption,
  findProduct,
  getDefaultDeliveryOption,
  getEstimatedDeliveryTimeMs,
} from '../../../src/shop/domain/cart.ts';
import { createDeliveryOption, createProduct, createUuid } from '../../support/fixtures/catalogue-builders.ts';

const catalogue = {
  products: [createProduct({ id: createUuid(1) }), createProduct({ id: createUuid(2) })],
  deliveryOptions: [createDeliveryOption({ id: '1' }), createDeliveryOption({ id: '2' })],
};

describe('findProduct', () => {
  it('returns the product with the id', () =>
    expect(findProduct(catalogue, createUuid(2))).toBe(catalogue.products[1]));

  it('searches the given catalogue only', () => {
    const other = { ...catalogue, products: [createProduct({ id: createUuid(2), name: 'Other' })] };
    findProduct(catalogue, createUuid(2));
    expect(findProduct(other, createUuid(2)).name).toBe('Other');
  });

  it.each([createUuid(9), '', '__proto__', 'constructor'])('throws unknown-product for the id %j', (id) => {
    expect(() => findProduct(catalogue, id)).toThrow(expect.objectContaining({ code: 'unknown-product' }));
  });
});

describe('findDeliveryOption', () => {
  it('returns the delivery option with the id', () => {
    expect(findDeliveryOption(catalogue, '2')).toBe(catalogue.deliveryOptions[1]);
  });

  it.each([
    ['9', '"9"'],
    ['', '""'],
    ['a "b"', '"a \\"b\\""'],
    ['x'.repeat(101), `"${'x'.repeat(100)}…"`],
    ['x'.repeat(100), `"${'x'.repeat(100)}"`],
  ])('throws unknown-delivery-option with the escaped and truncated id: %j', (id, seen) => {
    const message = `No delivery option has the id ${seen}. GET /api/delivery-options lists all delivery options.`;
    expect(() => findDeliveryOption(catalogue, id)).toThrow(
      expect.objectContaining({ code: 'unknown-delivery-option', message }),
    );
  });
});

const [ONE, TWO] = [createDeliveryOption({ id: '1' }), createDeliveryOption({ id: '2' })];

describe('getDefaultDeliveryOption', () => {
  it.each([
    ['option 1 if it is the first', [ONE, TWO], ONE],
    ['option 1 if it is not the first', [TWO, ONE], ONE],
    ['the first option if there is no option 1', [TWO, createDeliveryOption({ id: '0' })], TWO],
  ])('returns %s', (_, deliveryOptions, expected) => {
    expect(getDefaultDeliveryOption({ products: [], deliveryOptions })).toBe(expected);
  });
});

describe('getEstimatedDeliveryTimeMs', () => {
  it.each([
    ['2025-06-01T12:00:00Z', 0, '2025-06-01T12:00:00Z'],
    ['2025-06-01T12:00:00Z', 1, '2025-06-02T12:00:00Z'],
    ['2025-06-01T12:00:00.123Z', 7, '2025-06-08T12:00:00.123Z'],
    ['2025-12-31T23:59:59Z', 3, '2026-01-03T23:59:59Z'],
    ['1970-01-01T00:00:00Z', 3650, '1979-12-30T00:00:00Z'],
  ])('returns for %s and %i delivery days %s', (from, deliveryDays, expected) => {
    expect(getEstimatedDeliveryTimeMs(Date.parse(from), createDeliveryOption({ deliveryDays }))).toBe(
      Date.parse(expected),
    );
  });
});
