/** A pseudo-random number generator. The same seed produces the same numbers. */
export interface Random {
  /** The current state. If a new generator has this number as its seed, it produces the same numbers as this generator from now on. */
  readonly state: number;
  /** Returns a number from 0 up to, but not including, 1. */
  next(): number;
  /** Returns an integer from `least` to `most`, including both. */
  integer(least: number, most: number): number;
  /** Returns one of the values. The list must not be empty. */
  pick<Value>(values: readonly Value[]): Value;
}

/** Creates a generator with 32 bits of state (T. Ettinger, Mulberry32, 2017). It passes the gjrand tests. */
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

/** Returns the 32-bit hash of a string, for use as a seed (FNV-1a, G. Fowler, L. Noll and P. Vo, 1991). */
export function toSeed(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  return hash >>> 0;
}

/** Derives a seed for a part of a generated value, such as a property or an array entry, from the seed of the whole value. */
export function mixSeed(seed: number, part: string | number): number {
  return toSeed(`${seed} ${part}`);
}
