import { allowsAnyBody, allowsAnyJson } from '../../openapi/responses.ts';
import type { Route } from '../../openapi/routes.ts';
import { memoizeByObject } from '../../util/memoize-by-object.ts';
import { normalizeName, toSingular } from '../../util/names.ts';
import { isChildName } from '../actions/actions.ts';
import {
  type DocumentPath,
  type DocumentPaths,
  getRequiredQuery,
  getResourceSegment,
  getTrailingParameters,
  indexByLastSegment,
  indexByOverride,
  indexByParent,
  type PathEntry,
} from '../document/document-paths.ts';
import { getLastSegment, getParameterName, getParentPath, getPathForm, toTemplate } from '../document/names.ts';
import { addsWithoutBody, findId, findParents, isSearch } from '../document/path-keys.ts';
import { findByQuery } from '../document/query-ids.ts';
import type { SchemaReader } from '../document/schema-reader.ts';
import { findView } from '../lists/view-words.ts';
import { addOtherViews, setOwnParent } from '../lists/views.ts';
import { type KnownLists, type Mount, NO_ID, type Parent, type Resource } from '../resource.ts';
import { isRelation } from '../users/user-names.ts';
import {
  type Candidate,
  findCandidates,
  findEntrySchema,
  findLists,
  hasEntries,
  indexImplied,
} from './find-candidates.ts';
import { findReadOnlyLists } from './read-only-lists.ts';

/**
 * Infers the resources of a document: collections such as `/pets`, and singletons such as `/settings`.
 * Paths with the same resource name in `x-storefront` form one resource.
 * `known`: the lists of another application.
 */
export function findResources(reader: SchemaReader, paths: DocumentPaths, known: KnownLists): readonly Resource[] {
  const byPath = findCandidates(reader, paths);
  const listPaths = new Set(
    byPath.flatMap(({ kind, collectionPath }) => (kind === 'collection' ? [collectionPath] : [])),
  );
  const byQuery = findByQuery(reader, paths).filter(({ collectionPath }) => !listPaths.has(collectionPath));
  const isByQuery = ({ collectionPath }: Candidate) => byQuery.some((one) => one.collectionPath === collectionPath);
  const candidates = [...byPath.filter((one) => !isByQuery(one)), ...byQuery];
  const resources: Resource[] = [];
  const joined = new Set<string>();
  for (const candidate of candidates) {
    const resource = createResource(reader, candidate);
    const own = candidate.item.overrides.resource;
    const isJoined = own !== undefined && joined.has(own);
    const same = resources.find((other) => (isJoined ? other.name === own : canMerge(reader, other, resource)));
    const above = findAbove(reader, resources, resource);
    if (above && !hasMembers(reader, candidate))
      resources[resources.indexOf(above)] = mergeChildren(reader, above, resource);
    else if (same && (isJoined || !hasMembers(reader, candidate)))
      resources[resources.indexOf(same)] = merge(same, resource);
    else resources.push(resource);
    if (own !== undefined) joined.add(own);
  }
  const owned = new Set(resources.flatMap(({ mounts }) => mounts.map(({ collection }) => collection)));
  const withViews = resources.map((resource) => addViews(reader, paths, resource, owned));
  const used = new Set(withViews.flatMap(({ mounts }) => mounts.map(({ collection }) => collection)));
  const items = withViews.flatMap(({ mounts }) => mounts.flatMap(({ item }) => item ?? []));
  const listed = findLists(reader, paths, new Set([...used, ...items])).map((candidate) =>
    createResource(reader, candidate),
  );
  const found = listed.filter((resource) => {
    const above = findAbove(reader, withViews, resource);
    if (above) withViews[withViews.indexOf(above)] = mergeChildren(reader, above, resource);
    return !above;
  });
  const all = new Set([...used, ...found.flatMap(({ mounts }) => mounts.map(({ collection }) => collection))]);
  const lists = found.map((resource) => addViews(reader, paths, resource, all));
  const memberships = new Set(
    candidates.filter((candidate) => hasMembers(reader, candidate)).map(({ item }) => item.path),
  );
  const changed = [...withViews, ...lists];
  const readOnly = findReadOnlyLists(reader, paths, addOtherViews(reader, paths, changed)).map(
    ({ path, documentPath }) => createReadOnly(reader, paths, path, documentPath),
  );
  // Only with all resources, a response with entries of several of them is distinguished from a list.
  const complete = addOtherViews(reader, paths, [...changed, ...readOnly]);
  return setMembers(reader, paths, nameResources(complete, known), memberships);
}

