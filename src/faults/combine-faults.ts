import type { FaultDefinition } from '../control/operation.ts';
import { MAX_DELAY_MS } from '../util/limits.ts';
import { createRandom, type Random } from '../util/random.ts';

/** When a fault takes effect: before or after the handler runs. */
export type Phase = 'before' | 'after';

/**
 * A response that a fault injects: a status or the name of an example in the contract, and optionally a body and
 * headers.
 */
export type ForcedResponse = {
  readonly [Name in 'status' | 'example' | 'body' | 'headers']?: FaultDefinition[Name] | undefined;
};

/** The combined effect of the faults that apply to a request. */
export interface FaultEffect {
  /** The ids of the faults that apply. */
  readonly faults: readonly string[];
  /** The delay before and after the handler runs, in ms. */
  readonly delayMs: Readonly<Record<Phase, number>>;
  readonly response?: ForcedResponse & { readonly phase: Phase };
  readonly connection?: { readonly kind: 'reset' | 'cut'; readonly phase: Phase };
  /** How long the server takes to send the response body, in ms. */
  readonly bodyDurationMs?: number;
}

/** Conditions under which faults can apply to a request. */
export interface AllowedEffects {
  /** Whether the request has a `Prefer` header that selects the response. If so, no fault can set the response. */
  readonly hasPreference: boolean;
  /** Returns whether the effect of a fault is possible for the request. */
  readonly canApply: (fault: FaultDefinition) => boolean;
}

/**
 * Returns whether a fault can apply in addition to the faults that already apply to a request.
 * For example, only one fault can set the response.
 * `effect`: the combined effect of the faults that already apply.
 */
export function isCompatible(
  { status, example, connection, bodyDurationMs, phase = 'before' }: FaultDefinition,
  effect: FaultEffect | undefined,
  { hasPreference }: AllowedEffects,
): boolean {
  const hasResponse = status !== undefined || example !== undefined;
  if (hasResponse && (hasPreference || effect?.response)) return false;
  // Two faults with different phases contradict each other: with `before`, the handler does not run.
  const effectPhase = (effect?.response ?? effect?.connection)?.phase;
  if ((hasResponse || connection) && effectPhase !== undefined && effectPhase !== phase) return false;
  return (connection === undefined && bodyDurationMs === undefined) || !(effect?.connection || effect?.bodyDurationMs);
}

/** A fault that matches a request, with its random number generator. */
export interface MatchedFault {
  readonly id: string;
  readonly definition: FaultDefinition;
  readonly random: Random;
}

/**
 * Adds a fault to the combined effect of the faults that already apply to a request (`effect`).
 * Returns the new combined effect.
 */
export function combineFaults(effect: FaultEffect | undefined, { id, definition, random }: MatchedFault): FaultEffect {
  const { phase = 'before', status, example, body, headers, connection, bodyDurationMs } = definition;
  const delayMs = effect?.delayMs ?? { before: 0, after: 0 };
  return {
    ...effect,
    faults: [...(effect?.faults ?? []), id],
    delayMs: { ...delayMs, [phase]: Math.min(delayMs[phase] + chooseDelay(definition.delay, random), MAX_DELAY_MS) },
    ...(status !== undefined || example !== undefined ? { response: { status, example, body, headers, phase } } : {}),
    ...(connection ? { connection: { kind: connection, phase } } : {}),
    ...(bodyDurationMs === undefined ? {} : { bodyDurationMs }),
  };
}

/**
 * Returns a delay in ms: the fixed delay, or a random delay between `from` and `to`.
 * `from` can be greater than `to`.
 */
function chooseDelay(delay: FaultDefinition['delay'], random: Random): number {
  if (typeof delay !== 'object') return delay ?? 0;
  return random.integer(Math.min(delay.from, delay.to), Math.max(delay.from, delay.to));
}

/**
 * Creates a function that returns the delay of the next response, in ms.
 * If `delay` is a range, the delays are random, but the same after each start of the server.
 */
export function createDelay(delay: FaultDefinition['delay']): () => number {
  const random = createRandom(1);
  return () => chooseDelay(delay, random);
}
