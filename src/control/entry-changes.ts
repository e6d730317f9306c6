import type { ListChange } from '../sandbox/journal/change-history.ts';
import type { Entry } from '../store/state.ts';
import { createIdentity } from '../util/entry-identity.ts';
import type { EntryChange } from './operation.ts';

/** Converts changes of lists to changes of single entries. `getKey`: returns the name of the property that identifies the entries of a collection. */
export function toEntryChanges(
  lists: readonly ListChange[],
  getKey: (collection: string) => string | undefined,
): EntryChange[] {
  return lists.flatMap((list) => pairEntries(list, createIdentity(getKey(list.collection))));
}

/**
 * Compares a list before and after a change, and returns the entries that were added, changed or removed, with the removed entries last. Two entries with the
 * same id are versions of one entry. An entry without an id is identified by its index.
 */
function pairEntries({ collection, start, before, after }: ListChange, getId: (entry: Entry) => string | undefined) {
  const removed = new Map<string, Entry>();
  for (const [index, entry] of before.entries()) removed.set(getId(entry) ?? `#${index}`, entry);
  const changes: EntryChange[] = [];
  for (const [index, entry] of after.entries()) {
    const id = getId(entry) ?? `#${index}`;
    const old = removed.get(id);
    removed.delete(id);
    const place = { collection, position: start + index };
    if (old === undefined) changes.push({ ...place, after: entry });
    // An entry that is only at another position has not changed.
    else if (old !== entry) changes.push({ ...place, before: old, after: entry });
  }
  return [...changes, ...Array.from(removed.values(), (entry) => ({ collection, before: entry }))];
}
