import type { Entry, State } from './state.ts';

/**
 * The difference between two states. For each changed collection: the index of the first changed entry, the number of removed entries, and the inserted
 * entries.
 */
export type StateChange = Readonly<
  Record<string, readonly [from: number, removed: number, inserted: readonly Entry[]]>
>;

/** Returns the difference between two states. Compares entries by identity, because they never change in place. */
export function compareStates(previous: State, next: State): StateChange {
  const changed = Object.keys(next).filter((name) => next[name] !== previous[name]);
  return Object.fromEntries(changed.map((name) => [name, compareLists(previous[name] ?? [], next[name] ?? [])]));
}

function compareLists(previous: readonly Entry[], next: readonly Entry[]): StateChange[string] {
  const shorter = Math.min(previous.length, next.length);
  let from = 0;
  while (from < shorter && previous[from] === next[from]) from++;
  let equalAtEnd = 0;
  while (
    equalAtEnd < shorter - from &&
    previous[previous.length - 1 - equalAtEnd] === next[next.length - 1 - equalAtEnd]
  )
    equalAtEnd++;
  return [from, previous.length - from - equalAtEnd, next.slice(from, next.length - equalAtEnd)];
}

/** Returns the state after a change. */
export function applyChange(state: State, change: StateChange): State {
  const lists = Object.entries(change).map(([name, [from, removed, inserted]]) => {
    const list = state[name] ?? [];
    return [name, [...list.slice(0, from), ...inserted, ...list.slice(from + removed)]];
  });
  return { ...state, ...Object.fromEntries(lists) };
}
