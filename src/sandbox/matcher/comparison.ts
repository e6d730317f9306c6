import { isDeepStrictEqual } from 'node:util';

type Predicate = (value: unknown) => boolean;

/** Compares the values of queries, headers and forms as text. If a name occurs several times, one of its values must match. */
export const textComparison = {
  /** Returns whether a value satisfies a predicate. */
  satisfies: (value: unknown, predicate: Predicate): boolean =>
    predicate(value) || (Array.isArray(value) && value.some(predicate)),
  isEqual: (value: unknown, expected: unknown) => value !== undefined && String(value) === String(expected),
  /** Returns NaN for a value that is not a number. */
  toNumber: (value: unknown) => (typeof value === 'string' && value.trim() !== '' ? Number(value) : Number.NaN),
  /** Returns the entries of a list. Returns a list with one entry for a single value, and undefined if there is no value. */
  toList: (value: unknown): readonly unknown[] | undefined => (value === undefined ? undefined : [value].flat()),
};

/** Compares the values of JSON bodies by type and value. */
export const jsonComparison: typeof textComparison = {
  satisfies: (value, predicate) => predicate(value),
  isEqual: isDeepStrictEqual,
  toNumber: (value) => (typeof value === 'number' ? value : Number.NaN),
  toList: (value) => (Array.isArray(value) ? value : undefined),
};
