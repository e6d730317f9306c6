import type { FaultDefinition } from '../../control/operation.ts';
import { MAX_DELAY_MS } from '../../util/limits.ts';
import { createRandom, type Random } from '../../util/random.ts';

/** Before or after the operation. */
export type Phase = 'before' | 'after';

/** A forced response: its status or the name of a contract example, and optionally its own body and headers. */
export type ForcedResponse = {
  readonly [Name in 'status' | 'example' | 'body' | 'headers']?: FaultDefinition[Name] | undefined;
};

/** The combined effect of the faults that apply to a request. */
export interface FaultEffect {
  /** The ids of the faults. */
  readonly faults: readonly string[];
  /** The delay before and after the operation, in ms. */
  readonly delayMs: Readonly<Record<Phase, number>>;
  readonly response?: ForcedResponse & { readonly phase: Phase };
  readonly connection?: { readonly kind: 'reset' | 'cut'; readonly phase: Phase };
  /** The time over which the response body is sent, in ms. */
  readonly bodyDurationMs?: number;
}

/** Which effects a request allows. */
export interface AllowedEffects {
  /** Whether the request selects its response with a `Prefer` header. */
  readonly hasPreference: boolean;
  /** Returns whether a fault can have its effect on the request's operation. */
  readonly canApply: (fault: FaultDefinition) => boolean;
}

/** Returns whether a fault is compatible with the effect of earlier faults. */
export function isCompatible(
  { status, example, connection, bodyDurationMs, phase = 'before' }: FaultDefinition,
  effect: FaultEffect | undefined,
  { hasPreference }: AllowedEffects,
): boolean {
  const hasResponse = status !== undefined || example !== undefined;
  if (hasResponse && (hasPreference || effect?.response)) return false;
  // The phase decides whether the operation runs.
  const effectPhase = (effect?.response ?? effect?.connection)?.phase;
  if ((hasResponse || connection) && effectPhase !== undefined && effectPhase !== phase) return false;
  return (connection === undefined && bodyDurationMs === undefined) || !(effect?.connection || effect?.bodyDurationMs);
}

/** A fault with its random source. */
export interface MatchedFault {
  readonly id: string;
  readonly definition: FaultDefinition;
  readonly random: Random;
}

/** Returns an effect with the effect of another fault added. */
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

/** Returns a delay in ms: a fixed one, or a random one from a range with its bounds in any order. */
function chooseDelay(delay: FaultDefinition['delay'], random: Random): number {
  if (typeof delay !== 'object') return delay ?? 0;
  return random.integer(Math.min(delay.from, delay.to), Math.max(delay.from, delay.to));
}

/** Creates a function that returns the delay of each response in ms. A range gives the same sequence at each start. */
export function createDelay(delay: FaultDefinition['delay']): () => number {
  const random = createRandom(1);
  return () => chooseDelay(delay, random);
}
