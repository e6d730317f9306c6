import type { Route } from '../openapi/routes.ts';
import { listPatchTypes } from './patch-types.ts';
import type { Action, Mount, Resource } from './resource.ts';
import type { SchemaReader } from './schema-reader.ts';

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
  switch (route.method) {
    case 'GET':
      return 'list';
    case 'POST':
      if (isSearch(reader, resource, route)) return 'list';
      return hasObject || (Object.keys(route.bodyMedia).length === 0 && hasEntryResponse(reader, resource, route))
        ? 'create'
        : undefined;
    case 'PUT':
    case 'PATCH':
      return hasObject && mount.item !== undefined && hasBodyId(reader, resource, request) ? 'replaceById' : undefined;
    case 'DELETE':
      return hasQuery(route) || request !== undefined ? undefined : 'clear';
    default:
      return undefined;
  }
}

function chooseItemAction(reader: SchemaReader, resource: Resource, route: Route, hasObject: boolean) {
  const isSingleton = resource.kind === 'singleton';
  const actions: Readonly<Record<string, Action | undefined>> = {
    GET: 'read',
    // If no POST adds members, `PUT /teams/{teamId}/members/{username}` without a body adds a member.
    PUT:
      hasObject || (!isSingleton && !resource.canPost && Object.keys(route.bodyMedia).length === 0)
        ? 'replace'
        : undefined,
    PATCH: hasObject || listPatchTypes(reader, route).length > 0 ? 'update' : undefined,
    DELETE: 'delete',
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
