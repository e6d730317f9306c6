import { setTimeout as wait } from 'node:timers/promises';
import { type FaultDefinition, type ForcedResponse, getTransportFault, type Phase } from '../faults/fault.ts';
import type { FaultEffect } from '../faults/fault-list.ts';
import { canForce, findImageFaultIssue, isDocumented, replaceBodyAndHeaders } from '../faults/validate.ts';
import type { RequestToMatch } from '../matcher/request-matcher.ts';
import { createErrorResponse, createStatusProblem } from '../mock/status-problem.ts';
import { findResponse } from '../openapi/responses.ts';
import { getPathname, isFormType, parseQuery, toUriReference } from '../util/request-target.ts';
import type { Exchange, OperationExchange } from './exchange.ts';
import { READ_METHODS } from './files.ts';
import { addFaults } from './handle.ts';
import { formatPreferenceApplied } from './preferences.ts';
import { addWaiting } from './recording.ts';
import { addMocked } from './response.ts';

/**
 * Determines how injected faults and preferences (RFC 7240) affect a request for an operation, and updates the counters
 * of the faults.
 */
export async function applyOperationFaults(exchange: OperationExchange): Promise<void> {
  const { sandbox, preferences, serverDelayMs } = exchange;
  const { faults } = sandbox;
  if (!faults.isActive && !preferences.isMockRequired && preferences.delayMs + serverDelayMs === 0) return;
  // Servers that share a database store the counters of faults in the sandbox.
  const effect = faults.isActive ? await sandbox.change(() => matchFaults(exchange)) : matchFaults(exchange);
  const { before, after } = effect?.delayMs ?? NO_DELAYS;
  exchange.holds = effect?.holds ?? NO_HOLDS;
  exchange.effect = effect;
  exchange.delayMs = { before: preferences.delayMs + before, after };
  exchange.forced = summarizeFaults(exchange, serverDelayMs + preferences.delayMs + before + after);
  exchange.transport = effect?.transport;
  exchange.decision = addFaults(undefined, effect);
  exchange.isDone = effect?.transport?.connection === 'reset' && effect.transport.phase === 'before';
  const applied = formatPreferenceApplied(preferences, false);
  if (applied !== undefined) exchange.preferenceHeaders = { 'Preference-Applied': applied };
}

const NO_DELAYS = { before: 0, after: 0 };

const NO_HOLDS: Exchange['holds'] = { before: [], after: [] };

function matchFaults(exchange: OperationExchange): FaultEffect | undefined {
  const { route, sandbox, preferences } = exchange;
  const { code: status, example } = preferences.choice;
  // If the client prefers a response that the contract does not document, the mock refuses the request later.
  // So no fault applies.
  if (preferences.isMockRequired && !isDocumented(route, { status, example })) return undefined;
  return sandbox.faults.apply(createRequestToMatch(exchange), {
    hasPreference: preferences.isMockRequired,
    canApply: (fault) => canForce(route, fault),
  });
}

/**
 * Returns the properties of a request that fault matchers check.
 * All values of a form are strings, as in the journal.
 */
function createRequestToMatch(exchange: OperationExchange): RequestToMatch {
  const { route, method, headers, query, contract, location, bodyText, input } = exchange;
  const isForm = isFormType(headers['content-type']);
  return {
    operationId: route.operationId,
    credentialNames: contract.credentialNames,
    method,
    path: getPathname(location.target),
    basePath: location.basePath,
    query,
    headers,
    body: isForm ? parseQuery(bodyText ?? '') : input.body,
    isForm,
  };
}

/**
 * Describes for the journal which faults, preferences and delays apply to a request.
 * Returns undefined if none apply.
 * `delayMs`: the sum of all delays.
 */
function summarizeFaults({ effect, route, preferences }: Exchange, delayMs: number): Exchange['forced'] {
  const { isMockRequired, choice } = preferences;
  if (!effect && !isMockRequired && delayMs === 0) return undefined;
  const { status, example }: ForcedResponse = effect?.response ?? { status: choice.code, example: choice.example };
  const isUndocumented = status !== undefined && route && !findResponse(route.responses, status);
  const summary = {
    faults: effect?.faults,
    phase: effect && getPhase(effect),
    status,
    undocumented: isUndocumented || undefined,
    example,
    delayMs: delayMs > 0 ? delayMs : undefined,
    hold: effect?.holds && true,
    ...getTransportFault(effect?.transport ?? {}),
  };
  return Object.fromEntries(Object.entries(summary).filter(([, value]) => value !== undefined));
}

/**
 * Returns when a fault takes effect, for the journal: `before` or `after` the handler.
 * A fault that cuts the connection takes effect after the handler.
 */
function getPhase({ response, transport, delayMs, holds = NO_HOLDS }: FaultEffect): Phase | undefined {
  if (response) return response.phase;
  if (transport?.connection) return transport.connection === 'cut' ? 'after' : transport.phase;
  if (delayMs.after > 0 || holds.after.length > 0) return 'after';
  return delayMs.before > 0 || holds.before.length > 0 ? 'before' : undefined;
}

