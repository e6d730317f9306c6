import type { Route } from '../../openapi/routes.ts';
import { memoizeByObject } from '../../util/memoize-by-object.ts';
import type { Mount, PathKey, Plan, Resource } from '../resource.ts';
import { getParameterName, getParentPath, getPathForm, toTemplate } from './names.ts';
import type { Place } from './path-keys.ts';
import type { SchemaReader } from './schema-reader.ts';

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

/** Returns a mount with the names that the parameters have in the path of an entry. */
export function renameParameters(mount: Mount, item: string): Mount {
  const names = item.split('/').flatMap((segment) => getParameterName(segment) ?? []);
  const rename = <Key extends PathKey>(key: Key, name: string | undefined): Key => ({
    ...key,
    parameter: name ?? key.parameter,
  });
  const rest = [...names];
  // The user who sends the request has no parameter.
  const parents = mount.parents.map((parent) => (parent.isSender ? parent : rename(parent, rest.shift())));
  return { ...mount, parents, id: rename(mount.id, names.at(-1)) };
}

/**
 * Returns whether a PUT changes only the properties in its body: the body does not require a property that the POST of
 * a new entry requires, or it requires none, and entries require at least one of them.
 */
export function sendsPart(
  reader: SchemaReader,
  { schema, requiredToCreate = [] }: Resource,
  route: Route,
  requestPath: readonly string[],
): boolean {
  const body = reader.getRequestInner(route, requestPath);
  if (body === undefined || schema === '') return false;
  const sent = reader.getProperties(body);
  const required = reader.getRequired(body);
  const hasDefault = [...sent.values()].some((pointer) => reader.getKeyword(pointer, 'default') !== undefined);
  if (hasDefault) return false;
  if (requiredToCreate.some((name) => sent.has(name) && !required.includes(name))) return true;
  const isOwn = reader.isSame(body, schema) || required.length > 0;
  return !isOwn && reader.getRequired(schema).some((name) => sent.has(name));
}

/**
 * Returns the plan for reading the entry to which an entry belongs, if an operation that changes the entry responds
 * with it: `POST /basket/items` can return the basket.
 */
export function planOwner(
  reader: SchemaReader,
  resources: readonly Resource[],
  resource: Resource,
  mount: Mount,
  route: Route,
): Plan | undefined {
  const shown = reader.getResponseSchema(route, route.successStatus);
  if (route.method === 'GET' || shown === undefined) return undefined;
  // `/tasks/{projectId}/st/{subTaskId}` does not name the task of the subtask, but the path of the list does.
  const mounts = mount.isItemOnly ? [mount, ...resource.mounts.slice(0, 1)] : [mount];
  const owners = mounts.flatMap(({ collection }) => {
    const above = getParentPath(collection);
    const place = findPlaceOfForm(resources, above);
    if (!place?.isItem || place.resource.schema === '' || reader.isSame(place.resource.schema, resource.schema))
      return [];
    const { schema, singular } = place.resource;
    const found = reader.findEntry(shown, singular, schema);
    return reader.contains(found.schema, schema) ? [{ above, place, found }] : [];
  });
  const best = owners.find(({ found, place }) => reader.isSame(found.schema, place.resource.schema)) ?? owners[0];
  if (!best || isInside(reader, shown, resource, best.found.path)) return undefined;
  const { above, place, found } = best;
  const owner = renameParameters(place.mount, above);
  return {
    route,
    action: 'read',
    resource: place.resource,
    mount: owner,
    requestPath: [],
    entryPath: [],
    responsePath: found.path,
  };
}

/** Returns whether a property of a body is inside of an entry in the body: the class inside of a booking. */
function isInside(
  reader: SchemaReader,
  body: string,
  { schema, singular }: Resource,
  path: readonly string[],
): boolean {
  if (schema === '' || path.length === 0) return false;
  const own = reader.findEntry(body, singular, schema);
  const isAbove = own.path.length < path.length && own.path.every((name, index) => name === path[index]);
  return isAbove && reader.contains(own.schema, schema);
}
