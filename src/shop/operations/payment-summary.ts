import { computePaymentSummary } from '../domain/pricing.ts';
import type { Handler } from './handler.ts';

/** Returns what the cart costs. */
export const getPaymentSummary: Handler<'getPaymentSummary'> = (_input, shop) => {
  const state = shop.read();
  return { body: computePaymentSummary(state.cartItems, state) };
};
