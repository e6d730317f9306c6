import { countCharacters, type RequestToMatch } from '../matcher/request-matcher.ts';
import { parseTime } from '../util/iso-time.ts';
import { MAX_DELAY_MS } from '../util/limits.ts';
import { HttpProblemError, unavailable } from '../util/problem.ts';
import { createRandom, type Random } from '../util/random.ts';
import {
  chooseDelay,
  type ExportedFaults,
  type Fault,
  type FaultCounts,
  type FaultDefinition,
  type ForcedResponse,
  findExceededLimit,
  getTransportFault,
  measureFaults,
  type ParsedFault,
  type Phase,
  parseFault,
  rejectTooManyFaults,
  type TransportFault,
} from './fault.ts';

/** The combined effect of the faults that apply to a request. */
export interface FaultEffect {
  /** The ids of the faults that apply. */
  readonly faults: readonly string[];
  /** The delay before and after the handler runs, in ms. */
  readonly delayMs: Readonly<Record<Phase, number>>;
  /** The ids of the faults that hold the request, by phase. */
  readonly holds?: Readonly<Record<Phase, readonly string[]>>;
  readonly response?: ForcedResponse & { readonly phase: Phase };
  readonly transport?: TransportFault & { readonly phase: Phase };
}

/** Conditions under which faults can apply to a request. */
interface AllowedEffects {
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
function isCompatible(
  definition: FaultDefinition,
  effect: FaultEffect | undefined,
  { hasPreference }: AllowedEffects,
): boolean {
  const { status, example, connection, phase = 'before' } = definition;
  const hasResponse = status !== undefined || example !== undefined;
  if (hasResponse && (hasPreference || effect?.response)) return false;
  if (getTransportFault(definition) && effect?.transport) return false;
  // Two faults with different phases contradict each other: with `before`, the handler does not run.
  const effectPhase = (effect?.response ?? (effect?.transport?.connection && effect.transport))?.phase;
  return effectPhase === undefined || effectPhase === phase || !(hasResponse || connection);
}

/** A fault that matches a request, with its random number generator. */
interface MatchedFault {
  readonly id: string;
  readonly definition: FaultDefinition;
  readonly random: Random;
}

/**
 * Adds a fault to the combined effect of the faults that already apply to a request (`effect`).
 * Returns the new combined effect.
 */
function combineFaults(effect: FaultEffect | undefined, { id, definition, random }: MatchedFault): FaultEffect {
  const { phase = 'before', status, example, body, headers } = definition;
  const transport = getTransportFault(definition);
  const delayMs = effect?.delayMs ?? { before: 0, after: 0 };
  const holds = effect?.holds ?? { before: [], after: [] };
  return {
    ...effect,
    faults: [...(effect?.faults ?? []), id],
    delayMs: { ...delayMs, [phase]: Math.min(delayMs[phase] + chooseDelay(definition.delay, random), MAX_DELAY_MS) },
    ...(definition.hold ? { holds: { ...holds, [phase]: [...holds[phase], id] } } : {}),
    ...(status !== undefined || example !== undefined ? { response: { status, example, body, headers, phase } } : {}),
    ...(transport ? { transport: { ...transport, phase } } : {}),
  };
}

/**
 * The maximum number of steps for comparing one request with the regular expressions of all faults.
 * A step takes up to 13 ns.
 */
const MAX_STEPS = 8_000_000;

/** Options of a fault list. */
interface FaultListOptions {
  readonly clock: { nowMs(): number };
  /** Returns the time of a monotonic clock, in ms. */
  readonly elapsedMs: () => number;
  /** Returns the system time, in ms since 1970. */
  readonly machineMs: () => number;
  /**
   * Reserves memory. A negative number frees memory.
   * Throws an `insufficient-storage` problem if the sandbox exceeds its limit.
   */
  readonly reserve: (moreBytes: number) => void;
  /** Logs that a fault has expired because its regular expressions take too long. */
  readonly log: (message: string) => void;
}

/** An injected fault with its random number generator, its expiry times and its request counters. */
interface Rule extends ParsedFault, MatchedFault {
  /** The time when the fault's duration ends, in ms of the monotonic clock. Infinite if the fault has no duration. */
  readonly endsMs: number;
  /**
   * The time when the fault's duration ends, in ms since 1970 by the system clock.
   * Null if the fault has no duration.
   */
  readonly endsAtMs: number | null;
  /**
   * The time `until` of the fault, in ms since 1970.
   * The fault expires when the clock of the sandbox reaches this time.
   * Infinite if the fault has no `until`.
   */
  readonly untilMs: number;
  /** The number of requests that the fault has matched. */
  matched: number;
  /** The number of requests to which the fault was applied. */
  applied: number;
  /** Whether the fault has expired because its regular expressions take too long. */
  isTooSlow: boolean;
  /** How often the requests that the fault holds were released, on any server that shares the sandbox. */
  releases: number;
}

/** The maximum number of requests that the faults of a sandbox hold. */
const MAX_HELD_REQUESTS = 1_000;

/**
 * A fault that did not apply to a request.
 * `reasons`: why the fault does not match the request; empty if it matches.
 */
interface UnappliedFault {
  readonly fault: Fault;
  readonly reasons: readonly string[];
}

/** The reason that is reported for a fault if comparing its regular expressions with a request would take too long. */
const TOO_SLOW_REASON = 'the regular expressions of the fault take too long';

/** The injected faults of a sandbox. */
export class FaultList {
  /** The number of faults, including expired ones. */
  size = 0;
  private rules: readonly Rule[] = [];
  private lastNumber = 0;
  private hasEnded = false;
  /**
   * By the id of the fault: functions that end the wait of the requests that it holds on this server, and the signals
   * of these requests.
   */
  private readonly held = new Map<string, Map<() => void, AbortSignal>>();

