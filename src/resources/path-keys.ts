import type { Route } from '../openapi/routes.ts';
import { normalizeName } from '../util/normalize-name.ts';
import { toSingular } from '../util/singular.ts';
import { getAncestors, getResourceSegment } from './document-paths.ts';
import { getAlternatives, getKeyNames, getLastSegment, getParameterName, TEXT_KEYS } from './names.ts';
import type { Parent, PathKey } from './resource.ts';
import type { SchemaReader } from './schema-reader.ts';

/** The parameters of `findId`, which finds the property of an entry for a path parameter: `id` for `{petId}`. */
interface KeyInput {
  readonly schema: string;
  readonly parameter: string;
  readonly singular: string;
  /** An operation whose path has the parameter. */
  readonly route: Route;
  /** Whether clients choose the id of a new entry. This is the case if only PUT creates entries. */
  readonly isChosenByClient: boolean;
  /** Whether no response describes the entries. Then the schema is that of a request, which often lacks the id. */
  readonly isUnshown: boolean;
}

/**
 * Finds the property that contains the id of an entry: `id` for `/pets/{petId}`.
 * `own`: the property in `x-storefront`, which takes precedence.
 */
export function findId(
  reader: SchemaReader,
  { own, ...input }: KeyInput & { readonly own: string | undefined },
): PathKey {
  const { schema, parameter, route } = input;
  const property = own ?? findIdProperty(reader, input);
  const place = property === undefined ? undefined : reader.getInner(schema, property.split('.'));
  const alias = findProperty(reader, schema, getAlternatives(parameter).slice(1).map(normalizeName));
  const pathSchema = reader.getParameterSchema(route, parameter);
  return {
    parameter,
    property,
    ...(alias === property ? {} : { alias }),
    name: parameter,
    schema: place ?? pathSchema,
    ...(place === undefined || pathSchema === '' ? {} : { pathSchema }),
  };
}

/** Names of objects in an entry that can contain its id, such as `metadata` in `metadata.name`. */
const ID_OBJECTS = ['metadata', 'meta', 'sys', 'attributes', 'data'];

/**
 * Returns the property that contains the id of an entry, such as `id` or `metadata.name`.
 * Returns `id` if the schema has no properties, and undefined if no property fits.
 */
function findIdProperty(reader: SchemaReader, input: KeyInput): string | undefined {
  const { schema, parameter, singular, isChosenByClient, isUnshown } = input;
  const properties = reader.getProperties(schema);
  if (properties.size === 0) return 'id';
  const names = getKeyNames(parameter, singular);
  const types = getParameterTypes(reader, input);
  const found = findProperty(reader, schema, names, types);
  if (found !== undefined) return found;
  if (isChosenByClient) return findProperty(reader, schema, TEXT_KEYS, types);
  for (const [name, pointer] of properties) {
    // `/orgs/{org}` can have the value of `organization.login`.
    const isNamed = parameter.length > 2 && normalizeName(name).startsWith(normalizeName(parameter));
    if (!(isNamed || ID_OBJECTS.includes(normalizeName(name))) || !reader.isObject(pointer)) continue;
    const inner = findProperty(reader, pointer, names, types);
    if (inner !== undefined) return `${name}.${inner}`;
  }
  if (isUnshown && reader.getKeyword(schema, 'additionalProperties') !== false)
    return ['id', `${normalizeName(singular)}id`].includes(normalizeName(parameter)) ? 'id' : parameter;
  // `payeeWorkingPatternId` is the id of a working pattern.
  const ids = [...properties.keys()].filter((name) => normalizeName(name).endsWith(`${normalizeName(singular)}id`));
  // A property such as `slug` is better than an id that is only in the path, because clients see the property.
  return ids.length === 1 ? ids[0] : (findAddress(reader, input) ?? findProperty(reader, schema, UNIQUE_KEYS, types));
}

/**
 * Formats of IP addresses.
 * An IP address can be an id: `/reserved_ipv6/{reserved_ipv6}` selects an entry by its property `ip`.
 */
const ADDRESS_FORMATS: readonly unknown[] = ['ipv4', 'ipv6'];

/**
 * Returns the property with the IP address that identifies an entry.
 * Returns undefined if the path parameter is not an IP address.
 * Also returns undefined if no property, or more than one, has the format of the path parameter.
 */
function findAddress(reader: SchemaReader, { schema, route, parameter }: KeyInput): string | undefined {
  const place = reader.getParameterSchema(route, parameter);
  const format = place === '' ? undefined : reader.getKeyword(place, 'format');
  if (!ADDRESS_FORMATS.includes(format)) return undefined;
  const found = [...reader.getProperties(schema)].filter(
    ([, pointer]) => reader.getKeyword(pointer, 'format') === format,
  );
  return found.length === 1 ? found[0]?.[0] : undefined;
}

/** Names of properties whose values are usually unique. */
const UNIQUE_KEYS = ['slug', 'key', 'code', 'symbol', 'login', 'username', 'handle'];

function getParameterTypes(reader: SchemaReader, { route, parameter }: KeyInput): readonly unknown[] {
  const schema = reader.getParameterSchema(route, parameter);
  // `{id_or_name}` is a string, also if the id is an integer.
  return schema === '' || getAlternatives(parameter).length > 1 ? [] : reader.getTypes(schema);
}

/**
 * Returns the first property that has one of `names`, in the order of `names`.
 * Ignores case and separators.
 * Considers only strings and numbers, and prefers properties with one of `types`.
 */
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

/** Names of path parameters that do not say which resource they identify: `{id}`, in contrast to `{petId}`. */
const GENERAL_NAMES = ['id', 'uuid', 'name', 'slug', 'key', 'code'];

/** Returns the parents in the path of a collection, the outermost first: the owner in `/owners/{ownerId}/pets`. */
export function findParents(
  reader: SchemaReader,
  { schema, collectionPath, route, id }: Pick<KeyInput, 'schema' | 'route'> & { collectionPath: string; id: PathKey },
): readonly Parent[] {
  return getAncestors(`${collectionPath}/{}`).map((path) => {
    const parameter = getParameterName(getLastSegment(path)) ?? '';
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
