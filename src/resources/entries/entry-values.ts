import { isNode, omitKeys, toNode } from '../../openapi/document.ts';
import type { Entry } from '../../store/state.ts';
import { memoizeByObject } from '../../util/memoize-by-object.ts';
import type { SchemaReader } from '../document/schema-reader.ts';
import { type Mount, PATH_VALUES, type Parent, type PathKey, type Plan, type Resource } from '../resource.ts';

/** The path parameters of a request: `{ petId: '7' }` for the path template `/pets/{petId}`. */
export type PathInput = Readonly<Record<string, string>>;

/** Returns the JSON Pointers of the schemas of the parameters in a path, by their names. */
export const getPathSchemas = memoizeByObject(
  ({ parents, id }: Mount): ReadonlyMap<string, string> =>
    new Map([...parents, id].map(({ parameter, schema }) => [parameter, schema])),
);

/** Returns the `PathKey` of a property that has the id of another entry and is in no path, such as `projectId`. */
export function createPropertyKey(property: string, schema: string): PathKey {
  return { parameter: property, property, name: property, schema };
}

/**
 * Returns an entry's value for a path parameter, as text: `'7'` for `{petId}` if the pet has the id 7.
 * Returns undefined if the entry has no value for the parameter, or if the value is an object.
 */
export function getKeyValue(entry: Entry, key: PathKey): string | undefined {
  const value = getStoredKey(entry, key);
  return value === undefined || typeof value === 'object' ? undefined : String(value);
}

/** Returns the value that an entry stores for a path parameter. */
export function getStoredKey(entry: Entry, { property, name }: PathKey): unknown {
  return property === undefined ? getOwn(getPathValues(entry), name) : getProperty(entry, property);
}

/**
 * Returns the value of a property of an entry.
 * `property`: a name such as `id`, or the path of a nested property, such as `metadata.name`.
 */
export function getProperty(entry: Entry, property: string): unknown {
  // This function is called for each entry of a list, so a name that is not nested is not split.
  if (!property.includes('.') || Object.hasOwn(entry, property)) return getOwn(entry, property);
  return property.split('.').reduce<unknown>((value, name) => (isNode(value) ? getOwn(value, name) : undefined), entry);
}

/**
 * Returns the value of an own property.
 * Returns undefined for a property that every JavaScript object inherits, such as `constructor`.
 */