/**
 * Applies the injected faults of the sandbox to a request for an image.
 * Without such a fault, a later Koa middleware sends the image.
 */
export async function applyImageFaults(exchange: Exchange): Promise<void> {
  const { sandbox, method, headers, location } = exchange;
  if (!READ_METHODS.includes(method) || !sandbox.faults.isActive) return;
  const query = parseQuery(location.querystring);
  const path = getPathname(location.target);
  const matchable = { operationId: undefined, method, path, query, headers, body: undefined };
  const effect = await sandbox.change(() =>
    sandbox.faults.apply(matchable, { hasPreference: false, canApply: appliesToImages }),
  );
  if (!effect) return;
  const { response: injected, transport, delayMs, holds = NO_HOLDS } = effect;
  exchange.effect = effect;
  exchange.isRecorded = true;
  exchange.delayMs = { before: delayMs.before + delayMs.after, after: 0 };
  exchange.holds = { before: [...holds.before, ...holds.after], after: [] };
  exchange.forced = summarizeFaults(exchange, exchange.delayMs.before);
  exchange.transport = transport;
  if (injected?.status !== undefined) exchange.response = createImageFault(exchange, injected.status, injected);
  // The journal names a fault as the origin of a response only if the fault replaces the image or closes the
  // connection.
  const isDecided = transport !== undefined || injected !== undefined;
  exchange.decision = isDecided ? { source: 'fault', faults: [...effect.faults] } : undefined;
  exchange.isDone = transport !== undefined || exchange.response !== undefined;
}

/**
 * Returns whether a fault can apply to images.
 * Such a fault has a matcher for the path, names no operation, and has an effect that is possible for images.
 */
function appliesToImages(fault: FaultDefinition): boolean {
  return fault.operation === undefined && fault.where?.path !== undefined && findImageFaultIssue(fault) === undefined;
}

function createImageFault(exchange: Exchange, status: number, fault: ForcedResponse) {
  const body = { ...createStatusProblem(status), instance: toUriReference(exchange.path) };
  const problem = { ...createErrorResponse(exchange.contract, READ_METHODS, status), body };
  return addMocked(exchange, replaceBodyAndHeaders({ responses: [] }, problem, fault));
}

/**
 * Waits for the delay and for the release of the faults that hold a request, and adds the waiting request to the
 * journal.
 * Stops waiting earlier if the client disconnects or the server stops.
 * Resolves to true if the client is still connected.
 * Throws an `HttpProblemError` if the faults of the sandbox hold too many requests.
 * `phase`: before or after the handler.
 */
export async function waitForFaults(exchange: Exchange, phase: Phase): Promise<boolean> {
  const [delayMs, holds] = [exchange.delayMs[phase], exchange.holds[phase]];
  if (delayMs === 0 && holds.length === 0) return true;
  addWaiting(exchange);
  const { sandbox, app } = exchange;
  const { faults, id: sandboxId } = sandbox;
  // Another server that shares the sandbox may release the request, or delete the fault.
  const poll = () => void (faults.isHolding && app.sandboxes.load(sandboxId).catch(() => {}));
  const polling = app.sandboxes.isShared ? setInterval(poll, RELEASE_POLL_MS) : undefined;
  try {
    return await waitUnlessEnded(exchange, async (signal) => {
      const refused = new AbortController();
      const either = AbortSignal.any([signal, refused.signal]);
      try {
        // A release during the delay also counts.
        await Promise.all([waitForTime(delayMs, signal), ...holds.map((id) => faults.hold(id, either))]);
      } finally {
        // If one fault can't hold the request, none does.
        refused.abort();
      }
    });
  } finally {
    clearInterval(polling);
  }
}

/** Waits for `delayMs` as `waitForFaults` does, but does not add the request to the journal. */
export function delayResponse(exchange: Exchange, delayMs: number): Promise<boolean> {
  return waitUnlessEnded(exchange, (signal) => waitForTime(delayMs, signal));
}

/**
 * Runs a wait with a signal that is aborted if the client disconnects or the server stops.
 * Resolves to true if the client is still connected.
 */
async function waitUnlessEnded(
  { app, socket, res }: Exchange,
  run: (signal: AbortSignal) => Promise<unknown>,
): Promise<boolean> {
  const { stopping } = app;
  const ended = new AbortController();
  const end = () => ended.abort();
  res.once('close', end);
  stopping.addEventListener('abort', end);
  if (stopping.aborted || socket.destroyed) end();
  try {
    await run(ended.signal);
  } finally {
    res.off('close', end);
    stopping.removeEventListener('abort', end);
  }
  return !socket.destroyed;
}

/** The interval at which a server checks whether another server has released a request, in ms. */
const RELEASE_POLL_MS = 500;

/** Waits for `delayMs`, or until `signal` is aborted. */
async function waitForTime(delayMs: number, signal: AbortSignal): Promise<void> {
  // The abort of the wait is expected.
  if (delayMs > 0) await wait(delayMs, undefined, { signal, ref: false }).catch(() => {});
}
