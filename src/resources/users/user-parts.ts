import { memoizeByObject } from '../../util/memoize-by-object.ts';
import { normalizeName } from '../../util/names.ts';
import { getPathForm } from '../document/names.ts';
import type { SchemaReader } from '../document/schema-reader.ts';
import type { Parent, Resource } from '../resource.ts';
import { isCreatedBy, isCreator, isRelation, NAME_IDS, SHOWN_NAMES, SURE_OBJECTS, USER_OBJECTS } from './user-names.ts';
import { findNamed } from './users.ts';

/**
 * The properties of an entry that say who created it.
 * `ids`: those with the id of the user, such as `authorId`.
 * `names`: those with a name of the user, such as the text `author`. `shows`: the property of the user with the name.
 * `objects`: the objects that show the user, such as `author`, and the names of their properties.
 */
export interface UserParts {
  readonly ids: readonly string[];
  readonly names: readonly { readonly name: string; readonly shows: string }[];
  readonly objects: readonly { readonly name: string; readonly properties: readonly string[] }[];
}

/** Finds the properties of a resource's entries that say who created an entry. */
export const findUserParts = memoizeByObject((reader: SchemaReader) =>
  memoizeByObject((users: Resource) =>
    memoizeByObject((resource: Resource): UserParts => {
      // `customerId` names the user if customers log in.
      const userId = normalizeName(users.id.property ?? '');
      const ownIds = [`${normalizeName(users.singular)}id`, ...NAME_IDS.filter((name) => name === userId)];
      const isOwnId = (name: string) => ownIds.includes(normalizeName(name)) && name !== resource.id.property;
      // A text such as `user` without a format can be a name that clients choose.
      const isUserId = (name: string, pointer: string) =>
        normalizeName(name) === 'user' && isSameId(reader, pointer, users.id.schema);
      const known = reader.getProperties(users.schema);
      const parts = findParts(reader, users, resource, {
        isScalar: (name, pointer) => isCreator(normalizeName(name)) || isOwnId(name) || isUserId(name, pointer),
        isObject(name, inner) {
          const position = USER_OBJECTS.indexOf(normalizeName(name));
          if (isCreatedBy(normalizeName(name))) return inner.some((one) => known.has(one));
          const isUser = normalizeName(name) === normalizeName(users.singular);
          // A host or an organizer is often no user.
          if (isUser && position < 0) return inner.every((one) => known.has(one));
          return position >= 0 && (position < SURE_OBJECTS || inner.every((one) => known.has(one)));
        },
      });
      const isOther =
        hasOtherCreator(users, parts) || (isOwnList(users, resource) && isOfOther(reader, users, resource));
      const objects = parts.objects.filter(({ name }) => !isOther || !isUserName(users, name));
      return objects.length === parts.objects.length ? parts : { ...parts, objects };
    }),
  ),
);

/**
 * Returns whether the object `user` of an entry shows another user than the one who created the entry, or to whom the
 * entry belongs.
 */
export function showsOtherUser(
  reader: SchemaReader,
  users: Resource | undefined,
  resource: Resource,
  property: string,
): boolean {
  if (!users) return false;
  const parts = findUserParts(reader)(users)(resource);
  const isOther = hasOtherCreator(users, parts) || (isOwnList(users, resource) && isOfOther(reader, users, resource));
  return isOther && isUserName(users, property);
}

/** Returns whether a property has the name of users, and says nothing else about the user. */
function isUserName({ singular }: Resource, name: string): boolean {
  return ['user', normalizeName(singular)].includes(normalizeName(name));
}

/**
 * Returns whether another property than `user` or `userId` says who created an entry, such as `ownerId`.
 * Then the object `user` shows another user.
 */
function hasOtherCreator(users: Resource, { ids, objects }: UserParts): boolean {
  const names = [...ids, ...objects.map(({ name }) => name)];
  const isUserId = (name: string) => isUserName(users, name.replace(/_?id$/i, ''));
  return names.some((name) => !isUserId(name)) && !ids.some(isUserId);
}

/** Returns whether the entries of a resource belong to the user who sends a request, or to a user in the path. */
export function isOwnList(users: Resource, { mounts }: Resource): boolean {
  const items = users.mounts.flatMap(({ item }) => (item === undefined ? [] : getPathForm(item)));
  return mounts.some(({ parents }) =>
    parents.some(({ isSender, path }) => isSender === true || items.includes(getPathForm(path))),
  );
}

/**
 * Returns whether the object `user` of an entry that belongs to a user shows another user: the entry says how two users
 * are related, and names no one else. An entry with a name of its own, such as that of a contact, can show its owner.
 */
export function isOfOther(reader: SchemaReader, users: Resource, { schema, singular, id }: Resource): boolean {
  if (!isRelation(singular) || schema === '') return false;
  const known = [...reader.getProperties(users.schema).keys()].map(normalizeName);
  return [...reader.getProperties(schema)].every(([property, pointer]) => {
    const name = normalizeName(property);
    if (isUserName(users, property) || property === id.property) return true;
    const isOtherUser = reader.isObject(pointer) && reader.sharesProperties(pointer, users.schema);
    return !isOtherUser && !OTHER_USER.test(name) && (!known.includes(name) || !SHOWN_NAMES.includes(name));
  });
}

