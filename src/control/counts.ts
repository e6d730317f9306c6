import type { State } from '../store/state.ts';

/** Counts the entries of a state by the name of their collection. */
export function countEntries(state: State): Readonly<Record<string, number>> {
  return Object.fromEntries(Object.entries(state).map(([name, entries]) => [name, entries.length]));
}
