import type { ListChange } from '../sandbox/journal/change-history.ts';
import type { Entry } from '../store/state.ts';
import { createIdentity } from '../util/entry-identity.ts';
import type { EntryChange } from './operation.ts';

/**
 * Converts changed lists to a list of changed entries.
 * `getKey`: returns the property that identifies the entries of a collection, such as `id`.
 */
export function toEntryChanges(
  lists: readonly ListChange[],
  getKey: (collection: string) => string | undefined,
): EntryChange[] {
  return lists.flatMap((list) => pairEntries(list, createIdentity(getKey(list.collection))));
}

/**
 * Compares a list before and after a change.
 * Returns the entries that were added or changed, and then the entries that were removed.
 * If an entry before and an entry after the change have the same id, the entry was changed.
 * An entry without an id is identified by its index.
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
