import type { Fault } from '../../control/operation.ts';
import { createRandom } from '../../util/random.ts';
import { type Clock, parseTime } from '../clock.ts';
import { countCharacters, type RequestToMatch } from '../matcher/request-matcher.ts';
import {
  type AllowedEffects,
  combineFaults,
  type FaultEffect,
  isCompatible,
  type MatchedFault,
} from './combine-faults.ts';
import type { ParsedFault } from './parse-fault.ts';

/** Thrown if the faults exceed a limit of the sandbox. */
export class TooManyFaultsError extends Error {
  override readonly name = 'TooManyFaultsError';
}

/** The maximum number of faults of a sandbox. */
const MAX_FAULTS = 100;

/** The maximum length of all faults of a sandbox as JSON, in characters. */
const MAX_FAULT_LENGTH = 20_000;

/**
 * The memory of a fault, in bytes per character of its JSON. Measured: a matcher with 1 MB of number lists uses 116 MB. A `body` in `where` is compiled
 * to two matchers.
 */
const BYTES_PER_CHARACTER = 240;

/** The maximum number of instructions in the regular expressions of all faults of a sandbox. */
const MAX_INSTRUCTIONS = 20_000;

/** The memory of an instruction of a regular expression, in bytes. */
const BYTES_PER_INSTRUCTION = 1_000;

/** The maximum number of steps of regular expressions for one request. That many steps take half a second on a slow machine. */
const MAX_STEPS = 50_000_000;

/** Options of a fault list. */
export interface FaultListOptions {
  readonly clock: Pick<Clock, 'nowMs'>;
  /** Returns the time of a monotonic clock, in ms. */
  readonly elapsedMs: () => number;
  /** Reserves memory. A negative number frees memory. Throws `StateTooLargeError` if the sandbox exceeds its limit. */
  readonly reserve: (moreBytes: number) => void;
  /** Logs that a fault has expired because its regular expressions are too large. */
  readonly log: (message: string) => void;
}

/** A fault with its random number generator, its expiry times, and the numbers of requests. */
interface Rule extends ParsedFault, MatchedFault {
  /** The time when the fault's duration ends, in ms of the monotonic clock; infinite if the fault has no duration. */
  readonly endsMs: number;
  /** The expiry time by the clock of the sandbox, in ms since 1970; infinite if the fault has none. */
  readonly untilMs: number;
  /** The number of requests that the fault matches. */
  matched: number;
  /** The number of requests to which the fault was applied. */
  applied: number;
  /** Whether the fault has expired because its regular expressions take too long. */
  isTooSlow: boolean;
}

/** The faults of a sandbox. */
export class FaultList {
  private rules: readonly Rule[] = [];
  private lastNumber = 0;

  constructor(private readonly parts: FaultListOptions) {}

  /** Whether at least one fault has not expired. */
  get isActive(): boolean {
    return this.rules.some((rule) => !this.isExpired(rule));
  }

  /** Returns the faults in the order in which they apply. */
  list(): readonly Fault[] {
    return this.rules.map((rule) => this.toFault(rule));
  }

  /** Returns a fault; undefined if it does not exist. */
  find(id: string): Fault | undefined {
    const rule = this.rules.find((candidate) => candidate.id === id);
    return rule && this.toFault(rule);
  }

  /** Adds a fault. Throws `TooManyFaultsError`. */
  add(fault: ParsedFault): Fault {
    const rule = this.createRule(fault);
    const rules = [...this.rules, rule];
    // Expired faults stay in the list until a limit is reached.
    this.setRules(findExceededLimit(rules) ? rules.filter((one) => one === rule || !this.isExpired(one)) : rules);
    return this.toFault(rule);
  }

  /** Replaces all faults. Throws `TooManyFaultsError`. */
  replace(faults: readonly ParsedFault[]): readonly Fault[] {
    this.setRules(faults.map((fault) => this.createRule(fault)));
    return this.list();
  }

  /** Removes a fault. Returns whether it existed. */
  remove(id: string): boolean {
    const { length } = this.rules;
    this.setRules(this.rules.filter((rule) => rule.id !== id));
    return this.rules.length < length;
  }

  /** Removes all faults. */
  clear(): void {
    this.setRules([]);
  }

