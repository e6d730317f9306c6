import type { Route } from '../openapi/routes.ts';
import type { Action, Mount, Resource } from './resource.ts';
import type { SchemaReader } from './schema-reader.ts';

/** A resource and one of its paths. `isItem`: whether the path is that of an entry, such as `/pets/{petId}`, and not that of the list. */
export interface Place {
  readonly resource: Resource;
  readonly mount: Mount;
  readonly isItem: boolean;
}

/** Returns the action of an operation, such as `create`; undefined if the document does not tell what the operation does. */
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
    PATCH: hasObject ? 'update' : undefined,
    DELETE: 'delete',
    // `POST /pets/{petId}` changes a pet if the response body is the pet, or if there is no response body and the request has properties of the pet.
    POST:
      !isSingleton && (hasEntryResponse(reader, resource, route) || sendsEntry(reader, resource, route))
        ? 'update'
        : undefined,
  };
  return actions[route.method];
}

/** Returns whether the request body of an operation has properties of the entry, and the response has no body. */
function sendsEntry(reader: SchemaReader, { schema }: Resource, route: Route): boolean {
  const request = reader.getRequestSchema(route);
  const response = reader.getResponseSchema(route, route.successStatus);
  return response === undefined && request !== undefined && schema !== '' && hasProperties(reader, request, schema);
}

/** Returns whether an operation has query parameters. These parameters can select the entries that the operation changes. */
function hasQuery({ parameters }: Route): boolean {
  return parameters.some((parameter) => parameter.in === 'query');
}

/** Returns whether the success response of an operation contains an entry of the resource: the schema of the entry, most of its properties, or only its id. */
export function hasEntryResponse(reader: SchemaReader, { schema, singular, id }: Resource, route: Route): boolean {
  const response = reader.getResponseSchema(route, route.successStatus);
  if (response === undefined || schema === '') return false;
  const { schema: found } = reader.findEntry(response, singular, schema);
  if (reader.contains(found, schema)) return true;
  const hasOnlyId = id.property !== undefined && [...reader.getProperties(found).keys()].join() === id.property;
  return reader.isObject(found) && (hasOnlyId || hasProperties(reader, found, schema));
}

/** Returns whether a schema has several properties, and the schema `other` has more than half of them. */
export function hasProperties(reader: SchemaReader, schema: string, other: string): boolean {
  const names = [...reader.getProperties(schema).keys()];
  const others = reader.getProperties(other);
  return names.length > 1 && names.filter((name) => others.has(name)).length > names.length / 2;
}

/**
 * Returns whether a POST operation searches entries instead of creating one. In this case, its response has a list of entries, and also properties of the
 * request that entries do not have, such as `filters` and `limit`.
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
