import { getNode, toNode } from '../../openapi/document.ts';
import type { Route } from '../../openapi/routes.ts';
import { isIdName, normalizeName, toSingular } from '../../util/names.ts';
import { listFilterProperties } from '../lists/list-filters.ts';
import { hasBodySelection } from '../lists/list-query.ts';
import type { Action, Mount, Parent, PathKey, Resource } from '../resource.ts';
import { isRelation, PERSON_PROPERTIES, USER_OBJECTS, USER_WORDS } from '../users/user-names.ts';
import { getUserKey, isSameId } from '../users/user-parts.ts';
import { getAncestors, getRequiredQuery, getResourceSegment } from './document-paths.ts';
import { findParentRelationships, listEntryProperties, normalizeProperty } from './entry-properties.ts';
import {
  getAlternatives,
  getKeyNames,
  getLastSegment,
  getParameterName,
  getParentPath,
  OWN_SEGMENT,
  TEXT_KEYS,
} from './names.ts';
import { listPatchTypes } from './patch-types.ts';
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
  /** The schema of an entry in the list, which can show an id that the other response lacks. */
  readonly listed?: string | undefined;
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
  const { schema, parameter, route, listed = '' } = input;
  const property = own ?? findIdProperty(reader, input);
  const getPlace = (path: readonly string[]) => reader.getInner(schema, path) ?? reader.getInner(listed, path);
  const place = property === undefined ? undefined : getPlace(property.split('.'));
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
  const { schema, parameter, singular, isChosenByClient, isUnshown, listed } = input;
  const properties = reader.getProperties(schema);
  if (properties.size === 0) return 'id';
  const names = getKeyNames(parameter, singular);
  const types = getParameterTypes(reader, input);
  const found = findProperty(reader, schema, names, types);
  if (found !== undefined) return found;
  // `/users/{user_id}` has the value of the `user_id` that only the list shows.
  const inList =
    listed !== undefined && isIdName(parameter) ? findProperty(reader, listed, [normalizeName(parameter)]) : undefined;
  if (inList !== undefined) return inList;
  const ids = ['id', `${normalizeName(singular)}id`];
  const flag = [...properties].find(
    ([name, one]) => ids.includes(normalizeName(name)) && reader.getTypes(one).join() === 'boolean',
  );
  if (flag) return flag[0];
  // `/basket/items/{book}` has the value of `bookId`.
  const reference = findProperty(reader, schema, [`${normalizeName(parameter)}id`]);
  if (reference !== undefined && !GENERAL_NAMES.includes(normalizeName(parameter))) return reference;
  if (isChosenByClient) return findProperty(reader, schema, TEXT_KEYS, types);
  for (const [name, pointer] of properties) {
    // `/orgs/{org}` can have the value of `organization.login`.
    const isNamed = parameter.length > 2 && normalizeName(name).startsWith(normalizeName(parameter));
    if (!(isNamed || ID_OBJECTS.includes(normalizeName(name))) || !reader.isObject(pointer)) continue;
    const inner = findProperty(reader, pointer, names, types);
    if (inner !== undefined) return `${name}.${inner}`;
  }
  if (isUnshown && reader.getKeyword(schema, 'additionalProperties') !== false)
    return [...ids, normalizeName(singular)].includes(normalizeName(parameter)) ? 'id' : parameter;
  // `payeeWorkingPatternId` is the id of a working pattern.
  const named = [...properties.keys()].filter((name) => normalizeName(name).endsWith(`${normalizeName(singular)}id`));
  // A property such as `slug` is better than an id that is only in the path, because clients see the property.
  return named.length === 1
    ? named[0]
    : (findProperty(reader, schema, [getShortId(singular)], types) ??
        findAddress(reader, input) ??
        findProperty(reader, schema, UNIQUE_KEYS, types) ??
        (isAdditional(reader, input, ids) ? 'id' : undefined));
}

/** Returns whether entries can have an id that their schema does not name, because it allows other properties. */
function isAdditional(reader: SchemaReader, { schema, parameter, route }: KeyInput, ids: readonly string[]): boolean {
  const isInPath = reader.getParameterSchema(route, parameter) !== '';
  return isInPath && ids.includes(normalizeName(parameter)) && reader.allowsOtherProperties(schema);
}

