import { setTimeout as wait } from 'node:timers/promises';
import { canForce, isDocumented } from '../../mock/validate-fault.ts';
import { findResponse } from '../../openapi/responses.ts';
import type { Route } from '../../openapi/routes.ts';
import type { FaultEffect, ForcedResponse, Phase } from '../../sandbox/faults/combine-faults.ts';
import type { RequestToMatch } from '../../sandbox/matcher/request-matcher.ts';
import { getPathname, isFormType, parseQuery } from '../../util/request-target.ts';
import { NO_PREFERENCES, type Preferences } from './preferences.ts';
import type { HttpRequest } from './request.ts';
import type { AppliedFaults, OperationRequest, ValidRequest } from './values.ts';

/** The result of `applyFaults` for a request without faults, preferences and delays. */
export const NO_FAULTS: AppliedFaults = {
  delayMs: { before: 0, after: 0 },
  isResetBeforeHandler: false,
  hasEffects: false,
};

/**
 * Determines how injected faults and preferences (RFC 7240) affect a request, and updates the counters of the faults. `serverDelayMs`: the delay that the
 * server option `delay` has already caused, in ms.
 */
export function applyFaults(operation: OperationRequest, valid: ValidRequest, serverDelayMs: number): AppliedFaults {
  const { route, selection } = operation;
  const { faults } = selection.sandbox;
  const { preferences } = valid;
  if (!faults.isActive && !preferences.isMockRequired && preferences.delayMs + serverDelayMs === 0) return NO_FAULTS;
  const { code: status, example } = preferences.choice;
  // If the client prefers a response that the contract does not document, the mock refuses the request later. So no fault applies.
  const isRefused = preferences.isMockRequired && !isDocumented(route, { status, example });
  const effect = isRefused
    ? undefined
    : faults.apply(createRequestToMatch(operation, valid), {
        hasPreference: preferences.isMockRequired,
        canApply: (fault) => canForce(route, fault),
      });
  const before = preferences.delayMs + (effect?.delayMs.before ?? 0);
  const after = effect?.delayMs.after ?? 0;
  const summary = summarizeFaults(effect, serverDelayMs + before + after, { route, preferences });
  return {
    effect,
    delayMs: { before, after },
    isResetBeforeHandler: effect?.connection?.kind === 'reset' && effect.connection.phase === 'before',
    transport: effect && getTransportFault(effect),
    hasEffects: summary !== undefined,
    summary,
  };
}

/** Returns the properties of a request that fault matchers check. All values of a form are strings, as in the journal. */
function createRequestToMatch(
  { request, route, target }: OperationRequest,
  { query, input }: ValidRequest,
): RequestToMatch {
  const { method, headers } = request;
  const isForm = isFormType(headers['content-type']);
  return {
    operationId: route.operationId,
    credentialNames: target.api.contract.credentialNames,
    method,
    path: getPathname(target.location.target),
    basePath: target.location.basePath,
    query,
    headers,
    body: isForm ? parseQuery(request.body.text ?? '') : input.body,
    isForm,
  };
}

function getTransportFault({ connection, bodyDurationMs }: FaultEffect): AppliedFaults['transport'] {
  if (connection) return { connection };
  return bodyDurationMs === undefined ? undefined : { bodyDurationMs };
}

/**
 * Describes for the journal which faults, preferences and delays apply to a request. Returns undefined if none apply. `delayMs`: the sum of all delays. `route`
 * and `preferences` are missing for an image.
 */
export function summarizeFaults(
  effect: FaultEffect | undefined,
  delayMs: number,
  { route, preferences = NO_PREFERENCES }: { readonly route?: Route; readonly preferences?: Preferences } = {},
): AppliedFaults['summary'] {
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
    connection: effect?.connection?.kind,
    bodyDurationMs: effect?.bodyDurationMs,
  };
  return Object.fromEntries(Object.entries(summary).filter(([, value]) => value !== undefined));
}

/** Returns when a fault takes effect, for the journal: `before` or `after` the handler. A fault that cuts the connection takes effect after the handler. */
function getPhase({ response, connection, delayMs }: FaultEffect): Phase | undefined {
  if (response) return response.phase;
  if (connection) return connection.kind === 'cut' ? 'after' : connection.phase;
  if (delayMs.after > 0) return 'after';
  return delayMs.before > 0 ? 'before' : undefined;
}

/** Waits for `delayMs`, and stops waiting earlier if the client disconnects or the server stops. Resolves to true if the client is still connected. */
export async function delayResponse(
  { socket, response }: HttpRequest,
  delayMs: number,
  stopping: AbortSignal,
): Promise<boolean> {
  if (delayMs === 0) return true;
  const ended = new AbortController();
  const end = () => ended.abort();
  response.once('close', end);
  stopping.addEventListener('abort', end);
  if (stopping.aborted) end();
  // The abort of the wait is expected.
  await wait(delayMs, undefined, { signal: ended.signal, ref: false }).catch(() => {});
  stopping.removeEventListener('abort', end);
  return !socket.destroyed;
}
