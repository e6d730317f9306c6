import { allowsJson } from '../../openapi/media-types.ts';
import { allowsAnyBody, allowsAnyJson } from '../../openapi/responses.ts';
import type { Route } from '../../openapi/routes.ts';
import { memoizeByObject } from '../../util/memoize-by-object.ts';
import { toSingular } from '../../util/names.ts';
import {
  type DocumentPath,
  type DocumentPaths,
  findIdQuery,
  getAncestors,
  getOverrides,
  getRequiredQuery,
  getResourceSegment,
  getTrailingParameters,
  indexByParent,
} from '../document/document-paths.ts';
import { isOnlyEnvelope } from '../document/envelopes.ts';
import { endsWithOwner, getLastSegment, getParameterName, getParentPath, toTemplate } from '../document/names.ts';
import {
  createsOwn,
  hasNoBody,
  isEntryResponse,
  isEntryWithList,
  isListOfOne,
  repliesShortly,
  sharesMostProperties,
} from '../document/response-shapes.ts';
import type { SchemaReader } from '../document/schema-reader.ts';
import { isUpload } from '../entries/file-properties.ts';
import { isDownload, storesOnlyFile } from '../entries/uploads.ts';
import type { Resource } from '../resource.ts';
import {
  findShownAbove,
  findShownBelow,
  hidesEntries,
  isListedBelow,
  isListOfPeopleAbove,
  listElsewhere,
} from './shown-entries.ts';

/**
 * Returns whether a path has one object instead of a list, such as `/settings`.
 * GET must return the object, and PUT or PATCH must change at least one of its properties.
 */
function isSingleton(reader: SchemaReader, path: string, { routes }: DocumentPath): boolean {
  const segment = getLastSegment(path);
  const read = routes.get('GET');
  const change = routes.get('PUT') ?? routes.get('PATCH');
  const request = change && reader.getRequestSchema(change);
  if (!read || !change || request === undefined || getParameterName(segment) !== undefined) return false;
  if (selectsObject(read, change) || findIdQuery(read, toSingular(segment)) !== undefined) return false;
  if (allowsAnyBody(reader.document, read))
    return hasOneName(segment) && !routes.has('POST') && sendsJson(reader, change);
  const schema = reader.getResponseSchema(read, read.successStatus);
  if (schema === undefined || !reader.isObject(schema) || reader.findList(schema, segment)?.path.length === 0)
    return false;
  const [sent, shown] = [request, schema].map((body) => getNames(reader, body, segment));
  return !sent?.length || !shown?.length || sent.some((name) => shown.includes(name));
}

/**
 * Returns whether the last segment of a path is singular.
 * The plural `/items` is probably a list whose entries PUT changes together.
 */
function hasOneName(segment: string): boolean {
  return toSingular(segment) === segment;
}

/** Returns whether the request body of an operation is a JSON object. */
function sendsJson(reader: SchemaReader, route: Route): boolean {
  const request = reader.getRequestSchema(route);
  return request !== undefined && reader.isObject(request) && Object.keys(route.bodyMedia).some(allowsJson);
}

/**
 * Returns the property names of a body, and of the entry in the body.
 * `body`: the JSON Pointer of the schema of the body.
 */
function getNames(reader: SchemaReader, body: string, singular: string): readonly string[] {
  const { schema } = reader.findEntry(body, singular);
  return [body, schema].flatMap((part) => [...reader.getProperties(part).keys()]);
}

/**
 * Returns whether a query parameter selects one of several objects: the operation `read` requires the parameter, but
 * the operation `change` does not.
 */
function selectsObject(read: Route, change: Route): boolean {
  const names = getRequiredQuery(change);
  return getRequiredQuery(read).some((name) => !names.includes(name));
}

/** Paths that may form a resource, such as `/pets` and `/pets/{petId}`. */
export interface Candidate {
  readonly segment: string;
  readonly singular: string;
  /** The path template of the list. */
  readonly collectionPath: string;
  readonly collection: DocumentPath | undefined;
  readonly item: DocumentPath;
  readonly kind: Resource['kind'];
  /** If the document has no operation on one entry, an operation at a path below it: `/notifications/{id}/read`. */
  readonly implied?: Route | undefined;
  /** Whether the id of an entry is in the query, and not in the path: `GET /plan?planId=7`. */
  readonly isByQuery?: boolean;
  /** The JSON Pointer of the schema in which the object at the path above the list shows the entries. */
  readonly shown?: string | undefined;
}

