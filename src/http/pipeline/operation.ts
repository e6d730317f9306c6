import type { Route } from '../../openapi/routes.ts';
import { delayResponse } from './delay.ts';
import { type ProblemParts, RESET_AGAIN, withProblem } from './draft.ts';
import { applyFaults, NO_FAULTS } from './faults.ts';
import { formatPreferenceApplied } from './preferences.ts';
import type { ResentRequests } from './resent-requests.ts';
import { type ValidRequest, validateRequest } from './validate.ts';
import type { AppliedFaults, Draft, OperationCall, ScopedRequest } from './values.ts';

/** The parts that run operations. */
export interface OperationParts extends ProblemParts {
  readonly resends: ResentRequests;
  /** Returns how long the server delays a response, in ms; undefined if it delays none. */
  readonly delayMs: (() => number) | undefined;
  /** Ends what waits once the server stops. */
  readonly stopping: AbortSignal;
}

/** A request for an operation, in its sandbox. */
export interface OperationRequest extends ScopedRequest {
  readonly route: Route;
}

/** Validates a request, applies preferences and faults, and has the API handle it. Returns the draft with the response. Never rejects. */
export async function runOperation(parts: OperationParts, operation: OperationRequest, initial: Draft): Promise<Draft> {
  const { request, target, route } = operation;
  const waitedMs = target.api.isSimulated ? (parts.delayMs?.() ?? 0) : 0;
  const draft = waitedMs > 0 ? { ...initial, forced: { delayMs: waitedMs } } : initial;
  try {
    return await target.api.schedule(request, () => runSteps(parts, operation, draft, waitedMs), route);
  } catch (error) {
    return withProblem(parts, operation, draft, error);
  }
}

/** `waitedMs`: the delay of the server, in ms. It delays errors too. */
async function runSteps(
  parts: OperationParts,
  operation: OperationRequest,
  draft: Draft,
  waitedMs: number,
): Promise<Draft> {
  const { request, target, route, scope } = operation;
  const { api, location } = target;
  // The client may have closed the connection while the request waited.
  if (request.client.isGone) return draft;
  const validating = validateRequest(api, request, { route, location });
  if (waitedMs > 0) await validating.catch(() => {}).then(() => delayResponse(request, waitedMs, parts.stopping));
  const valid = await validating;
  if (request.client.isGone) return draft;
  if (parts.resends.take(request)) return RESET_AGAIN;
  const { input, preferences, query } = valid;
  const faulty = { request, route, location, query, body: input.body, preferences, waitedMs };
  const applied = api.isSimulated ? await applyFaults(scope.sandbox, faulty) : NO_FAULTS;
  const call = { request, route, location, scope, input, preferences, applied };
  const next = withEffects(draft, valid, applied);
  if (!applied.summary) return handle(parts, operation, next, call);
  const isThere = await delayResponse(request, applied.delayMs.before, parts.stopping);
  if (!isThere || applied.isLost) return next;
  const handled = await handle(parts, operation, next, call);
  await delayResponse(request, applied.delayMs.after, parts.stopping);
  return handled;
}

function withEffects(draft: Draft, { preferences, notes }: ValidRequest, applied: AppliedFaults): Draft {
  if (!applied.summary) return notes.length === 0 ? draft : { ...draft, notes };
  const preferenceApplied = formatPreferenceApplied(preferences, false);
  return {
    ...draft,
    notes,
    headers: preferenceApplied === undefined ? draft.headers : { 'Preference-Applied': preferenceApplied },
    transport: applied.transport,
    forced: applied.summary,
  };
}

async function handle(
  parts: OperationParts,
  operation: OperationRequest,
  draft: Draft,
  call: OperationCall,
): Promise<Draft> {
  try {
    const { response, revision } = await operation.target.api.handle(call);
    return { ...draft, response, revision };
  } catch (error) {
    return withProblem(parts, operation, draft, error);
  }
}
