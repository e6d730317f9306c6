import { isDeepStrictEqual } from 'node:util';

type Meets = (value: unknown) => boolean;

/** How values are compared, and where the one that is compared with stands. */
export interface Comparison {
  readonly pointer: string;
  readonly meets: (seen: unknown, isMet: Meets) => boolean;
  readonly isSame: (seen: unknown, wanted: unknown) => boolean;
  readonly numberOf: (seen: unknown) => number;
  /** The entries of a list; undefined for what is none. */
  readonly listOf: (seen: unknown) => readonly unknown[] | undefined;
  /** Counts the instructions of a regular expression; throws where there are too many. */
  readonly addPatternSize: (size: number) => void;
}

/** Queries and headers are texts, whatever they stand for; of one that came several times one has to be as wanted. */
export const textComparison = {
  meets: (seen: unknown, isMet: Meets) => isMet(seen) || (Array.isArray(seen) && seen.some(isMet)),
  isSame: (seen: unknown, wanted: unknown) => seen !== undefined && String(seen) === String(wanted),
  numberOf: (seen: unknown) => (typeof seen === 'string' && seen.trim() !== '' ? Number(seen) : Number.NaN),
  // What came once is a list of one.
  listOf: (seen: unknown) => (seen === undefined ? undefined : [seen].flat()),
};

/** Bodies are of JSON's types. */
export const jsonComparison = {
  meets: (seen: unknown, isMet: Meets) => isMet(seen),
  isSame: isDeepStrictEqual,
  numberOf: (seen: unknown) => (typeof seen === 'number' ? seen : Number.NaN),
  listOf: (seen: unknown) => (Array.isArray(seen) ? seen : undefined),
};
