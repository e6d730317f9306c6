import { isDeepStrictEqual } from 'node:util';

type Predicate = (value: unknown) => boolean;

/** How the values of a part of the request are compared, and where the matcher stands. */
export interface Comparison {
  /** The location of the matcher (JSON Pointer). */
  readonly pointer: string;
  /** Returns whether a value satisfies a predicate. */
  readonly satisfies: (value: unknown, predicate: Predicate) => boolean;
  readonly isEqual: (value: unknown, expected: unknown) => boolean;
  /** Returns NaN for a value that is not a number. */
  readonly toNumber: (value: unknown) => number;
  /** Returns the entries of a list; undefined for other values. */
  readonly toList: (value: unknown) => readonly unknown[] | undefined;
  /** Counts the instructions of a regular expression. Throws an `InvalidMatcherError` if there are too many. */
  readonly addPatternSize: (size: number) => void;
}

/** Compares queries, headers and forms: as text. If a name is repeated, one of its values has to match. */
export const textComparison = {
  satisfies: (value: unknown, predicate: Predicate) =>
    predicate(value) || (Array.isArray(value) && value.some(predicate)),
  isEqual: (value: unknown, expected: unknown) => value !== undefined && String(value) === String(expected),
  toNumber: (value: unknown) => (typeof value === 'string' && value.trim() !== '' ? Number(value) : Number.NaN),
  // A single value is a list of one.
  toList: (value: unknown) => (value === undefined ? undefined : [value].flat()),
};

/** Compares JSON bodies: by type and value. */
export const jsonComparison = {
  satisfies: (value: unknown, predicate: Predicate) => predicate(value),
  isEqual: isDeepStrictEqual,
  toNumber: (value: unknown) => (typeof value === 'number' ? value : Number.NaN),
  toList: (value: unknown) => (Array.isArray(value) ? value : undefined),
};
