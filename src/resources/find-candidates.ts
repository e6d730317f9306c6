import type { Route } from '../openapi/routes.ts';
import { toSingular } from '../util/singular.ts';
import {
  type DocumentPath,
  type DocumentPaths,
  getOverrides,
  getRequiredQuery,
  getResourceSegment,
  getTrailingParameters,
} from './document-paths.ts';
import { getLastSegment, getParameterName, getParentPath } from './names.ts';
import type { Resource } from './resource.ts';
import type { SchemaReader } from './schema-reader.ts';

/** The paths of a possible resource. */
export interface Candidate {
  readonly segment: string;
  readonly singular: string;
  /** The path template of the list. */
  readonly collectionPath: string;
  readonly collection: DocumentPath | undefined;
  readonly item: DocumentPath;
  readonly kind: Resource['kind'];
}

/**
 * Finds the collections without a path of an entry. GET lists the entries, and POST creates them: its response is an entry with an id, and its request has properties
 * of the entry. `used`: the paths of resources.
 */
export function findLists(reader: SchemaReader, paths: DocumentPaths, used: ReadonlySet<string>): readonly Candidate[] {
  return [...paths].flatMap(([path, collection]) => {
    const segment = collection.overrides.resource ?? getResourceSegment(path);
    const singular = toSingular(segment);
    const create = collection.routes.get('POST');
    const list = collection.routes.get('GET');
    if (used.has(collection.path) || !create || !list) return [];
    const schema = reader.getResponseSchema(create, create.successStatus) ?? '';
    const entry = reader.findEntry(schema, singular).schema;
    const properties = reader.getProperties(entry);
    const request = [...reader.getProperties(reader.getRequestSchema(create) ?? '').keys()];
    if (!request.some((name) => properties.has(name)) || !reader.hasId(entry, singular)) return [];
    if (!hasEntries(reader, collection, { name: segment, schema: entry })) return [];
    const item = { ...collection, path: `${path}/{id}`, routes: new Map() };
    return [{ segment, singular, collectionPath: path, collection, item, kind: 'collection' as const }];
  });
}

/** Finds the possible resources. Those with the fewest path parameters come first. */
export function findCandidates(reader: SchemaReader, paths: DocumentPaths): readonly Candidate[] {
  const items = [...paths].flatMap(([path, item]) => {
    const collectionPath = findCollectionPath(paths, path);
    if (collectionPath === undefined) return [];
    const segment = item.overrides.resource ?? getResourceSegment(collectionPath);
    const collection = paths.get(collectionPath);
    const candidate = { segment, singular: toSingular(segment), collectionPath, collection, item };
    return isUsable(reader, paths, candidate) ? [{ ...candidate, kind: 'collection' as const }] : [];
  });
  const collections = new Set(items.map(({ collectionPath }) => collectionPath));
  const singletons = [...paths].flatMap(([path, item]) => {
    if (collections.has(path) || !isSingleton(reader, path, item)) return [];
    const segment = item.overrides.resource ?? getLastSegment(path);
    return [
      { segment, singular: segment, collectionPath: path, collection: undefined, item, kind: 'singleton' as const },
    ];
  });
  return [...items, ...singletons].sort((a, b) => countParameters(a.item.path) - countParameters(b.item.path));
}

function countParameters(path: string): number {
  return path.split('{').length;
}

/** Returns the path of the collection of an item path: the path before its last parameter. It is undefined if the path is not an item. */
function findCollectionPath(paths: DocumentPaths, path: string): string | undefined {
  const parameters = getTrailingParameters(path);
  if (parameters.length === 0) return undefined;
  const parent = getParentPath(path);
  if (parent === '') return undefined;
  if (parameters.length === 1) return parent;
  // `/repos/{owner}/{repo}`: the collection is `/repos`, or `/repos/{owner}` if it is a path of the document.
  return paths.has(parent) ? parent : undefined;
}

/** Returns whether an item path has operations of a resource: it can be read or changed, and the responses are objects. */
function isUsable(reader: SchemaReader, paths: DocumentPaths, candidate: Omit<Candidate, 'kind'>): boolean {
  const { collection, item, segment, singular } = candidate;
  if (!['GET', 'PUT', 'PATCH', 'DELETE'].some((method) => item.routes.has(method))) return false;
  const read = item.routes.get('GET');
  if (read && !isEntryResponse(reader, read) && !hasNoBody(read)) return false;
  const put = item.routes.get('PUT');
  if (!collection) {
    // Without a collection, only PUT can create an entry, unless a path below a parent lists the entries.
    const canPut = read !== undefined && put !== undefined && reader.getRequestSchema(put) !== undefined;
    return canPut || isListedElsewhere(reader, paths, candidate);
  }
  const list = collection.routes.get('GET');
  const schema = list && reader.getResponseSchema(list, list.successStatus);
  const hasList = schema !== undefined && reader.findList(schema, segment) !== undefined;
  // Entries that nothing reads or creates are not worth storing: PUT is an action.
  const canCreate = collection.routes.has('POST') || (put !== undefined && (read ?? list) !== undefined);
  return (hasList || canCreate) && findEntrySchema(reader, { collection, item, segment, singular }) !== undefined;
}

