import { createStatusError } from '../../mock/error-fields.ts';
import { describeMismatchedCode } from '../../mock/mismatched-codes.ts';
import { findMediaType } from '../../openapi/media-types.ts';
import { findErrorResponse } from '../../openapi/responses.ts';
import type { Route } from '../../openapi/routes.ts';
import type { ServedContract } from '../parts.ts';
import { getProblemKind, type HttpProblem } from '../problem.ts';
import { PROBLEM_HEADERS } from '../response-headers.ts';
import type { ResponseData } from './outcome.ts';
import { getPath, type OperationTarget } from './values.ts';

/** The lowest status of server errors. Responses with this or a higher status are always problem documents. */
const FIRST_SERVER_ERROR = 500;

/**
 * Converts an error response to the format that the contract documents for errors of the operation. `problem`: the error. `response`: the error as a problem
 * document (RFC 9457). Returns undefined if `response` must be sent unchanged.
 */
export function createErrorResponse(
  { mock }: ServedContract,
  operation: OperationTarget,
  problem: HttpProblem,
  response: ResponseData,
): ResponseData | undefined {
  if (response.status >= FIRST_SERVER_ERROR) return undefined;
  const { request, route, selection } = operation;
  const { code, detail, violations = [], headers, exampleNames = [] } = problem;
  const described = {
    error: {
      type: `/problems/${code}`,
      code,
      title: getProblemKind(problem).title,
      status: response.status,
      detail,
      instance: getPath(operation),
      violations,
      nowMs: selection?.sandbox.clock.nowMs() ?? 0,
    },
    document: response.body as object,
    accept: request.headers.accept ?? '',
    exampleNames,
  };
  const documented = mock.createErrorResponse(route, described);
  return documented && { ...documented, headers: { ...documented.headers, ...headers } };
}

/** The error statuses that `noteUnfitCode` has already examined, by operation. */
const examinedStatuses = new WeakMap<Route, Set<number>>();

/**
 * Returns a note for the log if the body has an error code that does not fit the status, because the contract allows no better code. Returns the note only once
 * for each operation and status, because all errors with the same status get the same code.
 */
export function noteUnfitCode(route: Route, { status, body }: ResponseData, { code }: HttpProblem): readonly string[] {
  const statuses = examinedStatuses.get(route) ?? new Set();
  if (statuses.has(status)) return [];
  examinedStatuses.set(route, statuses.add(status));
  const note = describeMismatchedCode(route, body, { ...createStatusError(status), code });
  return note === undefined ? [] : [note];
}

/** Returns whether the contract documents the media type `application/problem+json` for an error status of an operation. */
export function documentsProblem({ responses }: Route, status: number): boolean {
  const types = Object.keys(findErrorResponse(responses, status)?.media ?? {});
  return findMediaType(types, PROBLEM_HEADERS['Content-Type'] ?? '') !== undefined;
}
