import type { Fault } from '../../control/operation.ts';
import { createRandom } from '../../util/random.ts';
import { type Clock, parseTime } from '../clock.ts';
import { charactersOf, type MatchableRequest } from '../matcher/request-matcher.ts';
import {
  type AllowedEffects,
  combineFaults,
  type FaultEffect,
  isCompatible,
  type MatchedFault,
} from './combine-faults.ts';
import type { ParsedFault } from './parse-fault.ts';

/** The faults exceed a limit of the sandbox. */
export class TooManyFaultsError extends Error {
  override readonly name = 'TooManyFaultsError';
}

/** The maximum number of faults of a sandbox. */
const MAX_FAULTS = 100;

/** The maximum length of the faults of a sandbox together, as JSON in characters. */
const MAX_FAULT_LENGTH = 20_000;

/** The memory of a fault in bytes per character of its JSON. Measured: 1 MB of number lists uses 116 MB, and bodies are compared in two ways. */
const BYTES_PER_CHARACTER = 240;

/** The maximum number of instructions of the regular expressions of a sandbox's faults, and the memory of each in bytes. */
const MAX_INSTRUCTIONS = 20_000;
const BYTES_PER_INSTRUCTION = 1_000;

/** The maximum number of steps of regular expressions for one request: half a second on a slow machine. */
const MAX_STEPS = 50_000_000;

/** What a fault list uses of its sandbox. */
export interface FaultListParts {
  readonly clock: Pick<Clock, 'nowMs'>;
  /** A monotonic clock in ms. */
  readonly elapsedMs: () => number;
  /** Reserves more memory, or releases it if negative. Throws if the sandbox exceeds its limit. */
  readonly reserve: (moreBytes: number) => void;
  /** Logs that a fault has expired early. */
  readonly log: (message: string) => void;
}

/** A fault with its state. */
interface Rule extends ParsedFault, MatchedFault {
  /** When it expires by the monotonic clock, in ms. */
  readonly endsMs: number;
  /** When it expires by the sandbox's clock, in ms since 1970. */
  readonly untilMs: number;
  matched: number;
  applied: number;
  /** Whether it has expired because its regular expressions take too long. */
  isTooSlow: boolean;
}

/** The faults of a sandbox. */
export class FaultList {
  private rules: readonly Rule[] = [];
  private lastNumber = 0;

  constructor(private readonly parts: FaultListParts) {}

  /** Whether a fault can apply to a request. */
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

  /** Adds a fault. Throws a `TooManyFaultsError`. */
  add(fault: ParsedFault): Fault {
    const rule = this.createRule(fault);
    const rules = [...this.rules, rule];
    // Expired faults stay listed as long as there is room.
    this.setRules(findExceededLimit(rules) ? rules.filter((one) => one === rule || !this.isExpired(one)) : rules);
    return this.toFault(rule);
  }

  /** Replaces all faults. Throws a `TooManyFaultsError`. */
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

  /** Applies the matching faults to a request and counts it. Returns undefined if none applies. */
  apply(request: MatchableRequest, allowed: AllowedEffects): FaultEffect | undefined {
    let effect: FaultEffect | undefined;
    this.expireSlowRules(request);
    for (const rule of this.rules) {
      if (this.isExpired(rule) || rule.matcher(request).length > 0 || !allowed.canApply(rule.definition)) continue;
      rule.matched++;
      if (isCompatible(rule.definition, effect, allowed) && applies(rule)) effect = combineFaults(effect, rule);
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

  /** Replaces the rules. Throws a `TooManyFaultsError`, or the error of `reserve` if there is no memory. */
  private setRules(rules: readonly Rule[]): void {
    rejectTooManyFaults(rules);
    this.parts.reserve(measureBytes(rules) - measureBytes(this.rules));
    this.rules = rules;
  }

  /** Expires the rules whose regular expressions would take too long for a request, starting with the last. */
  private expireSlowRules(request: MatchableRequest): void {
    const rules = this.rules.filter((rule) => rule.matcher.patternSize > 0 && !this.isExpired(rule));
    if (rules.length === 0) return;
    const characters = charactersOf(request);
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

/** Returns whether a rule applies to a request that it matches, and counts it. */
function applies(rule: Rule): boolean {
  const { skip = 0, probability = 1 } = rule.definition;
  if (rule.matched <= skip || rule.random.next() >= probability) return false;
  rule.applied++;
  return true;
}

/** Describes the limit of a sandbox that faults exceed; undefined if they exceed none. */
function findExceededLimit(faults: readonly ParsedFault[]): string | undefined {
  if (faults.length > MAX_FAULTS) return `There are ${MAX_FAULTS} faults already: delete some, or replace all of them`;
  if (measureLength(faults) > MAX_FAULT_LENGTH)
    return `The faults are longer than ${MAX_FAULT_LENGTH} characters in all: delete some, or shorten where`;
  if (measurePatterns(faults) > MAX_INSTRUCTIONS)
    return `The regular expressions of the faults compile to more than ${MAX_INSTRUCTIONS} instructions in all: delete some`;
  return undefined;
}

/** Throws a `TooManyFaultsError` if faults exceed a limit of a sandbox. */
export function rejectTooManyFaults(faults: readonly ParsedFault[]): void {
  const message = findExceededLimit(faults);
  if (message !== undefined) throw new TooManyFaultsError(message);
}

function measurePatterns(faults: readonly ParsedFault[]): number {
  return faults.reduce((size, { matcher }) => size + matcher.patternSize, 0);
}

function measureBytes(faults: readonly ParsedFault[]): number {
  return measureLength(faults) * BYTES_PER_CHARACTER + measurePatterns(faults) * BYTES_PER_INSTRUCTION;
}

function measureLength(faults: readonly ParsedFault[]): number {
  return faults.reduce((length, { definition }) => length + JSON.stringify(definition).length, 0);
}