/** Returns whether a path below a parent lists or creates the entries of an item path: `/books/{isbn}/loans` for `/loans/{loanId}`. */
function isListedElsewhere(reader: SchemaReader, paths: DocumentPaths, candidate: Omit<Candidate, 'kind'>): boolean {
  if (candidate.collectionPath.includes('{')) return false;
  const name = candidate.segment;
  const schema = findEntrySchema(reader, candidate) ?? '';
  return [...paths].some(([path, other]) => {
    const create = other.routes.get('POST');
    if (!path.includes('{') || getLastSegment(path) !== name) return false;
    return (!create || isEntryResponse(reader, create)) && hasEntries(reader, other, { name, schema });
  });
}

/** Returns whether a path lists or creates the entries of a resource. `schema`: of the entries. */
export function hasEntries(
  reader: SchemaReader,
  { routes }: DocumentPath,
  { name, schema }: Pick<Resource, 'name' | 'schema'>,
): boolean {
  const [list, create] = [routes.get('GET'), routes.get('POST')];
  const route = list ?? create;
  if (!route || schema === '') return false;
  const response = reader.getResponseSchema(route, route.successStatus) ?? '';
  const found = list ? reader.findList(response, name) : reader.findEntry(response, '');
  return found !== undefined && reader.isSame(found.schema, schema);
}

/** Returns whether the success response has no body: it tells only whether the entry exists. */
function hasNoBody({ responses, successStatus }: Route): boolean {
  return responses.some(({ name, media }) => name === String(successStatus) && Object.keys(media).length === 0);
}

function isEntryResponse(reader: SchemaReader, route: Route): boolean {
  const schema = reader.getResponseSchema(route, route.successStatus);
  return schema !== undefined && reader.isObject(schema);
}

/** Returns whether a path is a singleton: an object that is read, and replaced or updated. A response can show what a request changes. */
function isSingleton(reader: SchemaReader, path: string, { routes }: DocumentPath): boolean {
  const read = routes.get('GET');
  const change = routes.get('PUT') ?? routes.get('PATCH');
  if (!read || !change || getParameterName(getLastSegment(path)) !== undefined) return false;
  if (!isEntryResponse(reader, read) || selectsObject(read, change)) return false;
  const schema = reader.getResponseSchema(read, read.successStatus) ?? '';
  const request = reader.getRequestSchema(change);
  if (request === undefined || reader.findList(schema, getLastSegment(path))?.path.length === 0) return false;
  const [sent, shown] = [request, schema].map((body) => getNames(reader, body, getLastSegment(path)));
  return !sent?.length || !shown?.length || sent.some((name) => shown.includes(name));
}

/** Returns the names of the properties of a body, and of the entry in it. */
function getNames(reader: SchemaReader, body: string, singular: string): readonly string[] {
  const { schema } = reader.findEntry(body, singular);
  return [body, schema].flatMap((part) => [...reader.getProperties(part).keys()]);
}

/** Returns whether a required query parameter selects one of several objects: changes do not have it. */
function selectsObject(read: Route, change: Route): boolean {
  const names = getRequiredQuery(change);
  return getRequiredQuery(read).some((name) => !names.includes(name));
}

/** Returns the JSON Pointer of the schema of the entries of a resource. */
export function findEntrySchema(
  reader: SchemaReader,
  { collection, item, segment, singular }: Pick<Candidate, 'collection' | 'item' | 'segment' | 'singular'>,
): string | undefined {
  const list = collection?.routes.get('GET');
  const listSchema = list && reader.getResponseSchema(list, list.successStatus);
  const listed = listSchema === undefined ? undefined : reader.findList(listSchema, segment)?.schema;
  const inResponse = (route: Route | undefined) => {
    if (!route) return undefined;
    const schema = reader.getResponseSchema(route, route.successStatus);
    if (schema === undefined || !reader.isObject(schema)) return undefined;
    const { entry: own } = getOverrides(reader.document, route);
    return own === undefined
      ? reader.findEntry(schema, singular, listed).schema
      : reader.getInner(schema, own.split('.'));
  };
  const inRequest = (route: Route | undefined) => {
    const schema = route && reader.getRequestSchema(route);
    return schema !== undefined && reader.isObject(schema) ? reader.findEntry(schema, singular).schema : undefined;
  };
  return (
    inResponse(item.routes.get('GET')) ??
    listed ??
    inResponse(item.routes.get('PUT') ?? item.routes.get('PATCH')) ??
    inResponse(collection?.routes.get('POST')) ??
    inRequest(collection?.routes.get('POST') ?? item.routes.get('PUT'))
  );
}
