/** Why the shop declines a request that keeps the contract; each stands as a problem of its own in `openapi.yaml`. */
export type RefusalCode =
  | 'unknown-product'
  | 'unknown-delivery-option'
  | 'unknown-cart-item'
  | 'unknown-order'
  | 'empty-cart'
  | 'quantity-limit';

/** The shop declines: `message` is a sentence for the developer who reads it, with the value, the rule and the remedy. */
export class Refusal extends Error {
  override readonly name = 'Refusal';

  constructor(
    readonly code: RefusalCode,
    detail: string,
  ) {
    super(detail);
  }
}
