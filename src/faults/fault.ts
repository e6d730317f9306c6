import { createRequestMatcher, type MatcherDefinition, type RequestMatcher } from '../matcher/request-matcher.ts';
import { isServerHeader } from '../util/headers.ts';
import { createIssue, type Issue } from '../util/issue.ts';
import { formatPointer } from '../util/json-pointer.ts';
import { HttpProblemError } from '../util/problem.ts';
import { createRandom, type Random } from '../util/random.ts';

/**
 * The requests that a fault applies to, and its effects (docs/faults.md).
 * Without `operation` and `where`, it applies to all operations.
 */
export interface FaultDefinition extends MatcherDefinition, TransportFault {
  /** How many matching requests are skipped first. */
  readonly skip?: number | undefined;
  /** To how many requests it applies. */
  readonly times?: number | undefined;
  readonly probability?: number | undefined;
  readonly seed?: number | undefined;
  /** The time of the sandbox at which it expires. */
  readonly until?: string | number | undefined;
  readonly durationMs?: number | undefined;
  readonly phase?: Phase | undefined;
  readonly status?: number | undefined;
  readonly example?: string | undefined;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Whether body and headers may violate the contract. */
  readonly violation?: boolean | undefined;
  /** A delay in ms, or the range of random delays. */
  readonly delay?: number | { readonly from: number; readonly to: number } | undefined;
  /** Whether it holds requests until they are released. */
  readonly hold?: true | undefined;
}

/** The effects of a fault on the transmission of a response. At most one of them applies to a request. */
export interface TransportFault {
  /** `reset` closes the connection without a response. `cut` closes it after half of the body. */
  readonly connection?: 'reset' | 'cut' | undefined;
  /** How long the server takes to send the body, in ms. */
  readonly bodyDurationMs?: number | undefined;
  /** What happens to a stream, such as server-sent events. */
  readonly stream?: StreamFault;
}

/**
 * The effect of a fault on a stream, after its first `afterItems` items.
 * `cut` closes the connection, `end` ends the stream, `corrupt` sends only a part of the next item, and `delay` delays
 * the next item by `delayMs`.
 */
export interface StreamFault {
  readonly effect: 'cut' | 'end' | 'corrupt' | 'delay';
  readonly afterItems?: number;
  readonly delayMs?: number;
}

/** Returns the effects of a fault on the transmission of a response; undefined if there are none. */
export function getTransportFault({ connection, bodyDurationMs, stream }: TransportFault): TransportFault | undefined {
  if (connection !== undefined) return { connection };
  if (stream !== undefined) return { stream };
  return bodyDurationMs === undefined ? undefined : { bodyDurationMs };
}

/**
 * An injected fault.
 * `matched`: the number of requests that it matched.
 * `applied`: the number of requests to which it was applied.
 * `held`: the number of requests that it holds on this server; undefined if it has no `hold`.
 */
export interface Fault extends FaultDefinition {
  readonly id: string;
  readonly matched: number;
  readonly applied: number;
  readonly expired: boolean;
  readonly held?: number;
}

/** When a fault takes effect: before or after the handler runs. */
export type Phase = 'before' | 'after';

/**
 * A response that a fault injects: a status or the name of an example in the contract, and optionally a body and
 * headers.
 */
export type ForcedResponse = Pick<FaultDefinition, 'status' | 'example' | 'body' | 'headers'>;

/** A fault definition with its compiled matcher. */
export interface ParsedFault {
  readonly definition: FaultDefinition;
  readonly matcher: RequestMatcher;
}

/**
 * Compiles the matcher of a fault.
 * `at`: the JSON Pointer to the fault in the request body.
 * Throws `HttpProblemError` if the matcher is invalid.
 */
export function parseFault(definition: FaultDefinition, at = ''): ParsedFault {
  return { definition, matcher: createRequestMatcher(definition, at) };
}

/**
 * Checks the header names of a fault.
 * Returns an issue for each header that only the server can set, and for each name that occurs twice.
 * A JSON Schema can't express these rules.
 */
