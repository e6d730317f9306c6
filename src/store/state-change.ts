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

/** The maximum number of arguments of a function call. V8 has a limit that depends on the size of its stack. */
const MAX_ARGUMENTS = 10_000;

interface Replacement {
  readonly from: number;
  readonly removed: number;
  readonly inserted: readonly Entry[];
}

/** Replaces entries of a list. Returns the same list, or a new list if there are many new entries. */
function replaceEntries(list: Entry[], { from, removed, inserted }: Replacement): Entry[] {
  if (inserted.length > MAX_ARGUMENTS) return [...list.slice(0, from), ...inserted, ...list.slice(from + removed)];
  list.splice(from, removed, ...inserted);
  return list;
}

/** Returns the state after changes. Copies each list only once, because a log can contain thousands of changes of a long list. */
export function applyChanges(state: State, changes: readonly StateChange[]): State {
  const lists = new Map<string, Entry[]>();
  for (const [name, [from, removed, inserted]] of changes.flatMap((change) => Object.entries(change))) {
    const list = lists.get(name) ?? [...(state[name] ?? [])];
    lists.set(name, replaceEntries(list, { from, removed, inserted }));
  }
  return { ...state, ...Object.fromEntries(lists) };
}
