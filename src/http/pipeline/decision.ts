import { DomainError } from '../../application.ts';
import type { AppParts } from '../parts.ts';
import { internalError, toHttpProblem } from '../problem.ts';
import type { Decision, ResponseData } from './outcome.ts';
import type { AppliedFaults, OperationCall, RoutedRequest } from './values.ts';

/** The values of `decision` in the journal (the origin of a response) for responses of handlers: of the application's handlers and of the user's handlers. */
export const HANDLER_DECISIONS = { application: { source: 'handler' }, user: { source: 'user-handler' } } as const;

/** The value of `decision` in the journal (the origin of a response) for a response that is an entry of the state. */
export const STORED_DECISION: Decision = { source: 'stored' };

const MOCK_DECISION: Decision = { source: 'mock' };
const REFUSAL_DECISION: Decision = { source: 'refusal' };

/** Returns whether the mock handles a request although the operation may have a handler. A preference (RFC 7240) or a setting of the sandbox requires this. */
export function isMocked({ route, preferences, selection }: OperationCall): boolean {
  return preferences.isMockRequired || selection.sandbox.mockedOperations.has(route.operationId);
}

/** Returns the value of `decision` in the journal (the origin of a response) for a response of a fault or of the mock. */
export function describeMock({ preferences, applied }: OperationCall, { example }: ResponseData): Decision {
  const named = example === undefined ? {} : { example };
  if (applied.effect?.response) return { source: 'fault', ...named };
  return { source: preferences.isMockRequired ? 'preference' : 'mock', ...named };
}

/** Adds the ids of the applied faults to a decision (the origin of a response). If a fault closes the connection, the fault is the origin. */
export function addFaults(decision: Decision | undefined, { effect }: AppliedFaults): Decision | undefined {
  if (!effect) return decision;
  const { faults, connection } = effect;
  if (connection) return { source: 'fault', faults: [...faults] };
  return decision && { ...decision, faults: [...faults] };
}

/** Returns the value of `decision` in the journal for a refused request. Returns undefined if the path is unknown. */
export function describeRefusal({ target }: RoutedRequest): Decision | undefined {
  return target === undefined || target.kind === 'unknown-path' ? undefined : REFUSAL_DECISION;
}

/**
 * Returns the value of `decision` in the journal (the origin of a response) if a handler or the mock threw an error. An error of the server itself, such as a
 * full disk, counts as a refusal.
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