/**
 * Sets the resource with the data of the members in each resource whose entries are members of a parent.
 * `memberships`: the paths of the members, such as `/teams/{teamId}/members/{username}`.
 */
function setMembers(
  reader: SchemaReader,
  paths: DocumentPaths,
  resources: readonly Resource[],
  memberships: ReadonlySet<string>,
): readonly Resource[] {
  return resources.map((resource) => {
    const [mount] = resource.mounts;
    if (resource.id.property === undefined || !memberships.has(mount?.item ?? '')) return resource;
    const post = paths.get(toTemplate(mount?.collection ?? ''))?.routes.get('POST');
    const isFriend = isRelation(resource.singular);
    const reference = post && findReference(reader, post, isFriend ? '' : resource.singular);
    const isNamed = ({ singular }: Resource) =>
      !post ||
      (isFriend && reference !== undefined) ||
      normalizeName(reference ?? '') === `${normalizeName(singular)}id`;
    const target = resources.find(
      (other) => other !== resource && isNamed(other) && !isNested(other) && hasSameEntries(reader, other, resource),
    );
    return { ...resource, memberOf: target?.name };
  });
}

/**
 * Returns whether the entries at a path are members of a parent, such as users in a team.
 * This is assumed if PUT has no request body, and no POST creates entries.
 * Then PUT adds an existing user to the team.
 * It is also assumed if POST has only the id of the entry, such as `{ bookId }` for a list of books.
 */
function hasMembers(reader: SchemaReader, { collection, item, singular }: Candidate): boolean {
  const post = collection?.routes.get('POST');
  // `{ friendId }` names a user, and not an entry of the list.
  if (post) return findReference(reader, post, isRelation(singular) ? '' : singular) !== undefined;
  const add = item.routes.get('PUT') ?? item.routes.get('POST');
  return add !== undefined && Object.keys(add.bodyMedia).length === 0;
}

/**
 * Returns the only property of a request body if it is an id, such as `bookId`.
 * `singular`: the name of an entry, whose own id is no reference.
 */
export function findReference(reader: SchemaReader, route: Route, singular: string): string | undefined {
  const request = reader.getRequestSchema(route);
  if (request === undefined || !reader.isObject(request)) return undefined;
  const [[name, pointer] = [], ...others] = [...reader.getProperties(request)];
  if (name === undefined || pointer === undefined || others.length > 0 || !reader.isScalar(pointer)) return undefined;
  const own = normalizeName(name);
  return /.id$/.test(own) && own !== `${normalizeName(singular)}id` ? name : undefined;
}

/**
 * Adds the paths that also list or create the entries of a resource to its `mounts`: `/owners/{ownerId}/pets` for
 * `/pets`.
 * `owned`: the list paths of all resources, which are no additional paths.
 */
function addViews(
  reader: SchemaReader,
  paths: DocumentPaths,
  resource: Resource,
  owned: ReadonlySet<string>,
): Resource {
  const views = findViews(reader, paths, resource, owned);
  const [post] = views.flatMap(({ collection }) => paths.get(collection)?.routes.get('POST') ?? []);
  const { singular, schema } = resource;
  return {
    ...resource,
    mounts: [...resource.mounts, ...views],
    canCreate: resource.canCreate || post !== undefined,
    canPost: resource.canPost || post !== undefined,
    requiredToCreate: resource.requiredToCreate ?? (post ? listRequired(reader, post, singular, schema) : []),
  };
}

/** Creates the resource of a list that no operation changes, such as `/countries`. */
function createReadOnly(reader: SchemaReader, paths: DocumentPaths, path: string, collection: DocumentPath): Resource {
  const segment = collection.overrides.resource ?? getResourceSegment(path);
  const implied = indexImplied(reader)(paths).get(path);
  const item = { ...collection, path: implied?.path ?? `${path}/{id}`, routes: new Map() };
  const singular = toSingular(segment);
  const candidate = { segment, singular, collectionPath: path, collection, item, kind: 'collection' as const };
  return createResource(reader, { ...candidate, implied: implied?.route });
}