/**
 * Returns whether the object at a path shows entries that other paths add or change: `GET /basket` shows those of
 * `/basket/items`.
 */
function showsParts(reader: SchemaReader, paths: DocumentPaths, path: string, { routes }: DocumentPath): boolean {
  if (!routes.has('GET') || getParameterName(getLastSegment(path)) !== undefined) return false;
  return (indexByParent(paths).get(path) ?? []).some(([below, part]) => {
    if (findShownAbove(reader, paths, below) === undefined) return false;
    const items = (indexByParent(paths).get(below) ?? []).filter(
      ([item]) => getParameterName(getLastSegment(item)) !== undefined,
    );
    return (
      part.routes.has('POST') ||
      items.some(([, item]) => ['PUT', 'PATCH', 'DELETE'].some((name) => item.routes.has(name)))
    );
  });
}

/**
 * Finds collections with a list path, such as `/invoices`, but without a path for one entry, such as `/invoices/{id}`.
 * GET must list entries, and POST must create an entry: its response has an id, and its request and response have a
 * common property.
 * A POST that uploads files, or that responds with 201 and entries of its own, needs no GET.
 * `used`: paths that already belong to resources.
 */
export function findLists(reader: SchemaReader, paths: DocumentPaths, used: ReadonlySet<string>): readonly Candidate[] {
  return [...paths].flatMap(([path, collection]) => {
    const segment = collection.overrides.resource ?? getResourceSegment(path);
    const singular = toSingular(segment);
    const create = collection.routes.get('POST');
    const list = collection.routes.get('GET');
    const isShown =
      list !== undefined ||
      (create !== undefined && isListedBelow(reader, paths, path, create)) ||
      (create !== undefined && ((isUpload(create) && !USES_FILE.test(segment)) || createsOwn(reader, paths, create)));
    // `POST /me/photo` with a file changes the user with whom it responds.
    if (create && !list && isUpload(create) && returnsParent(reader, paths, create)) return [];
    if (used.has(collection.path) || !create || !(isShown || findShownAbove(reader, paths, path) !== undefined))
      return [];
    const implied = indexImplied(reader)(paths).get(path);
    const item = { ...collection, path: implied?.path ?? `${path}/{id}`, routes: new Map() };
    const shown = findShownAbove(reader, paths, path);
    const candidate = {
      segment,
      singular,
      collectionPath: path,
      collection,
      item,
      kind: 'collection' as const,
      shown,
      implied: implied?.route,
    };
    if (!list && create && shown !== undefined) return [candidate];
    const isOpen = list !== undefined && allowsAnyBody(reader.document, list);
    if (isOpen && createsUnshown(reader, create)) return [candidate];
    const schema = reader.getResponseSchema(create, create.successStatus) ?? '';
    const listSchema = list && reader.getResponseSchema(list, list.successStatus);
    const listed = listSchema === undefined ? undefined : reader.findList(listSchema, segment)?.schema;
    const isShort = listed !== undefined && repliesShortly(reader, create, singular);
    const entry = isShort ? listed : reader.findEntry(schema, singular).schema;
    const properties = reader.getProperties(entry);
    const sent = reader.getRequestSchema(create) ?? '';
    const request = [...reader.getProperties(reader.getItems(sent) ?? sent).keys()];
    const shared = request.filter((name) => properties.has(name)).length;
    const isSent = isUpload(create) || (isShort ? shared * 2 > request.length : shared > 0);
    const isKnown = reader.hasId(entry, singular) || storesOnlyFile(reader, create, entry);
    if (!isSent || !isKnown || (isUpload(create) && !list && returnsParent(reader, paths, create))) return [];
    return isOpen || listed === undefined || sharesMostProperties(reader, listed, entry) ? [candidate] : [];
  });
}

/** Matches the last segments of paths that use a file, and do not keep it, such as `/backup/import`. */
const USES_FILE =
  /^(?:(?:bulk[-_]?)?import|restore|parse|scan|convert|validate|check|extract|recogni[sz]e|analy[sz]e|preview)$/i;

/**
 * Returns whether a POST creates an entry that the document does not show: the request body is an object, and the
 * response is a 201 without a described body.
 */
