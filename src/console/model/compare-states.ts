import type { ControlResponse } from '../../control/operation.ts';
import { createIdentity } from '../../util/entry-identity.ts';
import { isSame } from './compare-values.ts';

/** A change of an entry. `before` is absent if the entry was added. `after` is absent if the entry was removed. */
export type EntryChange = NonNullable<ControlResponse<'getRequest'>['changes']>[number];

type Entry = Readonly<Record<string, unknown>>;
type State = Readonly<Record<string, readonly Entry[]>>;

/**
 * Returns the entries that differ between two states.
 * `keys`: the property that identifies an entry, by collection: `{ pets: 'id' }`.
 * If a collection has no such property, compares entries with the same position.
 */
export function compareStates(
  before: State,
  after: State,
  keys: Readonly<Record<string, string | undefined>>,
): readonly EntryChange[] {
  const collections = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...collections].flatMap((collection) =>
    compareEntries(collection, before[collection] ?? [], after[collection] ?? [], keys[collection]),
  );
}

function compareEntries(
  collection: string,
  before: readonly Entry[],
  after: readonly Entry[],
  key: string | undefined,
) {
  const getIdentity = createIdentity(key);
  const getKey = (entry: Entry, position: number) => getIdentity(entry) ?? position;
  const old = new Map(before.map((entry, position) => [getKey(entry, position), entry]));
  const changes: EntryChange[] = [];
  for (const [position, entry] of after.entries()) {
    const id = getKey(entry, position);
    const previous = old.get(id);
    old.delete(id);
    if (previous === undefined) changes.push({ collection, position, after: entry });
    else if (!isSame(previous, entry)) changes.push({ collection, position, before: previous, after: entry });
  }
  for (const entry of old.values()) changes.push({ collection, before: entry });
  return changes;
}
