import { isNode, pickKeys, toNode } from '../../openapi/document.ts';
import type { EntryList } from '../../store/entry-list.ts';
import type { Entry, State } from '../../store/state.ts';
import { normalizeName, splitWords, toSingular } from '../../util/names.ts';
import { findStateValue } from '../actions/states.ts';
import type { SchemaReader } from '../document/schema-reader.ts';
import { getEntryList } from '../entries/entries.ts';
import { findByKeys } from '../entries/entry-lists.ts';
import { createPropertyKey, getKeyValue, getOwn, getPathValues } from '../entries/entry-values.ts';
import { indexEntrySchemas, indexReferences } from '../inference/references.ts';
import { type Children, getTrashName, type Inference, PATH_VALUES, type PathKey, type Resource } from '../resource.ts';
import { findMemberList, type MemberList, showMember } from '../users/member-lists.ts';
import { SHOWN_NAMES } from '../users/user-names.ts';
import { findActorParts, findUserParts, getUserKey, showsOtherUser } from '../users/user-parts.ts';
import { findCopies, listParents } from './copied-values.ts';
import { findChildren } from './derived.ts';
import { findSentObject } from './sent-objects.ts';

/** A property of an entry that shows entries of another resource: the `author` of a note, beside its `authorId`. */
export interface Embedded {
  readonly property: string;
  /** The resource of the shown entries. */
  readonly resource: Resource;
  /** The JSON Pointer of the schema of one shown entry. */
  readonly schema: string;
  readonly isList: boolean;
  /** Whether an entry can lack the property, and has the id beside it. */
  readonly isOptional?: boolean;
  /** The property with the id or the ids. Undefined if the shown objects have their ids, or the path has the id. */
  readonly ids: string | undefined;
  /** The property of a user that is shown instead of an object, such as `username`. */
  readonly shows?: string;
  /** Where the entry has the id of its parent in the path, if the property shows this parent. */
  readonly parent?: PathKey | undefined;
  /** The entries that belong to the entry, if the property shows these. */
  readonly children?: Children | undefined;
  /** The property of the shown entry whose value is shown: `name` for `bookName`. */
  readonly value?: string | undefined;
  /** The members in the list, who are users. They keep their own values, and have the names of the users. */
  readonly members?: MemberList;
  /** Whether requests send the objects. They show the entries whose ids they have, and else what was sent. */
  readonly isSent?: boolean;
  /** Whether only objects that have nothing but an id, because a request sent the id alone, show the entries. */
  readonly isOnlyId?: boolean;
  /** Whether the value is that of the time when the entry was created, such as a price. */
  readonly isKept?: boolean;
  /** Whether new and changed entries store the value, because lists select entries by it: the id of another entry. */
  readonly isStored?: boolean;
}

type References = Pick<Inference, 'resources' | 'users'>;

/**
 * Finds the properties of a resource's entries that show other entries.
 * A property shows entries of a resource if it has their schema, and if their ids are in the objects, in a property
 * such as `authorId` or in one such as `tagIds`.
 * The object `author` shows the user who has created the entry, also if it has only some properties of a user. A text
 * `author` shows the name of the user.
 * The object `cafe` of a review shows the cafe in the path of the review, and the list `tasks` of a project the tasks
 * below the path of the project.
 * A request can have an id that entries lack: `cafe_id` for `cafe`, and `cafes_id` for `cafes`.
 * `sent`: the properties that a request can have. What a client sends is shown as it is, unless it is an object with
 * the schema and the id of an existing entry.
 */
