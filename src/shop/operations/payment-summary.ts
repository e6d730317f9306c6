import { paymentSummary } from '../domain/pricing.ts';
import type { Handler } from './handler.ts';

/** What the cart costs. */
export const getPaymentSummary: Handler<'getPaymentSummary'> = (_input, shop) => {
  const state = shop.read();
  return { body: paymentSummary(state.cartItems, state) };
};
