import type { ServerResponse } from 'node:http';
import { NO_HEADERS } from '../headers.ts';
import type { AppParts } from '../parts.ts';
import { createMethodNotAllowed, HttpProblemError, internalError, toHttpProblem } from '../problem.ts';
import { recordRequest } from '../record.ts';
import { applyFaults, delayResponse, NO_FAULTS } from './faults.ts';
import { respondToImage } from './image-faults.ts';
import { formatPreferenceApplied } from './preferences.ts';
import type { HttpRequest } from './request.ts';
import { createProblemResponse, createResponse, writeResponse } from './response.ts';
import { enterSandbox, routeRequest } from './route.ts';
import { validateRequest, verifyResponse } from './validate.ts';
import {
  type AppliedFaults,
  type Draft,
  type Exchange,
  getPath,
  NO_RESPONSE,
  type OperationCall,
  type OperationRequest,
  RESET_RETRY,
  type RoutedRequest,
  type ScopedRequest,
  type ValidRequest,
} from './values.ts';

/**
 * Routes a request: the first step of the pipeline. The contract's API and the control API have the same pipeline. A step takes values and returns values,
 * and does not use Koa. The steps are, in this order:
 * 1. route: checks the host, the origin and the access, and finds the operation (route.ts)
 * 2. sandbox: selects the sandbox that the request names (route.ts)
 * 3. validate: receives the whole request, and validates it against the contract (validate.ts, body.ts)
 * 4. preferences and faults: selects the effects on the request, and delays it (preferences.ts, faults.ts; image-faults.ts for images)
 * 5. handle or mock: calls the handler of the operation, or creates a mock response (handle.ts, mock-response.ts; control-api.ts)
 * 6. complete: adds generated fields, the content type and headers (handle.ts)
 * 7. verify: validates the response against the contract (validate.ts)
 * 8. write: sends the response (response.ts)
 * 9. record: adds the exchange to the response cache and the journal (response-cache.ts, record.ts)
 *
 * `startExchange` runs step 1, `runPipeline` steps 2 to 7, and `finishExchange` steps 8 and 9. None of them throws: they convert errors to problem documents.
 */
export function startExchange(parts: AppParts, request: HttpRequest): Exchange {
  try {
    const target = routeRequest(parts, request);
    return { request, target, scope: undefined, draft: NO_RESPONSE, callsNext: !target };
  } catch (error) {
    return refuse(parts, { request, target: undefined, scope: undefined, draft: NO_RESPONSE }, error);
  }
}

/** Returns the exchange of a routed request with the verified response. */
export async function runPipeline(parts: AppParts, routed: Exchange): Promise<Exchange> {
  const { request, target } = routed;
  if (!target) return routed;
  try {
    return await enterSandbox(parts, { request, target }, (scope) => respond(parts, { request, target, scope }));
  } catch (error) {
    return refuse(parts, routed, error);
  }
}

/** Writes the response of an exchange, and adds the exchange to the response cache and the journal. */
export function finishExchange(parts: AppParts, exchange: Exchange, res: ServerResponse): void {
  const sent = writeResponse(parts, res, exchange);
  const { journal } = exchange.scope?.sandbox ?? parts.sandboxes.default;
  if (exchange.draft.isRecorded) recordRequest(journal, exchange, sent, res);
  parts.cache.store(exchange, sent, res);
}

/** Returns an exchange whose response is the problem document of an error. */
export function refuse(parts: AppParts, exchange: Omit<Exchange, 'callsNext'>, error: unknown): Exchange {
  const { request, target, scope } = exchange;
  return { request, target, scope, draft: addProblem(parts, exchange, exchange.draft, error), callsNext: false };
}

async function respond(parts: AppParts, scoped: ScopedRequest): Promise<Exchange> {
  const { request, target, scope } = scoped;
  if (target.kind === 'image') return { request, target, scope, ...(await respondToImage(parts, scoped)) };
  const initial = target.api.isSimulated ? RECORDED : NO_RESPONSE;
  const { route } = target;
  const draft = route
    ? await runOperation(parts, { request, target, scope, route }, initial)
    : respondWithoutOperation(parts, scoped, initial);
  return { request, target, scope, draft: verifyResponse(parts, target, draft), callsNext: false };
}

