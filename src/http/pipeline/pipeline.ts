import type { ServerResponse } from 'node:http';
import type { Route } from '../../openapi/routes.ts';
import type { Sandboxes } from '../../sandbox/registry.ts';
import { createMethodNotAllowed, HttpProblemError } from '../problem.ts';
import type { ResponseCache } from '../response-cache.ts';
import { NO_RESPONSE, type ProblemParts, RESET_AGAIN, withProblem } from './draft.ts';
import { applyFaults, delayResponse, NO_FAULTS } from './faults.ts';
import { respondToImage } from './image-faults.ts';
import { formatPreferenceApplied } from './preferences.ts';
import { cacheResponse, recordRequest } from './record.ts';
import type { HttpRequest } from './request.ts';
import type { ResentRequests } from './resent-requests.ts';
import { createResponse } from './response.ts';
import { type Apis, type RouteParts, routeRequest } from './route.ts';
import { enterSandbox } from './sandbox.ts';
import { type ValidRequest, validateRequest } from './validate.ts';
import type { AppliedFaults, Draft, Exchange, OperationCall, ScopedRequest } from './values.ts';
import { type VerifyParts, verifyResponse } from './verify.ts';
import { writeResponse } from './write.ts';

/** The parts of the pipeline. */
export interface PipelineParts extends RouteParts, VerifyParts, OperationParts {
  readonly apis: Apis;
  readonly sandboxes: Sandboxes;
  readonly ready: ResponseCache;
}

/** What the pipeline makes of a request. */
export interface Outcome extends Exchange {
  /** Whether the fixed routes and the files respond instead. */
  readonly isPassed: boolean;
}

/**
 * The pipeline of a request, the same for the contract's API and the control API. A step takes values and returns values; none knows Koa. In this order:
 * 1. route: checks host, origin and access, and finds the operation (route.ts)
 * 2. sandbox: enters the sandbox that the request names (sandbox.ts)
 * 3. validate: receives the request to its end, and validates it against the contract (validate.ts)
 * 4. preferences and faults: decides which effects apply, and waits (faults.ts; image-faults.ts for images)
 * 5. handle or mock: runs the handler of the operation, or makes a response from the contract (handle.ts; control-api.ts)
 * 6. complete: adds what the contract and the sandbox need (complete.ts)
 * 7. verify: validates the response (verify.ts)
 * 8. write: sends the response, and stores its bytes in the response cache (write.ts)
 * 9. record: adds request and response to the journal (record.ts)
 *
 * `startExchange` does the first step, `runPipeline` those up to verify (operation.ts has 3 to 5), `finishExchange` the last two. None of them throws: an
 * error becomes a problem document.
 */
export function startExchange(parts: PipelineParts, request: HttpRequest): Outcome {
  try {
    const target = routeRequest(parts, parts.apis, request);
    return { request, target, scope: undefined, draft: NO_RESPONSE, isPassed: !target };
  } catch (error) {
    const exchange = { request, target: undefined, scope: undefined, draft: NO_RESPONSE };
    return refuse(parts, exchange, error);
  }
}

/** Returns the exchange of a request with its verified response. */
export async function runPipeline(parts: PipelineParts, routed: Outcome): Promise<Outcome> {
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
  if (draft.revision !== undefined) cacheResponse(parts.ready, exchange, sent, res);
}

/** Returns an exchange with the problem document of an error, of a step or of a fixed route. */
export function refuse(parts: ProblemParts, exchange: Exchange, error: unknown): Outcome {
  const { request, target, scope } = exchange;
  return { request, target, scope, draft: withProblem(parts, exchange, exchange.draft, error), isPassed: false };
}

async function respond(parts: PipelineParts, scoped: ScopedRequest): Promise<Outcome> {
  const { request, target, scope } = scoped;
  if (target.kind === 'image') {
    const { draft, isPassed } = await respondToImage(parts, scoped);
    return { request, target, scope, draft, isPassed };
  }
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
