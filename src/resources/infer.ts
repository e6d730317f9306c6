import type { Route } from '../openapi/routes.ts';
import { getDocumentPaths, getOverrides, getResourceSegment } from './document-paths.ts';
import { findResources } from './find-resources.ts';
import { addArticle, getLastSegment, getParameterName, getParentPath, getPathForm, removeEnding } from './names.ts';
import { findParents } from './path-keys.ts';
import {
  type Action,
  getRouteKey,
  type Inference,
  type MockedPlan,
  type Mount,
  NO_ID,
  type Plan,
  type Resource,
} from './resource.ts';
import type { SchemaReader } from './schema-reader.ts';

/** Infers the resources of a document, and what its operations do with them. `reader`: of the normalized document. */
export function inferResources(reader: SchemaReader, routes: readonly Route[]): Inference {
  const resources = findResources(reader, getDocumentPaths(reader.document, routes));
  const plans = new Map<string, Plan>();
  const mockedPlans = new Map<string, MockedPlan>();
  const reasons = new Map<string, string>();
  for (const route of routes) {
    const planned = planRoute(reader, resources, route);
    const key = getRouteKey(route);
    if (typeof planned !== 'string') plans.set(key, planned);
    else {
      reasons.set(key, planned);
      if (!getOverrides(reader.document, route).off) mockedPlans.set(key, planMocked(reader, resources, route));
    }
  }
  return { resources, plans, mockedPlans, reasons };
}

/** Plans a mocked operation: the entries in its path must exist. PUT can create the entry at its path. */
function planMocked(reader: SchemaReader, resources: readonly Resource[], route: Route): MockedPlan {
  const collection = route.method === 'PUT' ? getParentPath(route.path) : route.path;
  const parents = findParents(reader, { schema: '', collectionPath: collection, route, id: NO_ID });
  const owner = parents.at(-1);
  const place = owner && findPlace(resources, { method: 'GET', path: owner.path }, getPathForm);
  const mount = { collection, item: undefined, parents, id: NO_ID };
  if (!owner || !place?.isItem) return { route, mount, entry: undefined };
  const { resource } = place;
  const names = parents.map(({ parameter }) => parameter);
  const own = {
    ...place.mount,
    parents: place.mount.parents.map((parent, index) => ({ ...parent, parameter: names[index] ?? parent.parameter })),
    id: { ...place.mount.id, parameter: owner.parameter },
  };
  const needed = { ...mount, parents: [...own.parents, { ...own.id, path: owner.path }] };
  // The response of GET can be another entry, such as the manager of a user.
  if (route.method === 'GET' || !hasEntryResponse(reader, resource, route))
    return { route, mount: needed, entry: undefined };
  const responsePath = locateResponse(reader, { resource, action: 'read' }, route, {}) as readonly string[];
  const entry: Plan = { route, action: 'read', resource, mount: own, requestPath: [], entryPath: [], responsePath };
  return { route, mount: needed, entry };
}

/** A path of a resource. */
interface Place {
  readonly resource: Resource;
  readonly mount: Mount;
  readonly isItem: boolean;
}

/** Returns the plan of an operation, or the reason why it is mocked. */
function planRoute(reader: SchemaReader, resources: readonly Resource[], route: Route): Plan | string {
  const overrides = getOverrides(reader.document, route);
  if (overrides.off) return 'x-storefront: off';
  const place = findPlace(resources, route);
  if (!place) return describeUnknownPath(reader, route);
  const action = chooseAction(reader, place, route);
  if (action === undefined) return describeUnknownAction(place, route);
  const unusable = findUnusableMedia(reader, action, route);
  if (unusable !== undefined) return unusable;
  const { resource, mount } = place;
  const requestPath = locateRequest(reader, resource, route, overrides.entry);
  const entryPath = locateInEntry(reader, resource, route, requestPath);
  const responsePath = locateResponse(reader, { resource, action }, route, overrides);
  if (typeof responsePath === 'string') return responsePath;
  return { route, action, resource, mount, requestPath, entryPath, responsePath };
}

/** Returns the resource of an operation. `normalize`: is applied to the path templates before they are compared. */
function findPlace(
  resources: readonly Resource[],
  { method, path }: Pick<Route, 'method' | 'path'>,
  normalize = (template: string) => template,
): Place | undefined {
  const wanted = normalize(path);
  for (const resource of resources)
    for (const mount of resource.mounts) {
      if (mount.item !== undefined && normalize(mount.item) === wanted) return { resource, mount, isItem: true };
      // `GET /commands/send` below the collection `/commands` lists commands, but `POST /commands/send` is an action.
      const isView = getParentPath(path) === removeEnding(resource.mounts[0]?.collection ?? '');
      if (normalize(mount.collection) === wanted && !(isView && method !== 'GET'))
        return { resource, mount, isItem: false };
    }
  return undefined;
}

/** Returns the action of an operation; undefined if the document does not say what the operation does. */
function chooseAction(reader: SchemaReader, { resource, mount, isItem }: Place, route: Route): Action | undefined {
  const request = reader.getRequestSchema(route);
  const hasObject = request !== undefined && reader.isObject(request);
  if (isItem) return chooseItemAction(reader, resource, route, hasObject);
  switch (route.method) {
    case 'GET':
      return 'list';
    case 'POST':
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
    // `PUT /teams/{teamId}/members/{username}` without a body adds the member, if no POST does.
    PUT:
      hasObject || (!isSingleton && !resource.canPost && Object.keys(route.bodyMedia).length === 0)
        ? 'replace'
        : undefined,
    PATCH: hasObject ? 'update' : undefined,
    DELETE: 'delete',
    // `POST /pets/{petId}` changes a pet if the response is the pet.
    POST: !isSingleton && hasEntryResponse(reader, resource, route) ? 'update' : undefined,
  };
  return actions[route.method];
}

