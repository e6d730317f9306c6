import { setTimeout as wait } from 'node:timers/promises';
import { canForce, isDocumented } from '../../mock/validate-fault.ts';
import { findResponse } from '../../openapi/responses.ts';
import type { Route } from '../../openapi/routes.ts';
import type { FaultEffect, ForcedResponse, Phase } from '../../sandbox/faults/combine-faults.ts';
import type { MatchableRequest } from '../../sandbox/matcher/request-matcher.ts';
import { getPathname, isFormType, parseQuery } from '../../util/request-target.ts';
import { NO_PREFERENCES, type Preferences } from './preferences.ts';
import type { HttpRequest } from './request.ts';
import type { AppliedFaults, OperationRequest, ValidRequest } from './values.ts';

/** No effects: most requests have none, and share this object. */
export const NO_FAULTS: AppliedFaults = {
  effect: undefined,
  delayMs: { before: 0, after: 0 },
  isLost: false,
  transport: undefined,
  summary: undefined,
};

/**
 * Applies the faults of the sandbox and the preferences of the request. A fault that applies is counted. `waitedMs`: how long the server has delayed the
 * request already.
 */
export function applyFaults(operation: OperationRequest, valid: ValidRequest, waitedMs: number): AppliedFaults {
  const { route, scope } = operation;
  const { faults } = scope.sandbox;
  const { preferences } = valid;
  if (!faults.isActive && !preferences.isForced && preferences.delayMs + waitedMs === 0) return NO_FAULTS;
  const { code: status, example } = preferences.choice;
  // A preference for a response that is not documented is refused: no fault applies.
  const isRefused = preferences.isForced && !isDocumented(route, { status, example });
  const effect = isRefused
    ? undefined
    : faults.apply(toMatchable(operation, valid), {
        hasPreference: preferences.isForced,
        canApply: (fault) => canForce(route, fault),
      });
  const before = preferences.delayMs + (effect?.delayMs.before ?? 0);
  const after = effect?.delayMs.after ?? 0;
  return {
    effect,
    delayMs: { before, after },
    isLost: effect?.connection?.kind === 'reset' && effect.connection.phase === 'before',
    transport: effect && getTransportFault(effect),
    summary: summarizeFaults(effect, waitedMs + before + after, { route, preferences }),
  };
}

/** Returns what matchers compare: a form as its texts, as the journal has it. */
function toMatchable({ request, route, target }: OperationRequest, { query, input }: ValidRequest): MatchableRequest {
  const { method, headers } = request;
  const isForm = isFormType(headers['content-type']);
  return {
    operationId: route.operationId,
    method,
    path: getPathname(target.location.target),
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
 * Describes the effects on a request for the journal; undefined if there are none. An image has neither a route, since the contract does not document it,
 * nor preferences.
 */
export function summarizeFaults(
  effect: FaultEffect | undefined,
  delayMs: number,
  { route, preferences }: { readonly route?: Route; readonly preferences: Preferences } = {
    preferences: NO_PREFERENCES,
  },
): AppliedFaults['summary'] {
  const { isForced, choice } = preferences;
  if (!effect && !isForced && delayMs === 0) return undefined;
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

/** Returns when effects begin: a response is cut after the operation, unless another response replaces it. */
function getPhase({ response, connection, delayMs }: FaultEffect): Phase | undefined {
  if (response) return response.phase;
  if (connection) return connection.kind === 'cut' ? 'after' : connection.phase;
  if (delayMs.after > 0) return 'after';
  return delayMs.before > 0 ? 'before' : undefined;
}

/** Waits for a time in ms, at most until the server stops or the client is gone. Returns whether the client is still there. */
export async function delayResponse(
  { client }: Pick<HttpRequest, 'client'>,
  delayMs: number,
  stopping: AbortSignal,
): Promise<boolean> {
  if (delayMs === 0) return true;
  const ended = new AbortController();
  const end = () => ended.abort();
  client.onClose(end);
  stopping.addEventListener('abort', end);
  if (stopping.aborted) end();
  // An abort ends the wait: that is no error.
  await wait(delayMs, undefined, { signal: ended.signal, ref: false }).catch(() => {});
  stopping.removeEventListener('abort', end);
  return !client.isGone;
}
