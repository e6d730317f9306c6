import { isNode, toNode } from '../openapi/document.ts';
import type { Entry } from '../store/state.ts';
import type { Mount, PathKey, Resource } from './resource.ts';
import { PATH_VALUES } from './resource.ts';

/** The values of the path parameters of a request, by the names in the path template. */
export type PathInput = Readonly<Record<string, string>>;

/** Returns the value of an entry for a path parameter, as text; undefined if the entry has none, or an object. */
export function getKeyValue(entry: Entry, { property, name }: PathKey): string | undefined {
  const value = property === undefined ? getOwn(getPathValues(entry), name) : getProperty(entry, property);
  return value === undefined || typeof value === 'object' ? undefined : String(value);
}

/** Returns the value of a property. `property`: the names of nested properties, separated by dots. */
export function getProperty(entry: Entry, property: string): unknown {
  // Called for each entry of a list, so it does not split a name that is not nested.
  if (!property.includes('.')) return getOwn(entry, property);
  return property.split('.').reduce<unknown>((value, name) => (isNode(value) ? getOwn(value, name) : undefined), entry);
}

/** Returns the value of a property that is not inherited: an entry has no `constructor` unless the client sends one. */
export function getOwn(object: Readonly<Record<string, unknown>>, name: string): unknown {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

/** Returns an entry with a property set. The property comes first if it is new and not nested. */
function setProperty(entry: Entry, property: string, value: unknown): Entry {
  const [name = '', ...rest] = property.split('.');
  if (rest.length > 0) return { ...entry, [name]: setProperty(toNode(entry[name]), rest.join('.'), value) };
  const { [name]: _old, ...others } = entry;
  return Object.hasOwn(entry, name) ? { ...entry, [name]: value } : { [name]: value, ...others };
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
  if (property !== undefined) return setProperty(entry, property, value);
  return { ...entry, [PATH_VALUES]: { ...getPathValues(entry), [name]: value } };
}

/** Returns an entry with the value of a path parameter that another entry has. */
export function copyKeyValue(from: Entry, entry: Entry, key: PathKey): Entry {
  const value = key.property === undefined ? undefined : getProperty(from, key.property);
  return value === undefined ? entry : setKeyValue(entry, key, value);
}

/**
 * Creates a function that returns whether another entry has the same id as an entry. The ids of entries with parents are unique among the entries with the same
 * parents.
 */
export function matchId({ id, mounts: [mount] }: Resource, entry: Entry): (other: Entry) => boolean {
  const keys = [id, ...(mount?.parents ?? [])];
  const values = keys.map((key) => getKeyValue(entry, key));
  return (other) => keys.every((key, index) => getKeyValue(other, key) === values[index]);
}

/** Returns whether an entry belongs to the parents in a path. */
export function hasParents(entry: Entry, { parents }: Mount, path: PathInput): boolean {
  return parents.every((parent) => getKeyValue(entry, parent) === path[parent.parameter]);
}

/** Returns the index of the entry at a path; -1 if there is none. */
export function findIndex(entries: readonly Entry[], { kind }: Resource, mount: Mount, path: PathInput): number {
  const { id } = mount;
  const isEntry = (entry: Entry) => kind === 'singleton' || getKeyValue(entry, id) === path[id.parameter];
  return entries.findIndex((entry) => isEntry(entry) && hasParents(entry, mount, path));
}

/** Returns the text that identifies an entry within its resource, from which generated values are derived. */
export function getEntryKey({ id, kind, mounts }: Resource, entry: Entry): string {
  if (kind === 'collection' && id.property !== undefined) return getKeyValue(entry, id) ?? '';
  const keys = [...(mounts[0]?.parents ?? []), ...(kind === 'collection' ? [id] : [])];
  return keys.map((key) => getKeyValue(entry, key)).join('/');
}
