import type { State } from './state.ts';

/** Returns the names of the lists of a state that are not collections of the contract. They belong to another version of the contract. */
export function findOtherLists(state: State, collections: readonly string[]): readonly string[] {
  const names = new Set(collections);
  return Object.keys(state).filter((name) => !names.has(name));
}

/** Returns the next state with the lists of the current state that are not collections of the contract. So no change and no reset removes them. */
export function keepOtherLists(current: State, next: State, collections: readonly string[]): State {
  const lost = Object.keys(current).filter((name) => !Object.hasOwn(next, name) && !collections.includes(name));
  if (lost.length === 0) return next;
  return { ...next, ...Object.fromEntries(lost.map((name) => [name, current[name] ?? []])) };
}
