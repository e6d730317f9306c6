import type { Fault } from '../../control/operation.ts';
import { createRandom } from '../../util/random.ts';
import { type Clock, parseTime } from '../clock.ts';
import { charactersOf, type MatchableRequest } from '../matcher/request-matcher.ts';
import { type Answering, combineFaults, type FaultEffect, isCompatible, type MatchedFault } from './combine-faults.ts';
import { MAX_FAULT_LENGTH, type ParsedFault } from './parse-fault.ts';

/** What is to fail in a sandbox. */
export interface FaultList {
  /** Whether a request could meet one. */
  readonly isActive: boolean;
  list(): readonly Fault[];
  find(id: string): Fault | undefined;
  /** Throws `TooManyFaultsError`. */
  add(wanted: ParsedFault): Fault;
  /** Puts others in the place of all. */
  replace(wanted: readonly ParsedFault[]): readonly Fault[];
  /** Whether there was one. */
  remove(id: string): boolean;
  clear(): void;
  /** What is forced upon a request, which counts as one that has come; undefined where nothing is. */
  meet(asked: MatchableRequest, answering: Answering): FaultEffect | undefined;
}

/** More faults than a sandbox keeps: `message` says how many, and what to do. */
export class TooManyFaultsError extends Error {
  override readonly name = 'TooManyFaultsError';
}

/** How many faults a sandbox keeps. */
const MOST = 100;

/** What a fault takes, in bytes for each character of its JSON: 1 MB of lists of numbers took 116 MB, and bodies are looked at in two ways. */
const BYTES_PER_CHARACTER = 240;

/** How many instructions the regular expressions of a sandbox's faults may have together, and what each takes, in bytes. */
const MOST_INSTRUCTIONS = 20_000;
const BYTES_PER_INSTRUCTION = 1_000;

/** How many steps the regular expressions of all faults may take for a request: half a second on a slow machine. */
const MOST_STEPS = 50_000_000;

interface Rule extends ParsedFault, MatchedFault {
  /** When it is over, by a clock that nobody sets; in ms. */
  readonly endsMs: number;
  /** When it is over by the sandbox's clock, in ms since 1970. */
  readonly untilMs: number;
  seen: number;
  met: number;
  /** Whether it takes too long to find out which requests it applies to. */
  isTooSlow: boolean;
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
export function createFaultList({ clock, elapsedMs, hold, tell }: FaultsParts): FaultList {
  let rules: readonly Rule[] = [];
  let last = 0;

  function isOver({ wish, endsMs, untilMs, met, isTooSlow }: Rule): boolean {
    return (
      isTooSlow || met >= (wish.times ?? Number.POSITIVE_INFINITY) || elapsedMs() >= endsMs || clock.nowMs() >= untilMs
    );
  }

  function shown(rule: Rule): Fault {
    return { ...rule.wish, id: rule.id, matched: rule.seen, applied: rule.met, expired: isOver(rule) };
  }

  function made({ wish, isMeant }: ParsedFault): Rule {
    return {
      id: `f${++last}`,
      wish,
      isMeant,
      random: createRandom(wish.seed ?? last),
      endsMs: wish.durationMs === undefined ? Number.POSITIVE_INFINITY : elapsedMs() + wish.durationMs,
      untilMs: wish.until === undefined ? Number.POSITIVE_INFINITY : parseTime(wish.until),
      seen: 0,
      met: 0,
      isTooSlow: false,
    };
  }

  /** Ends the rules whose regular expressions would take too long for a request, the first of them last. */
  function endSlow(asked: MatchableRequest): void {
    const slow = rules.filter((rule) => rule.isMeant.patternSize > 0 && !isOver(rule));
    if (slow.length === 0) return;
    const characters = charactersOf(asked);
    let steps = 0;
    for (const rule of slow) {
      steps += rule.isMeant.patternSize * characters;
      if (steps <= MOST_STEPS) continue;
      rule.isTooSlow = true;
      tell(`fault ${rule.id} is over: its regular expressions are too large for a request of ${characters} characters`);
    }
  }

  /** Whether a request that has been seen meets a fault now. */
  function strikes(rule: Rule): boolean {
    const { skip = 0, probability = 1 } = rule.wish;
    if (rule.seen <= skip || rule.random.next() >= probability) return false;
    rule.met++;
    return true;
  }

  /** Puts rules in the place of all, where there is room for them. */
  function become(next: readonly Rule[]): void {
    refuseTooMany(next);
    hold(bytesOf(next) - bytesOf(rules));
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
      const next = [...rules, rule];
      const isFull = next.length > MOST || lengthOf(next) > MAX_FAULT_LENGTH || patternSizeOf(next) > MOST_INSTRUCTIONS;
      become(isFull ? next.filter((one) => one === rule || !isOver(one)) : next);
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
      let forced: FaultEffect | undefined;
      endSlow(asked);
      for (const rule of rules) {
        if (isOver(rule) || rule.isMeant(asked).length > 0 || !answering.canMeet(rule.wish)) continue;
        rule.seen++;
        if (isCompatible(rule.wish, forced, answering) && strikes(rule)) forced = combineFaults(forced, rule);
      }
      return forced;
    },
  };
}

/** Throws `TooManyFaultsError` for more than a sandbox keeps. */
export function refuseTooMany(wanted: readonly ParsedFault[]): void {
  if (wanted.length > MOST)
    throw new TooManyFaultsError(`there are ${MOST} faults already: remove some, or replace all of them`);
  if (lengthOf(wanted) > MAX_FAULT_LENGTH)
    throw new TooManyFaultsError(
      `the faults are longer than ${MAX_FAULT_LENGTH} characters together: remove some, or say less in where`,
    );
  if (patternSizeOf(wanted) > MOST_INSTRUCTIONS)
    throw new TooManyFaultsError(
      `the regular expressions of the faults compile to more than ${MOST_INSTRUCTIONS} instructions together: remove some`,
    );
}

function patternSizeOf(rules: readonly ParsedFault[]): number {
  return rules.reduce((size, { isMeant }) => size + isMeant.patternSize, 0);
}

function bytesOf(rules: readonly ParsedFault[]): number {
  return lengthOf(rules) * BYTES_PER_CHARACTER + patternSizeOf(rules) * BYTES_PER_INSTRUCTION;
}

function lengthOf(rules: readonly ParsedFault[]): number {
  return rules.reduce((length, { wish }) => length + JSON.stringify(wish).length, 0);
}
