import type { CartItem, PaymentSummary } from '../types.ts';
import { type Catalogue, findDeliveryOption, findProduct } from './catalogue.ts';

/** Decision: the tax rate, in percent of the cost before tax. */
export const TAX_PERCENT = 10;

/** Rates have two decimals: 8.25 % is 825 of 10,000. */
const HUNDREDTHS_PER_PERCENT = 100;
const WHOLE_RATE = 100 * HUNDREDTHS_PER_PERCENT;

/** Kept free for the shipping of a cart, in cents: 800,000 items at the highest price of the contract, more than a data file can hold. */
const SHIPPING_RESERVE_CENTS = 8_000_000_000_000;

/** The cost limit is a multiple of this many cents. */
const COST_LIMIT_STEP_CENTS = 1_000_000_000_000;

/** Decision: the highest cost of the products of a cart, in cents. Up to it the payment summary is exact. */
export const MAX_CART_COST_CENTS = costLimitCents(TAX_PERCENT);

/**
 * Returns the highest cost of the products of a cart, in cents, for which the total with shipping and a tax of `taxPercent` stays below 2^53.
 * Throws `RangeError` for an invalid rate.
 */
export function costLimitCents(taxPercent: number): number {
  const highestBeforeTaxCents = Number.MAX_SAFE_INTEGER / (1 + toHundredths(taxPercent) / WHOLE_RATE);
  return Math.floor((highestBeforeTaxCents - SHIPPING_RESERVE_CENTS) / COST_LIMIT_STEP_CENTS) * COST_LIMIT_STEP_CENTS;
}

/** Returns what a cart costs, in whole cents. Exact while the products cost at most `MAX_CART_COST_CENTS`. */
export function computePaymentSummary(cart: readonly CartItem[], catalogue: Catalogue): PaymentSummary {
  const productCostCents = sum(
    cart.map(({ productId, quantity }) => findProduct(catalogue, productId).priceCents * quantity),
  );
  // Decision: the option's price is charged once per item, not once per unit.
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
 * Returns `percent` per cent of an amount of whole cents below 2^53, rounded half up to a whole cent. Exact for a rate from 0 to 100 with at most two
 * decimals; throws `RangeError` for any other rate.
 */
export function percentHalfUp(cents: number, percent: number): number {
  const rate = toHundredths(percent);
  // Split, so that every step is a whole number below 2^53 and without error.
  const rest = cents % WHOLE_RATE;
  return ((cents - rest) / WHOLE_RATE) * rate + Math.floor((rest * rate + WHOLE_RATE / 2) / WHOLE_RATE);
}

/** Converts a rate in percent to hundredths of a percent, a whole number. */
function toHundredths(percent: number): number {
  const hundredths = Math.round(percent * HUNDREDTHS_PER_PERCENT);
  // The division is correctly rounded: it returns exactly the number that a literal with two decimals is.
  if (hundredths >= 0 && hundredths <= WHOLE_RATE && hundredths / HUNDREDTHS_PER_PERCENT === percent) return hundredths;
  throw new RangeError(`Invalid rate ${percent} %: use a number from 0 to 100 with at most two decimals.`);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
