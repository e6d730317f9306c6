import type { Route } from '../openapi/routes.ts';
import { memoizeByObject } from '../util/memoize-by-object.ts';
import { getResourceSegment } from './document-paths.ts';
import { addArticle, getParameterName, getParentPath, getPathForm, toTemplate } from './names.ts';
import { hasProperties, type Place } from './path-keys.ts';
import type { Action, Mount, PathKey, Resource } from './resource.ts';
import type { SchemaReader } from './schema-reader.ts';
import { allowsAnyBody } from './schema-reader.ts';

/** Returns a mount with the names that the parameters have in the path of an entry. */
export function renameParameters(mount: Mount, item: string): Mount {
  const names = item.split('/').flatMap((segment) => getParameterName(segment) ?? []);
  const rename = <Key extends PathKey>(key: Key, index: number): Key => ({
    ...key,
    parameter: names[index] ?? key.parameter,
  });
  return { ...mount, parents: mount.parents.map(rename), id: rename(mount.id, names.length - 1) };
}

/**
 * Returns whether a PUT changes only the properties in its body: the body requires no property, and entries require at
 * least one of them.
 */
export function sendsPart(
  reader: SchemaReader,
  { schema }: Resource,
  route: Route,
  requestPath: readonly string[],
): boolean {
  const request = reader.getRequestSchema(route);
  const body = request === undefined ? undefined : reader.getInner(request, requestPath);
  if (body === undefined || schema === '' || reader.isSame(body, schema) || reader.getRequired(body).length > 0)
    return false;
  const sent = reader.getProperties(body);
  const hasDefault = [...sent.values()].some((pointer) => reader.getKeyword(pointer, 'default') !== undefined);
  return !hasDefault && reader.getRequired(schema).some((name) => sent.has(name));
}

/** Finds the resource to which an operation belongs, by its path. Returns undefined if there is none. */
export function findPlace(
  resources: readonly Resource[],
  { method, path }: Pick<Route, 'method' | 'path'>,
): Place | undefined {
  return (indexByPath(resources).get(path) ?? []).find((place) => place.isItem || canBeList(place, method, path));
}

/** Finds the resource to which a path belongs. Ignores the names of path parameters. */
export function findPlaceOfForm(resources: readonly Resource[], path: string): Place | undefined {
  const places = indexByForm(resources).get(getPathForm(path)) ?? [];
  return places.find((place) => place.isItem || canBeList(place, 'GET', path));
}

/**
 * Returns whether a request lists or creates entries: `GET /commands/send` below `/commands` lists commands, but
 * `POST /commands/send` is an action.
 */
function canBeList({ resource }: Place, method: string, path: string): boolean {
  return method === 'GET' || getParentPath(path) !== toTemplate(resource.mounts[0]?.collection ?? '');
}

/** The places of all resources by path template, because a document can have thousands of paths. */
const indexByPath = memoizeByObject((resources: readonly Resource[]) => indexPlaces(resources, (path) => path));

/** The places of all resources by path template without the names of parameters. */
const indexByForm = memoizeByObject((resources: readonly Resource[]) => indexPlaces(resources, getPathForm));

function indexPlaces(
  resources: readonly Resource[],
  getKey: (path: string) => string,
): ReadonlyMap<string, readonly Place[]> {
  const places = resources.flatMap((resource) =>
    resource.mounts.flatMap((mount) => [
      ...(mount.item === undefined ? [] : [{ key: getKey(mount.item), place: { resource, mount, isItem: true } }]),
      { key: getKey(mount.collection), place: { resource, mount, isItem: false } },
    ]),
  );
  const index = new Map<string, Place[]>();
  for (const { key, place } of places) {
    const others = index.get(key);
    if (others) others.push(place);
    else index.set(key, [place]);
  }
  return index;
}

export function locateRequest(
  reader: SchemaReader,
  { schema, singular }: Resource,
  route: Route,
  own: string | undefined,
) {
  const request = reader.getRequestSchema(route);
  if (request === undefined) return [];
  const path = own?.split('.');
  // The property path from `x-storefront` can be one of the response body only.
  if (path && reader.getInner(request, path) !== undefined) return path;
  const located = reader.findEntry(request, singular, schema === '' ? undefined : schema);
  // A body with several properties of the entry is the entry itself, also if it has a property such as `data`.
  return schema !== '' && hasProperties(reader, request, schema) ? [] : located.path;
}

/**
 * Returns where the properties of the request body belong in an entry: in `['attributes']`, or at the top level of the
 * entry (an empty array).
 */
export function locateInEntry(
  reader: SchemaReader,
  { schema }: Resource,
  route: Route,
  requestPath: readonly string[],
) {
  const request = reader.getRequestSchema(route);
  const body = request === undefined ? undefined : reader.getInner(request, requestPath);
  if (body === undefined || schema === '' || hasProperties(reader, body, schema)) return [];
  const attributes = reader.getProperties(schema).get('attributes');
  if (attributes === undefined) return [];
  const names = [...reader.getProperties(body).keys()];
  const count = (object: string) => names.filter((name) => reader.getProperties(object).has(name)).length;
  return count(attributes) > count(schema) ? ['attributes'] : [];
}

/**
 * Returns the property names that lead to the entry or the list in a response body, such as `['data', 'items']`.
 * If there is none, returns as text why the operation is mocked.
 */
export function locateResponse(
  reader: SchemaReader,
  { resource, action }: { readonly resource: Resource; readonly action: Action },
  route: Route,
  overrides: { readonly list?: string; readonly entry?: string },
): readonly string[] | string {
  const own = action === 'list' ? overrides.list : overrides.entry;
  if (own !== undefined) return own.split('.').filter(Boolean);
  const schema = reader.getResponseSchema(route, route.successStatus);
  if (action === 'list') {
    if (allowsAnyBody(reader.document, route)) return [];
    if (schema === undefined) return 'the response has no body';
    const found = reader.findList(schema, getResourceSegment(route.path));
    return found ? found.path : 'the response has no list of objects';
  }
  if (schema === undefined) return [];
  const found = reader.findEntry(schema, resource.singular, resource.schema === '' ? undefined : resource.schema);
  return describeOtherBodies(reader, { resource, action, shown: found.schema }, route) ?? found.path;
}

/**
 * Returns the reason for mocking an operation whose bodies have no property of an entry.
 * Returns undefined if they have one.
 * `shown`: the JSON Pointer of the schema of the object in the response.
 */
function describeOtherBodies(
  reader: SchemaReader,
  { resource, action, shown }: { readonly resource: Resource; readonly action: Action; readonly shown: string },
  route: Route,
): string | undefined {
  const { schema, singular } = resource;
  if (schema === '' || reader.sharesProperties(shown, schema)) return undefined;
  if (action === 'read') return `the response has no property of ${addArticle(singular)}`;
  const request = reader.getRequestSchema(route);
  if (action !== 'create' || request === undefined || reader.hasId(shown, singular)) return undefined;
  const sent = reader.findEntry(request, singular, schema).schema;
  return reader.sharesProperties(sent, schema)
    ? undefined
    : `neither the request nor the response has a property of ${addArticle(singular)}`;
}