function createsUnshown(reader: SchemaReader, create: Route): boolean {
  const isUnshown = hasNoBody(create) || allowsAnyJson(reader.document, create);
  return create.successStatus === 201 && isUnshown && reader.isObject(reader.getRequestSchema(create) ?? '');
}

/**
 * Returns the paths of entries by the paths of their lists, also those that are only a part of other paths, with an
 * operation at or below each of them.
 * In `/rates/{from}/{to}`, both parameters together identify an entry, so `/rates/{from}` is no path of an entry.
 * In `/accounts/{type}/search`, a type with an `enum` identifies no account.
 */
export const indexImplied = memoizeByObject((reader: SchemaReader) =>
  memoizeByObject(
    (paths: DocumentPaths): ReadonlyMap<string, { readonly path: string; readonly route: Route | undefined }> =>
      new Map(
        [...paths].flatMap(([path, { routes }]) => {
          const [route] = routes.values();
          return getAncestors(path)
            .filter((item) => !path.startsWith(`${item}/{`) && !isChoice(reader, item, route))
            .map((item) => [getParentPath(item), { path: item, route }] as const);
        }),
      ),
  ),
);

/** Returns whether the last parameter of a path allows only the values of an `enum`. */
function isChoice(reader: SchemaReader, path: string, route: Route | undefined): boolean {
  const name = getParameterName(getLastSegment(path));
  const schema = route && name !== undefined ? reader.getParameterSchema(route, name) : '';
  return schema !== '' && reader.getKeyword(schema, 'enum') !== undefined;
}

