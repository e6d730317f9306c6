import type { AppParts } from '../parts.ts';
import { type HttpProblem, internalError, toHttpProblem } from '../problem.ts';
import { describeRefusal } from './decision.ts';
import { documentsProblem, noteUnfitCode } from './error-response.ts';
import type { Outcome } from './outcome.ts';
import { createProblemResponse } from './response.ts';
import { getPath, type RoutedRequest } from './values.ts';

/**
 * Converts an error to a problem document (RFC 9457). Returns a copy of `outcome` with this document as the response. An unexpected error is logged and gets
 * status 500.
 */
export function addError(
  { log, application }: AppParts,
  routed: RoutedRequest,
  outcome: Outcome,
  error: unknown,
): Outcome {
  const problem = toHttpProblem(error, application.problems) ?? internalError;
  const path = getPath(routed);
  const message = problem === internalError ? undefined : problem.detail;
  // A disk error has another code and can occur in every request. The store logs it once, so it is not logged here.
  if (problem.code === internalError.code) log.error({ err: error, method: routed.request.method, path }, message);
  return addProblem(routed, outcome, problem);
}

/**
 * Returns a copy of `outcome` with an error response. The body is a problem document (RFC 9457), unless the contract documents another error format for the
 * operation.
 */
export function addProblem(routed: RoutedRequest, outcome: Outcome, problem: HttpProblem): Outcome {
  const { target } = routed;
  const route = target?.route;
  const response = createProblemResponse(problem, getPath(routed));
  const documented = route && target.api.createErrorResponse?.({ ...routed, target, route }, problem, response);
  const isDocumented = () => documented || (route && documentsProblem(route, response.status));
  return {
    ...outcome,
    response: documented ?? response,
    decision: describeRefusal(routed),
    notes: [...outcome.notes, problem.detail, ...(documented ? noteUnfitCode(route, documented, problem) : [])],
    violations: problem.violations,
    isRefusal: problem.kind === undefined || !isDocumented(),
  };
}
