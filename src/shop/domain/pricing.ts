import type { CartItem, PaymentSummary } from '../types.ts';
import { type Catalogue, findDeliveryOption, findProduct } from './catalogue.ts';

/** Decision: the tax rate, in percent of the cost before tax. It has at most two decimals. */
export const TAX_PERCENT = 10;

/** Tax is computed in hundredths of a percent: 8.25 % is 825, and 100 % is 10,000. */
const HUNDREDTHS_PER_PERCENT = 100;
const FULL_RATE = 100 * HUNDREDTHS_PER_PERCENT;

/**
 * The maximum shipping cost of a cart, in cents: 800,000 items at the highest delivery price in the contract.
 * A data file of the maximum size has fewer items.
 */
const MAX_SHIPPING_COST_CENTS = 8_000_000_000_000;

/** The maximum cost of a cart is rounded down to a multiple of this amount, in cents. */
const COST_LIMIT_STEP_CENTS = 1_000_000_000_000;

/**
 * Decision: the maximum cost of all products in a cart, in cents.
 * Up to this cost, all amounts in the payment summary are exact.
 */
export const MAX_CART_COST_CENTS = getMaxCartCostCents(TAX_PERCENT);

/**
 * Returns the maximum cost of all products in a cart, in cents.
 * With this cost, the total with shipping and tax stays below 2^53, so it is an exact JavaScript number.
 * Throws `RangeError` for an invalid tax rate.
 */
export function getMaxCartCostCents(taxPercent: number): number {
  const highestBeforeTaxCents = Number.MAX_SAFE_INTEGER / (1 + toHundredths(taxPercent) / FULL_RATE);
  return Math.floor((highestBeforeTaxCents - MAX_SHIPPING_COST_CENTS) / COST_LIMIT_STEP_CENTS) * COST_LIMIT_STEP_CENTS;
}

/**
 * Returns the costs of a cart, in whole cents.
 * All amounts are exact if the products cost at most `MAX_CART_COST_CENTS`.
 */
export function computePaymentSummary(cart: readonly CartItem[], catalogue: Catalogue): PaymentSummary {
  const productCostCents = sum(
    cart.map(({ productId, quantity }) => findProduct(catalogue, productId).priceCents * quantity),
  );
  // Decision: the price of the delivery option is charged once per cart item, not once per unit.
  const shippingCostCents = sum(
    cart.map(({ deliveryOptionId }) => findDeliveryOption(catalogue, deliveryOptionId).priceCents),
  );
  const totalCostBeforeTaxCents = productCostCents + shippingCostCents;
  const taxCents = computePercentHalfUp(totalCostBeforeTaxCents, TAX_PERCENT);
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
 * Returns a percentage of an amount in cents, rounded half up to a whole cent.
 * `cents`: an integer below 2^53.
 * `percent`: a number from 0 to 100 with at most two decimals.
 * Throws `RangeError` for any other percentage.
 */
export function computePercentHalfUp(cents: number, percent: number): number {
  const rate = toHundredths(percent);
  // The amount is split so that each intermediate result is an integer below 2^53, which is an exact JavaScript number.
  const rest = cents % FULL_RATE;
  return ((cents - rest) / FULL_RATE) * rate + Math.floor((rest * rate + FULL_RATE / 2) / FULL_RATE);
}

/**
 * Converts a rate from percent to hundredths of a percent: 8.25 becomes 825.
 * Throws `RangeError` for an invalid rate.
 */
function toHundredths(percent: number): number {
  const hundredths = Math.round(percent * HUNDREDTHS_PER_PERCENT);
  // IEEE 754 division is correctly rounded. So for a rate with at most two decimals, the quotient is equal to the rate.
  if (hundredths >= 0 && hundredths <= FULL_RATE && hundredths / HUNDREDTHS_PER_PERCENT === percent) return hundredths;
  throw new RangeError(`Invalid tax rate ${percent} %: use a number from 0 to 100 with at most two decimals.`);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
