import { createRandom, type Random } from '../util/random.ts';

/** Generates the ids of a sandbox. */
export interface IdGenerator {
  /** Returns a new UUID. */
  next(): string;
  /** The seed; undefined if ids are random. */
  readonly seed: number | undefined;
  /** Sets the seed, which always generates the same ids, or makes ids random again. */
  use(seed: number | undefined): void;
}

/** Creates a generator of random ids. `onUse` is called each time a client sets the seed. */
export function createIdGenerator(randomId: () => string, onUse: () => void = () => {}): IdGenerator {
  let seeded: { readonly seed: number; readonly random: Random } | undefined;
  return {
    next: () => (seeded ? createUuid(seeded.random) : randomId()),
    get seed() {
      return seeded?.seed;
    },
    use(seed) {
      onUse();
      seeded = seed === undefined ? undefined : { seed, random: createRandom(seed) };
    },
  };
}

/** Creates a UUID of version 4 (RFC 9562, section 5.4) from a random source. */
function createUuid(random: Random): string {
  return 'xxxxxxxx-xxxx-4xxx-yxxx-xxxxxxxxxxxx'.replaceAll(/[xy]/g, (digit) =>
    (digit === 'x' ? random.integer(0, 15) : random.integer(8, 11)).toString(16),
  );
}
