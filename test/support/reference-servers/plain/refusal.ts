/** A violation of the contract in a request. */
export interface Violation {
  readonly in: 'body' | 'path' | 'query';
  readonly pointer: string;
  readonly rule: string;
  readonly value?: unknown;
  readonly remedy: string;
}

/** A response, before it is sent. */
export interface Answer {
  readonly status: number;
  readonly type?: string;
  readonly body?: string | Buffer;
  readonly headers?: Readonly<Record<string, string>>;
}

const KINDS = {
  'invalid-request': [400, 'Invalid request'],
  'malformed-json': [400, 'Malformed JSON'],
  'malformed-request': [400, 'Malformed request HTTP'],
  'unknown-path': [404, 'There is no such path'],
  'unknown-product': [404, 'Product not found'],
  'unknown-cart-item': [404, 'Cart item not found'],
  'unknown-delivery-option': [404, 'Delivery option not found'],
  'unknown-order': [404, 'Order not found'],
  'unknown-cursor': [404, 'Cursor not found'],
  'method-not-allowed': [405, 'Method not allowed'],
  'request-timeout': [408, 'Request timeout'],
  'empty-cart': [409, 'The cart is empty'],
  'quantity-limit': [409, 'Quantity limit exceeded'],
  'body-too-large': [413, 'Request body too large'],
  'unsupported-media-type': [415, 'Unsupported media type'],
  'expectation-failed': [417, 'Expectation failed'],
  'headers-too-large': [431, 'Request headers too large'],
  'internal-error': [500, 'Internal server error'],
} as const;

type Kind = keyof typeof KINDS;

interface Extra {
  readonly violations?: readonly Violation[];
  readonly headers?: Readonly<Record<string, string>>;
}

/** Thrown to reject a request with a problem document. */
export class Refusal extends Error {
  readonly kind: Kind;
  readonly extra: Extra;

  constructor(kind: Kind, detail: string, extra: Extra = {}) {
    super(detail);
    this.kind = kind;
    this.extra = extra;
  }
}

/** Returns the error for a request that violates the contract. `violations`: all violations of the request. */
export function invalid(violations: readonly Violation[]): Refusal {
  const detail = violations.map((each) => `${each.in}${each.pointer} breaks "${each.rule}": ${each.remedy}`).join('; ');
  return new Refusal('invalid-request', detail, { violations });
}

/**
 * Converts an error to a response with a problem document. `path`: the path of the request, for the property `instance`. An error that is not a `Refusal`
 * becomes an internal error.
 */
export function problemAnswer(thrown: unknown, path: string): Answer {
  const refusal = thrown instanceof Refusal ? thrown : new Refusal('internal-error', 'the server has a fault');
  const [status, title] = KINDS[refusal.kind];
  const { violations, headers = {} } = refusal.extra;
  const detail = refusal.message;
  const instance = asUriReference(path);
  const problem = { type: `/problems/${refusal.kind}`, title, status, detail, message: detail, instance, violations };
  return { status, type: 'application/problem+json', body: JSON.stringify(problem), headers };
}

/** Returns the page of a problem type. Returns undefined if there is no problem with this code. */
export function problemPage(name: string): Answer | undefined {
  if (!Object.hasOwn(KINDS, name)) return undefined;
  const [status, title] = KINDS[name as Kind];
  return { status: 200, type: 'text/plain; charset=utf-8', body: `${status} ${title}\n` };
}

function asUriReference(path: string): string {
  const escaped = path
    .replace(/%(?![0-9a-f]{2})/gi, '%25')
    .replace(/[^\w.~!$&'()*+,;=:@/%-]/gu, (character) => encodeURIComponent(character));
  // A URI reference that starts with two slashes contains a host, and a colon would start a port.
  return escaped.startsWith('//') ? escaped.replaceAll(':', '%3A') : escaped;
}