export function findEmbedded(
  reader: SchemaReader,
  inference: References,
  resource: Resource,
  sent: ReadonlySet<string>,
): readonly Embedded[] {
  if (resource.schema === '') return [];
  const { resources, users } = inference;
  const properties = reader.getProperties(resource.schema);
  const bySchema = indexEntrySchemas(reader)(resources);
  const names = [...properties.keys(), ...sent];
  const byName = indexReferences(inference);
  const parents = listParents(inference, resource);
  const children = findChildren(reader, resources, resource);
  const members = findMembers(reader, users, resource, children);
  const found = [...properties].flatMap(([property, pointer]): readonly Embedded[] => {
    const items = reader.getItems(pointer);
    const schema = items ?? pointer;
    if (!reader.isObject(schema) || members.some((one) => one.property === property)) return [];
    if (sent.has(property)) {
      const shown = findSentObject(reader, resources, resource, { property, schema });
      return shown ? [{ property, schema, isList: items !== undefined, ids: undefined, isSent: true, ...shown }] : [];
    }
    const own = normalizeName(items === undefined ? property : toSingular(property));
    const named = users && normalizeName(users.id.property ?? '') === `${own}name` ? [`${own}name`] : [];
    const idNames = items === undefined ? [`${own}id`, ...named] : [`${own}ids`, `${normalizeName(property)}id`];
    const ids = names.find((name) => idNames.includes(normalizeName(name)));
    const byId = ids === undefined ? undefined : byName.get(`${own}id`);
    const isPart = (one: Resource) => hasOnlyProperties(reader, schema, one);
    const isList = items !== undefined;
    const below = isList ? findBelow(reader, resource, children, { property, schema }) : undefined;
    if (below && ids === undefined)
      return [{ property, resource: below.resource, schema, isList, ids, children: below }];
    const key = isList && ids === undefined ? findParentKey(reader, resource, schema) : undefined;
    if (key) return [{ property, resource, schema, isList, ids, children: { resource, key } }];
    const above = isList
      ? undefined
      : parents.find(({ target }) => normalizeName(target.singular) === own && isPart(target));
    // The name of an id says more than a schema that several resources share.
    const target = (byId && isPart(byId) ? byId : undefined) ?? bySchema.get(reader.resolve(schema)) ?? above?.target;
    if (!target) return [];
    // The id beside the object of a contact names another user than the one whose contact it is.
    const isOther = ids !== undefined && above?.parent.isSender === true;
    const isOfUser = above?.target === target && !isOther && !showsOtherUser(reader, users, resource, property);
    const parent = isOfUser ? above?.parent : undefined;
    const hasId = ids !== undefined || target.id.property !== undefined || parent !== undefined;
    return !hasId ? [] : [{ property, resource: target, schema, isList, ids, parent }];
  });
  const others = findAuthors(reader, users, resource, { properties, names, sent }).filter(
    ({ property }) => !found.some((one) => one.property === property),
  );
  const required = reader.getRequired(resource.schema);
  return [...members, ...found, ...others, ...findCopies(reader, inference, resource, sent)].map((one) => ({
    ...one,
    isOptional: !required.includes(one.property) && one.ids !== undefined && properties.has(one.ids),
  }));
}

/** Finds the lists of an entry with users, such as `members`, unless other paths have the members. */
function findMembers(
  reader: SchemaReader,
  users: Resource | undefined,
  resource: Resource,
  children: readonly Children[],
): readonly Embedded[] {
  if (!users || users === resource) return [];
  return [...reader.getProperties(resource.schema)].flatMap(([property, pointer]): readonly Embedded[] => {
    const isBelow = children.some(({ resource: one }) => isNamed(one, property));
    const members = isBelow ? undefined : findMemberList(reader, users, property, pointer);
    const base = { property, resource: users, isList: true, ids: undefined, isSent: true };
    return members ? [{ ...base, schema: members.schema, members }] : [];
  });
}

/**
 * Finds the properties that show the user who has created an entry: an object or a text such as `author`. An object
 * such as `updatedBy` shows the user who has changed it.
 * `names`: the names of the properties of entries and of requests.
 */
function findAuthors(
  reader: SchemaReader,
  users: Resource | undefined,
  resource: Resource,
  {
    properties,
    names,
    sent,
  }: {
    readonly properties: ReadonlyMap<string, string>;
    readonly names: readonly string[];
    readonly sent: ReadonlySet<string>;
  },
): readonly Embedded[] {
  if (!users || users === resource) return [];
  const { objects, names: texts } = findUserParts(reader)(users)(resource);
  const actors = findActorParts(reader)(users)(resource).objects;
  const authors: readonly { name: string; shows?: string }[] = [...objects, ...texts, ...actors];
  return authors.flatMap(({ name, shows }): readonly Embedded[] => {
    const schema = properties.get(name);
    if (schema === undefined || sent.has(name)) return [];
    const ids = names.find((one) => normalizeName(one) === `${normalizeName(name)}id`);
    return [{ property: name, resource: users, schema, isList: false, ids, ...(shows !== undefined && { shows }) }];
  });
}

/**
 * Returns where entries have the id of the entry above, if a list shows entries of their own resource: `parentId` for
 * `children`.
 * `shown`: the JSON Pointer of the schema of the objects in the list.
 */
function findParentKey(reader: SchemaReader, { schema, singular, id }: Resource, shown: string): PathKey | undefined {
  if (id.property === undefined || !reader.isSame(shown, schema)) return undefined;
  const names = ['parentid', `parent${normalizeName(singular)}id`];
  const [name, pointer] =
    [...reader.getProperties(schema)].find(
      ([one, own]) => names.includes(normalizeName(one)) && reader.isScalar(own),
    ) ?? [];
  return name === undefined || pointer === undefined ? undefined : createPropertyKey(name, pointer);
}

