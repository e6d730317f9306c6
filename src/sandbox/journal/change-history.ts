import type { Entry, State } from '../../store/state.ts';
import { findDifference } from '../../store/state-change.ts';
import { measureValue } from '../memory/shared-objects.ts';

/** The states of a sandbox before and after a change. */
export interface StateChange {
  readonly before: State;
  readonly after: State;
}

/** A change of a collection: at the index `start`, the entries in `after` replace the entries in `before`. */
export interface ListChange {
  readonly collection: string;
  readonly start: number;
  readonly before: readonly Entry[];
  readonly after: readonly Entry[];
}

/** The changes that a request made to the state, and their approximate memory in bytes. */
interface RequestChanges {
  readonly lists: readonly ListChange[];
  readonly bytes: number;
}

/** The maximum number of requests whose changes are stored for each sandbox. */
export const MAX_CHANGED_REQUESTS = 20;

/** The maximum number of entries in the changes of one request. Changes with more entries are not stored. */
const MAX_ENTRIES = 1_000;

/** The maximum memory of the changes of one request, in bytes. Larger changes are not stored. */
const MAX_BYTES = 1_000_000;

/** The changes that the latest requests made to the state of a sandbox, by the id of the request in the journal. */
export class ChangeHistory {
  private readonly changes = new Map<number, RequestChanges>();

  /** `charge`: adds bytes to the memory of the journal. A negative number frees memory. */
  constructor(private readonly charge: (bytes: number) => void) {}

  /**
   * Adds the changes of a request.
   * `id`: the id of the request in the journal.
   * Stores only the entries that differ between the states.
   */
  add(id: number, states: readonly StateChange[]): void {
    this.addLists(id, compareAllStates(states));
  }

  /** Adds the changes of a request, as returned by `compareAllStates`. `id`: the id of the request in the journal. */
  addLists(id: number, lists: readonly ListChange[]): void {
    const entries = lists.reduce((count, { before, after }) => count + before.length + after.length, 0);
    if (entries > MAX_ENTRIES) return;
    const bytes = lists.reduce((sum, { before, after }) => sum + measureEntries(before) + measureEntries(after), 0);
    if (bytes > MAX_BYTES) return;
    this.changes.set(id, { lists, bytes });
    this.charge(bytes);
    const [oldest] = this.changes.keys();
    if (this.changes.size > MAX_CHANGED_REQUESTS && oldest !== undefined) this.delete(oldest);
  }

  /** Returns the changes of the request with the given id. Returns undefined if they are not stored. */
  get(id: number): readonly ListChange[] | undefined {
    return this.changes.get(id)?.lists;
  }

  /** Removes the changes of all requests up to and including the id `lastId`. */
  drop(lastId: number): void {
    // The ids are in ascending order.
    for (const id of this.changes.keys()) {
      if (id > lastId) return;
      this.delete(id);
    }
  }

  private delete(id: number): void {
    this.charge(-(this.changes.get(id)?.bytes ?? 0));
    this.changes.delete(id);
  }
}

/** Returns the memory of entries, in bytes. */
function measureEntries(entries: readonly Entry[]): number {
  return entries.reduce((sum, entry) => sum + measureValue(entry), 0);
}

/**
 * Returns the entries that differ between the states before and after each change.
 * Ignores lists that are missing in `after`, because the store does not change them.
 * Uses loops, because it runs for each change, and `flatMap` takes five times as long.
 */
export function compareAllStates(states: readonly StateChange[]): readonly ListChange[] {
  const changes: ListChange[] = [];
  for (const { before, after } of states) {
    for (const collection of Object.keys(after)) {
      const change = compareLists(collection, before[collection], after[collection]);
      if (change) changes.push(change);
    }
  }
  return changes;
}

/** Returns the entries that differ between two versions of a collection. Returns undefined if there are none. */
function compareLists(
  collection: string,
  from: readonly Entry[] = [],
  to: readonly Entry[] = [],
): ListChange | undefined {
  if (from === to) return undefined;
  const { start, fromEnd, toEnd } = findDifference(from, to);
  if (start === fromEnd && start === toEnd) return undefined;
  return { collection, start, before: from.slice(start, fromEnd), after: to.slice(start, toEnd) };
}
