import type { Denial } from '../control/access.ts';
import type { ControlCode } from '../control/refusal.ts';
import { TooManySandboxesError, UnknownSandboxError } from '../sandbox/registry.ts';
import { DomainError, type DomainErrorCode, domainErrorCodes } from '../shop/domain/domain-error.ts';
import type { Problem, Violation } from '../shop/types.ts';
import { StateTooLargeError } from '../store/backend.ts';
import { DataFileError } from '../store/data-file.ts';
import { StoreUnavailableError } from '../store/store.ts';

/** Every problem that an answer can name: what the shop declines, and what is wrong with a request or with the server. */
export type ProblemCode =
  | DomainErrorCode
  | 'invalid-request'
  | 'malformed-json'
  | 'malformed-request'
  | 'unknown-path'
  | ControlCode
  | Denial['code']
  | 'method-not-allowed'
  | 'request-timeout'
  | 'body-too-large'
  | 'unsupported-media-type'
  | 'expectation-failed'
  | 'headers-too-large'
  | 'internal-error'
  | 'unavailable'
  | 'insufficient-storage';

/** What is the same every time that a problem occurs. */
interface ProblemKind {
  readonly status: number;
  readonly title: string;
  /** For the page that explains the problem. */
  readonly explanation: string;
}

/** The status, title and explanation of each problem: codes inside, statuses outside. */
export const problemKinds: Readonly<Record<ProblemCode, ProblemKind>> = {
  'unknown-product': {
    status: 404,
    title: 'There is no such product',
    explanation:
      'The request names a product by an id that the catalogue does not have. GET /api/products lists the products.',
  },
  'unknown-delivery-option': {
    status: 404,
    title: 'There is no such delivery option',
    explanation:
      'The request names a delivery option by an id that the shop does not have. GET /api/delivery-options lists the options.',
  },
  'unknown-cart-item': {
    status: 404,
    title: 'The product is not in the cart',
    explanation:
      'The request changes or removes the cart item of a product that is not in the cart. POST /api/cart-items adds one.',
  },
  'unknown-order': {
    status: 404,
    title: 'There is no such order',
    explanation: 'No order has the id in the path. GET /api/orders lists the orders.',
  },
  'empty-cart': {
    status: 409,
    title: 'The cart is empty',
    explanation:
      'An order is made of what is in the cart, and nothing is. An order empties the cart, so a second one finds it empty.',
  },
  'quantity-limit': {
    status: 409,
    title: 'The cart takes no more of this product',
    explanation: 'A cart holds at most 1,000,000 of one product, so that money stays exact. Adding would pass that.',
  },
  'invalid-request': {
    status: 400,
    title: 'The request breaks the contract',
    explanation:
      'The parameters or the body are not as openapi.yaml has them. `violations` has each: in which part of the request, where in it (JSON Pointer), which rule, the value seen, and what would be right.',
  },
  'malformed-json': {
    status: 400,
    title: 'The body is not JSON',
    explanation: 'The body is announced as JSON but cannot be parsed as such. `detail` says where parsing stopped.',
  },
  'malformed-request': {
    status: 400,
    title: 'The request is not readable',
    explanation:
      'The request is not HTTP as RFC 9112 has it, it has no Host header, or its body ended early or cannot be decompressed.',
  },
  'unknown-path': {
    status: 404,
    title: 'There is nothing here',
    explanation: 'Neither the contract nor the server has this path. /openapi.yaml is the contract.',
  },
  'unknown-sandbox': {
    status: 404,
    title: 'There is no such sandbox',
    explanation:
      'The request names a sandbox that was not made, and the server was started with --sandboxes declared. PUT /_control/sandboxes/ID makes one.',
  },
  'unknown-snapshot': {
    status: 404,
    title: 'There is no such snapshot',
    explanation: 'Neither was a snapshot of this name saved in the sandbox, nor is there a ready-made one.',
  },
  'unknown-fault': {
    status: 404,
    title: 'There is no such fault',
    explanation: 'No fault of this id was set in the sandbox, or it was removed.',
  },
  'not-a-fault': {
    status: 400,
    title: 'This can not be made to fail so',
    explanation:
      'The fault names an operation or an answer that the contract of the shop does not have. `violations` has each, and what the contract has.',
  },
  'not-a-condition': {
    status: 400,
    title: 'This is nothing that a request could be like',
    explanation:
      'What is said of a fault or of requests makes no sense: an operator of `where` that there is not, or numbers that contradict each other. `violations` has each.',
  },
  'default-sandbox': {
    status: 409,
    title: 'The default sandbox stays',
    explanation: 'The sandbox default is the shop of those who name none. It can be reset, but not removed.',
  },
  'not-a-state': {
    status: 400,
    title: 'This is no state of the shop',
    explanation:
      'What was to be put in the place of the state does not hold by the contract, or refers to what is not there. `violations` has each flaw.',
  },
  'state-too-large': {
    status: 413,
    title: 'The state is too large',
    explanation:
      'With this state the data file would be larger than 90 MB, or the sandbox larger than its share of memory. Nothing was changed. Send a smaller state.',
  },
  'not-a-moment': {
    status: 400,
    title: 'This is no moment of a clock',
    explanation: 'A clock is set to a moment such as 2025-06-01T12:00:00Z, or in ms since 1970.',
  },
  'ready-made': {
    status: 409,
    title: 'The snapshot is ready-made',
    explanation: 'A snapshot that came along, or is a file in the folder of --snapshots, can not be deleted.',
  },
  'too-many': {
    status: 409,
    title: 'There are as many as there may be',
    explanation: 'No more of these are kept. Delete some first.',
  },
  'control-off': {
    status: 403,
    title: 'Control is off',
    explanation:
      'The server was started with --no-control, or listens on more than loopback without a --control-token.',
  },
  'token-wanted': {
    status: 401,
    title: 'Control wants its token',
    explanation: 'The server was started with --control-token: send it as Authorization: Bearer TOKEN.',
  },
  'foreign-host': {
    status: 403,
    title: 'The host is not allowed',
    explanation:
      'The Host header holds neither localhost nor an IP address nor a name that was allowed with --allow-host. This keeps web pages that reach the server under a name of their own (DNS rebinding) from using it.',
  },
  'foreign-origin': {
    status: 403,
    title: 'The origin is not allowed',
    explanation:
      'A web page of another origin tries to change the shop, or to use the control API. Pages of loopback origins (localhost, 127.0.0.1, [::1]) and of the host name of the server may change the shop; --allow-origin ORIGIN allows others, * all. The control API is for pages of its own origin alone.',
  },
  'method-not-allowed': {
    status: 405,
    title: "The path doesn't have this method",
    explanation: 'The path exists, but not with this method. The Allow header lists the methods that it has.',
  },
  'request-timeout': {
    status: 408,
    title: 'The request took too long to arrive',
    explanation: 'A request has to be sent within 30 seconds, unless the server was started with another limit.',
  },
  'body-too-large': {
    status: 413,
    title: 'The body is too large',
    explanation:
      'A body may have at most 100 kB (102,400 bytes), after decompression; the state of a sandbox in PUT /_control/sandboxes/ID/state at most 16 MB. A body that the operation does not take may have at most 10 MB.',
  },
  'unsupported-media-type': {
    status: 415,
    title: 'The body has an unsupported type',
    explanation:
      'Bodies are JSON: send them with Content-Type: application/json, in UTF-8, plain or compressed with gzip, deflate or br.',
  },
  'expectation-failed': {
    status: 417,
    title: 'The expectation cannot be met',
    explanation: 'The only value of the Expect header that is understood is 100-continue.',
  },
  'headers-too-large': {
    status: 431,
    title: 'The headers are too large',
    explanation: 'Request line and headers may have at most 64 kB together.',
  },
  'internal-error': {
    status: 500,
    title: 'The server has a fault',
    explanation: 'Something went wrong in the server itself. Its log says what; the request may be right.',
  },
  unavailable: {
    status: 503,
    title: "The server can't do this at the moment",
    explanation:
      'The data could not be stored (a full disk, a damaged file), and nothing was changed; or the server is stopping.',
  },
  'insufficient-storage': {
    status: 507,
    title: 'The state has reached its size limit',
    explanation:
      'The change would make the data file larger than 90 MB, or the state of a sandbox larger than its share of memory. Nothing was changed. Delete something, restore the default data with POST /api/reset, or make the data file smaller by hand. Changes that make the state smaller are stored.',
  },
};

