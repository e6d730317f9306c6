import { normalizeName, toSingular } from '../../util/names.ts';
import type { SchemaReader } from './schema-reader.ts';

/** The members of a resource object (JSON:API 1.1 §7.2). */
const MEMBERS = ['type', 'id', 'lid', 'attributes', 'relationships', 'links', 'meta'];

/**
 * Returns the properties of an entry by their paths, and the JSON Pointers of their schemas.
 * In a resource object of JSON:API, they are in `attributes`, and a path is `attributes.title`.
 */
export function listEntryProperties(reader: SchemaReader, schema: string): ReadonlyMap<string, string> {
  const own = reader.getProperties(schema);
  const attributes = own.get('attributes');
  if (attributes === undefined || !isResourceObject(reader, own)) return own;
  return new Map([...reader.getProperties(attributes)].map(([name, pointer]) => [`attributes.${name}`, pointer]));
}

/** Returns whether the properties of a schema are those of a resource object with `attributes`. */
function isResourceObject(reader: SchemaReader, own: ReadonlyMap<string, string>): boolean {
  const attributes = own.get('attributes');
  return (
    attributes !== undefined &&
    own.has('type') &&
    reader.isObject(attributes) &&
    [...own.keys()].every((name) => MEMBERS.includes(name))
  );
}

/** Returns the normalized name of a property without the objects around it: `duedate` for `attributes.dueDate`. */
export function normalizeProperty(property: string): string {
  return normalizeName(property.slice(property.lastIndexOf('.') + 1));
}

/** Returns the property names that lead to a property: `['attributes', 'title']` for `attributes.title`. */
export function getPropertyPath(reader: SchemaReader, schema: string, property: string): readonly string[] {
  return reader.getProperties(schema).has(property) ? [property] : property.split('.');
}

/** Returns the JSON Pointer of the schema of a property, such as `attributes.title`; undefined if there is none. */
export function getPropertySchema(reader: SchemaReader, schema: string, property: string): string | undefined {
  return reader.getInner(schema, getPropertyPath(reader, schema, property));
}

/** Returns whether the object with a property, such as `attributes.title`, requires it. */
export function requiresProperty(reader: SchemaReader, schema: string, property: string): boolean {
  const path = getPropertyPath(reader, schema, property);
  const object = reader.getInner(schema, path.slice(0, -1));
  return object !== undefined && reader.getRequired(object).includes(path.at(-1) ?? '');
}

/**
 * Returns where the body of an action has properties of an entry, and where these belong in the entry: the body
 * `{ data: { attributes } }` has those of `attributes`, and so has a body without these objects.
 */
export function locateProperties(
  reader: SchemaReader,
  schema: string,
  request: string,
): { readonly requestPath: readonly string[]; readonly entryPath: readonly string[] } | undefined {
  if (!isResourceObject(reader, reader.getProperties(schema))) return undefined;
  const paths = [['data', 'attributes'], ['attributes'], ['data']];
  const requestPath = paths.find((path) => reader.isObject(reader.getInner(request, path) ?? '')) ?? [];
  return { requestPath, entryPath: ['attributes'] };
}

/** A relationship of a resource object to one other (JSON:API 1.1 §7.2.2). */
interface Relationship {
  readonly name: string;
  /** The path of the id of the other object, such as `relationships.member.data.id`. */
  readonly property: string;
  /** The JSON Pointer of the schema of the id. */
  readonly schema: string;
  /** The only type that the other object can have. Undefined if the document does not say it. */
  readonly type: string | undefined;
}

/** Returns the relationships of a resource object to one other. */
export function listRelationships(reader: SchemaReader, schema: string): readonly Relationship[] {
  const own = reader.getProperties(schema);
  const relationships = own.has('type') ? own.get('relationships') : undefined;
  if (relationships === undefined) return [];
  return [...reader.getProperties(relationships)].flatMap(([name, pointer]) => {
    const id = reader.getInner(pointer, ['data', 'id']);
    const type = reader.getInner(pointer, ['data', 'type']);
    if (id === undefined || type === undefined || !reader.isScalar(id)) return [];
    const values = [reader.getKeyword(type, 'const') ?? reader.getKeyword(type, 'enum') ?? []].flat();
    const only = values.length === 1 ? String(values[0]) : undefined;
    return [{ name, property: `relationships.${name}.data.id`, schema: id, type: only }];
  });
}

/**
 * Returns the relationships that can name a parent: the one with its name, else those with its type.
 * `segment`: the segment of the path of the parents, such as `members`.
 */
export function findParentRelationships(
  reader: SchemaReader,
  schema: string,
  segment: string,
): readonly Relationship[] {
  const names = [segment, toSingular(segment)].map(normalizeName);
  const all = listRelationships(reader, schema);
  const isNamed = ({ name }: Relationship) => names.includes(normalizeName(name));
  const hasType = ({ type }: Relationship) => type !== undefined && names.includes(normalizeName(type));
  const named = all.find((one) => isNamed(one) && (one.type === undefined || hasType(one))) ?? all.find(isNamed);
  return named ? [named] : all.filter(hasType);
}

/**
 * Returns whether a value is a text that is not one of a few.
 * `allowsFormat`: returns whether the text can have a format. By default, it can have none.
 */
export function isFreeText(
  reader: SchemaReader,
  schema: string,
  allowsFormat: (format: string) => boolean = () => false,
): boolean {
  const format = reader.getKeyword(schema, 'format');
  const isText = reader.getTypes(schema).join() === 'string' && reader.getKeyword(schema, 'enum') === undefined;
  return isText && (format === undefined || allowsFormat(String(format)));
}
