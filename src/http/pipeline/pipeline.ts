import type { ServerResponse } from 'node:http';
import type { MeasuredResponse } from '../metrics.ts';
import type { AppParts } from '../parts.ts';
import { createMethodNotAllowed } from '../problem.ts';
import { recordRequest, type SentResponse } from '../record.ts';
import { NO_HEADERS } from '../response-headers.ts';
import { addError, addProblem } from './add-problem.ts';
import { addFaults, describeError } from './decision.ts';
import { applyFaults, delayResponse, NO_FAULTS } from './faults.ts';
import { handleOnce } from './idempotency.ts';
import { respondToImage } from './image-faults.ts';
import { type HandlerResult, NO_RESPONSE, type Outcome, RESET_RETRY } from './outcome.ts';
import { formatPreferenceApplied } from './preferences.ts';
import type { HttpRequest } from './request.ts';
import { createResponse, writeResponse } from './response.ts';
import { enterSandbox, routeRequest } from './route.ts';
import { hasLongList, validateRequest, verifyLongList, verifyResponse } from './validate.ts';
import type {
  AppliedFaults,
  Exchange,
  OperationCall,
  OperationRequest,
  SandboxRequest,
  ValidRequest,
} from './values.ts';

/**
 * Runs the first step of the pipeline, which finds the operation of a request. The contract's API and the control API use the same pipeline. The steps do not
 * use Koa, and run in this order:
 * 1. route: checks the host, the origin and the access, and finds the operation (route.ts)
 * 2. sandbox: selects the sandbox that the request names (route.ts)
 * 3. validate: receives the whole request, and validates it against the contract (validate.ts, body.ts)
 * 4. preferences and faults: finds the faults and preferences that apply, and delays the request (preferences.ts, faults.ts; image-faults.ts for images)
 * 5. handle or mock: calls the handler of the operation, or creates a mock response (handle.ts, mock-response.ts; idempotency.ts for repeated requests;
 *    control-api.ts)
 * 6. complete: adds generated fields, the content type and headers to the response (handle.ts)
 * 7. verify: validates the response against the contract (validate.ts)
 * 8. write: sends the response (plain-response.ts for most changes, response.ts)
 * 9. record: adds the request and the response to the response cache, the journal and the metrics (response-cache.ts, record.ts, metrics.ts)
 *
 * `startExchange` runs step 1, `runPipeline` runs steps 2 to 7, and `finishExchange` runs steps 8 and 9. `startExchange` and `runPipeline` convert errors to
 * problem documents (RFC 9457) and never throw.
 */
export function startExchange(parts: AppParts, request: HttpRequest): Exchange {
  try {
    const target = routeRequest(parts, request);
    return { request, target, selection: undefined, outcome: NO_RESPONSE, callsNext: !target };
  } catch (error) {
    return refuse(parts, { request, target: undefined, selection: undefined, outcome: NO_RESPONSE }, error);
  }
}

/** Runs the steps from `sandbox` to `verify` of the pipeline. Resolves to the exchange with its response. Never rejects. */
export async function runPipeline(parts: AppParts, routed: Exchange): Promise<Exchange> {
  const { request, target } = routed;
  if (!target) return routed;
  try {
    return await enterSandbox(parts, { request, target }, (selection) =>
      respond(parts, { request, target, selection }),
    );
  } catch (error) {
    return refuse(parts, routed, error);
  }
}

/**
 * Writes the response of an exchange (a request and its response), and adds the exchange to the response cache, the journal and the metrics. `sent`: the
 * response, if the caller has already written it.
 */
export function finishExchange(
  parts: AppParts,
  exchange: Exchange,
  res: ServerResponse,
  sent = writeResponse(parts, res, exchange),
): void {
  const { journal } = exchange.selection?.sandbox ?? parts.sandboxes.default;
  const { isRecorded } = exchange.outcome;
  if (isRecorded) recordRequest(journal, exchange, sent, res);
  if (parts.metrics.isOn && (isRecorded || hasNoSandbox(exchange)))
    parts.metrics.recordResponse(measure(exchange, sent));
  parts.cache.store(exchange, sent, res);
}

/**
 * Returns whether the sandbox of a request to the contract's API could not be used, for example because the database is not available. Such a request is in no
 * journal, but in the metrics.
 */
function hasNoSandbox({ target, selection }: Exchange): boolean {
  return target?.api.isContractApi === true && target.kind === 'operation' && selection === undefined;
}

function measure({ request, target, outcome }: Exchange, sent: SentResponse | undefined): MeasuredResponse {
  return {
    operationId: target?.route?.operationId,
    status: sent?.response.status,
    durationMs: performance.now() - request.startMs,
    isInvalid: outcome.violations !== undefined,
    isInvalidResponse: outcome.responseViolations !== undefined,
  };
}

/** Returns the exchange with an error response. Converts `error` to a problem document (RFC 9457). */
export function refuse(parts: AppParts, exchange: Omit<Exchange, 'callsNext'>, error: unknown): Exchange {
  const { request, target, selection } = exchange;
  return {
    request,
    target,
    selection,
    outcome: addError(parts, exchange, exchange.outcome, error),
    callsNext: false,
  };
}

