const kinds = {
  'invalid-request': [400, 'Not what the contract asks for'],
  'malformed-json': [400, 'Unreadable JSON'],
  'malformed-request': [400, 'Unreadable HTTP'],
  'unknown-product': [404, 'Product not found'],
  'unknown-cart-item': [404, 'Item not found'],
  'unknown-delivery-option': [404, 'Delivery option not found'],
  'unknown-order': [404, 'Order not found'],
  'unknown-cursor': [404, 'No such place in the list'],
  'unknown-path': [404, 'Path not found'],
  'method-not-allowed': [405, 'Wrong method'],
  'request-timeout': [408, 'Too slow'],
  'quantity-limit': [409, 'Too many of one product'],
  'empty-cart': [409, 'Nothing to order'],
  'body-too-large': [413, 'Too long'],
  'unsupported-media-type': [415, 'Wrong kind of body'],
  'expectation-failed': [417, 'Unknown expectation'],
  'headers-too-large': [431, 'Headers too long'],
} as const satisfies Record<string, readonly [number, string]>;

/** The code of a problem. It is the last part of the property `type`. */
export type ProblemKind = keyof typeof kinds;

/** A violation of the contract in a request. It leaves out the optional property `value`. */
export interface Violation {
  readonly remedy: string;
  readonly rule: string;
  readonly pointer: string;
  readonly in: 'body' | 'path' | 'query';
}

/** Thrown to reject a request with a problem document. */
export class Refusal extends Error {
  constructor(
    readonly kind: ProblemKind,
    detail: string,
    readonly extras: { readonly allow?: string; readonly violations?: readonly Violation[] } = {},
  ) {
    super(detail);
  }

  get status(): number {
    return kinds[this.kind][0];
  }

  /** Returns the problem document. */
  document(instance: string): object {
    const { violations } = this.extras;
    return {
      ...(violations && { violations }),
      instance,
      message: this.message,
      detail: this.message,
      status: this.status,
      title: kinds[this.kind][1],
      type: `/problems/${this.kind}`,
    };
  }
}

/** Throws a `Refusal` with all violations of a request. Does nothing if there are no violations. */
export function refuseIfAny(violations: readonly Violation[]): void {
  if (violations.length === 0) return;
  const places = violations.map((one) => `${one.in}${one.pointer} → ${one.remedy}`);
  throw new Refusal('invalid-request', `Please mend: ${places.join('; ')}.`, { violations });
}

/** Returns the HTML page of a problem type. Returns undefined if there is no problem with this code. */
export function problemPage(name: string): string | undefined {
  const kind = Object.entries(kinds).find(([one]) => one === name)?.[1];
  return kind && `<!doctype html><title>${kind[1]}</title><p>Answered with status ${kind[0]}: ${kind[1]}.</p>\n`;
}
