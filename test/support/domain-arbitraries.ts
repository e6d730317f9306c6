import fc from 'fast-check';
import { cartItem, deliveryOption, product, uuid } from './catalogue-builders.ts';

/** The highest price that the contract has, in cents. */
const HIGHEST_PRICE_CENTS = 100_000_000;

const anyPrice = fc.integer({ min: 0, max: HIGHEST_PRICE_CENTS });

/** Any products, at least one. */
const anyProducts = fc
  .array(anyPrice, { minLength: 1, maxLength: 8 })
  .map((prices) => prices.map((priceCents, place) => product({ id: uuid(place), priceCents })));

/** Any delivery options, at least one. */
const anyDeliveryOptions = fc
  .array(fc.record({ deliveryDays: fc.integer({ min: 0, max: 3650 }), priceCents: anyPrice }), {
    minLength: 1,
    maxLength: 4,
  })
  .map((options) => options.map((option, place) => deliveryOption({ id: `${place + 1}`, ...option })));

/** A catalogue. */
export const anyCatalogue = fc.record({ products: anyProducts, deliveryOptions: anyDeliveryOptions });

/** A catalogue and a cart of its products, empty sometimes. */
export const anyShop = anyCatalogue.chain((catalogue) => {
  const anyItem = fc
    .record({
      productId: fc.constantFrom(...catalogue.products.map(({ id }) => id)),
      quantity: fc.integer({ min: 1, max: 500_000 }),
      deliveryOptionId: fc.constantFrom(...catalogue.deliveryOptions.map(({ id }) => id)),
    })
    .map(cartItem);
  return fc.record({
    catalogue: fc.constant(catalogue),
    cart: fc.uniqueArray(anyItem, { selector: ({ productId }) => productId }),
  });
});