  constructor(private readonly parts: FaultListOptions) {}

  /** Whether at least one fault has not expired. */
  get isActive(): boolean {
    return this.rules.some((rule) => !this.isExpired(rule));
  }

  /** Returns the faults in the order in which they apply. */
  list(): readonly Fault[] {
    return this.rules.map((rule) => this.toFault(rule));
  }

  /** Returns the fault with the given id. Returns undefined if the fault does not exist. */
  find(id: string): Fault | undefined {
    const rule = this.rules.find((candidate) => candidate.id === id);
    return rule && this.toFault(rule);
  }

  /**
   * Adds a fault.
   * If this would exceed a limit, first removes expired faults that hold no request.
   * Throws an `HttpProblemError` if that is not enough.
   */
  add(fault: ParsedFault): Fault {
    const rule = this.createRule(fault);
    const rules = [...this.rules, rule];
    const isNeeded = (one: Rule) => one === rule || !this.isExpired(one) || (this.held.get(one.id)?.size ?? 0) > 0;
    this.setRules(findExceededLimit(rules) ? rules.filter(isNeeded) : rules);
    return this.toFault(rule);
  }

  /** Replaces all faults. Throws an `HttpProblemError` if the new faults exceed a limit. */
  replace(faults: readonly ParsedFault[]): readonly Fault[] {
    this.setRules(faults.map((fault) => this.createRule(fault)));
    return this.list();
  }

  /** Removes a fault. Returns whether the fault existed. */
  remove(id: string): boolean {
    const { length } = this.rules;
    this.setRules(this.rules.filter((rule) => rule.id !== id));
    return this.rules.length < length;
  }

  /** Removes all faults. */
  clear(): void {
    this.setRules([]);
  }

  /**
   * Holds a request until it is released, the fault is removed, or `signal` is aborted.
   * Throws an `HttpProblemError` if the faults of the sandbox already hold too many requests.
   */
  hold(id: string, signal: AbortSignal): Promise<void> {
    if (this.hasEnded || signal.aborted || !this.rules.some((rule) => rule.id === id)) return Promise.resolve();
    const held = this.held.get(id) ?? new Map<() => void, AbortSignal>();
    const count = Array.from(this.held.values()).reduce((sum, { size }) => sum + size, 0);
    if (count >= MAX_HELD_REQUESTS)
      throw new HttpProblemError(
        unavailable(`the faults of the sandbox already hold ${MAX_HELD_REQUESTS} requests: release them first`),
      );
    this.held.set(id, held);
    return new Promise((resolve) => {
      const end = () => {
        held.delete(end);
        signal.removeEventListener('abort', end);
        resolve();
      };
      held.set(end, signal);
      signal.addEventListener('abort', end);
    });
  }

  /**
   * Releases the requests that a fault holds, or that all faults hold if `id` is undefined.
   * The faults hold later requests again.
   * Returns the number of requests that this server has released, and that no other fault holds.
   */
  release(id?: string): number {
    const rules = this.rules.filter((rule) => id === undefined || rule.id === id);
    const released = new Set<AbortSignal>();
    for (const rule of rules) {
      if (rule.definition.hold) rule.releases++;
      for (const signal of this.endHold(rule.id)) released.add(signal);
    }
    for (const held of this.held.values()) for (const signal of held.values()) released.delete(signal);
    return released.size;
  }

  /** Releases all requests, and holds no others, because the sandbox was removed or replaced. */
  end(): void {
    this.hasEnded = true;
    this.release();
  }

  /** Whether a fault holds a request on this server. */
  get isHolding(): boolean {
    return Array.from(this.held.values()).some(({ size }) => size > 0);
  }

  /** Returns the signals of the requests that the fault held. */
  private endHold(id: string): readonly AbortSignal[] {
    const held = [...(this.held.get(id) ?? [])];
    this.held.delete(id);
    for (const [end] of held) end();
    return held.map(([, signal]) => signal);
  }

  /**
   * Applies the faults to a request: updates the counters of the faults, and returns their combined effect.
   * Returns undefined if no fault applies.
   */
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