/** Finds the possible resources of a document. The resources with the fewest path parameters are first. */
export function findCandidates(reader: SchemaReader, paths: DocumentPaths): readonly Candidate[] {
  const items = [...paths].flatMap(([path, item]) => {
    const parent = findCollectionPath(paths, path);
    const collectionPath = parent === undefined ? undefined : (findOuterList(reader, paths, path, parent) ?? parent);
    const isOther = item.overrides.resource === undefined && endsWithOwner(collectionPath ?? '');
    if (collectionPath === undefined || isOther) return [];
    const segment = item.overrides.resource ?? getResourceSegment(collectionPath);
    const collection = paths.get(collectionPath);
    const above = findShownAbove(reader, paths, collectionPath) ?? findShownBelow(reader, paths, collectionPath);
    const own = { segment, singular: toSingular(segment), collectionPath, collection, item };
    const isHidden = !collection || hidesEntries(reader, paths, own);
    const isUnknown = isHidden && above === undefined && !item.routes.has('GET');
    const candidate = { ...own, shown: isUnknown ? findSchemaElsewhere(reader, paths, own) : above };
    return isUsable(reader, paths, candidate) ? [{ ...candidate, kind: 'collection' as const }] : [];
  });
  const collections = new Set(items.map(({ collectionPath }) => collectionPath));
  const singletons = [...paths].flatMap(([path, item]) => {
    if (collections.has(path) || !(isSingleton(reader, path, item) || showsParts(reader, paths, path, item))) return [];
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

/** Matches the names of path parameters that select a page of a list, such as `/posts/{page}`. */
const PAGE_PARAMETER = /^page(?:[_-]?(?:no|num|number|index))?$/i;

/**
 * Returns the list path for the path of an entry: `/pets` for `/pets/{petId}`.
 * Returns undefined if the path does not end with a parameter, or if there is no list path.
 */
function findCollectionPath(paths: DocumentPaths, path: string): string | undefined {
  const parameters = getTrailingParameters(path);
  if (parameters.length === 0) return undefined;
  const parent = getParentPath(path);
  if (parent === '' || PAGE_PARAMETER.test(parameters.at(-1) ?? '')) return undefined;
  if (parameters.length === 1) return parent;
  // A path with two parameters, such as `/repos/{owner}/{repo}`, is an item path only if the document has the path
  // `/repos/{owner}`. With more parameters, such as `/db/{user}/{collection}/{document}`, clients name the lists.
  return parameters.length === 2 && paths.has(parent) ? parent : undefined;
}

/**
 * Returns the path of the list of entries whose own path has one more segment: `/tasks/{projectId}` for
 * `/tasks/{projectId}/t/{taskId}`.
 * Returns undefined if the path `list` is that of a list, or if the other list has other entries.
 */
function findOuterList(reader: SchemaReader, paths: DocumentPaths, path: string, list: string): string | undefined {
  const outer = getParentPath(list);
  const read = paths.get(path)?.routes.get('GET');
  const documentPath = paths.get(outer);
  const shown = read && reader.getResponseSchema(read, read.successStatus);
  if (paths.has(list) || !documentPath || shown === undefined || getTrailingParameters(outer).length === 0)
    return undefined;
  const name = getResourceSegment(outer);
  const { schema } = reader.findEntry(shown, toSingular(name));
  return documentPath.routes.has('GET') && hasEntries(reader, documentPath, { name, schema }) ? outer : undefined;
}

/**
 * Returns whether the paths of a candidate form a resource.
 * For `/pets/{petId}`, the operations must read or change an object, and other operations must list or create such
 * objects.
 */
function isUsable(reader: SchemaReader, paths: DocumentPaths, candidate: Omit<Candidate, 'kind'>): boolean {
  const { collection, item, segment, shown } = candidate;
  if (!['GET', 'PUT', 'PATCH', 'DELETE'].some((method) => item.routes.has(method))) return false;
  const get = item.routes.get('GET');
  // A GET of a file says nothing about the entries.
  const read = get && isDownload(get) ? undefined : get;
  const hasAnyBody = read !== undefined && allowsAnyBody(reader.document, read);
  const isOne = read && (isEntryResponse(reader, read) || hasNoBody(read) || isListOfOne(reader, candidate, read));
  if (read && !hasAnyBody && !isOne) return false;
  if (read && isListByParameter(reader, paths, candidate, read)) return false;
  const put = item.routes.get('PUT');
  if (!collection) {
    // Without a collection path, either PUT creates the entries, or a path below a parent lists or creates them.
    const canPut = read !== undefined && put !== undefined && reader.getRequestSchema(put) !== undefined;
    return canPut || isListedElsewhere(reader, paths, candidate);
  }
  const list = collection.routes.get('GET');
  if (!list && !read && isListOfPeopleAbove(reader, paths, candidate.collectionPath)) return false;
  const schema = list && reader.getResponseSchema(list, list.successStatus);
  const isEntry = getTrailingParameters(collection.path).length > 0 && schema !== undefined;
  if (isEntry && isEntryWithList(reader, schema, getResourceSegment(collection.path))) return false;
  const hasList = schema !== undefined && reader.findList(schema, segment) !== undefined;
  // If no operation reads or creates entries, PUT is an action, and nothing needs to be stored.
  const post = collection.routes.get('POST');
  const isShown = list !== undefined || shown !== undefined || hasAnyBody || (read !== undefined && !hasNoBody(read));
  const canCreate =
    (post && (isShown || !returnsParent(reader, paths, post))) || (put !== undefined && (read ?? list) !== undefined);
  return (hasList || canCreate) && findEntrySchema(reader, candidate) !== undefined;
}

/**
 * Returns whether a path that ends with a parameter returns a list instead of one entry.
 * An example is `/fields/{table}`, if the document also has `/fields/{table}/{name}`.
 * Another is `/reviews/{book}`, if it returns `{ reviews: […] }` and no other operation lists or changes reviews.
 */
function isListByParameter(
  reader: SchemaReader,
  paths: DocumentPaths,
  { item, collection, segment, singular }: Omit<Candidate, 'kind'>,
  read: Route,
): boolean {
  const list = reader.findList(reader.getResponseSchema(read, read.successStatus) ?? '', segment);
  if (!list) return false;
  if (item.routes.size === 1 && !collection?.routes.has('GET') && list.path.at(-1) === segment) return true;
  return (indexByParent(paths).get(toTemplate(item.path)) ?? []).some(([path, { routes }]) => {
    const inner = routes.get('GET');
    if (!inner || getTrailingParameters(path).length < 2) return false;
    const schema = reader.getResponseSchema(inner, inner.successStatus) ?? '';
    return reader.isAlike(reader.findEntry(schema, singular).schema, list.schema);
  });
}

/**
 * Returns whether a POST responds with the parent instead of a new entry.
 * For example, a POST that adds an assignee to an issue can return the issue.
 */
function returnsParent(reader: SchemaReader, paths: DocumentPaths, post: Route): boolean {
  const read = paths.get(getParentPath(post.path))?.routes.get('GET');
  const [shown, parent] = [post, read].map((route) => route && reader.getResponseSchema(route, route.successStatus));
  return shown !== undefined && parent !== undefined && reader.isSame(shown, parent);
}

/**
 * Returns whether another path lists or creates the entries of a candidate: `/books/{isbn}/loans` for
 * `/loans/{loanId}`.
 */
function isListedElsewhere(reader: SchemaReader, paths: DocumentPaths, candidate: Omit<Candidate, 'kind'>): boolean {
  const name = candidate.segment;
  const schema = findEntrySchema(reader, candidate) ?? '';
  return listElsewhere(paths, candidate).some((other) => {
    const create = other.routes.get('POST');
    if (create && !other.routes.has('GET') && returnsParent(reader, paths, create)) return false;
    return (!create || isEntryResponse(reader, create)) && hasEntries(reader, other, { name, schema });
  });
}

/**
 * Returns the JSON Pointer of the schema of entries that only other paths show: the comments of
 * `/posts/{postId}/comments` for `DELETE /comments/{commentId}`.
 * Returns undefined if the other paths show different entries.
 */
function findSchemaElsewhere(
  reader: SchemaReader,
  paths: DocumentPaths,
  candidate: Pick<Candidate, 'collectionPath' | 'item' | 'segment' | 'singular'>,
): string | undefined {
  const others = listElsewhere(paths, candidate).filter(({ path }) => path !== candidate.collectionPath);
  const schemas = others.flatMap((collection) => {
    const schema = findEntrySchema(reader, { ...candidate, collection, shown: undefined });
    return schema === undefined ? [] : [schema];
  });
  const [only] = schemas;
  return only !== undefined && schemas.every((schema) => reader.isAlike(schema, only)) ? only : undefined;
}

/**
 * Returns whether a path lists or creates the entries of a resource.
 * `schema`: the JSON Pointer of the schema of an entry.
 */
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
  return found !== undefined && reader.isAlike(found.schema, schema);
}

/**
 * Returns the JSON Pointer of the schema of a resource's entries, such as the schema of a pet.
 * Returns undefined if no request or response contains an entry.
 */
export function findEntrySchema(
  reader: SchemaReader,
  {
    collection,
    item,
    segment,
    singular,
    shown: above,
  }: Pick<Candidate, 'collection' | 'item' | 'segment' | 'singular' | 'shown'>,
): string | undefined {
  const list = collection?.routes.get('GET');
  const listSchema = list && reader.getResponseSchema(list, list.successStatus);
  const inList = listSchema === undefined ? undefined : reader.findList(listSchema, segment)?.schema;
  const listed = inList ?? above;
  const inResponse = (route: Route | undefined) => {
    if (!route) return undefined;
    const schema = reader.getResponseSchema(route, route.successStatus);
    if (schema === undefined || !reader.isObject(schema) || isOnlyEnvelope(reader, schema)) return undefined;
    const { entry: own } = getOverrides(reader.document, route);
    return own === undefined
      ? reader.findEntry(schema, singular, listed).schema
      : reader.getInner(schema, own.split('.'));
  };
  const inRequest = (route: Route | undefined) => {
    const schema = route && reader.getRequestSchema(route);
    return schema !== undefined && reader.isObject(schema) ? reader.findEntry(schema, singular).schema : undefined;
  };
  const shown = inResponse(item.routes.get('GET'));
  // `GET /invoices/{id}` can return the items of an invoice, without the properties of the invoice.
  const showsOther = shown !== undefined && listed !== undefined && !reader.sharesProperties(shown, listed);
  return (
    (showsOther ? listed : shown) ??
    listed ??
    inResponse(item.routes.get('PUT') ?? item.routes.get('PATCH')) ??
    inResponse(collection?.routes.get('POST')) ??
    findFuller(
      reader,
      inRequest(collection?.routes.get('POST') ?? item.routes.get('PUT')),
      inRequest(item.routes.get('PATCH') ?? item.routes.get('PUT')),
    )
  );
}

/** Returns the schema of a changed entry if it has all properties of a new one, and more; else that of the new one. */
function findFuller(reader: SchemaReader, created: string | undefined, changed: string | undefined) {
  if (created === undefined || changed === undefined) return created;
  const [first, second] = [created, changed].map((schema) => reader.getProperties(schema)) as [Names, Names];
  return second.size > first.size && [...first.keys()].every((name) => second.has(name)) ? changed : created;
}

type Names = ReadonlyMap<string, string>;
