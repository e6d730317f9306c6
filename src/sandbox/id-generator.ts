import { createRandom, createUuid, type Random } from '../util/random.ts';

/** Creates a generator of random ids. `onSeed` is called each time a client sets the seed. */
export function createIdGenerator(randomId: () => string, onSeed: () => void = () => {}) {
  let seeded: { readonly seed: number; readonly random: Random } | undefined;
  return {
    /** Returns a new UUID. */
    next: () => (seeded ? createUuid(seeded.random) : randomId()),
    /** The seed; undefined if the ids are random. */
    get seed() {
      return seeded?.seed;
    },
    /** Sets the seed. The same seed generates the same ids. If the seed is undefined, the ids are random again. */
    setSeed(seed: number | undefined) {
      onSeed();
      seeded = seed === undefined ? undefined : { seed, random: createRandom(seed) };
    },
  };
}

/** The id generator of a sandbox. */
export type IdGenerator = ReturnType<typeof createIdGenerator>;
