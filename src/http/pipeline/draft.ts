import type { PipelineParts } from '../parts.ts';
import { internalError, toHttpProblem } from '../problem.ts';
import { createProblemResponse, NO_HEADERS } from './response.ts';
import type { Draft, Exchange } from './values.ts';

/** A request without a response, which is not recorded. */
export const NO_RESPONSE: Draft = {
  response: undefined,
  revision: undefined,
  headers: NO_HEADERS,
  transport: undefined,
  notes: [],
  violations: undefined,
  responseViolations: undefined,
  forced: undefined,
  isRecorded: false,
};

/** A request that a client sends again after a reset: it was counted and recorded the first time. */
export const RESET_AGAIN: Draft = { ...NO_RESPONSE, transport: { connection: { kind: 'reset', phase: 'before' } } };

/** The request of a draft, and where it leads. */
type Subject = Pick<Exchange, 'request' | 'target'>;

/** Returns a draft with the problem document of an error as its response. An unknown error is logged, and becomes an internal error. */
export function withProblem(
  { log, application }: PipelineParts,
  subject: Subject,
  draft: Draft,
  error: unknown,
): Draft {
  const problem = toHttpProblem(error, application.problems) ?? internalError;
  const path = getPath(subject);
  // An error of the disk would occur with each request: the store logs it once.
  if (problem.code === internalError.code)
    log.error(
      { err: error, method: subject.request.method, path },
      problem === internalError ? undefined : problem.detail,
    );
  return {
    ...draft,
    response: createProblemResponse(problem, path),
    notes: [...draft.notes, problem.detail],
    violations: problem.violations,
  };
}

/** Returns the path of a request as problem documents name it, with the prefix that names a sandbox. */
export function getPath({ request, target }: Subject): string {
  if (target) return target.location.prefix + target.location.pathname;
  const [path = ''] = request.target.split('?', 1);
  return path;
}