export function getOwn(object: Readonly<Record<string, unknown>>, name: string): unknown {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

/**
 * Returns a copy of an entry with a changed or added property.
 * An added property becomes the first one, unless it is nested.
 */
function setProperty(entry: Entry, property: string, value: unknown): Entry {
  const [name = '', ...rest] = property.split('.');
  if (rest.length > 0) return { ...entry, [name]: setProperty(toNode(entry[name]), rest.join('.'), value) };
  const { [name]: _old, ...others } = entry;
  return Object.hasOwn(entry, name) ? { ...entry, [name]: value } : { [name]: value, ...others };
}

/**
 * Returns the path parameters in the hidden property `PATH_VALUES` of an entry.
 * An entry stores path parameters there if its schema has no properties for them.
 */
export function getPathValues(entry: Entry): Readonly<Record<string, unknown>> {
  return (entry[PATH_VALUES] ?? {}) as Readonly<Record<string, unknown>>;
}

/** Returns an entry without its hidden property `PATH_VALUES`, which is never sent to clients. */
export function removePathValues(entry: Entry): Entry {
  if (!(PATH_VALUES in entry)) return entry;
  const { [PATH_VALUES]: _hidden, ...visible } = entry;
  return visible;
}

/** Returns a copy of an entry with a new value for a path parameter, such as a new id for `{petId}`. */
export function setKeyValue(entry: Entry, { property, name }: PathKey, value: unknown): Entry {
  if (property !== undefined) return setProperty(entry, property, value);
  return { ...entry, [PATH_VALUES]: { ...getPathValues(entry), [name]: value } };
}

/** Returns a copy of an entry with the id of its parent, and with the type of the parent if it has one (JSON:API). */
export function setParent(entry: Entry, parent: Parent, id: unknown): Entry {
  const { type, property = '' } = parent;
  const named = setKeyValue(entry, parent, id);
  const typeProperty = property.replace(/id$/, 'type');
  return type === undefined || getProperty(named, typeProperty) !== undefined
    ? named
    : setProperty(named, typeProperty, type);
}

/**
 * Returns the parent of an entry to which a request moves it: the list of a card at `/lists/{listId}/cards/{id}`, if
 * the request can have another `listId`. Returns undefined if the entry stays where it is.
 * `sent`: the properties in the request.
 */
export function findMovedParent(
  reader: SchemaReader,
  { resource: { kind, canPost }, mount: { parents }, route, requestPath }: Plan,
  { current, sent }: { readonly current: Entry; readonly sent: Entry },
): Parent | undefined {
  const parent = parents.at(-1);
  const { property, isSender } = parent ?? {};
  if (!parent || property === undefined || isSender || kind !== 'collection' || !canPost) return undefined;
  const value = sent[property];
  const request = value === undefined || value === null ? undefined : reader.getRequestInner(route, requestPath);
  const pointer = request === undefined ? undefined : reader.getProperties(request).get(property);
  const isSent = pointer !== undefined && reader.getKeyword(pointer, 'readOnly') !== true;
  return isSent && String(value) !== getKeyValue(current, parent) ? parent : undefined;
}

/** Returns a changed entry with its id and the ids of its parents, unless the request moves it to another parent. */
export function keepKeys(
  reader: SchemaReader,
  plan: Plan,
  change: { readonly current: Entry; readonly sent: Entry },
  entry: Entry,
): Entry {
  const { resource, mount } = plan;
  const moved = findMovedParent(reader, plan, change);
  const ids = resource.kind === 'collection' ? [resource.id] : [];
  const keys = [...ids, ...mount.parents.filter((parent) => parent !== moved)];
  return keys.reduce((next, key) => copyKeyValue(change.current, next, key), entry);
}

/**
 * Copies the property `key.property`, such as the id, from the entry `from` to a copy of `entry`.
 * Returns `entry` itself if `from` does not have the property.
 */
export function copyKeyValue(from: Entry, entry: Entry, key: PathKey): Entry {
  const value = key.property === undefined ? undefined : getProperty(from, key.property);
  return value === undefined ? entry : setKeyValue(entry, key, value);
}

/**
 * Returns a text that identifies an entry within its resource, such as its id.
 * The text is the seed for the generated values of the entry.
 */
export function getEntryKey({ id, kind, mounts }: Resource, entry: Entry): string {
  if (kind === 'collection' && id.property !== undefined) return getKeyValue(entry, id) ?? '';
  const keys = [...(mounts[0]?.parents ?? []), ...(kind === 'collection' ? [id] : [])];
  return keys.map((key) => getKeyValue(entry, key)).join('/');
}

/** Returns the id by which other entries belong to an entry: its own, or that of its parent if it is a singleton. */
export function getParentId({ kind, id, mounts }: Resource, entry: Entry): string | undefined {
  const key = kind === 'singleton' ? mounts[0]?.parents.at(-1) : id;
  return key && getKeyValue(entry, key);
}

/**
 * Returns a copy of an object with a new value at a path: `['data', 'pet']` sets `data.pet`.
 * For an empty path, adds all properties of `value` to the object.
 */
export function setInner(object: Entry, [name, ...rest]: readonly string[], value: unknown): Entry {
  if (name === undefined) return { ...object, ...(value as Entry) };
  if (rest.length === 0) return { ...object, [name]: value };
  return { ...object, [name]: setInner((getOwn(object, name) ?? {}) as Entry, rest, value) };
}

/** Returns a copy of an object without the value at a path. */
export function omitInner(object: Entry, [name = '', ...rest]: readonly string[]): Entry {
  if (rest.length === 0) return omitKeys(object, [name]);
  const inner = getOwn(object, name);
  return isNode(inner) ? { ...object, [name]: omitInner(inner, rest) } : object;
}

/** Returns the value at a path: `data.pet` for `['data', 'pet']`. Returns the object itself for an empty path. */
export function getInner(object: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((value, name) => (isNode(value) ? getOwn(value, name) : undefined), object);
}
