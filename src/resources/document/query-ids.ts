import { DomainError, type Input } from '../../application.ts';
import type { Route } from '../../openapi/routes.ts';
import { normalizeName, toSingular } from '../../util/names.ts';
import type { PathInput } from '../entries/entry-values.ts';
import type { Candidate } from '../inference/find-candidates.ts';
import type { PathKey, Plan, Resource } from '../resource.ts';
import {
  type DocumentPath,
  type DocumentPaths,
  getRequiredQuery,
  getResourceSegment,
  isOwnIdName,
} from './document-paths.ts';
import { getLastSegment, getParameterName } from './names.ts';
import { hasEntryResponse, hasProperties, type Place, UNIQUE_KEYS } from './path-keys.ts';
import { isPart } from './response-shapes.ts';
import type { SchemaReader } from './schema-reader.ts';

/** The methods whose requests read, change or delete one entry. */
const ENTRY_METHODS = ['GET', 'PUT', 'PATCH', 'DELETE'];

/**
 * Returns the place of the entry whose id is in a query parameter: `DELETE /plans?planId=7` is like
 * `DELETE /plans/7`.
 * Returns undefined if no parameter, or more than one, has the id, or if a GET returns a list.
 */
export function findQueryPlace(reader: SchemaReader, place: Place, route: Route): Place | undefined {
  const { resource, mount, isItem } = place;
  if (isItem || resource.kind !== 'collection' || resource.schema === '' || !ENTRY_METHODS.includes(route.method))
    return undefined;
  if (route.method === 'GET' && !showsOne(reader, resource, route)) return undefined;
  const key = findQueryKey(reader, resource, route);
  return key && { resource, mount: { ...mount, id: key }, isItem: true };
}

/** Returns the only query parameter that has the id of an entry, or for a GET the value of another property. */
function findQueryKey(reader: SchemaReader, resource: Resource, route: Route): PathKey | undefined {
  const { id, schema } = resource;
  const required = getRequiredQuery(route);
  const query = route.parameters.filter((parameter) => parameter.in === 'query').map(({ name }) => name);
  const ids = query.filter((name) => isOwnIdName(name, resource.singular, id.property));
  const [own] = ids;
  const isOptional = own !== undefined && !required.includes(own) && route.method === 'GET';
  if (own !== undefined && ids.length === 1 && !isOptional) return { ...id, parameter: own };
  const [name = ''] = required;
  const normalized = normalizeName(name);
  const isKey = route.method === 'GET' || UNIQUE_KEYS.includes(normalized);
  if (ids.length > 0 || required.length !== 1 || !isKey) return undefined;
  const [property, pointer] = findScalar(reader, schema, name) ?? [];
  return property === undefined || pointer === undefined
    ? undefined
    : { parameter: name, property, name, schema: pointer };
}

function findScalar(reader: SchemaReader, schema: string, name: string) {
  return [...reader.getProperties(schema)].find(
    ([property, pointer]) => normalizeName(property) === normalizeName(name) && reader.isScalar(pointer),
  );
}

/** Returns whether a GET returns one object with an id, and no list. */
export function showsEntry(reader: SchemaReader, route: Route, singular: string): boolean {
  const response = reader.getResponseSchema(route, route.successStatus);
  if (response === undefined) return false;
  const { path, schema } = reader.findEntry(response, singular);
  const shown = reader.getInner(response, path);
  const isOne = shown !== undefined && reader.getItems(shown) === undefined;
  return isOne && reader.isObject(schema) && reader.hasId(schema, singular);
}

/** Returns whether a GET returns one entry of a resource, and no list. */
function showsOne(reader: SchemaReader, resource: Resource, route: Route): boolean {
  const response = reader.getResponseSchema(route, route.successStatus);
  if (response === undefined || !hasEntryResponse(reader, resource, route)) return false;
  const { path } = reader.findEntry(response, resource.singular, resource.schema);
  const shown = reader.getInner(response, path);
  return shown !== undefined && reader.getItems(shown) === undefined;
}

/**
 * Finds resources whose entries are read by an id in the query, such as `GET /plan?planId=7`, and that POST or PUT at
 * the same path creates or changes.
 */
export function findByQuery(reader: SchemaReader, paths: DocumentPaths): readonly Candidate[] {
  return [...paths].flatMap(([path, documentPath]) => {
    const { routes, overrides } = documentPath;
    const read = routes.get('GET');
    const response = read && reader.getResponseSchema(read, read.successStatus);
    if (!read || response === undefined || getParameterName(getLastSegment(path)) !== undefined) return [];
    const segment = overrides.resource ?? getResourceSegment(path);
    const singular = toSingular(segment);
    const { schema } = reader.findEntry(response, singular);
    const names = getRequiredQuery(read);
    const [name = ''] = names;
    const isKnown = isOwnIdName(name, singular) || findScalar(reader, schema, name);
    const isOne = reader.isObject(schema) && reader.hasId(schema, singular);
    if (names.length !== 1 || !isKnown || !isOne || !isChanged(reader, documentPath, schema)) return [];
    const create = routes.get('POST');
    const item = new Map([...routes].filter(([method]) => method !== 'POST'));
    return [
      {
        segment,
        singular,
        collectionPath: path,
        collection: create && { ...documentPath, routes: new Map([['POST', create]]) },
        item: { ...documentPath, path: `${path}/{${singular}Id}`, routes: item },
        kind: 'collection' as const,
        isByQuery: true,
      },
    ];
  });
}

/** Returns whether a POST or PUT sends mostly or only properties of an entry. */
function isChanged(reader: SchemaReader, { routes }: DocumentPath, schema: string): boolean {
  return ['POST', 'PUT'].some((method) => {
    const route = routes.get(method);
    const request = route && reader.getRequestSchema(route);
    return request !== undefined && (hasProperties(reader, request, schema) || isPart(reader, request, schema));
  });
}

/** Returns whether a request for a new entry has its id in the path or in the query. */
export function hasOwnId({ resource: { id }, mount, idInQuery }: Plan, path: PathInput): boolean {
  const isItem = mount.item !== undefined || idInQuery !== undefined;
  const isParent = mount.parents.some(({ parameter }) => parameter === id.parameter);
  return isItem && !isParent && path[id.parameter] !== undefined;
}

/**
 * Returns the path parameters of a request with the id in its query.
 * Throws a `DomainError` if the query does not have it.
 */
export function addQueryId({ idInQuery, resource, mount }: Plan, path: PathInput, query: Input['query']): PathInput {
  if (idInQuery === undefined) return path;
  const value = query[idInQuery];
  if (typeof value !== 'string' || value === '')
    throw new DomainError('id-missing', `the query has no ${idInQuery}: add the id of the entry`);
  // The object has no prototype, as that of the path parameters.
  const isOwn = mount.id.property === resource.id.property;
  const own = { [mount.id.parameter]: value, ...(isOwn ? { [resource.id.parameter]: value } : {}) };
  return Object.assign(Object.create(null), path, own, { [idInQuery]: value });
}