const RECORDED: Draft = { ...NO_RESPONSE, isRecorded: true };

/** Responds to a request for an unknown path or an unknown method. */
function respondWithoutOperation(parts: AppParts, scoped: ScopedRequest, draft: Draft): Draft {
  const { request, target } = scoped;
  const { api, kind, allow, location } = target;
  const isKnownPath = kind === 'unknown-method';
  // Decision: OPTIONS returns the methods of the contract.
  if (isKnownPath && request.method === 'OPTIONS')
    return { ...draft, response: createResponse(204, undefined, { Allow: allow.join(', ') }) };
  const problem = isKnownPath
    ? createMethodNotAllowed(request.method, location.pathname, allow)
    : api.describeUnknownPath(location.pathname);
  return addProblem(parts, scoped, draft, new HttpProblemError(problem));
}

/** Runs the steps of an operation, from validation to completion. Returns the draft with the response. Never rejects. */
async function runOperation(parts: AppParts, operation: OperationRequest, initial: Draft): Promise<Draft> {
  const { request, target, route } = operation;
  const serverDelayMs = target.api.isSimulated ? parts.getDelayMs() : 0;
  const draft = serverDelayMs > 0 ? { ...initial, forced: { delayMs: serverDelayMs } } : initial;
  try {
    return await target.api.schedule(request, () => runSteps(parts, operation, draft), route);
  } catch (error) {
    return addProblem(parts, operation, draft, error);
  }
}

/** Runs the steps of an operation. `draft`: has the delay of the server, which also applies to invalid requests. */
async function runSteps(parts: AppParts, operation: OperationRequest, draft: Draft): Promise<Draft> {
  const { request, target, route, scope } = operation;
  const serverDelayMs = draft.forced?.delayMs ?? 0;
  // The client may have disconnected while the request waited for a concurrency limit.
  if (request.socket.destroyed) return draft;
  const validating = validateRequest(operation);
  if (serverDelayMs > 0)
    await validating.catch(() => {}).then(() => delayResponse(request, serverDelayMs, parts.stopping));
  const valid = await validating;
  if (request.socket.destroyed) return draft;
  if (parts.retries.detectRetry(request)) return RESET_RETRY;
  const { input, preferences } = valid;
  const applied = target.api.isSimulated ? applyFaults(operation, valid, serverDelayMs) : NO_FAULTS;
  const call = { request, target, scope, route, input, preferences, applied };
  const next = addEffects(draft, valid, applied);
  if (!applied.summary) return handle(parts, next, call);
  const isConnected = await delayResponse(request, applied.delayMs.before, parts.stopping);
  if (!isConnected || applied.isLost) return next;
  const handled = await handle(parts, next, call);
  await delayResponse(request, applied.delayMs.after, parts.stopping);
  return handled;
}

function addEffects(draft: Draft, { preferences, notes }: ValidRequest, applied: AppliedFaults): Draft {
  if (!applied.summary) return notes.length === 0 ? draft : { ...draft, notes };
  const preferenceApplied = formatPreferenceApplied(preferences, false);
  return {
    ...draft,
    notes,
    headers: preferenceApplied === undefined ? NO_HEADERS : { 'Preference-Applied': preferenceApplied },
    transport: applied.transport,
    forced: applied.summary,
  };
}

async function handle(parts: AppParts, draft: Draft, call: OperationCall): Promise<Draft> {
  try {
    const { response, revision } = await call.target.api.handle(call);
    return { ...draft, response, revision };
  } catch (error) {
    return addProblem(parts, call, draft, error);
  }
}

/** Returns a draft whose response is the problem document of an error. An unexpected error is logged, and becomes an internal error. */
function addProblem(parts: AppParts, routed: RoutedRequest, draft: Draft, error: unknown): Draft {
  const { log, application } = parts;
  const problem = toHttpProblem(error, application.problems) ?? internalError;
  const path = getPath(routed);
  const message = problem === internalError ? undefined : problem.detail;
  // Disk errors have another code: they can occur for each request, and the store logs them once.
  if (problem.code === internalError.code) log.error({ err: error, method: routed.request.method, path }, message);
  return {
    ...draft,
    response: createProblemResponse(problem, path),
    notes: [...draft.notes, problem.detail],
    violations: problem.violations,
    isRefusal: problem.kind === undefined,
  };
}
