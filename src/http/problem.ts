import { DomainError, type ProblemKind } from '../application.ts';
import { ControlProblemError, createIssuesError } from '../control/refusal.ts';
import type { Violation } from '../openapi/violations.ts';
import { TooManySandboxesError, UnknownSandboxError } from '../sandbox/errors.ts';
import { TooManyFaultsError } from '../sandbox/faults/fault-list.ts';
import { InvalidMatcherError } from '../sandbox/matcher/value-matcher.ts';
import { SnapshotError } from '../sandbox/snapshots.ts';
import { StateTooLargeError } from '../store/backend.ts';
import { DataFileError } from '../store/data-file.ts';
import { StoreUnavailableError } from '../store/store.ts';
import type { Issue } from '../util/issue.ts';
import { type ProblemCode, problemKinds } from './problem-kinds.ts';

/** An error response. A problem of the engine has only a code. A problem of the application also has a kind. */
export type HttpProblem = ProblemDetails &
  ({ readonly code: ProblemCode; readonly kind?: undefined } | { readonly code: string; readonly kind: ProblemKind });

interface ProblemDetails {
  /** A sentence that says what is wrong and how to fix it. */
  readonly detail: string;
  readonly violations?: readonly Violation[];
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

/** The status, title and explanation of problems, by code. */
export type ProblemKinds = Readonly<Record<string, ProblemKind>>;

/** Converts an error to a problem. Returns undefined if the error is a bug of the server. `kinds`: the problems of the application. */
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

/** Converts a `DomainError` to a problem. An unknown code, which a user's handler can throw, becomes an internal error. */
function toApplicationProblem({ code, message }: DomainError, kinds: ProblemKinds): HttpProblem {
  const kind = Object.hasOwn(kinds, code) ? kinds[code] : undefined;
  if (kind) return { code, kind, detail: message };
  const detail = `a handler threw a DomainError with the unknown code ${JSON.stringify(code)} (${message}). The codes are ${Object.keys(kinds).join(', ')}`;
  return { code: 'internal-error', detail };
}

/** Converts an error of the control API to a problem. An issue without a rule comes from the validation of a state. */
function toControlProblem({ code, message: detail, issues, part }: ControlProblemError): HttpProblem {
  if (issues.length === 0) return { code, detail };
  const toViolation = ({ pointer, message, rule = 'state', remedy = message }: Issue) =>
    ({ in: part, pointer, rule, remedy }) as const;
  return { code, detail, violations: issues.map(toViolation) };
}

/** The default value of the `Retry-After` header, in seconds. */
const RETRY_AFTER_SECONDS = 1;

/** Creates the problem of a server that is temporarily unavailable. */
export function unavailable(detail: string, retryAfterSeconds = RETRY_AFTER_SECONDS): HttpProblem {
  return { code: 'unavailable', detail, headers: { 'Retry-After': String(retryAfterSeconds) } };
}

/** Creates the problem of a method that a path does not support. `allow`: the supported methods. */
export function createMethodNotAllowed(method: string, path: string, allow: readonly string[]): HttpProblem {
  const methods = allow.join(', ');
  return {
    code: 'method-not-allowed',
    detail: `${path} does not support ${method}: use ${methods}`,
    headers: { Allow: methods },
  };
}

/** Creates the problem of a path that does not exist. */
export function createUnknownPath(path: string): HttpProblem {
  const remedy = path.startsWith('/_sandbox/')
    ? 'use the prefix /_sandbox/ID before a path of /openapi.yaml, or use the host ID.localhost'
    : '/openapi.yaml lists the paths';
  return { code: 'unknown-path', detail: `the path ${path} does not exist: ${remedy}` };
}

/** The problem of an internal error. Only the log contains the cause. */
export const internalError: HttpProblem = {
  code: 'internal-error',
  detail: "the server failed to handle the request: the error is in the server's log",
};

/** Returns the status, title and explanation of a problem. */
export function getProblemKind(problem: HttpProblem): ProblemKind {
  return problem.kind === undefined ? problemKinds[problem.code] : problem.kind;
}

/** Matches a path that is a valid URI reference and has no percent-encodings. */
const PLAIN_PATH = /^\/(?!\/)[A-Za-z0-9\-._~!$&'()*+,;=:@/]*$/;

/** Returns a path as a valid URI reference (RFC 3986): percent-encodes invalid characters, and leaves valid percent-encodings unchanged. */
export function toUriReference(path: string): string {
  if (PLAIN_PATH.test(path)) return path;
  return path
    .replaceAll(/%(?![0-9a-fA-F]{2})/g, '%25')
    .replaceAll(/[^A-Za-z0-9\-._~!$&'()*+,;=:@/%]/g, encodeURIComponent)
    .replace(/^\/\/+/, '/');
}
