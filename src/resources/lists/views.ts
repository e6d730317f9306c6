import type { Route } from '../../openapi/routes.ts';
import type { Entry } from '../../store/state.ts';
import { addToGroup } from '../../util/groups.ts';
import { toIsoTime } from '../../util/iso-time.ts';
import { memoizeByObject } from '../../util/memoize-by-object.ts';
import { normalizeName, toSingular } from '../../util/names.ts';
import { isChildName } from '../actions/actions.ts';
import {
  type DocumentPath,
  type DocumentPaths,
  getRequiredQuery,
  getResourceSegment,
  getTrailingParameters,
} from '../document/document-paths.ts';
import {
  getLastSegment,
  getParameterName,
  getParentPath,
  getPathForm,
  isSearchPath,
  toTemplate,
} from '../document/names.ts';
import { findParents, hasEntryResponse, hasProperties } from '../document/path-keys.ts';
import { hasOnly, isForOthers, listWrapped } from '../document/response-shapes.ts';
import type { SchemaReader } from '../document/schema-reader.ts';
import { findTree } from '../document/trees.ts';
import { getProperty } from '../entries/entry-values.ts';
import type { Mount, Parent, Resource, View } from '../resource.ts';
import { isRelation } from '../users/user-names.ts';
import { describeConditions } from '../values/derived.ts';
import { isInRange } from './filter-entries.ts';
import { listFilterProperties } from './list-filters.ts';
import { listQueryFields, readListParameters } from './list-query.ts';
import { compareValues } from './sort-entries.ts';
import { findView, namesSelection } from './view-words.ts';

/** Describes which entries a view shows: `only status "done"`. */
export function describeView({ values, times, order }: View): readonly string[] {
  return [
    ...describeConditions({ values, times }).map((condition) => `only ${condition}`),
    ...(order ? [`sorted by ${order.property}`] : []),
  ];
}

/**
 * Adds to the resources the other paths that list their entries, such as `/search` and `/tasks/overdue`.
 * The list in the response must have the schema of the entries, and each parent in the path a property of the entries.
 */
export function addOtherViews(
  reader: SchemaReader,
  paths: DocumentPaths,
  resources: readonly Resource[],
): readonly Resource[] {
  const used = listUsed(resources);
  const added = new Map<Resource, Mount[]>();
  const byListed = indexListed(reader, paths, resources);
  for (const documentPath of paths.values()) {
    const route = documentPath.routes.get('GET') ?? documentPath.routes.get('POST');
    const { path } = documentPath;
    // `/appointments/patient/{patientId}` lists the appointments with this `patientId`.
    const selecting = getTrailingParameters(path).length;
    if (used.has(path) || !route || selecting > 1 || (selecting === 1 && route.method !== 'GET')) continue;
    const resource =
      route.method === 'GET'
        ? (findShown(reader, resources, documentPath) ??
          byListed.get(reader.resolve(findListed(reader, documentPath)?.schema ?? '')) ??
          findFull(reader, resources, documentPath) ??
          findExtended(reader, resources, documentPath) ??
          findSearched(reader, resources, documentPath) ??
          findNested(reader, resources, documentPath) ??
          findPlural(reader, resources, documentPath))
        : findOwnChildren(reader, resources, route);
    if (!resource || !hasKnownQuery(reader, resource, documentPath) || showsOthers(reader, resources, route)) continue;
    const { schema, id } = resource;
    const inPath = findParents(reader, { schema, collectionPath: toTemplate(path), route, id });
    const parents = inPath.map((parent) => setOwnParent(reader, resource, parent));
    // An entry can show a user without the id, which is then a hidden value.
    if (!parents.every(({ property, name }) => property !== undefined || name.includes('.'))) continue;
    const view = findView(reader, resource, path);
    // A list of the overdue entries, or of blocked users, does not show all of them.
    const isRelated = isRelation(toSingular(getResourceSegment(path))) && !isRelation(resource.singular);
    if (!view && (namesSelection(path) || isRelated)) continue;
    const tree = findTree(reader, resource, {
      path: documentPath.path,
      shown: findListed(reader, documentPath)?.schema,
    });
    const base = { collection: path, item: undefined, parents, id };
    const mount: Mount = { ...base, ...(view ? { view } : {}), ...(tree ? { tree } : {}) };
    added.set(resource, [...(added.get(resource) ?? []), mount]);
  }
  return resources.map((resource) => {
    const mounts = added.get(resource);
    return mounts ? { ...resource, mounts: [...resource.mounts, ...mounts] } : resource;
  });
}

