import type { Fault } from '../control/operation.ts';
import { randomFrom } from '../mock/random.ts';
import { type Clock, momentIn } from './clock.ts';
import type { Asked } from './condition.ts';
import { type FaultWanted, LONGEST } from './fault-wanted.ts';
import { type Answering, type Forced, goesWith, joined, type Meeting } from './forced.ts';
import { PatternFault } from './patterns.ts';

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

/** How many faults a sandbox keeps. */
const MOST = 100;

/** What a fault takes, in bytes for each character of its JSON: 1 MB of lists of numbers took 116 MB, and bodies are looked at in two ways. */
const BYTES_PER_CHARACTER = 240;

interface Rule extends FaultWanted, Meeting {
  /** When it is over, by a clock that nobody sets; in ms. */
  readonly endsMs: number;
  /** When it is over by the sandbox's clock, in ms since 1970. */
  readonly untilMs: number;
  seen: number;
  met: number;
  /** Whether it can't be told whom it means. */
  isBroken: boolean;
}

/** What the faults of a sandbox depend on. */
export interface FaultsParts {
  readonly clock: Pick<Clock, 'nowMs'>;
  /** How long the machine has been up or the like, in ms. */
  readonly elapsedMs: () => number;
  /** Told of how many bytes more they take, or less; throws where that is too much. */
  readonly hold: (moreBytes: number) => void;
  /** Told of one that is over before its time. */
  readonly tell: (message: string) => void;
}

/** The faults of a sandbox, of which there are none at first. */
export function createFaults({ clock, elapsedMs, hold, tell }: FaultsParts): Faults {
  let rules: readonly Rule[] = [];
  let last = 0;

  function isOver({ wish, endsMs, untilMs, met, isBroken }: Rule): boolean {
    return (
      isBroken || met >= (wish.times ?? Number.POSITIVE_INFINITY) || elapsedMs() >= endsMs || clock.nowMs() >= untilMs
    );
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
      isBroken: false,
    };
  }

  function isMeant(rule: Rule, asked: Asked): boolean {
    try {
      return rule.isMeant(asked).length === 0;
    } catch (error) {
      if (!(error instanceof PatternFault)) throw error;
      tell(`fault ${rule.id} is over: ${error.message}`);
      rule.isBroken = true;
      return false;
    }
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
    refuseTooMany(next);
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
        if (isOver(rule) || !isMeant(rule, asked) || !answering.isDocumented(rule.wish)) continue;
        rule.seen++;
        if (goesWith(rule.wish, forced, answering) && strikes(rule)) forced = joined(forced, rule);
      }
      return forced;
    },
  };
}

/** Throws `TooManyFaults` for more than a sandbox keeps. */
export function refuseTooMany(wanted: readonly FaultWanted[]): void {
  if (wanted.length > MOST)
    throw new TooManyFaults(`there are ${MOST} faults already: remove some, or replace all of them`);
  if (lengthOf(wanted) > LONGEST)
    throw new TooManyFaults(
      `the faults are longer than ${LONGEST} characters together: remove some, or say less in where`,
    );
}

function lengthOf(rules: readonly FaultWanted[]): number {
  return rules.reduce((length, { wish }) => length + JSON.stringify(wish).length, 0);
}
