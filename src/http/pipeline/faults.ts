import { setTimeout as wait } from 'node:timers/promises';
import type { FaultDefinition } from '../../control/operation.ts';
import { canForce, isDocumented } from '../../mock/validate-fault.ts';
import { findResponse } from '../../openapi/responses.ts';
import type { Route } from '../../openapi/routes.ts';
import type { FaultEffect, Phase } from '../../sandbox/faults/combine-faults.ts';
import type { MatchableRequest } from '../../sandbox/matcher/request-matcher.ts';
import type { Sandbox } from '../../sandbox/sandbox.ts';
import { getPathname, isFormType, parseQuery } from '../../util/request-target.ts';
import type { Preferences } from './preferences.ts';
import type { HttpRequest } from './request.ts';
import type { AppliedFaults, Location } from './values.ts';

/** No effects: most requests have none, and share this object. */
export const NO_FAULTS: AppliedFaults = {
  effect: undefined,
  delayMs: { before: 0, after: 0 },
  isLost: false,
  transport: undefined,
  summary: undefined,
};

/** The request whose faults are looked for. */
export interface FaultyRequest {
  readonly request: HttpRequest;
  readonly route: Route;
  readonly location: Location;
  readonly query: MatchableRequest['query'];
  readonly body: unknown;
  readonly preferences: Preferences;
  /** How long the server has delayed the request already, in ms. */
  readonly waitedMs: number;
}

/** Applies the faults of the sandbox and the preferences of the request. A fault that applies is counted. */
export function applyFaults({ faults }: Pick<Sandbox, 'faults'>, faulty: FaultyRequest): AppliedFaults {
  const { route, preferences, waitedMs } = faulty;
  if (!faults.isActive && !preferences.isForced && preferences.delayMs + waitedMs === 0) return NO_FAULTS;
  const { code: status, example } = preferences.choice;
  // A preference for a response that is not documented is refused: no fault applies.
  const isRefused = preferences.isForced && !isDocumented(route, { status, example });
  const effect = isRefused
    ? undefined
    : faults.apply(toMatchable(faulty), {
        hasPreference: preferences.isForced,
        canApply: (fault: FaultDefinition) => canForce(route, fault),
      });
  const delayMs = {
    before: preferences.delayMs + (effect?.delayMs.before ?? 0),
    after: effect?.delayMs.after ?? 0,
  };
  return {
    effect,
    delayMs,
    isLost: effect?.connection?.kind === 'reset' && effect.connection.phase === 'before',
    transport: effect && getTransportFault(effect),
    summary: summarizeFaults(route, { effect, preferences }, waitedMs + delayMs.before + delayMs.after),
  };
}

/** Returns what matchers compare: a form as its texts, as the journal has it. */
function toMatchable({ request, route, location, query, body }: FaultyRequest): MatchableRequest {
  const { method, headers } = request;
  const isForm = isFormType(headers['content-type']);
  return {
    operationId: route.operationId,
    method,
    path: getPathname(location.target),
    query,
    headers,
    body: isForm ? parseQuery(request.body.text ?? '') : body,
    isForm,
  };
}

function getTransportFault({ connection, bodyDurationMs }: FaultEffect): AppliedFaults['transport'] {
  if (connection) return { connection };
  return bodyDurationMs === undefined ? undefined : { bodyDurationMs };
}

/**
 * Describes the effects on a request for the journal; undefined if there are none. `route`: undefined for an image, which the contract does not document.
 */
export function summarizeFaults(
  route: Pick<Route, 'responses'> | undefined,
  { effect, preferences }: { readonly effect: FaultEffect | undefined; readonly preferences?: Preferences },
  delayMs: number,
): AppliedFaults['summary'] {
  if (!effect && !preferences?.isForced && delayMs === 0) return undefined;
  const { status, example } = effect?.response ?? {
    status: preferences?.choice.code,
    example: preferences?.choice.example,
  };
  const phase = effect && getPhase(effect);
  return {
    ...(effect ? { faults: effect.faults } : {}),
    ...(phase ? { phase } : {}),
    ...(status === undefined ? {} : { status }),
    ...(status !== undefined && route && !findResponse(route.responses, status) ? { undocumented: true } : {}),
    ...(example === undefined ? {} : { example }),
    ...(delayMs > 0 ? { delayMs } : {}),
    ...(effect?.connection ? { connection: effect.connection.kind } : {}),
    ...(effect?.bodyDurationMs === undefined ? {} : { bodyDurationMs: effect.bodyDurationMs }),
  };
}

/** Returns when effects begin: a response is cut after the operation, unless another response replaces it. */
function getPhase({ response: answer, connection, delayMs }: FaultEffect): Phase | undefined {
  if (answer) return answer.phase;
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