/** Returns the collections by the JSON Pointers of the schemas in which their own lists show entries. */
function indexListed(
  reader: SchemaReader,
  paths: DocumentPaths,
  resources: readonly Resource[],
): ReadonlyMap<string, Resource> {
  const index = new Map<string, Resource>();
  const shared = new Set<string>();
  for (const resource of resources) {
    const list =
      resource.kind === 'collection' ? paths.get(toTemplate(resource.mounts[0]?.collection ?? '')) : undefined;
    const listed = list && findListed(reader, list)?.schema;
    if (listed === undefined) continue;
    const schema = reader.resolve(listed);
    if (index.has(schema)) shared.add(schema);
    index.set(schema, resource);
  }
  for (const schema of shared) index.delete(schema);
  return index;
}

/** Names of lists that show all entries of the list above them, without uppercase letters and separators. */
export const FULL_NAMES = ['all', 'details', 'detailed', 'full'];

/**
 * Returns the resource whose entries a list such as `/tasks/details` shows with further properties: most properties are
 * those of the entries.
 */
function findFull(
  reader: SchemaReader,
  resources: readonly Resource[],
  documentPath: DocumentPath,
): Resource | undefined {
  const schema = findListed(reader, documentPath)?.schema;
  const resource = indexResources(reader)(resources).byName.get(getParentPath(documentPath.path));
  if (!FULL_NAMES.includes(normalizeName(getLastSegment(documentPath.path))) || !schema || !resource) return undefined;
  const isEntry = resource.id.property !== undefined && reader.getProperties(schema).has(resource.id.property);
  return isEntry && hasProperties(reader, schema, resource.schema) ? resource : undefined;
}

/**
 * Returns the resource whose entries a list such as `/recommended/jobs` shows with further properties: it has their
 * name, or the plural of it, and its schema contains theirs.
 */
function findExtended(
  reader: SchemaReader,
  resources: readonly Resource[],
  documentPath: DocumentPath,
): Resource | undefined {
  const schema = findListed(reader, documentPath)?.schema;
  const { byName } = indexResources(reader)(resources);
  const segment = getLastSegment(documentPath.path);
  const resource = byName.get(segment) ?? byName.get(toSingular(segment));
  if (schema === undefined || !resource) return undefined;
  return reader.contains(schema, resource.schema) || reader.isAlike(schema, resource.schema) ? resource : undefined;
}

/** Returns the resource of `/movie` for `/movies`, if the document does not describe the objects in this list. */
function findPlural(
  reader: SchemaReader,
  resources: readonly Resource[],
  documentPath: DocumentPath,
): Resource | undefined {
  const schema = findListed(reader, documentPath)?.schema;
  const segment = getLastSegment(documentPath.path);
  const isOpen = schema !== undefined && reader.getProperties(schema).size === 0;
  if (!isOpen || toSingular(segment) === segment) return undefined;
  return indexResources(reader)(resources).byName.get(`${getParentPath(documentPath.path)}/${toSingular(segment)}`);
}

/** Matches what the result of a search says about it, beside the entry that it found. */
const SEARCH_RESULT = /^(?:rank|score|relevance|snippet|excerpt|highlights?|match(?:es)?|similarity|distance)$/;

