import type { ServerResponse } from 'node:http';
import type { PipelineParts } from '../parts.ts';
import { createMethodNotAllowed, HttpProblemError, internalError, toHttpProblem } from '../problem.ts';
import { applyFaults, delayResponse, NO_FAULTS } from './faults.ts';
import { respondToImage } from './image-faults.ts';
import { formatPreferenceApplied } from './preferences.ts';
import { cacheResponse, recordRequest } from './record.ts';
import type { HttpRequest } from './request.ts';
import { createProblemResponse, createResponse } from './response.ts';
import { routeRequest } from './route.ts';
import { enterSandbox } from './sandbox.ts';
import { validateRequest } from './validate.ts';
import {
  type AppliedFaults,
  type Draft,
  type Exchange,
  getPath,
  NO_RESPONSE,
  type OperationCall,
  type OperationRequest,
  RESET_AGAIN,
  type ScopedRequest,
  type ValidRequest,
} from './values.ts';
import { verifyResponse } from './verify.ts';
import { writeResponse } from './write.ts';

/**
 * The pipeline of a request, the same for the contract's API and the control API. A step takes values and returns values; none knows Koa. In this order:
 * 1. route: checks host, origin and access, and finds the operation (route.ts)
 * 2. sandbox: enters the sandbox that the request names (sandbox.ts)
 * 3. validate: receives the request to its end, and validates it against the contract (validate.ts)
 * 4. preferences and faults: decides which effects apply, and waits (faults.ts; image-faults.ts for images)
 * 5. handle or mock: runs the handler of the operation, or makes a response from the contract (handle.ts; control-api.ts)
 * 6. complete: adds what the contract and the sandbox need (complete.ts)
 * 7. verify: validates the response (verify.ts)
 * 8. write: sends the response (write.ts)
 * 9. record: stores its bytes in the response cache, and adds request and response to the journal (record.ts)
 *
 * `startExchange` does the first step, `runPipeline` those up to verify, `finishExchange` the last two. None of them throws: an error becomes a problem
 * document.
 */
export function startExchange(parts: PipelineParts, request: HttpRequest): Exchange {
  try {
    const target = routeRequest(parts, request);
    return { request, target, scope: undefined, draft: NO_RESPONSE, isPassed: !target };
  } catch (error) {
    return refuse(parts, { request, target: undefined, scope: undefined, draft: NO_RESPONSE }, error);
  }
}

/** Returns the exchange of a request with its verified response. */
export async function runPipeline(parts: PipelineParts, routed: Exchange): Promise<Exchange> {
  const { request, target } = routed;
  if (!target) return routed;
  try {
    return await enterSandbox(parts, { request, target }, (scope) => respond(parts, { request, target, scope }));
  } catch (error) {
    return refuse(parts, routed, error);
  }
}

/** Writes the response of an exchange, stores it in the response cache, and records the exchange in the journal. */
export function finishExchange(parts: PipelineParts, exchange: Exchange, res: ServerResponse): void {
  const { draft, scope } = exchange;
  const sent = writeResponse(parts, res, exchange);
  const { journal } = scope?.sandbox ?? parts.sandboxes.default;
  if (draft.isRecorded) recordRequest(journal, exchange, sent, res);
  cacheResponse(parts.ready, exchange, sent, res);
}

/** Returns an exchange with the problem document of an error, of a step or of a fixed route. */
export function refuse(parts: PipelineParts, exchange: Omit<Exchange, 'isPassed'>, error: unknown): Exchange {
  const { request, target, scope } = exchange;
  return { request, target, scope, draft: withProblem(parts, exchange, exchange.draft, error), isPassed: false };
}

async function respond(parts: PipelineParts, scoped: ScopedRequest): Promise<Exchange> {
  const { request, target, scope } = scoped;
  if (target.kind === 'image') return { request, target, scope, ...(await respondToImage(parts, scoped)) };
  const initial = target.api.isSimulated ? RECORDED : NO_RESPONSE;
  const { route } = target;
  const draft = route
    ? await runOperation(parts, { request, target, scope, route }, initial)
    : respondWithoutOperation(parts, scoped, initial);
  return { request, target, scope, draft: verifyResponse(parts, target, draft), isPassed: false };
}

