import { UserError } from '../util/issue.ts';

/** The maximum number of values in all attempts to generate a value: objects, arrays, and other values inside them. */
const MAX_VALUES = 50_000;

/** The maximum number of characters in all generated strings. */
const MAX_CHARACTERS = 1_000_000;

/**
 * The maximum number of steps: merged keywords of schemas, schemas around values, and repeated parts of patterns.
 * A step takes about 1 µs.
 */
const MAX_STEPS = 500_000;

/**
 * Creates the error for a schema that requires endlessly nested values, or more values, longer strings or more steps
 * than the limit of a generated value.
 */
export function createEndlessError(): UserError {
  return new UserError('the schema requires too many values', { reason: 'endless-schema' });
}

/** Returns whether `createEndlessError` has created an error. */
export function isEndlessError(error: unknown): boolean {
  return error instanceof UserError && error.reason === 'endless-schema';
}

/** Calls a function that generates a value. Returns undefined if the schema requires too much. */
export function generateWithinLimit<Value>(generate: () => Value): { readonly value: Value } | undefined {
  try {
    return { value: generate() };
  } catch (error) {
    if (isEndlessError(error)) return undefined;
    throw error;
  }
}

/**
 * Limits the work to generate a value.
 * All attempts to generate the value share the limit.
 * The methods throw an error for which `isEndlessError` returns true if the limit is reached.
 */
export class GenerationLimit {
  #values = MAX_VALUES;
  #characters = MAX_CHARACTERS;
  #steps = MAX_STEPS;
  #isReached = false;

  /** Whether the limit was reached. Further attempts are then useless. */
  get isReached(): boolean {
    return this.#isReached;
  }

  /**
   * Adds values.
   * Is called with the minimum number of entries before they are generated, so that a huge number fails at once.
   */
  requireValues(count: number): void {
    this.#check(count <= this.#values);
  }

  /** Adds a value. `depth`: the number of schemas around it, on which the time depends. */
  addValue(depth: number): void {
    this.#values--;
    this.requireValues(0);
    this.addSteps(depth);
  }

  /** Adds the characters of a string before the string is generated. */
  addCharacters(count: number): void {
    this.#characters -= count;
    this.#check(this.#characters >= 0);
  }

  addSteps(count: number): void {
    this.#steps -= count;
    this.#check(this.#steps >= 0);
  }

  #check(isAllowed: boolean): void {
    if (isAllowed) return;
    this.#isReached = true;
    throw createEndlessError();
  }
}