function createResource(reader: SchemaReader, candidate: Candidate): Resource {
  const { segment, singular, collectionPath, collection, item, kind } = candidate;
  const schema = findEntrySchema(reader, candidate) ?? '';
  const isCollection = kind === 'collection';
  const [route] = [
    ...item.routes.values(),
    ...[candidate.implied ?? []].flat(),
    ...(collection?.routes.values() ?? []),
  ];
  const parameter = getParameterName(getLastSegment(item.path)) ?? '';
  const id = isCollection
    ? findId(reader, {
        schema,
        parameter,
        singular,
        route: route as Route,
        isChosenByClient: collection?.routes.has('POST') !== true && item.routes.has('PUT'),
        isUnshown: isUnshown(reader, candidate),
        listed: findListed(reader, candidate),
        own: item.overrides.id,
      })
    : NO_ID;
  const parents = findParents(reader, { schema, collectionPath, route: route as Route, id });
  const post = collection?.routes.get('POST');
  const canPost = post !== undefined && !isSearch(reader, { name: segment, schema }, post);
  const put = item.routes.get('PUT');
  const canPut =
    put !== undefined &&
    (!collection ||
      put.responses.some(({ name }) => name === '201') ||
      addsWithoutBody(reader, { singular, collectionPath }, put));
  return {
    name: segment,
    singular,
    kind,
    schema,
    id,
    mounts: [
      {
        collection: collection?.path ?? collectionPath,
        item: (item.routes.size > 0 && !candidate.isByQuery) || candidate.implied ? item.path : undefined,
        parents,
        id,
      },
    ],
    canCreate: !isCollection || canPost || canPut,
    canPost,
    ...(canPost ? { requiredToCreate: listRequired(reader, post, singular, schema) } : {}),
    canDelete: item.routes.has('DELETE'),
  };
}

/** Returns the schema of an entry in the list of a candidate. */
function findListed(reader: SchemaReader, { collection, segment }: Candidate): string | undefined {
  const list = collection?.routes.get('GET');
  const schema = list && reader.getResponseSchema(list, list.successStatus);
  return schema === undefined ? undefined : reader.findList(schema, segment)?.schema;
}

/** Returns the names of the properties that the entry in the body of a POST must have. */
function listRequired(reader: SchemaReader, post: Route, singular: string, schema: string): readonly string[] {
  const request = reader.getRequestSchema(post);
  if (request === undefined || schema === '') return [];
  return reader.getRequired(reader.findEntry(request, singular, schema).schema);
}

/** Returns whether a GET shows the entries of a candidate, but no response describes them. */
function isUnshown(reader: SchemaReader, { collection, item }: Candidate): boolean {
  const routes = [item, collection].flatMap((path) => [...(path?.routes.values() ?? [])]);
  const isDescribed = (route: Route) =>
    !allowsAnyJson(reader.document, route) && reader.getResponseSchema(route, route.successStatus) !== undefined;
  return routes.some((route) => allowsAnyBody(reader.document, route)) && !routes.some(isDescribed);
}

/**
 * Returns whether two resources, such as `/pets` (`flat`) and `/owners/{ownerId}/pets` (`nested`), are the same
 * resource.
 */
function canMerge(reader: SchemaReader, flat: Resource, nested: Resource): boolean {
  if (flat.name !== nested.name) return false;
  // `DELETE /contacts/{contactId}/companies/{companyId}` removes the company from the contact, but does not delete the
  // company.
  const isMember =
    isNested(nested) &&
    nested.canDelete &&
    flat.canDelete &&
    flat.canCreate &&
    nested.mounts[0]?.parents.at(-1)?.property === undefined;
  return !isMember && !isNested(flat) && hasSameEntries(reader, flat, nested, reader.isAlike.bind(reader));
}

function isNested({ mounts }: Resource): boolean {
  return (mounts[0]?.parents.length ?? 0) > 0;
}

/**
 * Returns whether two resources have the same schema and the same id property, such as `/pets` and
 * `/owners/{ownerId}/pets` or `/admin/pets`.
 * `isSame`: compares the schemas.
 */
