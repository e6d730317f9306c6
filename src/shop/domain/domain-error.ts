import * as application from '../../application.ts';

/** The codes of the shop's problems. Each code stands for a business rule that declines a valid request. */
export type DomainErrorCode =
  | 'unknown-product'
  | 'unknown-delivery-option'
  | 'unknown-cart-item'
  | 'unknown-order'
  | 'empty-cart'
  | 'quantity-limit';

/** Thrown when a business rule of the shop declines a valid request. */
export const DomainError: typeof application.DomainError<DomainErrorCode> = application.DomainError;
export type DomainError = application.DomainError<DomainErrorCode>;