/** Returns the short name of an id: `gid` for a group. */
function getShortId(singular: string): string {
  return `${normalizeName(singular).slice(0, 1)}id`;
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
export const UNIQUE_KEYS = ['slug', 'key', 'code', 'symbol', 'login', 'username', 'handle'];

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
  const hasType = (place: string) => types.length === 0 || reader.getTypes(place).some((one) => types.includes(one));
  // `/tasks/{task}` with a number does not have the title of a task.
  const isText = types.length === 0 || types.some((type) => type !== 'integer' && type !== 'number');
  const others = matching.filter(([property]) => isText || !TEXT_KEYS.includes(normalizeName(property)));
  return (matching.find(([, pointer]) => hasType(pointer)) ?? others[0])?.[0];
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
    const own = [normalizeName(name), `${normalizeName(singular)}id`, `id${normalizeName(singular)}`];
    // A customer or an account is usually another one than the user whom `assigneeId` names.
    const isUser = [...USER_WORDS, 'member', 'person', 'author'].includes(normalizeName(singular));
    const names = isUser ? [...own, ...PERSON_PROPERTIES] : own;
    const ownId = reader.getParameterSchema(route, parameter);
    const property =
      schema === '' ? undefined : (findProperty(reader, schema, names) ?? findSameId(reader, schema, singular, ownId));
    const isLast = path === getParentPath(collectionPath);
    const isFriend = isRelation(toSingular(getResourceSegment(collectionPath)));
    const shown = isUser && isLast && !property && schema !== '' ? findUserObject(reader, schema, isFriend) : undefined;
    if (shown)
      return { path, parameter, ...shown, schema: shown.schema ?? reader.getParameterSchema(route, parameter) };
    const related = property === undefined && schema !== '' ? findRelated(reader, schema, path, names) : undefined;
    if (related) return { path, parameter, name, ...related };
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

/**
 * Returns where a resource object of JSON:API names a parent: in `attributes`, or in the only relationship that can
 * name it.
 */
function findRelated(reader: SchemaReader, schema: string, path: string, names: readonly string[]) {
  const attributes = listEntryProperties(reader, schema);
  const isId = ([property, pointer]: readonly [string, string]) =>
    names.includes(normalizeProperty(property)) && reader.isScalar(pointer);
  const [property, place = ''] = [...attributes].find(isId) ?? [];
  if (property !== undefined && attributes !== reader.getProperties(schema)) return { property, schema: place };
  const segment = getResourceSegment(path);
  const [found, ...others] = findParentRelationships(reader, schema, segment);
  if (!found || others.length > 0) return undefined;
  return { property: found.property, schema: found.schema, type: found.type ?? segment };
}

/**
 * Returns the property that has the name of a parent, such as `bootcamp`, and its id: its type and its format are those
 * of the path parameter. A text without a format can be a name.
 */
function findSameId(reader: SchemaReader, schema: string, singular: string, parameter: string): string | undefined {
  const name = normalizeName(singular);
  const found = [...reader.getProperties(schema)].find(([one]) => normalizeName(one) === name);
  return found && isSameId(reader, found[1], parameter) ? found[0] : undefined;
}

/**
 * Returns where entries have the id of the user whom an object such as `author` shows: in the object, or if it has no
 * id, in a hidden value. The object `user` of a friend shows another user.
 */
function findUserObject(reader: SchemaReader, schema: string, isFriend: boolean) {
  const objects = [...reader.getProperties(schema)].filter(([, pointer]) => reader.isObject(pointer));
  const names = USER_OBJECTS.filter((name) => !(isFriend && name === 'user'));
  const found = names.flatMap((name) => objects.filter(([own]) => normalizeName(own) === name))[0];
  if (!found) return undefined;
  const [object, pointer] = found;
  const id = findProperty(reader, pointer, ['id', 'uuid', 'userid']);
  const name = getUserKey(object);
  return id === undefined
    ? { property: undefined, name, schema: undefined }
    : { property: `${object}.${id}`, name, schema: reader.getProperties(pointer).get(id) };
}

/**
 * A resource and one of its paths.
 * `isItem`: true for the path of a single entry, such as `/pets/{petId}`, and false for the path of the list.
 */
export interface Place {
  readonly resource: Resource;
  readonly mount: Mount;
  readonly isItem: boolean;
}

/**
 * Derives from the document what an operation does with stored entries, such as `create`.
 * Returns undefined if the document does not say what it does.
 */
export function chooseAction(
  reader: SchemaReader,
  { resource, mount, isItem }: Place,
  route: Route,
): Action | undefined {
  const request = reader.getRequestSchema(route);
  const hasObject = request !== undefined && reader.isObject(request);
  if (isItem) return chooseItemAction(reader, resource, route, hasObject);
  const isOwn = mount.item !== undefined || mount === resource.mounts[0];
  const items = request === undefined ? undefined : reader.getItems(request);
  const isList = items !== undefined && reader.isObject(items);
  switch (route.method) {
    case 'GET':
      return 'list';
    case 'QUERY': {
      const listed = reader.findList(reader.getResponseSchema(route, route.successStatus) ?? '', resource.name);
      const properties = resource.schema === '' ? [] : listFilterProperties(reader, resource.schema);
      return listed && hasBodySelection(reader, route, properties) ? 'list' : undefined;
    }
    case 'POST':
      if (isSearch(reader, resource, route)) return 'list';
      return hasObject ||
        isList ||
        (Object.keys(route.bodyMedia).length === 0 && hasEntryResponse(reader, resource, route))
        ? 'create'
        : undefined;
    case 'PUT':
    case 'PATCH':
      if (!hasObject || !isOwn || !hasBodyId(reader, resource, request)) return undefined;
      return route.method === 'PUT' ? 'replaceById' : 'updateById';
    case 'DELETE':
      return hasQuery(route) || request !== undefined || namesOne(reader, resource, route) ? undefined : 'clear';
    default:
      return undefined;
  }
}

/** Matches words of operations that add an entry. */
const ADDS =
  /\b(?:creat|add|upsert|insert|register|follow|subscrib|join|block|mut|pin|favou?rit|bookmark|star|like)\w*/i;

/**
 * Returns whether a PUT without a body adds an entry with the id in its path: below an entry or a user, as a relation
 * to another user, or if its text says so. Otherwise, an unknown id would become an entry without any other property.
 */
export function addsWithoutBody(
  { document }: SchemaReader,
  { singular, collectionPath }: { readonly singular: string; readonly collectionPath: string },
  { bodyMedia, responses, pointer }: Route,
): boolean {
  if (Object.keys(bodyMedia).length > 0) return false;
  const isBelow =
    collectionPath.includes('{') || collectionPath.split('/').some((segment) => OWN_SEGMENT.test(segment));
  const isNew = isBelow || isRelation(singular) || responses.some(({ name }) => name === '201');
  const { summary = '', description = '' } = toNode(getNode(document, pointer));
  return isNew || ADDS.test(`${collectionPath} ${summary} ${description}`);
}

function chooseItemAction(reader: SchemaReader, resource: Resource, route: Route, hasObject: boolean) {
  const isSingleton = resource.kind === 'singleton';
  const actions: Readonly<Record<string, Action | undefined>> = {
    GET: 'read',
    // If no POST adds members, `PUT /teams/{teamId}/members/{username}` without a body adds a member.
    PUT:
      hasObject ||
      (!isSingleton && !resource.canPost && resource.canCreate && Object.keys(route.bodyMedia).length === 0)
        ? 'replace'
        : undefined,
    PATCH: hasObject || listPatchTypes(reader, route).length > 0 ? 'update' : undefined,
    // `DELETE /basket?itemId=7` does not delete the whole basket.
    DELETE:
      isSingleton && (getRequiredQuery(route).length > 0 || Object.keys(route.bodyMedia).length > 0)
        ? undefined
        : 'delete',
    // `POST /pets/{petId}` changes a pet if the response body is the pet, or if there is no response body and the
    // request has properties of the pet.
    POST:
      !isSingleton && (hasEntryResponse(reader, resource, route) || sendsEntry(reader, resource, route))
        ? 'update'
        : undefined,
  };
  return actions[route.method];
}

/**
 * Returns whether the request body of an operation consists mostly of properties of the entry, and the response has no
 * body.
 */
function sendsEntry(reader: SchemaReader, { schema }: Resource, route: Route): boolean {
  const request = reader.getRequestSchema(route);
  const response = reader.getResponseSchema(route, route.successStatus);
  return response === undefined && request !== undefined && schema !== '' && hasProperties(reader, request, schema);
}

/** Matches words for all entries of a list. */
const ALL_WORDS = /^(?:all|every|each|entire|whole|bulk|multiple|many|several|clear|clears|empty|empties|purge|reset)$/;

/** Matches words for one entry of a list. */
const ONE_WORDS = /^(?:single|specific|particular)$/;

/**
 * Returns whether the summary of an operation, else its description or its operationId, names one entry and not all:
 * `Delete user`, in contrast to `Delete the users`.
 * The first of these words decides.
 */
export function namesOne(
  { document }: SchemaReader,
  { mounts, singular }: Resource,
  { pointer, operationId }: Route,
): boolean {
  const { summary, description } = toNode(getNode(document, pointer));
  const split = (name: string) =>
    name
      .replaceAll(/([a-z\d])([A-Z])/g, '$1 $2')
      .toLowerCase()
      .split(/[^\p{L}\d]+/u);
  const plural = split(getResourceSegment(mounts[0]?.collection ?? '')).at(-1);
  const one = split(singular).at(-1);
  for (const text of [summary, description, operationId]) {
    const words = split(typeof text === 'string' ? text : '');
    const isMany = (word: string) => ALL_WORDS.test(word) || (word === plural && plural !== one);
    const isOne = (word: string, index: number) =>
      ONE_WORDS.test(word) || (word === one && (plural !== one || /^an?$/.test(words[index - 1] ?? '')));
    const found = words.findIndex((word, index) => isMany(word) || isOne(word, index));
    if (found >= 0) return !isMany(words[found] ?? '');
  }
  return false;
}

/** Returns whether an operation has query parameters. A DELETE with query parameters may delete only some entries. */
function hasQuery({ parameters }: Route): boolean {
  return parameters.some((parameter) => parameter.in === 'query');
}

/**
 * Returns whether the success response of an operation contains an entry of the resource.
 * The body must have the schema of the entry, mostly properties of the entry, or only the id of the entry.
 */
export function hasEntryResponse(reader: SchemaReader, { schema, singular, id }: Resource, route: Route): boolean {
  const response = reader.getResponseSchema(route, route.successStatus);
  if (response === undefined || schema === '') return false;
  const { schema: found } = reader.findEntry(response, singular, schema);
  if (reader.contains(found, schema)) return true;
  const hasOnlyId = id.property !== undefined && [...reader.getProperties(found).keys()].join() === id.property;
  return reader.isObject(found) && (hasOnlyId || hasProperties(reader, found, schema));
}

/**
 * Returns whether a schema has at least two properties, and more than half of them are also properties of the schema
 * `other`.
 */
export function hasProperties(reader: SchemaReader, schema: string, other: string): boolean {
  const names = [...reader.getProperties(schema).keys()];
  const others = reader.getProperties(other);
  return names.length > 1 && names.filter((name) => others.has(name)).length > names.length / 2;
}

/**
 * Returns whether a POST searches entries instead of creating one.
 * A search responds with a list.
 * Its request has only properties that entries do not have, such as `limit`.
 * Its response repeats at least one of these properties.
 */
export function isSearch(
  reader: SchemaReader,
  { name, schema }: Pick<Resource, 'name' | 'schema'>,
  route: Route,
): boolean {
  const request = reader.getRequestSchema(route);
  const response = reader.getResponseSchema(route, route.successStatus);
  if (request === undefined || response === undefined || schema === '') return false;
  const list = reader.findList(response, name);
  const [property] = list?.path ?? [];
  const sent = [...reader.getProperties(request).keys()];
  if (!list || property === undefined || sent.includes(property) || !reader.isSame(list.schema, schema)) return false;
  const [entry, page] = [schema, response].map((pointer) => reader.getProperties(pointer));
  return sent.some((one) => page?.has(one)) && !sent.some((one) => entry?.has(one));
}

function hasBodyId(reader: SchemaReader, { id, singular, schema }: Resource, request: string): boolean {
  if (id.property === undefined) return false;
  const entry = reader.findEntry(request, singular, schema);
  const isList = reader.getItems(reader.getInner(request, entry.path) ?? '') !== undefined;
  // A body such as `{ "keys": [], "data": {} }` changes several entries.
  const isAlone = entry.path.length === 0 || reader.getProperties(request).size === 1;
  return isAlone && !isList && reader.getInner(entry.schema, id.property.split('.')) !== undefined;
}