  /**
   * Explains why active faults did not apply to a request.
   * Returns the faults with the fewest reasons first.
   * `applied`: the ids of the faults that applied.
   */
  explain(request: RequestToMatch, applied: readonly string[]): readonly UnappliedFault[] {
    const characters = countCharacters(request);
    let steps = 0;
    const rules = this.rules.filter((rule) => !this.isExpired(rule) && !applied.includes(rule.id));
    return rules
      .map((rule) => {
        steps += rule.matcher.patternSize * characters;
        return { fault: this.toFault(rule), reasons: steps > MAX_STEPS ? [TOO_SLOW_REASON] : rule.matcher(request) };
      })
      .sort((a, b) => a.reasons.length - b.reasons.length);
  }

  /** Returns the faults without their counters, for `import`. */
  export(): ExportedFaults {
    const rules = this.rules.map(({ id, definition, endsAtMs }) => ({ id, definition, endsAtMs }));
    return { lastNumber: this.lastNumber, rules };
  }

  /** Replaces the faults with faults that `export` returned. A fault that has not changed keeps its counters. */
  import({ lastNumber, rules }: ExportedFaults): void {
    const { elapsedMs, machineMs } = this.parts;
    this.setRules(
      rules.map(({ id, definition, endsAtMs }) => {
        const known = this.rules.find((rule) => rule.id === id && isSameDefinition(rule.definition, definition));
        const endsMs = endsAtMs === null ? Number.POSITIVE_INFINITY : elapsedMs() + endsAtMs - machineMs();
        return { ...(known ?? this.createRule(parseFault(definition), Number(id.slice(1)))), endsMs, endsAtMs };
      }),
    );
    this.lastNumber = lastNumber;
  }

  /**
   * Returns the values that requests change: the counters of the faults, and the states of their random number
   * generators.
   */
  exportCounts(): FaultCounts {
    return Object.fromEntries(
      this.rules.map(({ id, matched, applied, random, isTooSlow, releases }) => [
        id,
        [matched, applied, random.state, isTooSlow, releases],
      ]),
    );
  }

  /**
   * Restores the values that `exportCounts` returned.
   * Releases the requests of faults whose requests another server has released.
   */
  importCounts(counts: FaultCounts): void {
    this.rules = this.rules.map((rule) => {
      const [matched, applied, random, isTooSlow, releases = rule.releases] = counts[rule.id] ?? [];
      if (matched === undefined || applied === undefined || random === undefined || isTooSlow === undefined)
        return rule;
      if (releases > rule.releases) this.endHold(rule.id);
      return { ...rule, matched, applied, random: createRandom(random), isTooSlow, releases };
    });
  }

  private isExpired({ definition, endsMs, untilMs, applied, isTooSlow }: Rule): boolean {
    const { times = Number.POSITIVE_INFINITY } = definition;
    const { clock, elapsedMs } = this.parts;
    return isTooSlow || applied >= times || elapsedMs() >= endsMs || clock.nowMs() >= untilMs;
  }

  private toFault(rule: Rule): Fault {
    const { definition, id, matched, applied } = rule;
    const held = definition.hold ? { held: this.held.get(id)?.size ?? 0 } : {};
    return { ...definition, id, matched, applied, expired: this.isExpired(rule), ...held };
  }

  private createRule({ definition, matcher }: ParsedFault, number = ++this.lastNumber): Rule {
    const { seed = number, durationMs, until } = definition;
    const { elapsedMs, machineMs } = this.parts;
    return {
      id: `f${number}`,
      definition,
      matcher,
      random: createRandom(seed),
      endsMs: elapsedMs() + (durationMs ?? Number.POSITIVE_INFINITY),
      endsAtMs: durationMs === undefined ? null : machineMs() + durationMs,
      untilMs: until === undefined ? Number.POSITIVE_INFINITY : parseTime(until),
      matched: 0,
      applied: 0,
      isTooSlow: false,
      releases: 0,
    };
  }

  /**
   * Replaces all faults, and releases the requests that removed faults hold.
   * Throws an `HttpProblemError` if there are too many, or if the sandbox exceeds its memory limit.
   */
  private setRules(rules: readonly Rule[]): void {
    rejectTooManyFaults(rules);
    this.parts.reserve(measureFaults(rules).bytes - measureFaults(this.rules).bytes);
    this.rules = rules;
    this.size = rules.length;
    for (const id of this.held.keys()) if (!rules.some((rule) => rule.id === id)) this.endHold(id);
  }

  /**
   * Marks faults as expired if comparing a request with their regular expressions would take too long.
   * Adds up the steps, fault by fault.
   * If the sum exceeds `MAX_STEPS`, the current fault and all later faults expire.
   */
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
        `Fault ${rule.id} was disabled: its regular expressions take too long for a request of ${characters} characters. Simplify them, and add the fault again`,
      );
    }
  }
}

function isSameDefinition(one: FaultDefinition, other: FaultDefinition): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/**
 * Returns whether a fault that matches a request also applies, according to its `skip` and `probability`.
 * If so, increments the counter `applied`.
 */
function isApplied(rule: Rule): boolean {
  const { skip = 0, probability = 1 } = rule.definition;
  if (rule.matched <= skip || rule.random.next() >= probability) return false;
  rule.applied++;
  return true;
}
