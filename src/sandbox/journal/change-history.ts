import { findDifference, findListChanges, getCollection, hasSameList } from '../../store/entry-list.ts';
import type { Entry } from '../../store/state.ts';
import { measureValue, type StateChange } from './recorded-request.ts';

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
const MAX_CHANGED_BYTES = 1_000_000;

/** The changes that the latest requests made to the state of a sandbox, by the id of the request in the journal. */
export class ChangeHistory {
  private readonly changes = new Map<number, RequestChanges>();

  /** `charge`: adds bytes to the memory of the journal. A negative number frees memory. */
  constructor(private readonly charge: (bytes: number) => void) {}

  /** Adds the changes of a request, as returned by `compareAllStates`. `id`: the id of the request in the journal. */
  add(id: number, lists: readonly ListChange[]): void {
    const entries = lists.reduce((count, { before, after }) => count + before.length + after.length, 0);
    if (entries > MAX_ENTRIES) return;
    let bytes = 0;
    for (const { before, after } of lists) for (const entry of [...before, ...after]) bytes += measureValue(entry);
    if (bytes > MAX_CHANGED_BYTES) return;
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
    for (const id of this.changes.keys()) if (id <= lastId) this.delete(id);
  }

  private delete(id: number): void {
    this.charge(-(this.changes.get(id)?.bytes ?? 0));
    this.changes.delete(id);
  }
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
      if (hasSameList(before, after, collection)) continue;
      const [change, ...others] = findListChanges(before, after, collection);
      if (!change) continue;
      if (others.length === 0) {
        if (change.removed.length + change.inserted.length > 0)
          changes.push({ collection, start: change.from, before: change.removed, after: change.inserted });
        continue;
      }
      const [from, to] = [getCollection(before, collection), getCollection(after, collection)];
      const { start, fromEnd, toEnd } = findDifference(from, to);
      if (start < Math.max(fromEnd, toEnd))
        changes.push({ collection, start, before: from.slice(start, fromEnd), after: to.slice(start, toEnd) });
    }
  }
  return changes;
}
