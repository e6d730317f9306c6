import type { ServerResponse } from 'node:http';
import { NO_HEADERS } from '../headers.ts';
import type { AppParts } from '../parts.ts';
import { createMethodNotAllowed, type HttpProblem, internalError, toHttpProblem } from '../problem.ts';
import { recordRequest } from '../record.ts';
import { documentsProblem } from './error-response.ts';
import { applyFaults, delayResponse, NO_FAULTS } from './faults.ts';
import { respondToImage } from './image-faults.ts';
import { formatPreferenceApplied } from './preferences.ts';
import type { HttpRequest } from './request.ts';
import { createProblemResponse, createResponse, writeResponse } from './response.ts';
import { enterSandbox, routeRequest } from './route.ts';
import { hasLongList, validateRequest, verifyLongList, verifyResponse } from './validate.ts';
import {
  type AppliedFaults,
  type Exchange,
  getPath,
  NO_RESPONSE,
  type OperationCall,
  type OperationRequest,
  type Outcome,
  RESET_RETRY,
  type RoutedRequest,
  type SandboxRequest,
  type ValidRequest,
} from './values.ts';

/**
 * Routes a request, which is the first step of the pipeline. The contract's API and the control API use the same pipeline. Each step is a function of values that
 * does not use Koa. The steps run in this order:
 * 1. route: checks the host, the origin and the access, and finds the operation (route.ts)
 * 2. sandbox: selects the sandbox that the request names (route.ts)
 * 3. validate: receives the whole request, and validates it against the contract (validate.ts, body.ts)
 * 4. preferences and faults: finds the faults and preferences that apply, and delays the request (preferences.ts, faults.ts; image-faults.ts for images)
 * 5. handle or mock: calls the handler of the operation, or creates a mock response (handle.ts, mock-response.ts; control-api.ts)
 * 6. complete: adds generated fields, the content type and headers to the response (handle.ts)
 * 7. verify: validates the response against the contract (validate.ts)
 * 8. write: sends the response (plain-response.ts for most changes, response.ts)
 * 9. record: adds the exchange to the response cache and the journal (response-cache.ts, record.ts)
 *
 * `startExchange` runs step 1, `runPipeline` runs steps 2 to 7, and `finishExchange` runs steps 8 and 9. These functions never throw: they convert errors to
 * problem documents.
 */
export function startExchange(parts: AppParts, request: HttpRequest): Exchange {
  try {
    const target = routeRequest(parts, request);
    return { request, target, selection: undefined, outcome: NO_RESPONSE, callsNext: !target };
  } catch (error) {
    return refuse(parts, { request, target: undefined, selection: undefined, outcome: NO_RESPONSE }, error);
  }
}

/** Runs steps 2 to 7 of the pipeline. Returns the exchange with the verified response. */
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

/** Writes the response of an exchange unless it is `sent`, and adds the exchange to the response cache and the journal. */
export function finishExchange(
  parts: AppParts,
  exchange: Exchange,
  res: ServerResponse,
  sent = writeResponse(parts, res, exchange),
): void {
  const { journal } = exchange.selection?.sandbox ?? parts.sandboxes.default;
  if (exchange.outcome.isRecorded) recordRequest(journal, exchange, sent, res);
  parts.cache.store(exchange, sent, res);
}

/** Returns an exchange whose response is the problem document of an error. */
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

/** Responds to a request for an unknown path or an unknown method. */
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

/** Runs steps 3 to 6 for an operation, when the API allows it. Returns the outcome with the response. Never rejects. */
function runOperation(parts: AppParts, operation: OperationRequest, initial: Outcome): Promise<Outcome> {
  const { request, target, route } = operation;
  const serverDelayMs = target.api.isContractApi ? parts.getDelayMs() : 0;
  const outcome = serverDelayMs > 0 ? { ...initial, effects: { delayMs: serverDelayMs } } : initial;
  // Not an async function, like `handle`: each would take 2 % of the CPU time of a change.
  return target.api
    .schedule(request, () => runSteps(parts, operation, outcome, serverDelayMs), route)
    .catch((error) => addError(parts, operation, outcome, error));
}

/** Runs steps 3 to 6 for an operation. `serverDelayMs`: the delay of the server option `delay`. This delay also applies to invalid requests. */
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
  const { input, preferences } = valid;
  const applied = target.api.isContractApi ? applyFaults(operation, valid, serverDelayMs) : NO_FAULTS;
  const call = { request, target, selection, route, input, preferences, applied };
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
  };
}

function handle(parts: AppParts, outcome: Outcome, call: OperationCall): Promise<Outcome> {
  return call.target.api.handle(call).then(
    ({ response, revision }) => ({ ...outcome, response, revision }),
    (error) => addError(parts, call, outcome, error),
  );
}

/** Returns an outcome whose response is the problem document of an error. Logs an unexpected error, and converts it to an internal error. */
function addError({ log, application }: AppParts, routed: RoutedRequest, outcome: Outcome, error: unknown): Outcome {
  const problem = toHttpProblem(error, application.problems) ?? internalError;
  const path = getPath(routed);
  const message = problem === internalError ? undefined : problem.detail;
  // Disk errors have another code. They can occur in every request, so only the store logs them, once.
  if (problem.code === internalError.code) log.error({ err: error, method: routed.request.method, path }, message);
  return addProblem(routed, outcome, problem);
}

/** Returns an outcome whose response is a problem document, or has the form in which the contract documents errors of the operation. */
function addProblem(routed: RoutedRequest, outcome: Outcome, problem: HttpProblem): Outcome {
  const { target } = routed;
  const route = target?.route;
  const response = createProblemResponse(problem, getPath(routed));
  const documented = route && target.api.createErrorResponse?.({ ...routed, target, route }, problem, response);
  const isDocumented = () => documented || (route && documentsProblem(route, response.status));
  return {
    ...outcome,
    response: documented ?? response,
    notes: [...outcome.notes, problem.detail],
    violations: problem.violations,
    isRefusal: problem.kind === undefined || !isDocumented(),
  };
}