/** Returns whether a property has the name of a resource, without that of its parent: `items` for `baskets.items`. */
function isNamed({ name, singular }: Resource, property: string): boolean {
  const own = normalizeName(property);
  return [name.split('.').at(-1) ?? '', `${singular}s`].some((one) => normalizeName(one) === own);
}

/** Matches words for some entries of a list, which are not all entries below another one. */
const SELECTIONS =
  /^(?:recent|latest|newest|upcoming|past|overdue|top|best|popular|trending|featured|highlights?|pinned|suggest(?:ions|ed)|related|similar|recommend(?:ations|ed)|favou?rites|histor(?:y|ies)|archives?|previews?|results|drafts|others?|select(?:ion|ed)|winners?)$/;

/** Returns whether all properties of a schema are also properties of the entries of a resource. */
function hasOnlyProperties(reader: SchemaReader, schema: string, { schema: other }: Resource): boolean {
  const known = reader.getProperties(other);
  return [...reader.getProperties(schema).keys()].every((name) => known.has(name));
}

/** Returns the entries below an entry that its list shows, by the name of the list or by its schema. */
function findBelow(
  reader: SchemaReader,
  resource: Resource,
  children: readonly Children[],
  { property, schema }: Pick<Embedded, 'property' | 'schema'>,
): Children | undefined {
  const named = children.find(({ resource: one }) => isNamed(one, property) && hasOnlyProperties(reader, schema, one));
  return named ?? findOtherNamed(reader, resource, children, property);
}

/**
 * Returns the entries below an entry that its list shows under another name: the tracks of an album as `songs`.
 * The list must be the only one with their schema, and its name must be one word that does not name some of them.
 */
function findOtherNamed(
  reader: SchemaReader,
  { schema }: Resource,
  children: readonly Children[],
  property: string,
): Children | undefined {
  const lists = [...reader.getProperties(schema)].flatMap(([name, pointer]) => {
    const items = reader.getItems(pointer);
    return items === undefined ? [] : [{ name, items }];
  });
  const items = lists.find(({ name }) => name === property)?.items ?? '';
  const isSame = (one: string) => one !== '' && reader.isSame(one, items);
  const [only, ...others] = children.filter(({ resource, key }) => key !== undefined && isSame(resource.schema));
  const isWord = splitWords(property).length === 1 && !SELECTIONS.test(normalizeName(property));
  if (!only || others.length > 0 || !isWord || lists.filter((one) => isSame(one.items)).length > 1) return undefined;
  return findStateValue(reader, only.resource.schema, property) ? undefined : only;
}

/**
 * Returns the id of the user whom a property such as `author` shows.
 * It is a hidden value of the entry, because an object or a text can lack the id.
 */
