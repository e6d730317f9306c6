import { createRandom, type Random } from '../util/random.ts';

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
    /** Sets the seed, so that the same ids are generated each time. Without a seed, the ids are random again. */
    use(seed: number | undefined) {
      onSeed();
      seeded = seed === undefined ? undefined : { seed, random: createRandom(seed) };
    },
  };
}

/** The id generator of a sandbox. */
export type IdGenerator = ReturnType<typeof createIdGenerator>;

/** Creates a UUID of version 4 (RFC 9562, section 5.4). */
function createUuid(random: Random): string {
  return 'xxxxxxxx-xxxx-4xxx-yxxx-xxxxxxxxxxxx'.replaceAll(/[xy]/g, (digit) =>
    (digit === 'x' ? random.integer(0, 15) : random.integer(8, 11)).toString(16),
  );
}
