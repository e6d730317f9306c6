import { normalizeName, splitWords, toSingular } from '../../util/names.ts';
import type { SchemaReader } from '../document/schema-reader.ts';
import type { Resource } from '../resource.ts';

/** A property whose objects requests send. `schema`: the JSON Pointer of the schema of one object. */
interface SentObject {
  readonly property: string;
  readonly schema: string;
}

/**
 * Returns the resource whose entries the objects that requests send show: by their schema, or by the name of their
 * property. Objects with other properties than the id and the name are shown as they were sent, unless they have only
 * the id.
 */
export function findSentObject(
  reader: SchemaReader,
  resources: readonly Resource[],
  own: Resource,
  sent: SentObject,
): { readonly resource: Resource; readonly isOnlyId?: boolean } | undefined {
  const target = findSentTarget(reader, resources, own, sent);
  if (target) return { resource: target };
  const named = findNamedTarget(reader, resources, own, sent);
  if (!named) return undefined;
  return { resource: named, ...(!isReference(reader, sent.schema, named) && { isOnlyId: true }) };
}

/**
 * Returns the only resource whose entries have the schema of an object that requests send, or of which only one has the
 * name of the property.
 */
function findSentTarget(
  reader: SchemaReader,
  resources: readonly Resource[],
  own: Resource,
  { property, schema }: SentObject,
): Resource | undefined {
  const same = resources.filter(
    (one) => one.kind === 'collection' && one !== own && one.schema !== '' && reader.isSame(one.schema, schema),
  );
  const named = same.filter(({ singular }) => normalizeName(singular) === normalizeName(toSingular(property)));
  const [target, ...others] = named.length > 0 ? named : same;
  const hasId = target?.id.property !== undefined && target.mounts[0]?.parents.length === 0;
  return hasId && others.length === 0 ? target : undefined;
}

/** Returns the resource that a property names, if its objects have the id and mostly properties of the entries. */
function findNamedTarget(
  reader: SchemaReader,
  resources: readonly Resource[],
  own: Resource,
  { property, schema }: SentObject,
): Resource | undefined {
  const names = [...reader.getProperties(schema).keys()];
  const word = normalizeName(toSingular(property));
  const last = normalizeName(splitWords(toSingular(property)).at(-1) ?? '');
  const isNamedEntry = (one: Resource) => {
    const singular = normalizeName(one.singular);
    return singular === word || (singular === last && isReference(reader, schema, one));
  };
  const isEntry = ({ kind, schema: other, id, mounts }: Resource) =>
    kind === 'collection' &&
    mounts[0]?.parents.length === 0 &&
    id.property !== undefined &&
    names.includes(id.property) &&
    other !== '' &&
    names.filter((name) => reader.getProperties(other).has(name)).length > names.length / 2;
  const [target, ...others] = resources.filter((one) => one !== own && isEntry(one) && isNamedEntry(one));
  return others.length === 0 ? target : undefined;
}

/** Names of the property that an object has beside an id, if it only refers to an entry. */
const LABELS = ['name', 'title', 'label'];

/** Returns whether objects only refer to an entry: they have its id and its name, and nothing else. */
function isReference(reader: SchemaReader, schema: string, { id, schema: other }: Resource): boolean {
  const names = [...reader.getProperties(schema).keys()];
  const known = other === '' ? undefined : reader.getProperties(other);
  return (
    names.length === 2 &&
    names.some((name) => name === id.property) &&
    names.some((name) => LABELS.includes(normalizeName(name)) && known?.has(name))
  );
}
