import { DomainError, type ProblemKind } from '../application.ts';
import type { Denial } from '../control/access.ts';
import type { ControlCode } from '../control/refusal.ts';
import type { Violation } from '../openapi/violations.ts';
import { TooManySandboxesError, UnknownSandboxError } from '../sandbox/errors.ts';
import { StateTooLargeError } from '../store/backend.ts';
import { DataFileError } from '../store/data-file.ts';
import { StoreUnavailableError } from '../store/store.ts';

/** The codes of the engine's problems. An application has its own beside them. */
export type ProblemCode =
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

/** The status, title and explanation of each problem of the engine: codes inside, statuses outside. */
export const problemKinds: Readonly<Record<ProblemCode, ProblemKind>> = {
  'invalid-request': {
    status: 400,
    title: 'Invalid request',
    explanation:
      'The parameters or the body violate openapi.yaml. Each entry of `violations` has the part of the request, a JSON Pointer into it, the rule, the value, and how to fix it.',
  },
  'malformed-json': {
    status: 400,
    title: 'Malformed JSON',
    explanation:
      'The request has a JSON content type, but its body is not valid JSON. `detail` has the position of the syntax error.',
  },
  'malformed-request': {
    status: 400,
    title: 'Malformed request',
    explanation:
      'The request is not valid HTTP (RFC 9112), has no Host header, or its body is incomplete or cannot be decompressed.',
  },
  'unknown-path': {
    status: 404,
    title: 'Path not found',
    explanation: 'The contract has no such path. /openapi.yaml lists the paths.',
  },
  'unknown-sandbox': {
    status: 404,
    title: 'Sandbox not found',
    explanation:
      'The sandbox does not exist, and the server runs with --sandboxes declared. Create it with PUT /_control/sandboxes/ID.',
  },
  'unknown-snapshot': {
    status: 404,
    title: 'Snapshot not found',
    explanation: 'The sandbox has no saved snapshot of this name, and there is no built-in one.',
  },
  'unknown-fault': {
    status: 404,
    title: 'Fault not found',
    explanation: 'The sandbox has no fault with this id.',
  },
  'unknown-operation': {
    status: 404,
    title: 'Operation not found',
    explanation:
      'The contract has no operation with this operationId. `violations` lists the operations of the contract.',
  },
  'contract-conflict': {
    status: 409,
    title: 'Conflict with the contract',
    explanation:
      'The contract does not document the status or the example of the fault for its operations, or the body or the headers of the fault violate it. `violations` lists the errors.',
  },
  'invalid-fault': {
    status: 400,
    title: 'Invalid fault',
    explanation:
      'The fault has a header that only the server can set, or repeats a header. `violations` lists the errors.',
  },
  'invalid-matcher': {
    status: 400,
    title: 'Invalid matcher',
    explanation: 'The matcher has an unknown operator or an invalid value. `violations` lists the errors.',
  },
  'default-sandbox': {
    status: 409,
    title: 'The default sandbox cannot be deleted',
    explanation: 'Requests that select no sandbox use the sandbox default. It can be reset, but not deleted.',
  },
  'invalid-state': {
    status: 409,
    title: 'Invalid state',
    explanation:
      'The new state violates the contract, or an entry refers to an entry that does not exist. `violations` lists the errors. Nothing was changed.',
  },
  'state-too-large': {
    status: 413,
    title: 'The state is too large',
    explanation:
      'With this state, the data file would exceed 90 MB, or the sandbox its memory limit. Nothing was changed. Send a smaller state.',
  },
  'built-in-snapshot': {
    status: 409,
    title: 'Built-in snapshots cannot be deleted',
    explanation: 'Snapshots that ship with the server, or are files in the folder of --snapshots, cannot be deleted.',
  },
  'limit-reached': {
    status: 409,
    title: 'Limit reached',
    explanation: 'The sandbox cannot hold more of these. Delete some first.',
  },
  'control-disabled': {
    status: 403,
    title: 'The control API is disabled',
    explanation:
      'The server runs with --no-control, or it listens on other addresses than loopback without a --control-token.',
  },
  'token-required': {
    status: 401,
    title: 'Token required',
    explanation: 'The server runs with --control-token. Send the header Authorization: Bearer TOKEN.',
  },
  'host-not-allowed': {
    status: 403,
    title: 'Host not allowed',
    explanation:
      'The Host header is neither localhost, nor an IP address, nor a name allowed with --allow-host. This protects against DNS rebinding.',
  },
  'origin-not-allowed': {
    status: 403,
    title: 'Origin not allowed',
    explanation:
      "A web page of another origin sent the request. Pages of loopback origins (localhost, 127.0.0.1, [::1]) and of the server's host name are allowed to change data; --allow-origin ORIGIN allows others (* allows all). Only pages of the server's own origin can use the control API.",
  },
  'method-not-allowed': {
    status: 405,
    title: 'Method not allowed',
    explanation: 'The path does not support this method. The Allow header lists the supported methods.',
  },
  'request-timeout': {
    status: 408,
    title: 'Request timeout',
    explanation: 'The complete request did not arrive in time. The limit is 30 seconds by default.',
  },
  'body-too-large': {
    status: 413,
    title: 'Request body too large',
    explanation:
      'After decompression, a body has at most 100 kB (102,400 bytes), and the state in PUT /_control/sandboxes/ID/state at most 16 MB. A body that the operation ignores has at most 10 MB.',
  },
  'unsupported-media-type': {
    status: 415,
    title: 'Unsupported media type',
    explanation:
      'Send JSON with Content-Type: application/json, in UTF-8, uncompressed or compressed with gzip, deflate or br.',
  },
  'expectation-failed': {
    status: 417,
    title: 'Expectation failed',
    explanation: 'The only supported value of the Expect header is 100-continue.',
  },
  'headers-too-large': {
    status: 431,
    title: 'Request headers too large',
    explanation: 'The request line and the headers have more than 64 kB in all.',
  },
  'internal-error': {
    status: 500,
    title: 'Internal server error',
    explanation: "The server failed to handle the request. The error is in the server's log.",
  },
  unavailable: {
    status: 503,
    title: 'Service unavailable',
    explanation:
      'The data could not be stored, for example because the disk is full, and nothing was changed; or the server is shutting down.',
  },
  'insufficient-storage': {
    status: 507,
    title: 'Storage limit reached',
    explanation:
      'With this change, the data file would exceed 90 MB, or the sandbox its memory limit. Nothing was changed. Delete data, restore the default data with POST /_control/sandboxes/ID/reset, or edit the data file. Changes that make the state smaller are stored.',
  },
};

