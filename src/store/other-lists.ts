import type { State } from './state.ts';

/**
 * Returns the names of the lists in `state` that the current contract does not define.
 * These lists come from an earlier version of the contract.
 */
export function findOtherLists(state: State, collections: readonly string[]): readonly string[] {
  const names = new Set(collections);
  return Object.keys(state).filter((name) => !names.has(name));
}

/**
 * Returns `next` plus the lists of `current` that the contract does not define.
 * The store calls this before each commit, so that no change and no reset removes these lists.
 */
export function keepOtherLists(current: State, next: State, collections: readonly string[]): State {
  const lost = Object.keys(current).filter((name) => !Object.hasOwn(next, name) && !collections.includes(name));
  if (lost.length === 0) return next;
  return { ...next, ...Object.fromEntries(lost.map((name) => [name, current[name] ?? []])) };
}

/**
 * Returns a copy of default data in which each missing list is empty.
 * A reset to this copy empties these lists, because `keepOtherLists` does not keep them.
 */
export function addEmptyLists(defaults: State, names: readonly string[]): State {
  return { ...Object.fromEntries(names.map((name) => [name, []])), ...defaults };
}
