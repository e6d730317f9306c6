import { DomainError, type ProblemKind } from '../application.ts';
import { ControlProblemError, createIssuesError } from '../control/refusal.ts';
import type { Violation } from '../openapi/violations.ts';
import { TooManySandboxesError, UnknownSandboxError } from '../sandbox/errors.ts';
import { TooManyFaultsError } from '../sandbox/faults/fault-limits.ts';
import { InvalidMatcherError } from '../sandbox/matcher/value-matcher.ts';
import { SnapshotError } from '../sandbox/snapshots.ts';
import { StateTooLargeError } from '../store/backend.ts';
import { DataFileError } from '../store/data-file.ts';
import { StoreUnavailableError } from '../store/errors.ts';
import type { Issue } from '../util/issue.ts';
import { type ProblemCode, problemKinds } from './problem-kinds.ts';

/**
 * An error response (RFC 9457). `kind`: the status, title and explanation of a problem that the application defines. Undefined for problems of the engine,
 * whose status and title depend on `code`.
 */
export type HttpProblem = ProblemDetails &
  ({ readonly code: ProblemCode; readonly kind?: undefined } | { readonly code: string; readonly kind: ProblemKind });

interface ProblemDetails {
  /** A sentence that says what is wrong and how to fix it. */
  readonly detail: string;
  readonly violations?: readonly Violation[];
  /** The names of the request examples in the contract that equal the refused request. */
  readonly exampleNames?: readonly string[];
  /** Headers that the status requires, such as `Allow` or `Retry-After`. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** An error that becomes a response with a problem document. */
export class HttpProblemError extends Error {
  override readonly name = 'HttpProblemError';

  constructor(readonly problem: HttpProblem) {
    super(problem.detail);
  }
}

/** The status, title and explanation of problems (error responses), by code. */
export type ProblemKinds = Readonly<Record<string, ProblemKind>>;

/**
 * Converts an error to a problem (error response). Returns undefined for an unexpected error, which is a bug of the server. `kinds`: the problems of the
 * application.
 */
export function toHttpProblem(thrown: unknown, kinds: ProblemKinds): HttpProblem | undefined {
  if (thrown instanceof HttpProblemError) return thrown.problem;
  if (thrown instanceof UnknownSandboxError) return { code: 'unknown-sandbox', detail: thrown.message };
  if (thrown instanceof DomainError) return toApplicationProblem(thrown, kinds);
  if (thrown instanceof ControlProblemError) return toControlProblem(thrown);
  if (thrown instanceof InvalidMatcherError)
    return toControlProblem(createIssuesError('invalid-matcher', thrown.issues));
  if (thrown instanceof TooManyFaultsError) return { code: 'limit-reached', detail: thrown.message };
  if (thrown instanceof SnapshotError) return { code: 'invalid-state', detail: thrown.message };
  if (thrown instanceof StateTooLargeError)
    return { code: 'insufficient-storage', detail: `nothing was changed: ${thrown.message}` };
  if (thrown instanceof TooManySandboxesError) return unavailable(thrown.message, thrown.retryAfterSeconds);
  if (thrown instanceof StoreUnavailableError || thrown instanceof DataFileError) return unavailable(thrown.message);
  return undefined;
}

/** Converts a `DomainError` to a problem. Returns an internal error (status 500) if a user's handler has thrown a code that the application does not define. */
function toApplicationProblem({ code, message }: DomainError, kinds: ProblemKinds): HttpProblem {
  const kind = Object.hasOwn(kinds, code) ? kinds[code] : undefined;
  if (kind) return { code, kind, detail: message };
  const detail = `a handler threw a DomainError with the unknown code ${JSON.stringify(code)} (${message}). Use one of the codes ${Object.keys(kinds).join(', ')}`;
  return { code: 'internal-error', detail };
}

/**
 * Converts an error of the control API to a problem. An issue without a rule gets the rule `state`, because only the validation of a state creates such issues.
 */
function toControlProblem({ code, message: detail, issues, part }: ControlProblemError): HttpProblem {
  if (issues.length === 0) return { code, detail };
  const toViolation = ({ pointer, message, rule = 'state', remedy = message }: Issue) =>
    ({ in: part, pointer, rule, remedy }) as const;
  return { code, detail, violations: issues.map(toViolation) };
}

/** The default value of the `Retry-After` header, in seconds. */
const RETRY_AFTER_SECONDS = 1;

/** Creates a problem with status 503: the server is temporarily unavailable. */
export function unavailable(detail: string, retryAfterSeconds = RETRY_AFTER_SECONDS): HttpProblem {
  return { code: 'unavailable', detail, headers: { 'Retry-After': String(retryAfterSeconds) } };
}

/** Creates a problem with status 405: the path does not support the method. `allow`: the methods that the path supports. */
export function createMethodNotAllowed(method: string, path: string, allow: readonly string[]): HttpProblem {
  const methods = allow.join(', ');
  return {
    code: 'method-not-allowed',
    detail: `${path} does not support ${method}: use ${methods}`,
    headers: { Allow: methods },
  };
}

/** Creates a problem with status 404: the path does not exist. */
export function createUnknownPath(path: string): HttpProblem {
  const remedy = path.startsWith('/_sandbox/')
    ? 'use the prefix /_sandbox/ID before a path of /openapi.yaml, or use the host ID.localhost'
    : '/openapi.yaml lists the paths';
  return { code: 'unknown-path', detail: `the path ${path} does not exist: ${remedy}` };
}

/** The problem for an unexpected error (status 500). The response does not contain the cause, which is only in the log. */
export const internalError: HttpProblem = {
  code: 'internal-error',
  detail: "the server failed to handle the request: the error is in the server's log",
};

/** Returns the status, title and explanation of a problem. */
export function getProblemKind(problem: HttpProblem): ProblemKind {
  return problem.kind === undefined ? problemKinds[problem.code] : problem.kind;
}

/** Matches a path that is already a valid URI reference (RFC 3986) and contains no percent-encoding. */
const PLAIN_PATH = /^\/(?!\/)[A-Za-z0-9\-._~!$&'()*+,;=:@/]*$/;

/** Converts a path to a valid URI reference (RFC 3986). Percent-encodes invalid characters. Does not encode existing percent-encodings again. */
export function toUriReference(path: string): string {
  if (PLAIN_PATH.test(path)) return path;
  return path
    .replaceAll(/%(?![0-9a-fA-F]{2})/g, '%25')
    .replaceAll(/[^A-Za-z0-9\-._~!$&'()*+,;=:@/%]/g, encodeURIComponent)
    .replace(/^\/\/+/, '/');
}