/** A problem as it occurs. */
export interface HttpProblem {
  readonly code: ProblemCode;
  /** What is wrong and how to mend it, a sentence. */
  readonly detail: string;
  readonly violations?: readonly Violation[];
  /** Headers that go with the status: `Allow`, `Retry-After`. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** A fault on its way up to where it is answered. */
export class HttpProblemError extends Error {
  override readonly name = 'HttpProblemError';

  constructor(readonly fault: HttpProblem) {
    super(fault.detail);
  }
}

/** The fault that something thrown stands for; undefined where it is a bug of ours. */
export function toHttpProblem(thrown: unknown): HttpProblem | undefined {
  if (thrown instanceof HttpProblemError) return thrown.fault;
  if (thrown instanceof UnknownSandboxError) return { code: 'unknown-sandbox', detail: thrown.message };
  if (thrown instanceof DomainError) return faultOfRefusal(thrown);
  if (thrown instanceof StateTooLargeError)
    return { code: 'insufficient-storage', detail: `nothing was changed: ${thrown.message}` };
  if (thrown instanceof TooManySandboxesError) return unavailable(thrown.message, thrown.retryAfterSeconds);
  if (thrown instanceof StoreUnavailableError || thrown instanceof DataFileError) return unavailable(thrown.message);
  return undefined;
}

/** The fault of a refusal; one whose code is unknown, as a team's own handler may give, is a fault of the handler. */
function faultOfRefusal({ code, message }: DomainError): HttpProblem {
  if (domainErrorCodes.includes(code)) return { code, detail: message };
  const detail = `a handler threw a DomainError with the unknown code ${JSON.stringify(code)} (${message}). The codes are ${domainErrorCodes.join(', ')}`;
  return { code: 'internal-error', detail };
}

/** After how many seconds a client that was told `unavailable` may try again. */
const RETRY_AFTER_SECONDS = 1;

/** The fault of a server that can't do now what it could later. */
export function unavailable(detail: string, retryAfterSeconds = RETRY_AFTER_SECONDS): HttpProblem {
  return { code: 'unavailable', detail, headers: { 'Retry-After': String(retryAfterSeconds) } };
}

/** The fault of a method that a path doesn't have; `allow`: those that it has. */
export function createMethodNotAllowed(method: string, path: string, allow: readonly string[]): HttpProblem {
  const methods = allow.join(', ');
  return {
    code: 'method-not-allowed',
    detail: `${method} is not a method of ${path}: use ${methods}`,
    headers: { Allow: methods },
  };
}

/** The fault of a path that leads nowhere. */
export function createUnknownPath(path: string): HttpProblem {
  return { code: 'unknown-path', detail: `there is nothing at ${path}: /openapi.yaml has the paths of the shop` };
}

/** What a client is told of a bug of ours: that there is one. */
export const internalError: HttpProblem = {
  code: 'internal-error',
  detail: "the server has a fault, which its log tells of: this is not the request's",
};

/** The problem document (RFC 9457) of a fault that occurred at a path. */
export function createProblemDocument({ code, detail, violations }: HttpProblem, path: string): Problem {
  const { status, title } = problemKinds[code];
  return {
    type: `/problems/${code}`,
    title,
    status,
    detail,
    message: detail,
    instance: uriReference(path),
    ...(violations ? { violations } : {}),
  };
}

/** A path as a valid URI reference (RFC 3986): its escapes kept, all else that may not stand there escaped. */
export function uriReference(path: string): string {
  return path
    .replaceAll(/%(?![0-9a-fA-F]{2})/g, '%25')
    .replaceAll(/[^A-Za-z0-9\-._~!$&'()*+,;=:@/%]/g, encodeURIComponent)
    .replace(/^\/\/+/, '/');
}
