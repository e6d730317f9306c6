import type { Fault, FaultWish } from '../control/operation.ts';
import { type Random, randomFrom } from '../mock/random.ts';
import type { Flaw } from '../store/check-state.ts';
import type { Clock } from './clock.ts';
import { type Asked, type Condition, ConditionFault, conditionOf } from './condition.ts';

/** What is to fail in a sandbox. */
export interface Faults {
  /** Whether a request could meet one. */
  readonly isActive: boolean;
  list(): readonly Fault[];
  find(id: string): Fault | undefined;
  /** Throws `TooManyFaults`. */
  add(wanted: FaultWanted): Fault;
  /** Puts others in the place of all. */
  replace(wanted: readonly FaultWanted[]): readonly Fault[];
  /** Whether there was one. */
  remove(id: string): boolean;
  clear(): void;
  /** What is forced upon a request, which counts as one that has come; undefined where nothing is. */
  meet(asked: Asked, answering: Answering): Forced | undefined;
}

/** More faults than a sandbox keeps: `message` says how many, and what to do. */
export class TooManyFaults extends Error {
  override readonly name = 'TooManyFaults';
}

/** Before the operation is done, or after. */
export type Phase = 'before' | 'after';

/** An answer that is forced: which of those that the contract documents. */
export interface ForcedAnswer {
  readonly code?: number | undefined;
  readonly example?: string | undefined;
}

/** What is forced upon a request. */
export interface Forced {
  /** The ids of the faults. */
  readonly faults: readonly string[];
  /** How long the answer waits before and after the operation is done, in ms. */
  readonly delayMs: Readonly<Record<Phase, number>>;
  readonly answer?: ForcedAnswer & { readonly phase: Phase };
  readonly connection?: { readonly kind: 'reset' | 'cut'; readonly phase: Phase };
  /** How long the body of the answer takes, in ms. */
  readonly slowMs?: number;
}

/** What of the answer to a request may be forced. */
export interface Answering {
  /** Whether the request has chosen its answer itself. */
  readonly isChosen: boolean;
  readonly isDocumented: (answer: ForcedAnswer) => boolean;
}

/** How many faults a sandbox keeps, and how long they may be together, as JSON in characters. */
const MOST = 100;
const LONGEST = 20_000;

/** What a fault takes, in bytes for each character of its JSON: 1 MB of lists of numbers took 116 MB. */
const BYTES_PER_CHARACTER = 120;

/** The longest that an answer waits, in ms. */
const LONGEST_WAIT_MS = 60_000;

/** A fault that makes sense. */
export interface FaultWanted {
  readonly wish: FaultWish;
  readonly isMeant: Condition;
}

interface Rule extends FaultWanted {
  readonly id: string;
  readonly random: Random;
  /** When it is over, by a clock that nobody sets; in ms. */
  readonly endsMs: number;
  /** When it is over by the sandbox's clock, in ms since 1970. */
  readonly untilMs: number;
  seen: number;
  met: number;
}

/** What the faults of a sandbox depend on. */
export interface FaultsParts {
  readonly clock: Pick<Clock, 'nowMs'>;
  /** How long the machine has been up or the like, in ms. */
  readonly elapsedMs: () => number;
  /** Told of how many bytes more they take, or less; throws where that is too much. */
  readonly hold: (moreBytes: number) => void;
}

/** The faults of a sandbox, of which there are none at first. */
export function createFaults({ clock, elapsedMs, hold }: FaultsParts): Faults {
  let rules: readonly Rule[] = [];
  let last = 0;

  function isOver({ wish, endsMs, untilMs, met }: Rule): boolean {
    return met >= (wish.times ?? Number.POSITIVE_INFINITY) || elapsedMs() >= endsMs || clock.nowMs() >= untilMs;
  }

  function shown(rule: Rule): Fault {
    return { ...rule.wish, fault: rule.id, seen: rule.seen, met: rule.met, over: isOver(rule) };
  }

  function made({ wish, isMeant }: FaultWanted): Rule {
    return {
      id: `f${++last}`,
      wish,
      isMeant,
      random: randomFrom(wish.seed ?? last),
      endsMs: wish.forMs === undefined ? Number.POSITIVE_INFINITY : elapsedMs() + wish.forMs,
      untilMs: wish.until === undefined ? Number.POSITIVE_INFINITY : momentIn(wish.until),
      seen: 0,
      met: 0,
    };
  }

  /** Whether a request that has been seen meets a fault now. */
  function strikes(rule: Rule): boolean {
    const { skip = 0, share = 1 } = rule.wish;
    if (rule.seen <= skip || rule.random.next() >= share) return false;
    rule.met++;
    return true;
  }

  /** Puts rules in the place of all, where there is room for them. */
  function become(next: readonly Rule[]): void {
    if (next.length > MOST)
      throw new TooManyFaults(`there are ${MOST} faults already: remove some, or replace all of them`);
    if (lengthOf(next) > LONGEST)
      throw new TooManyFaults(
        `the faults are longer than ${LONGEST} characters together: remove some, or say less in where`,
      );
    hold((lengthOf(next) - lengthOf(rules)) * BYTES_PER_CHARACTER);
    rules = next;
  }

  return {
    get isActive() {
      return rules.length > 0 && !rules.every(isOver);
    },
    list: () => rules.map(shown),
    find(id) {
      const rule = rules.find((one) => one.id === id);
      return rule && shown(rule);
    },
    add(wanted) {
      const rule = made(wanted);
      const isFull = rules.length >= MOST || lengthOf(rules) + lengthOf([rule]) > LONGEST;
      become([...(isFull ? rules.filter((one) => !isOver(one)) : rules), rule]);
      return shown(rule);
    },
    replace(wanted) {
      become(wanted.map(made));
      return rules.map(shown);
    },
    remove(id) {
      const before = rules.length;
      become(rules.filter((rule) => rule.id !== id));
      return rules.length < before;
    },
    clear: () => become([]),
    meet(asked, answering) {
      let forced: Forced | undefined;
      for (const rule of rules) {
        if (isOver(rule) || rule.isMeant(asked).length > 0 || !answering.isDocumented(rule.wish)) continue;
        rule.seen++;
        if (goesWith(rule.wish, forced, answering) && strikes(rule)) forced = joined(forced, rule);
      }
      return forced;
    },
  };
}

