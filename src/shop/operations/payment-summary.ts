import { computePaymentSummary } from '../domain/pricing.ts';
import type { Handler } from './handler.ts';

/** Returns the costs of the cart. */
export const getPaymentSummary: Handler<'getPaymentSummary'> = (_input, shop) => {
  const state = shop.read();
  return { body: computePaymentSummary(state.cartItems, state) };
};
