import { describe, expect, it } from 'vitest';
import { getDefaultDeliveryOption, getEstimatedDeliveryTimeMs } from '../../../src/shop/domain/delivery.ts';
import { createDeliveryOption } from '../../support/fixtures/catalogue-builders.ts';

const [ONE, TWO] = [createDeliveryOption({ id: '1' }), createDeliveryOption({ id: '2' })];

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

describe('getDefaultDeliveryOption', () => {
  it.each([
    ['option 1 if it is the first', [ONE, TWO], ONE],
    ['option 1 if it is not the first', [TWO, ONE], ONE],
    ['the first option if there is no option 1', [TWO, createDeliveryOption({ id: '0' })], TWO],
  ])('returns %s', (_, deliveryOptions, expected) => {
    expect(getDefaultDeliveryOption({ products: [], deliveryOptions })).toBe(expected);
  });
});