/** A fault that is wished for, where it makes sense. `at`: where the wish stands (JSON Pointer). Throws `ConditionFault`. */
export function faultWanted(wish: FaultWish, at = ''): FaultWanted {
  const isMeant = conditionAt(wish, at);
  const flaws = flawsOf(wish, at);
  if (flaws.length > 0) throw new ConditionFault(flaws);
  return { wish, isMeant };
}

/** Whether a fault goes with what is forced already. */
function goesWith(
  { code, example, connection, slowMs }: FaultWish,
  forced: Forced | undefined,
  { isChosen }: Answering,
): boolean {
  const wantsAnswer = code !== undefined || example !== undefined;
  if (wantsAnswer && (isChosen || forced?.answer)) return false;
  return (connection === undefined && slowMs === undefined) || !(forced?.connection || forced?.slowMs);
}

function joined(forced: Forced | undefined, { id, wish, random }: Rule): Forced {
  const { phase = 'before', code, example, connection, slowMs } = wish;
  const delayMs = forced?.delayMs ?? { before: 0, after: 0 };
  return {
    ...forced,
    faults: [...(forced?.faults ?? []), id],
    delayMs: { ...delayMs, [phase]: Math.min(delayMs[phase] + delayOf(wish.delay, random), LONGEST_WAIT_MS) },
    ...(code !== undefined || example !== undefined ? { answer: { code, example, phase } } : {}),
    ...(connection ? { connection: { kind: connection, phase } } : {}),
    ...(slowMs === undefined ? {} : { slowMs }),
  };
}

/** How long an answer waits, in ms, by chance where there are bounds. */
export function delayOf(delay: FaultWish['delay'], random: Random): number {
  if (typeof delay !== 'object') return delay ?? 0;
  return random.whole(delay.from, delay.to);
}

/** What is wrong with a fault beside what its schema says. */
function flawsOf(wish: FaultWish, at: string): readonly Flaw[] {
  const { code, example, delay, connection, slowMs, until } = wish;
  const effects = [code, example, delay, connection, slowMs];
  const checks: readonly (readonly [isWrong: boolean, pointer: string, trouble: string])[] = [
    [
      effects.every((effect) => effect === undefined),
      '',
      'does nothing: give code, example, delay, connection or slowMs',
    ],
    [typeof delay === 'object' && delay.from > delay.to, '/delay', 'ends before it begins: give to at least from'],
    [
      connection === 'reset' && [code, example, slowMs].some((effect) => effect !== undefined),
      '/connection',
      'is reset, so that no answer comes: leave out code, example and slowMs',
    ],
    [connection === 'cut' && slowMs !== undefined, '/slowMs', 'goes with no cut: leave out one of them'],
    [
      until !== undefined && Number.isNaN(momentIn(until)),
      '/until',
      'is no moment: give one such as 2025-06-01T12:00:00Z',
    ],
    [JSON.stringify(wish).length > LONGEST, '', `is longer than ${LONGEST} characters: say less in where`],
  ];
  return checks.flatMap(([isWrong, pointer, trouble]) => (isWrong ? [{ pointer: at + pointer, trouble }] : []));
}

function lengthOf(rules: readonly FaultWanted[]): number {
  return rules.reduce((length, { wish }) => length + JSON.stringify(wish).length, 0);
}

function conditionAt(wish: FaultWish, at: string): Condition {
  try {
    return conditionOf(wish);
  } catch (error) {
    if (!(error instanceof ConditionFault)) throw error;
    throw new ConditionFault(error.flaws.map((flaw) => ({ ...flaw, pointer: at + flaw.pointer })));
  }
}

function momentIn(moment: string | number): number {
  return typeof moment === 'string' ? Date.parse(moment) : moment;
}
