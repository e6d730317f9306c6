import { createRandom, type Random } from '../util/random.ts';

/** Where the ids of a sandbox come from. */
export interface IdGenerator {
  /** A new id (uuid). */
  next(): string;
  /** The seed that they are made of; undefined where they are random. */
  readonly seed: number | undefined;
  /** Has them be made of a seed, the same ones each time, or be random again. */
  use(seed: number | undefined): void;
}

/** Ids that are random until they are given a seed. `onUse` is called with each change of the seed. */
export function createIdGenerator(randomId: () => string, onUse: () => void = () => {}): IdGenerator {
  let seed: number | undefined;
  let random: Random | undefined;
  return {
    next: () => (random ? uuidFrom(random) : randomId()),
    get seed() {
      return seed;
    },
    use(wanted) {
      onUse();
      seed = wanted;
      random = wanted === undefined ? undefined : createRandom(wanted);
    },
  };
}

/** A uuid of version 4 (RFC 9562, section 5.4) made by chance. */
function uuidFrom(random: Random): string {
  return 'xxxxxxxx-xxxx-4xxx-yxxx-xxxxxxxxxxxx'.replaceAll(/[xy]/g, (place) =>
    (place === 'x' ? random.whole(0, 15) : random.whole(8, 11)).toString(16),
  );
}
