/** Why the shop declines a request that keeps the contract; each stands as a problem of its own in `openapi.yaml`. */
export const domainErrorCodes = [
  'unknown-product',
  'unknown-delivery-option',
  'unknown-cart-item',
  'unknown-order',
  'empty-cart',
  'quantity-limit',
] as const;

export type DomainErrorCode = (typeof domainErrorCodes)[number];

/** The shop declines: `message` is a sentence for the developer who reads it, with the value, the rule and the remedy. */
export class DomainError extends Error {
  override readonly name = 'DomainError';

  constructor(
    readonly code: DomainErrorCode,
    detail: string,
  ) {
    super(detail);
  }
}
