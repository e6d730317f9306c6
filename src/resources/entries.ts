import type { Entry } from '../store/state.ts';
import type { Mount, PathKey, Resource } from './resource.ts';
import { PATH_VALUES } from './resource.ts';

/** The values of the path parameters of a request, by the names in the path template. */
export type PathInput = Readonly<Record<string, string>>;

/** Returns the value of an entry for a path parameter, as text; undefined if the entry has none. */
export function getKeyValue(entry: Entry, { property, name }: PathKey): string | undefined {
  const value = property === undefined ? getPathValues(entry)[name] : entry[property];
  return value === undefined || value === null ? undefined : String(value);
}

/** Returns the values of an entry that its schema has no properties for. */
export function getPathValues(entry: Entry): Readonly<Record<string, unknown>> {
  return (entry[PATH_VALUES] ?? {}) as Readonly<Record<string, unknown>>;
}

/** Returns the entry without the values that are never sent. */
export function removePathValues(entry: Entry): Entry {
  if (!(PATH_VALUES in entry)) return entry;
  const { [PATH_VALUES]: _hidden, ...visible } = entry;
  return visible;
}

/** Returns an entry with the value of a path parameter set. */
export function setKeyValue(entry: Entry, { property, name }: PathKey, value: unknown): Entry {
  if (property !== undefined) return { ...entry, [property]: value };
  return { ...entry, [PATH_VALUES]: { ...getPathValues(entry), [name]: value } };
}

/** Returns whether an entry belongs to the parents in a path. */
export function hasParents(entry: Entry, { parents }: Mount, path: PathInput): boolean {
  return parents.every((parent) => getKeyValue(entry, parent) === path[parent.parameter]);
}

/** Returns the index of the entry at a path; -1 if there is none. */
export function findIndex(entries: readonly Entry[], { kind, id }: Resource, mount: Mount, path: PathInput): number {
  const isEntry = (entry: Entry) => kind === 'singleton' || getKeyValue(entry, id) === path[mount.id.parameter];
  return entries.findIndex((entry) => isEntry(entry) && hasParents(entry, mount, path));
}

/** Returns the text that identifies an entry within its resource, from which generated values are derived. */
export function getEntryKey({ id, kind, mounts }: Resource, entry: Entry): string {
  if (kind === 'collection' && id.property !== undefined) return getKeyValue(entry, id) ?? '';
  const keys = [...(mounts[0]?.parents ?? []), ...(kind === 'collection' ? [id] : [])];
  return keys.map((key) => getKeyValue(entry, key)).join('/');
}