/** Matches the names of properties with the id of the second of two users, without uppercase letters and separators. */
const OTHER_USER =
  /^(?:friend|target|block(?:ed|ee)?|mute[de]?|contact|follow\w*|connect\w*|match\w*|other|recipient|receiver|addressee|peer|partner|to)(?:user)?id$/;

/**
 * Finds the properties of a resource's entries with the user who did something to an entry, such as `updatedBy` and
 * `approvedById`. Those with the user who created the entry are not included.
 */
export const findActorParts = memoizeByObject((reader: SchemaReader) =>
  memoizeByObject((users: Resource) =>
    memoizeByObject((resource: Resource): UserParts => {
      const known = reader.getProperties(users.schema);
      const isActor = (name: string) =>
        /^.{4,}by(?:(?:user)?id)?$/.test(normalizeName(name)) && !isCreator(normalizeName(name));
      return findParts(reader, users, resource, {
        isScalar: (name, pointer) => isActor(name) && hasUserId(reader, users, name, pointer),
        isObject: (name, inner) => isActor(name) && inner.some((one) => known.has(one)),
      });
    }),
  ),
);

/** The properties to find: those with an id or a name of a user, and objects with some properties of a user. */
interface Wanted {
  isScalar(name: string, pointer: string): boolean;
  isObject(name: string, inner: readonly string[]): boolean;
}

function findParts(reader: SchemaReader, users: Resource, { schema }: Resource, wanted: Wanted): UserParts {
  const properties = schema === '' ? [] : [...reader.getProperties(schema)];
  const scalars = properties.filter(([name, pointer]) => reader.isScalar(pointer) && wanted.isScalar(name, pointer));
  const objects = properties.flatMap(([name, pointer]) => {
    const inner = [...reader.getProperties(pointer).keys()];
    return inner.length > 0 && wanted.isObject(name, inner) ? [{ name, properties: inner }] : [];
  });
  const ids = scalars.filter(([name, pointer]) => hasUserId(reader, users, name, pointer));
  const names = scalars.flatMap(([name, pointer]) => {
    const shows = ids.some(([own]) => own === name) ? undefined : findShownName(reader, users, pointer);
    return shows === undefined ? [] : [{ name, shows }];
  });
  return { ids: ids.map(([name]) => name), names, objects };
}

/**
 * Returns whether a property such as `author` has the id of a user, and not a name: its type and format are those of
 * the ids, or its own name ends with `Id`.
 */
export function hasUserId(reader: SchemaReader, { id }: Resource, name: string, pointer: string): boolean {
  if (id.schema === '' || normalizeName(name).endsWith('id')) return true;
  const isSame = (keyword: string) => reader.getKeyword(pointer, keyword) === reader.getKeyword(id.schema, keyword);
  const types = reader.getTypes(id.schema);
  return isSame('format') && reader.getTypes(pointer).some((type) => types.includes(type));
}

/** Returns whether a property can only have ids: it has the type and the format of an id, and is no simple text. */
export function isSameId(reader: SchemaReader, property: string, id: string): boolean {
  if (id === '' || !reader.isScalar(property)) return false;
  const [own, other] = [property, id].map((pointer) => [
    ...reader.getTypes(pointer),
    reader.getKeyword(pointer, 'format') ?? '',
    reader.getKeyword(pointer, 'pattern') ?? '',
  ]);
  return String(own) === String(other) && String(own) !== 'string,,';
}

function findShownName(reader: SchemaReader, { schema }: Resource, pointer: string): string | undefined {
  if (!reader.getTypes(pointer).includes('string')) return undefined;
  const isEmail = reader.getKeyword(pointer, 'format') === 'email';
  return findNamed(reader, schema, isEmail ? ['email', 'emailaddress'] : SHOWN_NAMES);
}

/**
 * Returns a resource whose entries at a path such as `/users/{userId}/posts` belong to their user also if they name the
 * user only in an object without the id, or by name. Then the id is a hidden value of the entry.
 */
export function linkToUsers(reader: SchemaReader, users: Resource, resource: Resource): Resource {
  const items = users.mounts.flatMap(({ item }) => (item === undefined ? [] : getPathForm(item)));
  const { names } = findUserParts(reader)(users)(resource);
  const link = (parent: Parent, index: number, { length }: readonly Parent[]): Parent => {
    const [object = '', inner] = parent.property?.split('.') ?? [];
    const isHidden = inner === undefined ? names.some(({ name }) => name === object) : inner !== users.id.property;
    if (!isHidden || index < length - 1 || !items.includes(getPathForm(parent.path))) return parent;
    return { ...parent, property: undefined, name: getUserKey(object) };
  };
  return { ...resource, mounts: resource.mounts.map((mount) => ({ ...mount, parents: mount.parents.map(link) })) };
}

/** Returns the key of the hidden value of an entry with the id of the user whom a property such as `author` shows. */
export function getUserKey(property: string): string {
  return `${property}.id`;
}
