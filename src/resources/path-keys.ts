import type { Route } from '../openapi/routes.ts';
import { normalizeName } from '../util/normalize-name.ts';
import { toSingular } from '../util/singular.ts';
import { getAncestors, getResourceSegment, getTrailingParameters } from './document-paths.ts';
import { getKeyNames, TEXT_KEYS } from './names.ts';
import type { Parent, PathKey } from './resource.ts';
import type { SchemaReader } from './schema-reader.ts';

/** The input for finding the property with the value of a path parameter. */
interface KeyInput {
  readonly schema: string;
  readonly parameter: string;
  readonly singular: string;
  /** An operation that has the parameter. */
  readonly route: Route;
  /** Whether clients choose the id, because only PUT creates entries. */
  readonly isChosenByClient: boolean;
}

/** Finds the property with the id of an entry. `own`: the property that the document names in `x-storefront`. */
export function findId(
  reader: SchemaReader,
  { own, ...input }: KeyInput & { readonly own: string | undefined },
): PathKey {
  const { schema, parameter, route } = input;
  const property = own ?? findIdProperty(reader, input);
  const place = property === undefined ? undefined : reader.getInner(schema, property.split('.'));
  return { parameter, property, name: parameter, schema: place ?? reader.getParameterSchema(route, parameter) };
}

/** The names of objects within an entry that contain its id. */
const ID_OBJECTS = ['metadata', 'meta', 'sys', 'attributes', 'data'];

/** Returns the property with the id of an entry, with nested names separated by dots. An entry with any properties has the property `id`. */
function findIdProperty(reader: SchemaReader, input: KeyInput): string | undefined {
  const { schema, parameter, singular, isChosenByClient } = input;
  const properties = reader.getProperties(schema);
  if (properties.size === 0) return 'id';
  const names = getKeyNames(parameter, singular);
  const types = getParameterTypes(reader, input);
  const found = findProperty(reader, schema, names, types);
  if (found !== undefined) return found;
  if (isChosenByClient) return findProperty(reader, schema, TEXT_KEYS, types);
  for (const [name, pointer] of properties) {
    if (!ID_OBJECTS.includes(normalizeName(name)) || !reader.isObject(pointer)) continue;
    const inner = findProperty(reader, pointer, names, types);
    if (inner !== undefined) return `${name}.${inner}`;
  }
  // `payeeWorkingPatternId` is the id of a working pattern.
  const ids = [...properties.keys()].filter((name) => normalizeName(name).endsWith(`${normalizeName(singular)}id`));
  return ids.length === 1 ? ids[0] : undefined;
}

function getParameterTypes(reader: SchemaReader, { route, parameter }: KeyInput): readonly unknown[] {
  const schema = reader.getParameterSchema(route, parameter);
  return schema === '' ? [] : reader.getTypes(schema);
}

/** Returns the scalar property of a schema whose normalized name comes first in a list. Prefers properties that have one of the types. */
function findProperty(
  reader: SchemaReader,
  schema: string,
  names: readonly string[],
  types: readonly unknown[] = [],
): string | undefined {
  const scalars = [...reader.getProperties(schema)].filter(([, pointer]) => reader.isScalar(pointer));
  const matching = names.flatMap((name) => scalars.filter(([property]) => normalizeName(property) === name));
  const hasType = (pointer: string) =>
    types.length === 0 || reader.getTypes(pointer).some((type) => types.includes(type));
  return (matching.find(([, pointer]) => hasType(pointer)) ?? matching[0])?.[0];
}

/** The names of path parameters that do not name the entry. */
const GENERAL_NAMES = ['id', 'uuid', 'name', 'slug', 'key', 'code'];

/** Returns the parents of a collection: the path parameters before it. */
export function findParents(
  reader: SchemaReader,
  { schema, collectionPath, route, id }: Pick<KeyInput, 'schema' | 'route'> & { collectionPath: string; id: PathKey },
): readonly Parent[] {
  return getAncestors(`${collectionPath}/{}`).map((path) => {
    const parameter = getTrailingParameters(path).at(-1) ?? '';
    const singular = toSingular(getResourceSegment(path));
    const isGeneral = GENERAL_NAMES.includes(normalizeName(parameter));
    const name = isGeneral ? singular + parameter.charAt(0).toUpperCase() + parameter.slice(1) : parameter;
    const names = [normalizeName(name), `${normalizeName(singular)}id`];
    const property = schema === '' ? undefined : findProperty(reader, schema, names);
    const isFree = property !== id.property;
    const place = isFree && property !== undefined ? reader.getProperties(schema).get(property) : undefined;
    return {
      path,
      parameter,
      name,
      property: isFree ? property : undefined,
      schema: place ?? reader.getParameterSchema(route, parameter),
    };
  });
}