/** Returns the resource whose entries `/documents/search` finds: results have the id and another property of them. */
function findSearched(
  reader: SchemaReader,
  resources: readonly Resource[],
  documentPath: DocumentPath,
): Resource | undefined {
  const schema = findListed(reader, documentPath)?.schema;
  const resource = indexResources(reader)(resources).byName.get(getParentPath(documentPath.path));
  if (!isSearchPath(documentPath.path) || !schema || resource?.id.property === undefined) return undefined;
  const known = reader.getProperties(resource.schema);
  const names = [...reader.getProperties(schema).keys()];
  const shown = names.filter((name) => known.has(name));
  const isResult = names.every((name) => known.has(name) || SEARCH_RESULT.test(normalizeName(name)));
  return isResult && shown.length > 1 && shown.includes(resource.id.property) ? resource : undefined;
}

/** Returns the resource whose entries a list such as `/categories/tree` shows inside each other. */
function findNested(
  reader: SchemaReader,
  resources: readonly Resource[],
  documentPath: DocumentPath,
): Resource | undefined {
  const resource = indexResources(reader)(resources).byName.get(getParentPath(documentPath.path));
  return resource &&
    findTree(reader, resource, { path: documentPath.path, shown: findListed(reader, documentPath)?.schema })
    ? resource
    : undefined;
}

/** Returns the resource to which a POST such as `/topics/{topicId}/children` adds an entry below another one. */
function findOwnChildren(reader: SchemaReader, resources: readonly Resource[], route: Route): Resource | undefined {
  if (!isChildName(getLastSegment(route.path))) return undefined;
  const item = getPathForm(getParentPath(route.path));
  const resource = resources.find(
    ({ kind, mounts }) =>
      kind === 'collection' && mounts.some((mount) => mount.item !== undefined && getPathForm(mount.item) === item),
  );
  return resource && hasEntryResponse(reader, resource, route) ? resource : undefined;
}

/** Returns a parent with the property `parentId` if it is an entry of the same resource: `/topics/{id}/children`. */
export function setOwnParent(reader: SchemaReader, { schema, singular, mounts }: Resource, parent: Parent): Parent {
  const isOwn = mounts.some(({ item }) => item !== undefined && getPathForm(item) === getPathForm(parent.path));
  const names = ['parentid', `parent${normalizeName(singular)}id`];
  const [property, pointer] =
    [...reader.getProperties(schema)].find(
      ([name, one]) => names.includes(normalizeName(name)) && reader.isScalar(one),
    ) ?? [];
  const isUsed = isOwn && parent.property === undefined && property !== undefined && pointer !== undefined;
  return isUsed ? { ...parent, property, schema: pointer } : parent;
}

/** Returns whether a path such as `/articles/feed` lists only entries of users whom the sender of a request follows. */
export function isFeed({ path }: Pick<Route, 'path'>): boolean {
  return /^(?:feed|timeline)$/i.test(getLastSegment(path));
}

/**
 * Adds the paths that show an entry by another property than its id: `/profiles/{username}` shows a user, also if it
 * shows only some properties.
 */
export function addLookups(
  reader: SchemaReader,
  routes: readonly Route[],
  resources: readonly Resource[],
): readonly Resource[] {
  const used = listUsed(resources);
  const byProperty = indexProperties(reader, resources);
  const changed = new Set(routes.flatMap(({ method, path }) => (method === 'GET' ? [] : [path])));
  const added = new Map<Resource, Mount[]>();
  for (const route of routes) {
    const { path, method, pathNames } = route;
    const [parameter, ...more] = pathNames;
    const response = reader.getResponseSchema(route, route.successStatus);
    const isItem = parameter !== undefined && more.length === 0 && getParameterName(getLastSegment(path)) === parameter;
    const isOnlyRead = method === 'GET' && !changed.has(path);
    if (!isItem || !isOnlyRead || used.has(path) || response === undefined) continue;
    const words = parameter.split(/[_-]|(?<=[a-z0-9])(?=[A-Z])/);
    const ends = words.map((_, index) => normalizeName(words.slice(index).join('')));
    const found = [...new Set(ends.flatMap((end) => byProperty.get(end) ?? []))].flatMap((resource) => {
      const mount = findLookup(reader, resource, { path, parameter, response });
      return mount ? [{ resource, mount }] : [];
    });
    const [only, ...others] = found;
    if (only && others.length === 0) added.set(only.resource, [...(added.get(only.resource) ?? []), only.mount]);
  }
  return resources.map((resource) => {
    const mounts = added.get(resource);
    return mounts ? { ...resource, mounts: [...resource.mounts, ...mounts] } : resource;
  });
}

