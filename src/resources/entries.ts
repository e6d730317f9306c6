import { isNode, toNode } from '../openapi/document.ts';
import type { Entry } from '../store/state.ts';
import type { Mount, PathKey, Resource } from './resource.ts';
import { PATH_VALUES } from './resource.ts';

/** The values of the path parameters of a request, by the names in the path template. */
export type PathInput = Readonly<Record<string, string>>;

/**
 * Returns the value of an entry that corresponds to a path parameter, as text: the id for `petId`. Returns undefined if there is no such value, or if it is an
 * object.
 */
export function getKeyValue(entry: Entry, { property, name }: PathKey): string | undefined {
  const value = property === undefined ? getOwn(getPathValues(entry), name) : getProperty(entry, property);
  return value === undefined || typeof value === 'object' ? undefined : String(value);
}

/** Returns the value of a property. `property`: the names of nested properties, separated by dots. */
export function getProperty(entry: Entry, property: string): unknown {
  // This function is called for each entry of a list, so a name that is not nested is not split.
  if (!property.includes('.')) return getOwn(entry, property);
  return property.split('.').reduce<unknown>((value, name) => (isNode(value) ? getOwn(value, name) : undefined), entry);
}

/** Returns the value of an own property, without the properties that every JavaScript object inherits, such as `constructor`. */
export function getOwn(object: Readonly<Record<string, unknown>>, name: string): unknown {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

/** Returns a copy of an entry in which a property is set. A new property is added before all others if it is not nested. */
function setProperty(entry: Entry, property: string, value: unknown): Entry {
  const [name = '', ...rest] = property.split('.');
  if (rest.length > 0) return { ...entry, [name]: setProperty(toNode(entry[name]), rest.join('.'), value) };
  const { [name]: _old, ...others } = entry;
  return Object.hasOwn(entry, name) ? { ...entry, [name]: value } : { [name]: value, ...others };
}

/** Returns the path parameters that are stored with an entry because its schema has no properties for them. */
export function getPathValues(entry: Entry): Readonly<Record<string, unknown>> {
  return (entry[PATH_VALUES] ?? {}) as Readonly<Record<string, unknown>>;
}

/** Returns an entry without its stored path parameters (`PATH_VALUES`), which are never sent to clients. */
export function removePathValues(entry: Entry): Entry {
  if (!(PATH_VALUES in entry)) return entry;
  const { [PATH_VALUES]: _hidden, ...visible } = entry;
  return visible;
}

/** Returns a copy of an entry in which the value for a path parameter is set. */
export function setKeyValue(entry: Entry, { property, name }: PathKey, value: unknown): Entry {
  if (property !== undefined) return setProperty(entry, property, value);
  return { ...entry, [PATH_VALUES]: { ...getPathValues(entry), [name]: value } };
}

/** Returns a copy of `entry` with the value that the entry `from` has in the property `key.property`. Returns `entry` itself if there is no such value. */
export function copyKeyValue(from: Entry, entry: Entry, key: PathKey): Entry {
  const value = key.property === undefined ? undefined : getProperty(from, key.property);
  return value === undefined ? entry : setKeyValue(entry, key, value);
}

/** Creates a function that returns whether another entry has the same id as an entry. If entries have parents, the parents must be the same too. */
export function matchId({ id, mounts: [mount] }: Resource, entry: Entry): (other: Entry) => boolean {
  const keys = [id, ...(mount?.parents ?? [])];
  const values = keys.map((key) => getKeyValue(entry, key));
  return (other) => keys.every((key, index) => getKeyValue(other, key) === values[index]);
}

/** Returns whether an entry belongs to the parents that a path names. `path`: the path parameters of the request. */
export function hasParents(entry: Entry, { parents }: Mount, path: PathInput): boolean {
  return parents.every((parent) => getKeyValue(entry, parent) === path[parent.parameter]);
}

/** Returns the index of the entry that a path selects; -1 if there is none. `path`: the path parameters of the request. */
export function findIndex(entries: readonly Entry[], { kind }: Resource, mount: Mount, path: PathInput): number {
  const { id } = mount;
  const find = (key: PathKey) => {
    const isEntry = (entry: Entry) => kind === 'singleton' || getKeyValue(entry, key) === path[key.parameter];
    return entries.findIndex((entry) => isEntry(entry) && hasParents(entry, mount, path));
  };
  const index = find(id);
  return index === -1 && id.alias !== undefined ? find({ ...id, property: id.alias }) : index;
}

/** Returns a text that identifies an entry within its resource. The text is used as the seed for the values that are generated for the entry. */
export function getEntryKey({ id, kind, mounts }: Resource, entry: Entry): string {
  if (kind === 'collection' && id.property !== undefined) return getKeyValue(entry, id) ?? '';
  const keys = [...(mounts[0]?.parents ?? []), ...(kind === 'collection' ? [id] : [])];
  return keys.map((key) => getKeyValue(entry, key)).join('/');
}
