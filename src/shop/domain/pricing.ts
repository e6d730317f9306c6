import type { CartItem, PaymentSummary } from '../types.ts';
import { type Catalogue, findDeliveryOption, findProduct } from './catalogue.ts';

/** Ours: the share of the cost before tax that the tax takes. */
const TAX_PERCENT = 10;

/** What a cart costs, in whole cents; exact up to 2^53 cents, which takes 818 items of the contract's highest price and quantity. */
export function paymentSummary(cart: readonly CartItem[], catalogue: Catalogue): PaymentSummary {
  const productCostCents = sum(
    cart.map(({ productId, quantity }) => findProduct(catalogue, productId).priceCents * quantity),
  );
  // Ours: the option's price once for each item, not for each unit.
  const shippingCostCents = sum(
    cart.map(({ deliveryOptionId }) => findDeliveryOption(catalogue, deliveryOptionId).priceCents),
  );
  const totalCostBeforeTaxCents = productCostCents + shippingCostCents;
  const taxCents = percentHalfUp(totalCostBeforeTaxCents, TAX_PERCENT);
  return {
    totalItems: sum(cart.map(({ quantity }) => quantity)),
    productCostCents,
    shippingCostCents,
    totalCostBeforeTaxCents,
    taxCents,
    totalCostCents: totalCostBeforeTaxCents + taxCents,
  };
}

/**
 * `percent` per cent of an amount of cents, rounded half up to a whole cent. The hundreds and the rest are taken apart, so that
 * every step is a whole number below 2^53 and without error.
 */
export function percentHalfUp(cents: number, percent: number): number {
  const rest = cents % 100;
  return ((cents - rest) / 100) * percent + Math.floor((rest * percent + 50) / 100);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
