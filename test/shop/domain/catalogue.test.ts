import { describe, expect, it } from 'vitest';
import { findDeliveryOption, findProduct } from '../../../src/shop/domain/catalogue.ts';
import { deliveryOption, product, uuid } from '../../support/fixtures/catalogue-builders.ts';

const catalogue = {
  products: [product({ id: uuid(1) }), product({ id: uuid(2) })],
  deliveryOptions: [deliveryOption({ id: '1' }), deliveryOption({ id: '2' })],
};

describe('productOf', () => {
  it('is the product of this id', () => expect(findProduct(catalogue, uuid(2))).toBe(catalogue.products[1]));

  it('is of the catalogue that it is asked of', () => {
    const other = { ...catalogue, products: [product({ id: uuid(2), name: 'Other' })] };
    findProduct(catalogue, uuid(2));
    expect(findProduct(other, uuid(2)).name).toBe('Other');
  });

  it.each([uuid(9), '', '__proto__', 'constructor'])('is refused where there is none: %j', (id) => {
    expect(() => findProduct(catalogue, id)).toThrow(expect.objectContaining({ code: 'unknown-product' }));
  });
});

describe('deliveryOptionOf', () => {
  it('is the option of this id', () => {
    expect(findDeliveryOption(catalogue, '2')).toBe(catalogue.deliveryOptions[1]);
  });

  it.each([
    ['9', '"9"'],
    ['', '""'],
    ['a "b"', '"a \\"b\\""'],
    ['x'.repeat(101), `"${'x'.repeat(100)}…"`],
    ['x'.repeat(100), `"${'x'.repeat(100)}"`],
  ])('is refused where there is none, with the id seen: %j', (id, seen) => {
    const message = `no delivery option has the id ${seen}: GET /api/delivery-options lists those that there are`;
    expect(() => findDeliveryOption(catalogue, id)).toThrow(
      expect.objectContaining({ code: 'unknown-delivery-option', message }),
    );
  });
});
