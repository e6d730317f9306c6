import * as application from '../../application.ts';

/**
 * The error codes of the shop, such as `empty-cart`.
 * A code says why the shop declines a request that satisfies the contract.
 */
export type DomainErrorCode =
  | 'unknown-product'
  | 'unknown-delivery-option'
  | 'unknown-cart-item'
  | 'unknown-order'
  | 'unknown-cursor'
  | 'empty-cart'
  | 'quantity-limit';

/** Thrown if the shop declines a request that satisfies the contract, such as an order with an empty cart. */
export const DomainError: typeof application.DomainError<DomainErrorCode> = application.DomainError;
export type DomainError = application.DomainError<DomainErrorCode>;