  /** Returns the combined effect of the faults that apply to a request, and counts the request. Returns undefined if no fault applies. */
  apply(request: RequestToMatch, allowed: AllowedEffects): FaultEffect | undefined {
    let effect: FaultEffect | undefined;
    this.expireSlowRules(request);
    for (const rule of this.rules) {
      if (this.isExpired(rule) || rule.matcher(request).length > 0 || !allowed.canApply(rule.definition)) continue;
      rule.matched++;
      if (isCompatible(rule.definition, effect, allowed) && isApplied(rule)) effect = combineFaults(effect, rule);
    }
    return effect;
  }

  private isExpired({ definition, endsMs, untilMs, applied, isTooSlow }: Rule): boolean {
    const { times = Number.POSITIVE_INFINITY } = definition;
    const { clock, elapsedMs } = this.parts;
    return isTooSlow || applied >= times || elapsedMs() >= endsMs || clock.nowMs() >= untilMs;
  }

  private toFault(rule: Rule): Fault {
    const { definition, id, matched, applied } = rule;
    return { ...definition, id, matched, applied, expired: this.isExpired(rule) };
  }

  private createRule({ definition, matcher }: ParsedFault): Rule {
    const number = ++this.lastNumber;
    const { seed = number, durationMs = Number.POSITIVE_INFINITY, until } = definition;
    return {
      id: `f${number}`,
      definition,
      matcher,
      random: createRandom(seed),
      endsMs: this.parts.elapsedMs() + durationMs,
      untilMs: until === undefined ? Number.POSITIVE_INFINITY : parseTime(until),
      matched: 0,
      applied: 0,
      isTooSlow: false,
    };
  }

  /** Replaces the rules. Throws `TooManyFaultsError`, or `StateTooLargeError` if the sandbox exceeds its memory limit. */
  private setRules(rules: readonly Rule[]): void {
    rejectTooManyFaults(rules);
    this.parts.reserve(measure(rules).bytes - measure(this.rules).bytes);
    this.rules = rules;
  }

  /** Adds up the steps of the regular expressions for a request, rule by rule. Each rule for which the sum exceeds the maximum expires. */
  private expireSlowRules(request: RequestToMatch): void {
    const rules = this.rules.filter((rule) => rule.matcher.patternSize > 0 && !this.isExpired(rule));
    if (rules.length === 0) return;
    const characters = countCharacters(request);
    let steps = 0;
    for (const rule of rules) {
      steps += rule.matcher.patternSize * characters;
      if (steps <= MAX_STEPS) continue;
      rule.isTooSlow = true;
      this.parts.log(
        `Fault ${rule.id} has expired: its regular expressions are too large for a request of ${characters} characters`,
      );
    }
  }
}

/** Decides by `skip` and `probability` whether a matching rule applies to a request. If it applies, counts the request. Returns the decision. */
function isApplied(rule: Rule): boolean {
  const { skip = 0, probability = 1 } = rule.definition;
  if (rule.matched <= skip || rule.random.next() >= probability) return false;
  rule.applied++;
  return true;
}

/** Returns a message about the limit that faults exceed; undefined if they exceed no limit. */
function findExceededLimit(faults: readonly ParsedFault[]): string | undefined {
  const { length, instructions } = measure(faults);
  if (faults.length > MAX_FAULTS) return `There are ${MAX_FAULTS} faults already: delete some, or replace all of them`;
  if (length > MAX_FAULT_LENGTH)
    return `All faults together have more than ${MAX_FAULT_LENGTH} characters as JSON: delete some, or shorten their matchers`;
  if (instructions > MAX_INSTRUCTIONS)
    return `The regular expressions of all faults together compile to more than ${MAX_INSTRUCTIONS} instructions: delete some faults`;
  return undefined;
}

/** Throws `TooManyFaultsError` if faults exceed a limit of a sandbox. */
export function rejectTooManyFaults(faults: readonly ParsedFault[]): void {
  const message = findExceededLimit(faults);
  if (message !== undefined) throw new TooManyFaultsError(message);
}

/** Measures faults: their length as JSON in characters, the instructions of their regular expressions, and their memory in bytes. */
function measure(faults: readonly ParsedFault[]) {
  const length = faults.reduce((sum, { definition }) => sum + JSON.stringify(definition).length, 0);
  const instructions = faults.reduce((sum, { matcher }) => sum + matcher.patternSize, 0);
  return { length, instructions, bytes: length * BYTES_PER_CHARACTER + instructions * BYTES_PER_INSTRUCTION };
}