/**
 * Returns the collections without parents by the names of their properties.
 * Omits `id` and `uuid`, which do not say which collection they identify.
 */
function indexProperties(
  reader: SchemaReader,
  resources: readonly Resource[],
): ReadonlyMap<string, readonly Resource[]> {
  const index = new Map<string, Resource[]>();
  for (const resource of resources) {
    const { kind, schema, mounts } = resource;
    if (kind !== 'collection' || schema === '' || mounts[0]?.parents.length !== 0) continue;
    for (const name of new Set([...reader.getProperties(schema).keys()].map(normalizeName))) {
      if (!['id', 'uuid'].includes(name)) addToGroup(index, name, resource);
    }
  }
  return index;
}

/** Returns the path of a lookup if its response shows more than one property of an entry, and mostly these. */
function findLookup(
  reader: SchemaReader,
  { schema, singular }: Resource,
  { path, parameter, response }: { readonly path: string; readonly parameter: string; readonly response: string },
): Mount | undefined {
  const known = reader.getProperties(schema);
  const shown = reader.findEntry(response, singular, schema).schema;
  const names = [...reader.getProperties(shown).keys()];
  // `{movieSlug}` is the `slug` of a movie.
  const own = [parameter, parameter.replace(new RegExp(`^${singular}[-_]?`, 'i'), '')].map(normalizeName);
  const property = names.find((name) => own.includes(normalizeName(name)));
  const pointer = property === undefined ? undefined : known.get(property);
  const shared = names.filter((name) => known.has(name));
  const isEntry = reader.isSame(shown, schema) || (shared.length > 1 && shared.length * 2 > names.length);
  if (property === undefined || pointer === undefined || !reader.isScalar(pointer) || !isEntry) return undefined;
  const id = { parameter, property, name: parameter, schema: pointer };
  return { collection: getParentPath(path), item: path, parents: [], id, shown };
}

/** Returns the paths that belong to resources. */
export function listUsed(resources: readonly Resource[]): ReadonlySet<string> {
  return new Set(
    resources.flatMap(({ mounts }) => mounts.flatMap(({ collection, item = collection }) => [collection, item])),
  );
}

/** Returns the resource whose entries a GET lists. */
export function findShown(
  reader: SchemaReader,
  resources: readonly Resource[],
  { path, routes }: DocumentPath,
): Resource | undefined {
  const found = findListed(reader, { path, routes });
  if (!found) return undefined;
  const { bySchema, byName } = indexResources(reader)(resources);
  // `/articles/feed` is below `/articles`, and another list has the property `articles`.
  const similar = [byName.get(getParentPath(path)), byName.get(found.path.at(-1) ?? '')];
  return (
    bySchema.get(reader.resolve(found.schema)) ??
    similar.find((resource) => resource !== undefined && hasOnly(reader, found.schema, resource.schema)) ??
    resources.find(({ kind, schema, mounts: [mount] }) => {
      const list = { path: mount?.collection ?? '', schema };
      return kind === 'collection' && isForOthers(reader, list, { path, schema: found.schema });
    })
  );
}

/** Returns the resources by the JSON Pointers of their schemas, and by their names and the paths of their lists. */
const indexResources = memoizeByObject((reader: SchemaReader) =>
  memoizeByObject((resources: readonly Resource[]) => {
    const [bySchema, byName] = [new Map<string, Resource>(), new Map<string, Resource>()];
    for (const resource of resources.toReversed()) {
      if (resource.kind !== 'collection' || resource.schema === '') continue;
      bySchema.set(reader.resolve(resource.schema), resource);
      byName.set(resource.name, resource);
      byName.set(toTemplate(resource.mounts[0]?.collection ?? ''), resource);
    }
    return { bySchema, byName };
  }),
);

