import type { State } from './state.ts';

/** Returns the names of the lists in a state that are not collections of the current contract. Such lists come from an earlier version of the contract. */
export function findOtherLists(state: State, collections: readonly string[]): readonly string[] {
  const names = new Set(collections);
  return Object.keys(state).filter((name) => !names.has(name));
}

/**
 * Returns `next` with the lists of `current` that are not collections of the contract and that `next` lacks. The store calls it before each commit, so that
 * no change and no reset removes these lists.
 */
export function keepOtherLists(current: State, next: State, collections: readonly string[]): State {
  const lost = Object.keys(current).filter((name) => !Object.hasOwn(next, name) && !collections.includes(name));
  if (lost.length === 0) return next;
  return { ...next, ...Object.fromEntries(lost.map((name) => [name, current[name] ?? []])) };
}
