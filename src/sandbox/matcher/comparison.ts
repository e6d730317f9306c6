import { isDeepStrictEqual } from 'node:util';

type Predicate = (value: unknown) => boolean;

/** Compares queries, headers and forms: as text. If a name is repeated, one of its values has to match. */
export const textComparison = {
  /** Returns whether a value satisfies a predicate. */
  satisfies: (value: unknown, predicate: Predicate): boolean =>
    predicate(value) || (Array.isArray(value) && value.some(predicate)),
  isEqual: (value: unknown, expected: unknown) => value !== undefined && String(value) === String(expected),
  /** Returns NaN for a value that is not a number. */
  toNumber: (value: unknown) => (typeof value === 'string' && value.trim() !== '' ? Number(value) : Number.NaN),
  /** Returns the entries of a list; undefined for other values. A single value is a list of one. */
  toList: (value: unknown): readonly unknown[] | undefined => (value === undefined ? undefined : [value].flat()),
};

/** Compares JSON bodies: by type and value. */
export const jsonComparison: typeof textComparison = {
  satisfies: (value, predicate) => predicate(value),
  isEqual: isDeepStrictEqual,
  toNumber: (value) => (typeof value === 'number' ? value : Number.NaN),
  toList: (value) => (Array.isArray(value) ? value : undefined),
};
