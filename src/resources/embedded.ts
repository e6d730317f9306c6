import { isNode, toNode } from '../openapi/document.ts';
import type { Entry, State } from '../store/state.ts';
import { normalizeName, toSingular } from '../util/names.ts';
import { getEntries } from './entries.ts';
import { findByKeys } from './entry-lists.ts';
import { getKeyValue, getOwn, getPathValues } from './entry-values.ts';
import { indexEntrySchemas, indexReferences } from './references.ts';
import { type Inference, PATH_VALUES, type Resource } from './resource.ts';
import type { SchemaReader } from './schema-reader.ts';
import { findUserParts, getUserKey } from './user-parts.ts';

/** A property of an entry that shows entries of another resource: the `author` of a note, beside its `authorId`. */
export interface Embedded {
  readonly property: string;
  /** The resource of the shown entries. */
  readonly resource: Resource;
  /** The JSON Pointer of the schema of one shown entry. */
  readonly schema: string;
  readonly isList: boolean;
  /** The property with the id or the ids. Undefined if the shown objects have their ids. */
  readonly ids: string | undefined;
  /** The property of a user that is shown instead of an object, such as `username`. */
  readonly shows?: string;
}

/**
 * Finds the properties of a resource's entries that show other entries.
 * A property shows entries of a resource if it has their schema, and if their ids are in the objects, in a property
 * such as `authorId` or in one such as `tagIds`.
 * The object `author` shows the user who has created the entry, also if it has only some properties of a user. A text
 * `author` shows the name of the user.
 * A request can have an id that entries lack: `cafe_id` for `cafe`, and `cafes_id` for `cafes`.
 * `sent`: the properties that a request can have. What a client sends is shown as it is.
 */
export function findEmbedded(
  reader: SchemaReader,
  inference: Pick<Inference, 'resources' | 'users'>,
  resource: Resource,
  sent: ReadonlySet<string>,
): readonly Embedded[] {
  if (resource.schema === '') return [];
  const { resources, users } = inference;
  const properties = reader.getProperties(resource.schema);
  const bySchema = indexEntrySchemas(reader)(resources);
  const names = [...properties.keys(), ...sent];
  const byName = indexReferences(inference);
  const found = [...properties].flatMap(([property, pointer]): readonly Embedded[] => {
    if (sent.has(property)) return [];
    const items = reader.getItems(pointer);
    const schema = items ?? pointer;
    if (!reader.isObject(schema)) return [];
    const own = normalizeName(items === undefined ? property : toSingular(property));
    const idNames = items === undefined ? [`${own}id`] : [`${own}ids`, `${normalizeName(property)}id`];
    const ids = names.find((name) => idNames.includes(normalizeName(name)));
    const named = ids === undefined ? undefined : byName.get(`${own}id`);
    const isPart = (one: Resource) => {
      const known = reader.getProperties(one.schema);
      return [...reader.getProperties(schema).keys()].every((name) => known.has(name));
    };
    const target = bySchema.get(reader.resolve(schema)) ?? (named && isPart(named) ? named : undefined);
    if (!target) return [];
    const hasId = target.id.property !== undefined;
    return ids === undefined && !hasId
      ? []
      : [{ property, resource: target, schema, isList: items !== undefined, ids }];
  });
  const parts = users && users !== resource ? findUserParts(reader)(users)(resource) : undefined;
  const authors: readonly { name: string; shows?: string }[] = parts ? [...parts.objects, ...parts.names] : [];
  const others = authors.flatMap(({ name, shows }): readonly Embedded[] => {
    const schema = properties.get(name);
    if (!users || schema === undefined || sent.has(name) || found.some(({ property }) => property === name)) return [];
    const ids = names.find((one) => normalizeName(one) === `${normalizeName(name)}id`);
    return [{ property: name, resource: users, schema, isList: false, ids, ...(shows !== undefined && { shows }) }];
  });
  return [...found, ...others];
}

/**
 * Returns the id of the user whom a property such as `author` shows.
 * It is a hidden value of the entry, because an object or a text can lack the id.
 */
export function getShownUser(entry: Entry, property: string): string | undefined {
  const id = getOwn(getPathValues(entry), getUserKey(property));
  return id === undefined ? undefined : String(id);
}

/** Returns a copy of a new entry with the id of the user whom an object such as `author` shows. */
export function setShownUser(entry: Entry, property: string, id: string): Entry {
  return { ...entry, [PATH_VALUES]: { ...getPathValues(entry), [getUserKey(property)]: id } };
}

