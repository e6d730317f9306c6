import { memoizeByObject } from '../../util/memoize-by-object.ts';
import { isQuantityName, normalizeName } from '../../util/names.ts';
import { isFreeText } from '../document/entry-properties.ts';
import { getPathForm } from '../document/names.ts';
import type { SchemaReader } from '../document/schema-reader.ts';
import { indexReferences } from '../inference/references.ts';
import type { Inference, PathKey, Resource } from '../resource.ts';
import { findMemberId } from '../users/member-lists.ts';
import { SHOWN_NAMES, USER_WORDS } from '../users/user-names.ts';
import { findNamed } from '../users/users.ts';

/**
 * A property that shows a value of another entry: the property `value` of an entry of `resource`.
 * `ids`: the property with the id of the other entry.
 * `parent`: where the entry has the id of the other one in its path.
 * `isKept`: whether the value is that of the time when the entry was created, such as a price.
 * `isStored`: whether new and changed entries store it, because lists select entries by it: an id.
 */
interface CopiedValue {
  readonly property: string;
  readonly resource: Resource;
  readonly schema: string;
  readonly isList: false;
  readonly ids: string | undefined;
  readonly parent: PathKey | undefined;
  readonly value: string;
  readonly isKept: boolean;
  readonly isStored?: boolean;
}

type References = Pick<Inference, 'resources' | 'users'>;

/** Returns the resources by the paths of their entries, without the names of parameters. */
const indexItems = memoizeByObject((resources: readonly Resource[]): ReadonlyMap<string, Resource> => {
  const items = resources.flatMap((resource) =>
    resource.mounts.flatMap(({ item }) => (item === undefined ? [] : [[getPathForm(item), resource] as const])),
  );
  return new Map(items.toReversed());
});

/** Returns the parents in the paths of a resource, such as the cafe in `/cafes/{cafeId}/reviews`. */
export function listParents({ resources }: References, { mounts }: Resource) {
  const items = indexItems(resources);
  return mounts.flatMap(({ parents }) =>
    parents.flatMap((parent) => {
      const target = items.get(getPathForm(parent.path));
      return target?.kind === 'collection' ? [{ parent, target }] : [];
    }),
  );
}

/** Properties of a line, such as a line of an invoice, that it has from the entry it names. */
const LINE_COPIES = /^(?:unit)?price(?:cents|minor)?$|^(?:name|title|sku|currency|slug)$|^(?:image|thumbnail)(?:url)?$/;

/** Properties by which people recognize an entry. An entry with the id of another one can show those of this one. */
const RECOGNIZED = /^(?:name|title|slug|sku|isbn)$|^(?:image|thumbnail|poster|cover|photo|picture)(?:url)?$/;

/** Texts about the relation between two entries. */
const NOTES = /^(?:notes?|comments?|reason|message)$/;

/** Ends of names that say something about an entry itself: `userCount` is no property of a user. */
const OWN_ENDS = /^(?:ids?|uuid|count|total|number|no|type|at|on|date|time|status|state)$/;

/** Names of properties with the name of a user, the best first. */
const USER_NAMES = ['name', 'fullname', 'displayname', 'username', 'login', 'handle', 'nickname'];

/** Returns whether a value is a text that is neither one of a few nor a time. */
function isPlainText(reader: SchemaReader, schema: string): boolean {
  return isFreeText(reader, schema, (format) => !/^(?:date|time)/.test(format));
}

function findUserName(reader: SchemaReader, { schema }: Resource): string | undefined {
  return schema === '' ? undefined : findNamed(reader, schema, USER_NAMES);
}

/**
 * Returns the only id of another entry, but for users, that requests send for an entry without texts of its own.
 * `isAlone` in the result: whether they send nothing else.
 */
function findJoin(
  reader: SchemaReader,
  { users }: References,
  { schema }: Resource,
  { named, sent }: { readonly named: readonly { target: Resource; ids: string }[]; readonly sent: ReadonlySet<string> },
): { readonly ids: string; readonly isAlone: boolean } | undefined {
  const [join, ...more] = named.filter(({ target }) => target !== users);
  const others = [...sent].filter((name) => name !== join?.ids);
  const properties = reader.getProperties(schema);
  const isOwnText = (name: string) =>
    !NOTES.test(normalizeName(name)) && isPlainText(reader, properties.get(name) ?? '');
  if (!join || more.length > 0 || !sent.has(join.ids) || others.some(isOwnText)) return undefined;
  return { ids: join.ids, isAlone: others.length === 0 };
}

/**
 * Returns the entries that an entry names: `named` by an id in it or in a request, and `above` by its path.
 * `byName` in the result: the resources by the names of such ids.
 */
