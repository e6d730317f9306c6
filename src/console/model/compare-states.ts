import type { ControlResponse } from '../../control/operation.ts';
import { createIdentity } from '../../util/entry-identity.ts';
import { formatPointer } from '../../util/json-pointer.ts';

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

/**
 * A difference between two JSON values.
 * `before` is undefined if a value was added, and `after` is undefined if it was removed.
 */
interface Difference {
  /** The JSON Pointer of the value without its first slash, such as `rating/stars`. */
  readonly pointer: string;
  readonly before: unknown;
  readonly after: unknown;
}

/**
 * Returns the differences between two JSON values.
 * Two lists of different lengths count as one difference.
 * `path`: the property names and indexes that lead to the values.
 */
export function compareValues(before: unknown, after: unknown, path: readonly (string | number)[] = []): Difference[] {
  if (isSame(before, after)) return [];
  const isComparable =
    isObject(before) && isObject(after) && Array.isArray(before) === Array.isArray(after) && !isResized(before, after);
  if (!isComparable) return [{ pointer: formatPointer(...path).slice(1), before, after }];
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...names].flatMap((name) => compareValues(before[name], after[name], [...path, name]));
}

/** Returns whether two JSON values are equal. The order of properties is ignored. */
function isSame(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (!isObject(one) || !isObject(other) || Array.isArray(one) !== Array.isArray(other)) return false;
  const names = Object.keys(one);
  return names.length === Object.keys(other).length && names.every((name) => isSame(one[name], other[name]));
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

function isResized(before: object, after: object): boolean {
  return Array.isArray(before) && Array.isArray(after) && before.length !== after.length;
}