/**
 * Returns the entries that a property shows: one entry, or a list of entries and of stored objects without an entry.
 * Returns undefined if the entry has no id of an existing entry.
 */
export function findShown(
  { property, resource, isList, ids }: Embedded,
  state: State,
  entry: Entry,
): Entry | readonly unknown[] | undefined {
  const entries = getEntries(state, resource);
  const find = (id: unknown) =>
    id === undefined || id === null ? undefined : findByKeys(entries, [resource.id], [String(id)])[0];
  const findOwn = (value: unknown) => (isNode(value) ? find(getKeyValue(value, resource.id)) : undefined);
  const own = getOwn(entry, property);
  if (!isList) {
    const id = ids === undefined ? undefined : getOwn(entry, ids);
    const shown = find(id) ?? find(getShownUser(entry, property)) ?? findOwn(own);
    // An entry that was deleted, or never existed, keeps its id.
    const isKept = isNode(own) && getKeyValue(own, resource.id) === String(id);
    const isKnown =
      shown !== undefined || isKept || id === undefined || id === null || resource.id.property === undefined;
    return isKnown ? shown : { [resource.id.property]: id };
  }
  const listed = ids === undefined ? undefined : getOwn(entry, ids);
  if (Array.isArray(listed)) return listed.flatMap((id) => find(id) ?? []);
  return Array.isArray(own) ? own.map((value) => findOwn(value) ?? value) : undefined;
}

/**
 * Returns a copy of an entry with the ids of the users whom it shows, at the place where the paths of users find them:
 * in an object such as `author`, or hidden.
 * A text such as `author` names a user.
 */
export function linkUsers(
  reader: SchemaReader,
  { users }: Pick<Inference, 'users'>,
  resource: Resource,
  state: State,
  entry: Entry,
): Entry {
  if (!users || resource === users) return entry;
  const { objects, names } = findUserParts(reader)(users)(resource);
  const entries = getEntries(state, users);
  const { property: idName = '' } = users.id;
  let next = entry;
  for (const { name, properties } of objects) {
    const own = getOwn(next, name);
    const idProperty = Object.keys(next).find((one) => normalizeName(one) === `${normalizeName(name)}id`);
    const id = idProperty === undefined ? undefined : next[idProperty];
    const user = id === undefined ? undefined : findByKeys(entries, [users.id], [String(id)])[0];
    if (!properties.includes(idName)) next = hideUser(users, next, name, user ?? findByName(entries, own));
    else if (user && toNode(own)[idName] !== user[idName]) next = { ...next, [name]: pick(user, properties) };
  }
  for (const { name, shows } of names)
    next = hideUser(users, next, name, findByName(entries, { [shows]: getOwn(next, name) }));
  return next;
}

/** Returns a copy of an entry with the hidden id of the user whom a property such as `author` shows. */
function hideUser({ id }: Resource, entry: Entry, property: string, user: Entry | undefined): Entry {
  const key = user && getKeyValue(user, id);
  return key === undefined || key === getShownUser(entry, property) ? entry : setShownUser(entry, property, key);
}

function pick(entry: Entry, names: readonly string[]): Entry {
  return Object.fromEntries(Object.entries(entry).filter(([name]) => names.includes(name)));
}

/** Names of properties that identify a user, without uppercase letters and separators. */
const USER_NAMES = ['username', 'login', 'handle', 'email', 'displayname', 'fullname', 'name'];

/** Returns the only user with the names in an object, such as the `username`. */
function findByName(users: readonly Entry[], shown: unknown): Entry | undefined {
  if (!isNode(shown)) return undefined;
  const names = USER_NAMES.flatMap((name) => Object.keys(shown).find((own) => normalizeName(own) === name) ?? []);
  for (const name of names) {
    const found = users.filter((user) => shown[name] !== undefined && getOwn(user, name) === shown[name]);
    if (found.length === 1) return found[0];
  }
  return undefined;
}

/** Describes a property that shows other entries, such as `author (users by authorId)`. */
export function describeEmbedded({ property, resource, ids, shows }: Embedded): string {
  if (shows !== undefined) return `${property} (${shows} of ${resource.name})`;
  return ids === undefined ? `${property} (${resource.name})` : `${property} (${resource.name} by ${ids})`;
}