function listSources(reader: SchemaReader, inference: References, resource: Resource, sent: ReadonlySet<string>) {
  const byName = indexReferences(inference);
  const properties = reader.getProperties(resource.schema);
  const named = [...new Set([...properties.keys(), ...sent])].flatMap((ids) => {
    const target = byName.get(normalizeName(ids));
    const isOwn = ids === resource.id.property && target === resource;
    return target && !isOwn ? [{ target, ids, parent: undefined, prefix: normalizeName(ids).replace(/id$/, '') }] : [];
  });
  const above = listParents(inference, resource).map(({ parent, target }) => ({
    target,
    ids: undefined,
    parent,
    prefix: normalizeName(target.singular),
  }));
  return { byName, named, above };
}

/**
 * Finds the properties that show a property of another entry: `bookName` beside `bookId`, and `cafeName` below
 * `/cafes/{cafeId}`.
 * In a line with a quantity, `price` and `name` are those of the book. An entry that requests create by `bookId` has
 * the `title` of the book; if they send nothing else, it has all texts of the book with the same names.
 * A new entry has the ids of the entry it names, if requests can't send them: a comment has the `projectId` of its
 * task.
 */
export function findCopies(
  reader: SchemaReader,
  inference: References,
  resource: Resource,
  sent: ReadonlySet<string>,
): readonly CopiedValue[] {
  // A member is shown as in the list of its own resource.
  if (resource.memberOf !== undefined) return [];
  const properties = reader.getProperties(resource.schema);
  const member = findMemberId(inference.users, resource);
  const { byName, named, above } = listSources(reader, inference, resource, sent);
  const sources = [...named, ...above, ...(member === undefined ? [] : [member])];
  const isLine = [...properties.keys()].some((name) => isQuantityName(name));
  const join = findJoin(reader, inference, resource, { named, sent });
  const { users } = inference;
  const keys = [resource.id, ...(resource.mounts[0]?.parents ?? [])].map((key) => key.property);
  return [...properties].flatMap(([property, pointer]): readonly CopiedValue[] => {
    const own = normalizeName(property);
    const reference = byName.get(own);
    if (sent.has(property) || !reader.isScalar(pointer)) return [];
    const fits = (target: Resource, name: string) => {
      const found = [...reader.getProperties(target.schema)].find(([one]) => normalizeName(one) === name);
      return found && reader.getTypes(found[1]).join() === reader.getTypes(pointer).join() ? found[0] : undefined;
    };
    if (reference !== undefined) {
      const isUser = (one: Resource) => one === users || USER_WORDS.includes(normalizeName(one.singular));
      const isOwn = isUser(reference) || reference === resource || keys.includes(property);
      const others = isOwn
        ? []
        : sources.filter(({ target }) => ![reference, resource].includes(target) && !isUser(target));
      const shared = others.flatMap(({ target, ids, parent }) => {
        const value = fits(target, own);
        return value === undefined
          ? []
          : [createCopy(property, { target, ids, parent, value, isKept: false, isStored: true })];
      });
      return takeOne(shared);
    }
    if (OWN_ENDS.test(own)) return [];
    const found = sources.flatMap(({ target, ids, parent, prefix }) => {
      const rest = own.startsWith(prefix) ? own.slice(prefix.length) : '';
      const isPrefixed = rest !== '' && !OWN_ENDS.test(rest);
      const isCopy = isLine && named.length === 1 && ids !== undefined && LINE_COPIES.test(own);
      const isRecognized =
        join !== undefined &&
        join.ids === ids &&
        (RECOGNIZED.test(own) || (join.isAlone && isPlainText(reader, pointer)));
      // The name of a user can be only the user name.
      const ofUser = rest === 'name' && target === inference.users ? findUserName(reader, target) : undefined;
      const isMember = member !== undefined && member.ids === ids && SHOWN_NAMES.includes(own);
      const value =
        (isMember ? fits(target, own) : undefined) ??
        (isPrefixed ? (fits(target, own) ?? fits(target, rest)) : undefined) ??
        (isCopy ? (fits(target, own) ?? fits(target, own.replace(/^unit/, ''))) : undefined) ??
        (isRecognized ? fits(target, own) : undefined) ??
        ofUser;
      if (value === undefined || target === resource) return [];
      return [createCopy(property, { target, ids, parent, value, isKept: isCopy })];
    });
    return takeOne(found);
  });
}

function createCopy(
  property: string,
  {
    target,
    ...source
  }: Pick<CopiedValue, 'ids' | 'parent' | 'value' | 'isKept' | 'isStored'> & { readonly target: Resource },
): CopiedValue {
  return { property, resource: target, schema: target.schema, isList: false, ...source };
}

/** Returns the first value, unless others are from entries of other resources. */
function takeOne([only, ...more]: readonly CopiedValue[]): readonly CopiedValue[] {
  return only && more.every((one) => one.resource === only.resource) ? [only] : [];
}

/** Returns whether an action such as `assign` can set a property of the entries of a resource. */
export function isSetByAction({ plans }: Pick<Inference, 'plans'>, resource: Resource, property: string): boolean {
  return [...plans.values()].some(
    ({ resource: of, effect }) => of === resource && (effect?.setsBody || effect?.assigns?.to === property),
  );
}
