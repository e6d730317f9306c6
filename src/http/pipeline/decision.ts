import { DomainError } from '../../application.ts';
import type { AppParts } from '../parts.ts';
import { internalError, toHttpProblem } from '../problem.ts';
import type { Decision, ResponseData } from './outcome.ts';
import type { AppliedFaults, OperationCall, RoutedRequest } from './values.ts';

/** The origin of a response that a handler of the application or of the user returned. The journal stores the origin as `decision`. */
export const HANDLER_DECISIONS = { application: { source: 'handler' }, user: { source: 'user-handler' } } as const;

/** The origin of a response that is a stored entry. The journal stores the origin as `decision`. */
export const STORED_DECISION: Decision = { source: 'stored' };

const MOCK_DECISION: Decision = { source: 'mock' };
const REFUSAL_DECISION: Decision = { source: 'refusal' };

/**
 * Returns whether the mock must create the response even if the operation has a handler. A preference (RFC 7240) or a setting of the sandbox can require this.
 */
export function isMocked({ route, preferences, selection }: OperationCall): boolean {
  return preferences.isMockRequired || selection.sandbox.mockedOperations.has(route.operationId);
}

/** Returns the origin of a response that a fault defined or the mock generated. The journal stores the origin as `decision`. */
export function describeMock({ preferences, applied }: OperationCall, { example }: ResponseData): Decision {
  const named = example === undefined ? {} : { example };
  if (applied.effect?.response) return { source: 'fault', ...named };
  return { source: preferences.isMockRequired ? 'preference' : 'mock', ...named };
}

/** Adds the ids of the applied faults to `decision`, the origin of a response. If a fault closes the connection, this fault becomes the origin. */
export function addFaults(decision: Decision | undefined, { effect }: AppliedFaults): Decision | undefined {
  if (!effect) return decision;
  const { faults, connection } = effect;
  if (connection) return { source: 'fault', faults: [...faults] };
  return decision && { ...decision, faults: [...faults] };
}

/** Returns the origin of the response to a refused request, which the journal stores as `decision`. Returns undefined if the path is unknown. */
export function describeRefusal({ target }: RoutedRequest): Decision | undefined {
  return target === undefined || target.kind === 'unknown-path' ? undefined : REFUSAL_DECISION;
}

/**
 * Returns the origin of the response to an error that a handler or the mock threw. The journal stores the origin as `decision`. The origin of an error of the
 * server itself, such as a full disk, is `refusal`.
 */
export function describeError(
  { application, getImplementation }: AppParts,
  call: OperationCall,
  error: unknown,
): Decision {
  const problem = toHttpProblem(error, application.problems) ?? internalError;
  const isOfHandler = error instanceof DomainError || problem.code === internalError.code;
  if (!isOfHandler) return REFUSAL_DECISION;
  const implementation = isMocked(call) ? undefined : getImplementation(call.route);
  if (implementation) return HANDLER_DECISIONS[implementation.source];
  return error instanceof DomainError ? STORED_DECISION : MOCK_DECISION;
}