export function findFaultIssues({ headers = {} }: FaultDefinition): readonly Issue[] {
  const names = Object.keys(headers).map((name) => name.toLowerCase());
  return Object.keys(headers).flatMap((name, index) => {
    const pointer = `/headers${formatPointer(name)}`;
    const isRepeated = names.indexOf(name.toLowerCase()) < index;
    if (!isRepeated && !isServerHeader(name)) return [];
    const problem = isRepeated
      ? 'is repeated, because header names are case-insensitive'
      : 'is set by the server, and a fault cannot change it';
    return [createIssue(pointer, { rule: 'propertyNames', problem, remedy: 'remove it' })];
  });
}

/**
 * The exported faults of a sandbox, without their request counters.
 * `lastNumber`: the number in the id of the latest fault, such as 3 for `f3`.
 */
export interface ExportedFaults {
  readonly lastNumber: number;
  readonly rules: readonly {
    readonly id: string;
    readonly definition: FaultDefinition;
    /** When the duration of the fault ends, in ms since 1970 by the system clock. Null if the fault has no duration. */
    readonly endsAtMs: number | null;
  }[];
}

/**
 * The exported values that requests change, by the id of the fault: the request counters, and the state of the random
 * number generator (`random`).
 * `releases`: how often held requests were released. Missing in the data of older versions.
 */
export type FaultCounts = Readonly<
  Record<string, readonly [matched: number, applied: number, random: number, isTooSlow: boolean, releases?: number]>
>;

/** The maximum number of faults of a sandbox. */
const MAX_FAULTS = 100;

/** The maximum length of all faults of a sandbox as JSON, in characters. */
const MAX_FAULT_LENGTH = 20_000;

/**
 * The memory of a fault, in bytes per character of its JSON.
 * A matcher with 1 MB of number lists used 116 MB in a measurement.
 * The value here is twice as large, because `body` in `where` is compiled to two matchers.
 */
const BYTES_PER_CHARACTER = 240;

/** The maximum number of compiled instructions in the regular expressions of all faults of a sandbox. */
const MAX_INSTRUCTIONS = 20_000;

/** The memory of one compiled instruction, in bytes. */
const BYTES_PER_INSTRUCTION = 1_000;

/** Returns an error message if the faults of a sandbox exceed a limit. Returns undefined if they do not. */
export function findExceededLimit(faults: readonly ParsedFault[]): string | undefined {
  const { length, instructions } = measureFaults(faults);
  if (faults.length > MAX_FAULTS)
    return `A sandbox can have at most ${MAX_FAULTS} faults: delete some faults, or replace all of them`;
  if (length > MAX_FAULT_LENGTH)
    return `All faults together have more than ${MAX_FAULT_LENGTH} characters as JSON: delete some faults, or shorten their matchers`;
  if (instructions > MAX_INSTRUCTIONS)
    return `The regular expressions of all faults together compile to more than ${MAX_INSTRUCTIONS} instructions: delete some faults`;
  return undefined;
}

/** Throws an `HttpProblemError` if faults exceed the limits of a sandbox. */
export function rejectTooManyFaults(faults: readonly ParsedFault[]): void {
  const message = findExceededLimit(faults);
  if (message !== undefined) throw new HttpProblemError({ code: 'limit-reached', detail: message });
}

/**
 * Returns the total size of the given faults.
 * `length`: the length of all faults as JSON, in characters.
 * `instructions`: the number of compiled instructions in all regular expressions.
 * `bytes`: the approximate memory.
 */
export function measureFaults(faults: readonly ParsedFault[]) {
  const length = faults.reduce((sum, { definition }) => sum + JSON.stringify(definition).length, 0);
  const instructions = faults.reduce((sum, { matcher }) => sum + matcher.patternSize, 0);
  return { length, instructions, bytes: length * BYTES_PER_CHARACTER + instructions * BYTES_PER_INSTRUCTION };
}

/**
 * Returns a delay in ms: the fixed delay, or a random delay between `from` and `to`.
 * `from` can be greater than `to`.
 */
export function chooseDelay(delay: FaultDefinition['delay'], random: Random): number {
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
