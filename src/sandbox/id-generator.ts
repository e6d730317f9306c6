import { createRandom, createUuid, type Random } from '../util/random.ts';

/**
 * The exported state of an id generator: the seed, and the state of the random number generator.
 * Null if the ids are random.
 */
export type IdState = { readonly seed: number; readonly random: number } | null;

/**
 * Creates a generator of ids.
 * `randomId`: returns a random id; used while there is no seed.
 * `onSeed`: called each time the seed is set or removed.
 */
export function createIdGenerator(randomId: () => string, onSeed: () => void = () => {}) {
  let seeded: { readonly seed: number; readonly random: Random } | undefined;
  return {
    /** Returns a new UUID. */
    next: () => (seeded ? createUuid(seeded.random) : randomId()),
    /** The seed; undefined if the ids are random. */
    get seed() {
      return seeded?.seed;
    },
    /**
     * Sets the seed.
     * The same seed always generates the same sequence of ids.
     * Undefined removes the seed, so that the ids are random.
     */
    setSeed(seed: number | undefined) {
      onSeed();
      seeded = seed === undefined ? undefined : { seed, random: createRandom(seed) };
    },
    /** Returns the seed and the current position in the sequence of ids. */
    export: (): IdState => (seeded ? { seed: seeded.seed, random: seeded.random.state } : null),
    /** Restores the seed and the position in the sequence of ids that `export` returned. */
    import(state: IdState) {
      seeded = state ? { seed: state.seed, random: createRandom(state.random) } : undefined;
    },
  };
}

/** The id generator of a sandbox. */
export type IdGenerator = ReturnType<typeof createIdGenerator>;
