import type { Entry } from './state.ts';

/**
 * Returns the indexes between which two lists differ. Before index `start`, both lists are equal. They are equal again from index `fromEnd` in `from`, and from
 * index `toEnd` in `to`. Compares entries by identity.
 */
export function findDifference(from: readonly Entry[], to: readonly Entry[]) {
  const shorter = Math.min(from.length, to.length);
  let start = 0;
  while (start < shorter && from[start] === to[start]) start++;
  let [fromEnd, toEnd] = [from.length, to.length];
  while (fromEnd > start && toEnd > start && from[fromEnd - 1] === to[toEnd - 1]) {
    fromEnd--;
    toEnd--;
  }
  return { start, fromEnd, toEnd };
}