/**
 * Returns whether a response shows entries in several properties, such as `{ user, recentTasks }`, or several numbers
 * of entries, as a dashboard does. Then it is no list.
 */
function showsOthers(reader: SchemaReader, resources: readonly Resource[], route: Route): boolean {
  const response = reader.getResponseSchema(route, route.successStatus) ?? '';
  const { bySchema, byName } = indexResources(reader)(resources);
  const isShown = ([name, pointer]: readonly [string, string]) => {
    const items = reader.getItems(pointer);
    const named = items === undefined ? undefined : byName.get(name);
    return bySchema.has(reader.resolve(items ?? pointer)) || (named && isPartOf(reader, items ?? '', named));
  };
  const wrapped = listWrapped(reader, response).map((path) => reader.getInner(response, path) ?? '');
  const names = resources.flatMap(({ kind, name }) => (kind === 'collection' ? normalizeName(name) : []));
  const isCount = ([name, pointer]: readonly [string, string]) =>
    reader.getTypes(pointer).includes('integer') && names.some((one) => normalizeName(name).includes(one));
  return [response, ...wrapped].some((schema) => {
    const properties = [...reader.getProperties(schema)];
    return properties.filter(isShown).length > 1 || properties.filter(isCount).length > 1;
  });
}

/** Returns whether a schema has the id and only properties of the entries of a resource. */
export function isPartOf(reader: SchemaReader, schema: string, { id, schema: own }: Resource): boolean {
  const names = [...reader.getProperties(schema).keys()];
  const known = reader.getProperties(own);
  return id.property !== undefined && names.includes(id.property) && names.every((name) => known.has(name));
}

/** Returns the list in the response of a GET, and the schema of its entries. */
export function findListed(reader: SchemaReader, { path, routes }: Pick<DocumentPath, 'path' | 'routes'>) {
  const route = routes.get('GET');
  const response = route && reader.getResponseSchema(route, route.successStatus);
  return response === undefined ? undefined : reader.findList(response, getResourceSegment(path));
}

/** Returns whether each required query parameter of a list filters, sorts or pages its entries. */
export function hasKnownQuery(
  reader: SchemaReader,
  { schema }: Pick<Resource, 'schema'>,
  { routes }: DocumentPath,
): boolean {
  const route = routes.get('GET');
  const required = route ? getRequiredQuery(route) : [];
  if (!route || required.length === 0) return true;
  const properties = listFilterProperties(reader, schema);
  const { ignored } = readListParameters(listQueryFields(reader, route), properties, reader.getKeyword.bind(reader));
  return !required.some((name) => ignored.includes(name));
}

/**
 * Returns the entries that a view shows, in its order.
 * `complete`: returns an entry with the generated properties that clients see.
 * `getNow`: returns the time of the sandbox, in ms since 1970.
 */
export function selectViewed(
  { values, times, order }: View,
  entries: readonly Entry[],
  complete: (entry: Entry) => Entry,
  getNow: () => number,
): readonly Entry[] {
  const getValue = (entry: Entry, property: string) =>
    getProperty(entry, property) ?? getProperty(complete(entry), property);
  const now = times.length > 0 ? toIsoTime(getNow()) : '';
  const selected = entries.filter(
    (entry) =>
      values.every(({ property, value, isEqual }) => ((getValue(entry, property) ?? null) === value) === isEqual) &&
      times.every(({ property, comparison }) => isInRange(getValue(entry, property), comparison, now)),
  );
  if (!order) return selected;
  const factor = order.isDescending ? -1 : 1;
  return selected.toSorted((a, b) => {
    const [left, right] = [a, b].map((entry) => getValue(entry, order.property) ?? undefined);
    return compareValues(left, right, factor);
  });
}
