import { formatPointer } from '../../util/json-pointer.ts';

/**
 * A difference between two JSON values.
 * `before` is undefined if a value was added, and `after` is undefined if it was removed.
 */
export interface Difference {
  /** The JSON Pointer of the value without its first slash, such as `rating/stars`. */
  readonly pointer: string;
  readonly before: unknown;
  readonly after: unknown;
}

/**
 * Returns the differences between two JSON values.
 * Two lists of different lengths count as one difference.
 * `path`: the property names and indexes that lead to the values.
 */
export function compareValues(before: unknown, after: unknown, path: readonly (string | number)[] = []): Difference[] {
  if (isSame(before, after)) return [];
  const isComparable =
    isObject(before) && isObject(after) && Array.isArray(before) === Array.isArray(after) && !isResized(before, after);
  if (!isComparable) return [{ pointer: formatPointer(...path).slice(1), before, after }];
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...names].flatMap((name) => compareValues(before[name], after[name], [...path, name]));
}

/** Returns whether two JSON values are equal. The order of properties is ignored. */
export function isSame(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (!isObject(one) || !isObject(other) || Array.isArray(one) !== Array.isArray(other)) return false;
  const names = Object.keys(one);
  return names.length === Object.keys(other).length && names.every((name) => isSame(one[name], other[name]));
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

function isResized(before: object, after: object): boolean {
  return Array.isArray(before) && Array.isArray(after) && before.length !== after.length;
}
