import { findErrorResponse, findMediaType } from '../../openapi/responses.ts';
import type { Route } from '../../openapi/routes.ts';
import { PROBLEM_HEADERS } from '../headers.ts';
import type { ServedContract } from '../parts.ts';
import { getProblemKind, type HttpProblem } from '../problem.ts';
import { getPath, type OperationTarget, type ResponseData } from './values.ts';

/** The first status of errors that the server has caused. They are problem documents. */
const FIRST_SERVER_ERROR = 500;

/**
 * Returns the response to a refused request in the form that the contract documents for the operation. Returns undefined if the problem document in `response` is
 * the right response.
 */
export function createErrorResponse(
  { mock }: ServedContract,
  operation: OperationTarget,
  problem: HttpProblem,
  response: ResponseData,
): ResponseData | undefined {
  if (response.status >= FIRST_SERVER_ERROR) return undefined;
  const { request, route, selection } = operation;
  const { code, detail, violations = [], headers } = problem;
  const described = {
    error: {
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
  };
  const documented = mock.createErrorResponse(route, described);
  return documented && { ...documented, headers: { ...documented.headers, ...headers } };
}

/** Returns whether the contract documents problem documents for an error status of an operation. */
export function documentsProblem({ responses }: Route, status: number): boolean {
  const types = Object.keys(findErrorResponse(responses, status)?.media ?? {});
  return findMediaType(types, PROBLEM_HEADERS['Content-Type'] ?? '') !== undefined;
}