function hasSameEntries(
  reader: SchemaReader,
  one: Resource,
  other: Resource,
  isSame = reader.isSame.bind(reader),
): boolean {
  return (
    one.kind === other.kind &&
    one.id.property === other.id.property &&
    one.schema !== '' &&
    isSame(one.schema, other.schema)
  );
}

/**
 * Returns the resource whose entries are also those of a path below one of them, such as `/topics/{topicId}/children`
 * (`nested`). Returns undefined if there is none.
 */
function findAbove(reader: SchemaReader, resources: readonly Resource[], nested: Resource): Resource | undefined {
  const [mount] = nested.mounts;
  const path = mount?.parents.at(-1)?.path;
  // Few paths have such a name, and a document can have thousands of resources.
  if (!mount || path === undefined || !isChildName(getLastSegment(mount.collection))) return undefined;
  if (getParentPath(mount.collection) !== toTemplate(path)) return undefined;
  const form = getPathForm(path);
  return resources.find((above) => {
    const item = above.mounts[0]?.item;
    return item !== undefined && getPathForm(item) === form && hasSameEntries(reader, above, nested);
  });
}

/**
 * Adds the paths of entries that are below other entries of the same resource.
 * An entry has the id of the other one in a property such as `parentId`, or in a hidden value.
 */
function mergeChildren(reader: SchemaReader, above: Resource, nested: Resource): Resource {
  const setParent = (parent: Parent) => {
    const own = setOwnParent(reader, above, parent);
    return own.property === undefined ? { ...own, name: `parent.${own.name}` } : own;
  };
  const mounts = nested.mounts.map((mount) => ({
    ...mount,
    parents: [...mount.parents.slice(0, -1), ...mount.parents.slice(-1).map(setParent)],
  }));
  return merge(above, { ...nested, mounts });
}

function merge(flat: Resource, nested: Resource): Resource {
  return {
    ...flat,
    mounts: [...flat.mounts, ...nested.mounts],
    canCreate: flat.canCreate || nested.canCreate,
    canPost: flat.canPost || nested.canPost,
    canDelete: flat.canDelete || nested.canDelete,
    requiredToCreate: flat.requiredToCreate ?? nested.requiredToCreate ?? [],
  };
}

/**
 * Finds additional paths that list or create the entries of a resource: `/owners/{ownerId}/pets` and
 * `/pets/findByStatus` for `/pets`.
 */
function findViews(
  reader: SchemaReader,
  paths: DocumentPaths,
  resource: Resource,
  owned: ReadonlySet<string>,
): readonly Mount[] {
  const [mount] = resource.mounts;
  if (!mount || resource.kind === 'singleton' || resource.schema === '') return [];
  return findPossibleViews(paths, mount, resource.name).flatMap(([path, documentPath]) => {
    const { path: template, routes } = documentPath;
    const route = routes.get('GET') ?? routes.get('POST');
    const isNamed = documentPath.overrides.resource === resource.name;
    const isView = isNamed || isOfParent(path, mount) || (route && isFilter(reader, resource, path, route));
    if (owned.has(template) || !route || !isView) return [];
    if (!hasEntries(reader, documentPath, resource)) return [];
    const { id } = resource;
    const parents = findParents(reader, { schema: resource.schema, collectionPath: path, route, id });
    const isUsable = canHaveView(mount, parents, routes) || listsAll(path, mount, parents, routes);
    const view = findView(reader, resource, path);
    return isUsable ? [{ collection: template, item: undefined, parents, id, ...(view ? { view } : {}) }] : [];
  });
}

/**
 * Returns the paths that end with the name of a collection, the paths directly below the collection, and the paths that
 * name the resource in `x-storefront`, in the order of the document.
 */
function findPossibleViews(paths: DocumentPaths, { collection }: Mount, name: string): readonly PathEntry[] {
  const named = indexByLastSegment(paths).get(getResourceSegment(collection)) ?? [];
  const below = indexByParent(paths).get(toTemplate(collection)) ?? [];
  const order = indexOrder(paths);
  return [...new Map([...named, ...below, ...(indexByOverride(paths).get(name) ?? [])])].sort(
    ([a], [b]) => (order.get(a) ?? 0) - (order.get(b) ?? 0),
  );
}

