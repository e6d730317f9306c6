import type { FaultWish } from '../../control/operation.ts';
import { createRandom, type Random } from '../../util/random.ts';

/** Before the operation is done, or after. */
export type Phase = 'before' | 'after';

/** An answer that is forced: its status or the example of the contract, and a body and headers of its own. */
export type ForcedResponse = {
  readonly [Name in 'status' | 'example' | 'body' | 'headers']?: FaultWish[Name] | undefined;
};

/** What is forced upon a request. */
export interface FaultEffect {
  /** The ids of the faults. */
  readonly faults: readonly string[];
  /** How long the answer waits before and after the operation is done, in ms. */
  readonly delayMs: Readonly<Record<Phase, number>>;
  readonly answer?: ForcedResponse & { readonly phase: Phase };
  readonly connection?: { readonly kind: 'reset' | 'cut'; readonly phase: Phase };
  /** How long the body of the answer takes, in ms. */
  readonly bodyDurationMs?: number;
}

/** What of the answer to a request may be forced. */
export interface Answering {
  /** Whether the request has chosen its answer itself. */
  readonly isChosen: boolean;
  /** Whether a fault can have the effect that it says. */
  readonly canMeet: (wish: FaultWish) => boolean;
}

/** The longest that an answer waits, in ms. */
const LONGEST_WAIT_MS = 60_000;

/** Whether a fault goes with what is forced already. */
export function isCompatible(
  { status, example, connection, bodyDurationMs, phase = 'before' }: FaultWish,
  forced: FaultEffect | undefined,
  { isChosen }: Answering,
): boolean {
  const wantsAnswer = status !== undefined || example !== undefined;
  if (wantsAnswer && (isChosen || forced?.answer)) return false;
  // An operation is done, or it isn't.
  const settled = (forced?.answer ?? forced?.connection)?.phase;
  if ((wantsAnswer || connection) && settled !== undefined && settled !== phase) return false;
  return (connection === undefined && bodyDurationMs === undefined) || !(forced?.connection || forced?.bodyDurationMs);
}

/** A fault that a request meets. */
export interface MatchedFault {
  readonly id: string;
  readonly wish: FaultWish;
  readonly random: Random;
}

/** What is forced, together with a fault. */
export function combineFaults(forced: FaultEffect | undefined, { id, wish, random }: MatchedFault): FaultEffect {
  const { phase = 'before', status, example, body, headers, connection, bodyDurationMs } = wish;
  const delayMs = forced?.delayMs ?? { before: 0, after: 0 };
  return {
    ...forced,
    faults: [...(forced?.faults ?? []), id],
    delayMs: { ...delayMs, [phase]: Math.min(delayMs[phase] + delayOf(wish.delay, random), LONGEST_WAIT_MS) },
    ...(status !== undefined || example !== undefined ? { answer: { status, example, body, headers, phase } } : {}),
    ...(connection ? { connection: { kind: connection, phase } } : {}),
    ...(bodyDurationMs === undefined ? {} : { bodyDurationMs }),
  };
}

/** How long a response waits, in ms, by chance where there are bounds, which are in any order. */
function delayOf(delay: FaultWish['delay'], random: Random): number {
  if (typeof delay !== 'object') return delay ?? 0;
  return random.whole(Math.min(delay.from, delay.to), Math.max(delay.from, delay.to));
}

/** How long each answer waits, in ms, by bounds: by chance, the same at each start. */
export function createDelay(delay: FaultWish['delay']): () => number {
  const random = createRandom(1);
  return () => delayOf(delay, random);
}