const RECORDED: Draft = { ...NO_RESPONSE, isRecorded: true };

/** Lists the methods of a path, or refuses a path or a method that the API does not have. */
function respondWithoutOperation(parts: PipelineParts, scoped: ScopedRequest, draft: Draft): Draft {
  const { request, target } = scoped;
  const { api, kind, allow, location } = target;
  const isKnown = kind === 'unknown-method';
  // Decision: OPTIONS returns the methods of the contract.
  if (isKnown && request.method === 'OPTIONS')
    return { ...draft, response: createResponse({ status: 204, headers: { Allow: allow.join(', ') } }) };
  const problem = isKnown
    ? createMethodNotAllowed(request.method, location.pathname, allow)
    : api.describeUnknownPath(location.pathname);
  return withProblem(parts, scoped, draft, new HttpProblemError(problem));
}

/** Validates a request, applies preferences and faults, and has the API handle it. Returns the draft with the response. Never rejects. */
async function runOperation(parts: PipelineParts, operation: OperationRequest, initial: Draft): Promise<Draft> {
  const { request, target, route } = operation;
  const waitedMs = target.api.isSimulated ? (parts.delayMs?.() ?? 0) : 0;
  const draft = waitedMs > 0 ? { ...initial, forced: { delayMs: waitedMs } } : initial;
  try {
    return await target.api.schedule(request, () => runSteps(parts, operation, draft), route);
  } catch (error) {
    return withProblem(parts, operation, draft, error);
  }
}

/** Runs the steps of an operation. The delay of the server, which the draft has, also delays errors. */
async function runSteps(parts: PipelineParts, operation: OperationRequest, draft: Draft): Promise<Draft> {
  const { request, target, route, scope } = operation;
  const waitedMs = draft.forced?.delayMs ?? 0;
  // The client may have closed the connection while the request waited.
  if (request.client.isGone) return draft;
  const validating = validateRequest(operation);
  if (waitedMs > 0) await validating.catch(() => {}).then(() => delayResponse(request, waitedMs, parts.stopping));
  const valid = await validating;
  if (request.client.isGone) return draft;
  if (parts.resends.take(request)) return RESET_AGAIN;
  const { input, preferences } = valid;
  const applied = target.api.isSimulated ? await applyFaults(operation, valid, waitedMs) : NO_FAULTS;
  const call = { request, target, scope, route, input, preferences, applied };
  const next = withEffects(draft, valid, applied);
  if (!applied.summary) return handle(parts, next, call);
  const isThere = await delayResponse(request, applied.delayMs.before, parts.stopping);
  if (!isThere || applied.isLost) return next;
  const handled = await handle(parts, next, call);
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

async function handle(parts: PipelineParts, draft: Draft, call: OperationCall): Promise<Draft> {
  try {
    const { response, revision } = await call.target.api.handle(call);
    return { ...draft, response, revision };
  } catch (error) {
    return withProblem(parts, call, draft, error);
  }
}

/** Returns a draft with the problem document of an error as its response. An unknown error is logged, and becomes an internal error. */
function withProblem(
  { log, application }: PipelineParts,
  subject: Pick<Exchange, 'request' | 'target'>,
  draft: Draft,
  error: unknown,
): Draft {
  const problem = toHttpProblem(error, application.problems) ?? internalError;
  const path = getPath(subject);
  // An error of the disk would occur with each request: the store logs it once.
  const message = problem === internalError ? undefined : problem.detail;
  if (problem.code === internalError.code) log.error({ err: error, method: subject.request.method, path }, message);
  return {
    ...draft,
    response: createProblemResponse(problem, path),
    notes: [...draft.notes, problem.detail],
    violations: problem.violations,
    isRefusal: problem.kind === undefined,
  };
}
