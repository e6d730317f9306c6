/** The codes of the business rules that decline a valid request. `openapi.yaml` documents a problem for each. */
export const domainErrorCodes = [
  'unknown-product',
  'unknown-delivery-option',
  'unknown-cart-item',
  'unknown-order',
  'empty-cart',
  'quantity-limit',
] as const;

export type DomainErrorCode = (typeof domainErrorCodes)[number];

/** Thrown when a business rule declines a valid request. `message` says what is wrong and what to do. */
export class DomainError extends Error {
  override readonly name = 'DomainError';

  constructor(
    readonly code: DomainErrorCode,
    message: string,
  ) {
    super(message);
  }
}
