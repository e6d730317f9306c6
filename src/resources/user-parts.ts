import { memoizeByObject } from '../util/memoize-by-object.ts';
import { normalizeName } from '../util/names.ts';
import { getPathForm } from './names.ts';
import type { Parent, Resource } from './resource.ts';
import type { SchemaReader } from './schema-reader.ts';
import { CREATOR_PROPERTIES, NAME_IDS, SHOWN_NAMES, SURE_OBJECTS, USER_OBJECTS } from './user-names.ts';
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
    memoizeByObject(({ schema, id }: Resource): UserParts => {
      const properties = schema === '' ? [] : [...reader.getProperties(schema)];
      // `customerId` names the user if customers log in.
      const userId = normalizeName(users.id.property ?? '');
      const ownIds = [`${normalizeName(users.singular)}id`, ...NAME_IDS.filter((name) => name === userId)];
      const isOwnId = (name: string) => ownIds.includes(normalizeName(name)) && name !== id.property;
      const scalars = properties.filter(
        ([name, pointer]) =>
          (CREATOR_PROPERTIES.includes(normalizeName(name)) || isOwnId(name)) && reader.isScalar(pointer),
      );
      const known = reader.getProperties(users.schema);
      const objects = properties.flatMap(([name, pointer]) => {
        const inner = [...reader.getProperties(pointer).keys()];
        const position = USER_OBJECTS.indexOf(normalizeName(name));
        // A host or an organizer is often no user.
        const isUser = position >= 0 && (position < SURE_OBJECTS || inner.every((one) => known.has(one)));
        return isUser && inner.length > 0 ? [{ name, properties: inner }] : [];
      });
      const ids = scalars.filter(([name, pointer]) => hasUserId(reader, users, name, pointer));
      const names = scalars.flatMap(([name, pointer]) => {
        const shows = ids.some(([own]) => own === name) ? undefined : findShownName(reader, users, pointer);
        return shows === undefined ? [] : [{ name, shows }];
      });
      return { ids: ids.map(([name]) => name), names, objects };
    }),
  ),
);

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