function getShownUser(entry: Entry, property: string): string | undefined {
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
 * `entryId`: the id of the entry.
 */
export function findShown(
  { property, resource, isList, isOptional, ids, parent, children, value, members, isOnlyId }: Embedded,
  state: State,
  entry: Entry,
  entryId: string | undefined,
): Entry | readonly unknown[] | undefined {
  const list = getEntryList(state, resource);
  // An entry that keeps the id of a deleted one shows it as it was.
  const lists = [list, getEntryList(state, { name: getTrashName(resource) })];
  const find = (id: unknown) =>
    id === undefined || id === null
      ? undefined
      : lists.flatMap((one) => (one.length === 0 ? [] : findByKeys(one, [resource.id], [String(id)])))[0];
  const findOwn = (value: unknown) =>
    isNode(value) && !(isOnlyId && Object.keys(value).length > 1) ? find(getKeyValue(value, resource.id)) : undefined;
  if (children) {
    const { key, resource: child } = children;
    const shown = getEntryList(state, child);
    return key ? findByKeys(shown, [key], [entryId]) : shown.entries;
  }
  const own = getOwn(entry, property);
  if (members) {
    const show = (one: unknown) =>
      isNode(one) ? showMember(one, find(getOwn(one, members.key)), members.copies) : one;
    return Array.isArray(own) ? own.map(show) : undefined;
  }
  if (!isList) {
    const id = ids === undefined ? undefined : getOwn(entry, ids);
    if (id === null) return undefined;
    const shown =
      find(id) ?? (parent && find(getKeyValue(entry, parent))) ?? find(getShownUser(entry, property)) ?? findOwn(own);
    if (value !== undefined) return shown;
    // A required object of an entry that was deleted, or never existed, keeps its id.
    const isKept = isNode(own) && getKeyValue(own, resource.id) === String(id);
    const isKnown =
      shown !== undefined || isKept || isOptional || id === undefined || resource.id.property === undefined;
    return isKnown ? shown : { [resource.id.property]: id };
  }
  const listed = ids === undefined ? undefined : getOwn(entry, ids);
  if (Array.isArray(listed)) return listed.flatMap((id) => find(id) ?? []);
  return Array.isArray(own) ? own.map((value) => findOwn(value) ?? value) : undefined;
}

/** Returns whether a required list is empty, because the entry has no ids for it. */
export function showsNone(reader: SchemaReader, { schema }: Resource, { property, ids, isList }: Embedded): boolean {
  return isList && ids !== undefined && reader.getRequired(schema).includes(property);
}

/** Returns whether a required property, or an object whose id was removed, shows null. */
export function showsNull(
  reader: SchemaReader,
  isValid: (pointer: string, value: unknown) => boolean,
  { schema }: Resource,
  { property, ids, isList, isKept }: Embedded,
  entry: Entry,
): boolean {
  const id = ids === undefined ? undefined : (getOwn(entry, ids) ?? null);
  const isStored = Object.hasOwn(entry, property);
  if (id !== null || isList || isKept) return false;
  const isNull = getOwn(entry, ids ?? '') === null;
  const isShown = isNull || (!isStored && reader.getRequired(schema).includes(property));
  return isShown && isValid(reader.getProperties(schema).get(property) ?? '', null);
}

/** Returns the stored objects that an entry no longer shows, because the ids beside them are null. */
export function listUnlinked(reader: SchemaReader, { schema }: Resource, embedded: readonly Embedded[], entry: Entry) {
  return embedded.flatMap(({ property, ids = '', isList, isKept }) => {
    const isUnlinked = !isList && !isKept && Object.hasOwn(entry, property) && getOwn(entry, ids) === null;
    return isUnlinked && !reader.getRequired(schema).includes(property) ? [property] : [];
  });
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
  const list = getEntryList(state, users);
  const { property: idName = '' } = users.id;
  let next = entry;
  for (const { name, properties } of objects) {
    const own = getOwn(next, name);
    const idProperty = Object.keys(next).find((one) => normalizeName(one) === `${normalizeName(name)}id`);
    const id = idProperty === undefined ? undefined : next[idProperty];
    const user = id === undefined ? undefined : findByKeys(list, [users.id], [String(id)])[0];
    if (!properties.includes(idName)) next = hideUser(users, next, name, user ?? findByName(list, own));
    else if (user && toNode(own)[idName] !== user[idName]) next = { ...next, [name]: pickKeys(user, properties) };
  }
  for (const { name, shows } of names)
    next = hideUser(users, next, name, findByName(list, { [shows]: getOwn(next, name) }));
  return next;
}

/** Returns a copy of an entry with the hidden id of the user whom a property such as `author` shows. */
function hideUser({ id }: Resource, entry: Entry, property: string, user: Entry | undefined): Entry {
  const key = user && getKeyValue(user, id);
  return key === undefined || key === getShownUser(entry, property) ? entry : setShownUser(entry, property, key);
}

/** Returns the only user with the names in an object, such as the `username`. */
function findByName(users: EntryList, shown: unknown): Entry | undefined {
  if (!isNode(shown)) return undefined;
  const names = SHOWN_NAMES.flatMap((name) => Object.keys(shown).find((own) => normalizeName(own) === name) ?? []);
  for (const name of names) {
    const found = users.entries.filter((user) => shown[name] !== undefined && getOwn(user, name) === shown[name]);
    if (found.length === 1) return found[0];
  }
  return undefined;
}

/** Describes a property that shows other entries, such as `author (users by authorId)`. */
export function describeEmbedded(embedded: Embedded): string {
  const { property, resource, ids, parent, children, value, shows, isList, isSent, members } = embedded;
  const shown = shows ?? value;
  const what = shown === undefined ? resource.name : `${shown} of ${resource.name}`;
  if (children) return `${property} (${resource.name} of the entry)`;
  if (ids !== undefined) return `${property} (${what} by ${ids})`;
  // No request and no path says which entries they are.
  if (isList && !isSent && !members) return `${property} (${what} that the default data has in it)`;
  return parent ? `${property} (${what} in the path)` : `${property} (${what})`;
}