/** A problem document (RFC 9457). */
export interface ProblemDocument {
  /** The address of the page that explains the problem. */
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  /** The same as `detail`, for clients that look here. */
  readonly message: string;
  /** The path of the request, without its query. */
  readonly instance: string;
  readonly violations?: readonly Violation[];
}

/** A problem as it occurs. */
export type HttpProblem = ProblemDetails & (EngineProblem | ApplicationProblem);

interface EngineProblem {
  readonly code: ProblemCode;
  readonly kind?: undefined;
}

interface ApplicationProblem {
  readonly code: string;
  readonly kind: ProblemKind;
}

interface ProblemDetails {
  /** What is wrong and how to fix it, a sentence. */
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

/** The application's problems by their codes. */
export type ProblemKinds = Readonly<Record<string, ProblemKind>>;

/** Converts a thrown value to a problem; undefined if it is a bug. `kinds`: the problems of the application. */
export function toHttpProblem(thrown: unknown, kinds: ProblemKinds): HttpProblem | undefined {
  if (thrown instanceof HttpProblemError) return thrown.fault;
  if (thrown instanceof UnknownSandboxError) return { code: 'unknown-sandbox', detail: thrown.message };
  if (thrown instanceof DomainError) return toApplicationProblem(thrown, kinds);
  if (thrown instanceof StateTooLargeError)
    return { code: 'insufficient-storage', detail: `nothing was changed: ${thrown.message}` };
  if (thrown instanceof TooManySandboxesError) return unavailable(thrown.message, thrown.retryAfterSeconds);
  if (thrown instanceof StoreUnavailableError || thrown instanceof DataFileError) return unavailable(thrown.message);
  return undefined;
}

/** Converts a declined request to a problem. An unknown code, which a user's handler may throw, is a bug of the handler. */
function toApplicationProblem({ code, message }: DomainError, kinds: ProblemKinds): HttpProblem {
  const kind = Object.hasOwn(kinds, code) ? kinds[code] : undefined;
  if (kind) return { code, kind, detail: message };
  const detail = `a handler threw a DomainError with the unknown code ${JSON.stringify(code)} (${message}). The codes are ${Object.keys(kinds).join(', ')}`;
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
  return { code: 'unknown-path', detail: `there is nothing at ${path}: /openapi.yaml has the paths` };
}

/** What a client is told of a bug of ours: that there is one. */
export const internalError: HttpProblem = {
  code: 'internal-error',
  detail: "the server has a fault, which its log tells of: this is not the request's",
};

/** Returns the status, title and explanation of a problem. */
export function getProblemKind(problem: HttpProblem): ProblemKind {
  return problem.kind === undefined ? problemKinds[problem.code] : problem.kind;
}

/** Creates the problem document of a problem that occurred at a path. */
export function createProblemDocument(problem: HttpProblem, path: string): ProblemDocument {
  const { code, detail, violations } = problem;
  const { status, title } = getProblemKind(problem);
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