/** Returns whether a query selects what an operation changes. */
function hasQuery({ parameters }: Route): boolean {
  return parameters.some((parameter) => parameter.in === 'query');
}

function hasEntryResponse(reader: SchemaReader, { schema, singular, id }: Resource, route: Route): boolean {
  const response = reader.getResponseSchema(route, route.successStatus);
  if (response === undefined || schema === '') return false;
  const { schema: found } = reader.findEntry(response, singular, schema);
  if (reader.contains(found, schema)) return true;
  const hasOnlyId = id.property !== undefined && [...reader.getProperties(found).keys()].join() === id.property;
  return reader.isObject(found) && (hasOnlyId || hasProperties(reader, found, schema));
}

/** Returns whether most properties of a schema are properties of another schema. */
function hasProperties(reader: SchemaReader, schema: string, other: string): boolean {
  const names = [...reader.getProperties(schema).keys()];
  const others = reader.getProperties(other);
  return names.length > 1 && names.filter((name) => others.has(name)).length > names.length / 2;
}

function hasBodyId(reader: SchemaReader, { id, singular, schema }: Resource, request: string): boolean {
  if (id.property === undefined) return false;
  const entry = reader.findEntry(request, singular, schema);
  const isList = reader.getItems(reader.getInner(request, entry.path) ?? '') !== undefined;
  // `{ "keys": [], "data": {} }` changes several entries.
  const isAlone = entry.path.length === 0 || reader.getProperties(request).size === 1;
  return isAlone && !isList && reader.getInner(entry.schema, id.property.split('.')) !== undefined;
}

/** Returns why the bodies of an operation can't be used; undefined if they can. */
function findUnusableMedia(reader: SchemaReader, action: Action, route: Route): string | undefined {
  const media = Object.keys(route.bodyMedia);
  const needsBody = ['create', 'replace', 'replaceById', 'update'].includes(action);
  if (needsBody && media.length > 0 && reader.getRequestSchema(route) === undefined)
    return `the request body is ${media.join(' or ')}`;
  const response = route.responses.find(({ name }) => name === String(route.successStatus));
  const types = Object.keys(response?.media ?? {});
  if (types.length > 0 && reader.getResponseSchema(route, route.successStatus) === undefined)
    return `the response is ${types.join(' or ')} without a JSON schema`;
  return undefined;
}

function locateRequest(reader: SchemaReader, { schema, singular }: Resource, route: Route, own: string | undefined) {
  const request = reader.getRequestSchema(route);
  if (request === undefined) return [];
  const path = own?.split('.');
  // The entry can be in another property of the response.
  if (path && reader.getInner(request, path) !== undefined) return path;
  const located = reader.findEntry(request, singular, schema === '' ? undefined : schema);
  // `{ "name": …, "data": … }`: a body with several properties that the entry has is the entry.
  return schema !== '' && hasProperties(reader, request, schema) ? [] : located.path;
}

/** Returns the path of the object in an entry that has more properties of the request body than the entry; an empty path for the entry itself. */
function locateInEntry(reader: SchemaReader, { schema }: Resource, route: Route, requestPath: readonly string[]) {
  const request = reader.getRequestSchema(route);
  const body = request === undefined ? undefined : reader.getInner(request, requestPath);
  if (body === undefined || schema === '' || hasProperties(reader, body, schema)) return [];
  const attributes = reader.getProperties(schema).get('attributes');
  if (attributes === undefined) return [];
  const names = [...reader.getProperties(body).keys()];
  const count = (object: string) => names.filter((name) => reader.getProperties(object).has(name)).length;
  return count(attributes) > count(schema) ? ['attributes'] : [];
}

/** Returns the path of the entry or of the list in the success response, or the reason why the operation is mocked. */
function locateResponse(
  reader: SchemaReader,
  { resource, action }: { readonly resource: Resource; readonly action: Action },
  route: Route,
  overrides: { readonly list?: string; readonly entry?: string },
): readonly string[] | string {
  const own = action === 'list' ? overrides.list : overrides.entry;
  if (own !== undefined) return own.split('.').filter(Boolean);
  const schema = reader.getResponseSchema(route, route.successStatus);
  if (action === 'list') {
    if (schema === undefined) return 'the response has no body';
    const found = reader.findList(schema, getResourceSegment(route.path));
    return found ? found.path : 'the response has no list of objects';
  }
  if (schema === undefined) return [];
  return reader.findEntry(schema, resource.singular, resource.schema === '' ? undefined : resource.schema).path;
}

/** Returns why an operation of a path that belongs to no resource is mocked. */
function describeUnknownPath(reader: SchemaReader, route: Route): string {
  if (route.method !== 'GET') return 'an action: the document does not say what it changes';
  const schema = reader.getResponseSchema(route, route.successStatus);
  if (schema === undefined) return 'the response is not JSON';
  const isItem = getParameterName(getLastSegment(route.path)) !== undefined;
  if (isItem) return 'no operation creates or lists what it returns';
  return reader.findList(schema, getResourceSegment(route.path))
    ? 'a list without a path for its entries'
    : 'no operation changes what it returns';
}

function describeUnknownAction({ resource, isItem }: Place, route: Route): string {
  const target = isItem ? resource.singular : resource.name;
  return Object.keys(route.bodyMedia).length > 0
    ? `the request body is not an object with the properties of ${addArticle(resource.singular)}`
    : `an action on ${target}: the document does not say what it changes`;
}