const indexOrder = memoizeByObject(
  (paths: DocumentPaths): ReadonlyMap<string, number> => new Map([...paths.keys()].map((path, index) => [path, index])),
);

/**
 * Returns whether an additional path can list or create the entries of a resource.
 * If the resource has parents (`/shops/{shopId}/pets`), the path must start with the same parents
 * (`/shops/{shopId}/owners/{ownerId}/pets`).
 * Then entries must have a property such as `ownerId` for each further parent, unless the path has a POST.
 * `parents`: all parents in the additional path.
 */
function canHaveView(mount: Mount, parents: readonly Parent[], routes: DocumentPath['routes']): boolean {
  const count = mount.parents.length;
  const hasParent = ({ path }: Parent, index: number) => getPathForm(path) === getPathForm(parents[index]?.path ?? '');
  const isSet = routes.has('POST') || parents.slice(count).every(({ property }) => property !== undefined);
  return count === 0 || (mount.parents.every(hasParent) && isSet);
}

/**
 * Returns whether a path lists the entries of all parents: `/comments` lists the comments of all posts, and `/fields`
 * the fields of all tables, if `/fields/{table}` has those of one table.
 * Returns false if a POST to the path can't select the parent, because an entry has no property for it.
 * `own`: the parents in the path.
 */
function listsAll(path: string, mount: Mount, own: readonly Parent[], routes: DocumentPath['routes']): boolean {
  const { collection, parents } = mount;
  const isNamed = !routes.has('POST') || parents.every(({ property }) => property !== undefined);
  const isWhole = getTrailingParameters(collection).length > 0 && getParentPath(collection) === path;
  return isNamed && (isWhole || own.length === 0);
}

/** Returns whether a path ends with the name of a collection: `/owners/{ownerId}/pets` for `/pets`. */
function isOfParent(path: string, { collection }: Mount): boolean {
  return getLastSegment(path) === getResourceSegment(collection);
}

/**
 * Returns whether a path below a collection filters the entries, such as `/pets/findByStatus?status=sold`.
 * At least one query parameter, and each required one, must have the name of a property of an entry.
 */
function isFilter(reader: SchemaReader, { mounts, schema }: Resource, path: string, list: Route): boolean {
  if (list.method !== 'GET' || getParentPath(path) !== toTemplate(mounts[0]?.collection ?? '')) return false;
  const names = [...reader.getProperties(schema).keys()].map(normalizeName);
  const query = list.parameters.filter((parameter) => parameter.in === 'query').map(({ name }) => normalizeName(name));
  const required = getRequiredQuery(list).map(normalizeName);
  return required.every((name) => names.includes(name)) && query.some((name) => names.includes(name));
}

/**
 * Makes the names of resources unique.
 * The second resource `pets` becomes `owners.pets`, with the name of its parent, or gets a number.
 * Only resources at paths of another application get the names of its lists.
 */
function nameResources(resources: readonly Resource[], { names, paths }: KnownLists): readonly Resource[] {
  // JSON Schema validators and `JSON.parse` treat a list with the name `__proto__` differently, so no resource gets
  // this name.
  const used = new Set(['__proto__', ...names]);
  const free = new Set(names);
  /** By name: the latest number that was added to it. */
  const numbers = new Map<string, number>();
  return resources.map((resource) => {
    const parent = resource.mounts[0]?.parents.at(-1);
    // Internal lists have names with `$`.
    const segment = resource.name.replace(/^\$+/, '') || 'entries';
    const own = names.find((one) => normalizeName(one) === normalizeName(segment)) ?? segment;
    const longer = parent ? `${getResourceSegment(parent.path)}.${own}` : own;
    if (free.has(own) && resource.mounts.some(({ collection }) => paths.has(collection))) {
      free.delete(own);
      return { ...resource, name: own };
    }
    let name = used.has(own) ? longer : own;
    for (let number = numbers.get(longer) ?? 2; used.has(name); number++) {
      name = `${longer}${number}`;
      numbers.set(longer, number);
    }
    used.add(name);
    return { ...resource, name };
  });
}
