import { DomainError } from '../application.ts';
import { createStatusError } from '../mock/error-fields.ts';
import { describeMismatchedCode } from '../mock/mismatched-codes.ts';
import { findMediaType } from '../openapi/media-types.ts';
import { findErrorResponse } from '../openapi/responses.ts';
import type { Route } from '../openapi/routes.ts';
import { isDataFileError } from '../store/data-file.ts';
import {
  getProblemKind,
  type HttpProblem,
  HttpProblemError,
  internalError,
  type ProblemKind,
  unavailable,
} from '../util/problem.ts';
import type { Decision, Exchange, ResponseData } from './exchange.ts';
import { createProblemResponse } from './response.ts';

/**
 * Responds with a problem document (RFC 9457) to an error.
 * An unexpected error is logged and gets status 500.
 * `decision`: the origin of the response; undefined if the server itself refuses the request.
 */
export function refuseWithError(exchange: Exchange, error: unknown, decision?: Decision): void {
  const { log, application } = exchange.app;
  const problem = toHttpProblem(error, application.problems) ?? internalError;
  const message = problem === internalError ? undefined : problem.detail;
  // A disk error has another code and can occur in every request. The store logs it once, so it is not logged here.
  if (problem.code === internalError.code)
    log.error({ err: error, method: exchange.method, path: exchange.path }, message);
  refuse(exchange, problem, decision);
}

/**
 * Responds with a problem document (RFC 9457), unless the contract documents another error format.
 * `decision`: the origin of the response; undefined if the server itself refuses the request.
 */
export function refuse(exchange: Exchange, problem: HttpProblem, decision?: Decision): void {
  const { route, kind } = exchange;
  const response = createProblemResponse(problem, exchange.path);
  const documented = createErrorResponse(exchange, problem, response);
  const sent = documented ?? response;
  exchange.response = sent;
  exchange.decision = decision ?? (kind === 'page' || kind === 'unknown-path' ? undefined : REFUSAL);
  exchange.notes = [
    ...exchange.notes,
    problem.detail,
    ...(documented && route ? noteUnfitCode(route, documented, problem) : []),
  ];
  exchange.violations = problem.violations;
  exchange.isRefusal = problem.kind === undefined || !route || !documentsBody(route, sent);
  exchange.revision = undefined;
  exchange.changes = undefined;
  exchange.isDone = true;
}

const REFUSAL: Decision = { source: 'refusal' };

/** The lowest status of server errors. Responses with this or a higher status are always problem documents. */
const FIRST_SERVER_ERROR = 500;

/**
 * Converts an error response to the format that the contract documents for errors of the operation, or of all
 * operations.
 * `response`: the error as a problem document.
 * Returns undefined if `response` must be sent unchanged.
 */
function createErrorResponse(
  exchange: Exchange,
  problem: HttpProblem,
  response: ResponseData,
): ResponseData | undefined {
  const { app, api, kind, route, headers: sent, sandbox, hasSandbox } = exchange;
  if (api !== 'contract' || kind === 'page' || response.status >= FIRST_SERVER_ERROR) return undefined;
  const { code, detail, violations = [], headers, getExampleNames } = problem;
  const { title, alternatives } = getProblemKind(problem);
  const documented = app.mock.createErrorResponse(route, {
    error: {
      type: `/problems/${code}`,
      code,
      title,
      status: response.status,
      detail,
      instance: exchange.path,
      violations,
      nowMs: hasSandbox ? sandbox.clock.nowMs() : 0,
    },
    document: response.body as object,
    alternatives,
    accept: sent.accept ?? '',
    getExampleNames,
  });
  return documented && { ...documented, headers: { ...documented.headers, ...headers } };
}

/** The error statuses that `noteUnfitCode` has already examined, by operation. */
const examinedStatuses = new WeakMap<Route, Set<number>>();

/**
 * Returns a note for the log if the body has an error code that does not fit the status, because the contract allows no
 * better code.
 * Returns the note only once for each operation and status, because all errors with the same status get the same code.
 */
function noteUnfitCode(route: Route, { status, body }: ResponseData, { code }: HttpProblem): readonly string[] {
  const statuses = examinedStatuses.get(route) ?? new Set();
  if (statuses.has(status)) return [];
  examinedStatuses.set(route, statuses.add(status));
  const note = describeMismatchedCode(route, body, { ...createStatusError(status), code });
  return note === undefined ? [] : [note];
}

/** Returns whether the contract documents the status and the media type of an error response of an operation. */
function documentsBody({ responses }: Route, { status, headers }: ResponseData): boolean {
  const types = Object.keys(findErrorResponse(responses, status)?.media ?? {});
  return findMediaType(types, headers['Content-Type'] ?? '') !== undefined;
}

/** The status, title and explanation of problems (error responses), by code. */
export type ProblemKinds = Readonly<Record<string, ProblemKind>>;

/**
 * Converts an error to a problem (error response).
 * Returns undefined for an unexpected error, which is a bug of the server.
 * `kinds`: the problems of the application.
 */
export function toHttpProblem(thrown: unknown, kinds: ProblemKinds): HttpProblem | undefined {
  if (thrown instanceof HttpProblemError) return thrown.problem;
  if (thrown instanceof DomainError) return toApplicationProblem(thrown, kinds);
  if (isOutOfFiles(thrown))
    return unavailable(
      'the server can open no more files: try again later, close connections, or raise the limit with ulimit -n',
    );
  return isDataFileError(thrown) ? unavailable(thrown.message) : undefined;
}

/** Returns whether an error, or its cause, says that the process or the system has too many open files. */
export function isOutOfFiles(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code } = error as NodeJS.ErrnoException;
  return code === 'EMFILE' || code === 'ENFILE' || isOutOfFiles(error.cause);
}

/**
 * Converts a `DomainError` to a problem.
 * Returns an internal error (status 500) if a user's handler has thrown a code that the application does not define.
 */
function toApplicationProblem({ code, message }: DomainError, kinds: ProblemKinds): HttpProblem {
  const kind = Object.hasOwn(kinds, code) ? kinds[code] : undefined;
  if (kind) return { code, kind, detail: message };
  const detail = `a handler threw a DomainError with the unknown code ${JSON.stringify(code)} (${message}). Use one of the codes ${Object.keys(kinds).join(', ')}`;
  return { code: 'internal-error', detail };
}
