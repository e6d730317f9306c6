import { HttpProblemError } from '../util/problem.ts';
import type { ParsedFault } from './parse-fault.ts';

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