async function respond(parts: AppParts, sandboxRequest: SandboxRequest): Promise<Exchange> {
  const { request, target, selection } = sandboxRequest;
  if (target.kind === 'image') return { request, target, selection, ...(await respondToImage(parts, sandboxRequest)) };
  const initial = target.api.isContractApi ? RECORDED : NO_RESPONSE;
  const { route } = target;
  const outcome = route
    ? await runOperation(parts, { request, target, selection, route }, initial)
    : respondWithoutOperation(sandboxRequest, initial);
  const verified = hasLongList(outcome)
    ? await verifyLongList(parts, target, outcome)
    : verifyResponse(parts, target, outcome);
  return { request, target, selection, outcome: verified, callsNext: false };
}

const RECORDED: Outcome = { ...NO_RESPONSE, isRecorded: true };

/** Responds to a request for a path that does not exist or does not support the method. */
function respondWithoutOperation(sandboxRequest: SandboxRequest, outcome: Outcome): Outcome {
  const { request, target } = sandboxRequest;
  const { api, kind, allow, location } = target;
  const isKnownPath = kind === 'unknown-method';
  // Decision: the response to OPTIONS lists the methods that the contract has for the path.
  if (isKnownPath && request.method === 'OPTIONS')
    return { ...outcome, response: createResponse(204, undefined, { Allow: allow.join(', ') }) };
  const problem = isKnownPath
    ? createMethodNotAllowed(request.method, location.pathname, allow)
    : api.describeUnknownPath(location.pathname);
  return addProblem(sandboxRequest, outcome, problem);
}

/**
 * Validates and handles a request for an operation. Waits first if the concurrency limit of the API is reached. Resolves to the outcome with the response.
 * Never rejects.
 */
function runOperation(parts: AppParts, operation: OperationRequest, initial: Outcome): Promise<Outcome> {
  const { request, target, route } = operation;
  const serverDelayMs = target.api.isContractApi ? parts.getDelayMs() : 0;
  const outcome = serverDelayMs > 0 ? { ...initial, effects: { delayMs: serverDelayMs } } : initial;
  // This function and `handle` are not async functions, because each async function takes 2 % of the CPU time of a POST request.
  return target.api
    .schedule(request, () => runSteps(parts, operation, outcome, serverDelayMs), route)
    .catch((error) => addError(parts, operation, outcome, error));
}

/**
 * Validates and handles a request for an operation. `serverDelayMs`: the delay that the server option `delay` defines, in ms. It also applies to invalid
 * requests.
 */
async function runSteps(
  parts: AppParts,
  operation: OperationRequest,
  outcome: Outcome,
  serverDelayMs: number,
): Promise<Outcome> {
  const { request, target, route, selection } = operation;
  // The client may have disconnected while the request waited for a concurrency limit.
  if (request.socket.destroyed) return outcome;
  const validating = validateRequest(operation);
  if (serverDelayMs > 0)
    await validating.catch(() => {}).then(() => delayResponse(request, serverDelayMs, parts.stopping));
  const valid = await validating;
  if ('code' in valid) return addProblem(operation, outcome, valid);
  if (request.socket.destroyed) return outcome;
  if (parts.retries.detectRetry(request)) return RESET_RETRY;
  const { input, preferences, idempotencyKey } = valid;
  const { sandbox } = selection;
  const { isContractApi } = target.api;
  const apply = () => (isContractApi ? applyFaults(operation, valid, serverDelayMs) : NO_FAULTS);
  // Servers that share a database store the counters of faults in the sandbox.
  const isStored = isContractApi && parts.sandboxes.isShared && sandbox.faults.isActive;
  const applied = isStored ? await sandbox.change(apply) : apply();
  const call = { request, target, selection, route, input, preferences, idempotencyKey, applied };
  const next = addEffects(outcome, valid, applied);
  if (!applied.hasEffects) return await handle(parts, next, call);
  const isConnected = await delayResponse(request, applied.delayMs.before, parts.stopping);
  if (!isConnected || applied.isResetBeforeHandler) return next;
  const handled = await handle(parts, next, call);
  await delayResponse(request, applied.delayMs.after, parts.stopping);
  return handled;
}

function addEffects(outcome: Outcome, { preferences, notes }: ValidRequest, applied: AppliedFaults): Outcome {
  if (!applied.hasEffects) return notes.length === 0 ? outcome : { ...outcome, notes };
  const preferenceApplied = formatPreferenceApplied(preferences, false);
  return {
    ...outcome,
    notes,
    headers: preferenceApplied === undefined ? NO_HEADERS : { 'Preference-Applied': preferenceApplied },
    transport: applied.transport,
    effects: applied.summary,
    // If a fault resets the connection before the handler runs, the fault is the origin of the outcome.
    decision: addFaults(undefined, applied),
  };
}

function handle(parts: AppParts, outcome: Outcome, call: OperationCall): Promise<Outcome> {
  const runHandler = (handled: OperationCall) => call.target.api.handle(handled);
  const toOutcome = (handling: Promise<HandlerResult>) => handling.then(addResult, addFailure);
  const addResult = ({ response, revision, decision, changes, notes = [] }: HandlerResult): Outcome => ({
    ...outcome,
    notes: notes.length === 0 ? outcome.notes : [...outcome.notes, ...notes],
    response,
    revision,
    decision: addFaults(decision, call.applied),
    changes,
  });
  const addFailure = (error: unknown): Outcome => ({
    ...addError(parts, call, outcome, error),
    decision: addFaults(describeError(parts, call, error), call.applied),
  });
  return call.idempotencyKey === undefined
    ? toOutcome(runHandler(call))
    : handleOnce(parts, call, { outcome, runHandler, toOutcome });
}
