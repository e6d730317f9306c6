/** A pseudo-random number generator. The same seed always gives the same numbers. */
export interface Random {
  /** The current state of the generator. A new generator with this seed continues with the same numbers. */
  readonly state: number;
  /** Returns a number from 0 up to, but not including, 1. */
  next(): number;
  /** Returns a random integer from `least` to `most`. Both limits are possible results. */
  integer(least: number, most: number): number;
  /** Returns a random value of a list, which must not be empty. */
  pick<Value>(values: readonly Value[]): Value;
}

/**
 * Creates a pseudo-random number generator with 32 bits of state (T.
 * Ettinger, Mulberry32, 2017).
 * It passes the gjrand tests.
 */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const whole = (least: number, most: number) => least + Math.floor(next() * (most - least + 1));
  return {
    get state() {
      return state;
    },
    next,
    integer: whole,
    pick: (values) => values[whole(0, values.length - 1)] as (typeof values)[number],
  };
}

/** Creates a UUID of version 4 (RFC 9562, section 5.4). */
export function createUuid(random: Random): string {
  return 'xxxxxxxx-xxxx-4xxx-yxxx-xxxxxxxxxxxx'.replaceAll(/[xy]/g, (digit) =>
    (digit === 'x' ? random.integer(0, 15) : random.integer(8, 11)).toString(16),
  );
}

/** Returns the 32-bit hash of a text, for use as a random seed (FNV-1a, G. Fowler, L. Noll and P. Vo, 1991). */
export function toSeed(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  return hash >>> 0;
}

/**
 * Derives a random seed from another seed and the name or index of a part.
 * So each property of a generated object can have a seed of its own.
 */
export function mixSeed(seed: number, part: string | number): number {
  return toSeed(`${seed} ${part}`);
}
