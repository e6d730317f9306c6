import type { Route } from '../openapi/routes.ts';
import { normalizeName } from '../util/normalize-name.ts';
import { type DocumentPaths, getRequiredQuery, getResourceSegment, getTrailingParameters } from './document-paths.ts';
import { type Candidate, findCandidates, findEntrySchema, findLists, hasEntries } from './find-candidates.ts';
import { getLastSegment, getParentPath, removeEnding } from './names.ts';
import { findId, findParents } from './path-keys.ts';
import { type Mount, NO_ID, type Resource } from './resource.ts';
import type { SchemaReader } from './schema-reader.ts';

/** Finds the resources of a document: collections and singletons. Paths with the same name in `x-storefront` share a resource. */
export function findResources(reader: SchemaReader, paths: DocumentPaths): readonly Resource[] {
  const candidates = findCandidates(reader, paths);
  const resources: Resource[] = [];
  const joined = new Set<string>();
  for (const candidate of candidates) {
    const resource = createResource(reader, candidate);
    const own = candidate.item.overrides.resource;
    const isJoined = own !== undefined && joined.has(own);
    const same = resources.find((other) => (isJoined ? other.name === own : canMerge(reader, other, resource)));
    if (same && (isJoined || !hasMembers(candidate))) resources[resources.indexOf(same)] = merge(same, resource);
    else resources.push(resource);
    if (own !== undefined) joined.add(own);
  }
  const withViews = resources.map((resource) => addViews(reader, paths, resource, resources));
  const used = new Set(withViews.flatMap(({ mounts }) => mounts.map(({ collection }) => collection)));
  const lists = findLists(reader, paths, used).map((candidate) => createResource(reader, candidate));
  const memberships = candidates.filter(hasMembers).map(({ item }) => item.path);
  return nameResources([...withViews, ...lists]).map((resource, _index, named) => {
    if (resource.id.property === undefined || !memberships.includes(resource.mounts[0]?.item ?? '')) return resource;
    return { ...resource, memberOf: named.find((other) => hasSameEntries(reader, other, resource))?.name };
  });
}

/** Returns whether the entries of a path are members: PUT without a body adds an existing entry to the parent, and no POST creates one. */
function hasMembers({ collection, item }: Candidate): boolean {
  const put = item.routes.get('PUT');
  return put !== undefined && Object.keys(put.bodyMedia).length === 0 && collection?.routes.has('POST') !== true;
}

/** Adds the further paths that list or create the entries of a resource. */
function addViews(
  reader: SchemaReader,
  paths: DocumentPaths,
  resource: Resource,
  resources: readonly Resource[],
): Resource {
  const views = findViews(reader, paths, resource, resources);
  const canPost = views.some(({ collection }) => paths.get(collection)?.routes.has('POST'));
  return { ...resource, mounts: [...resource.mounts, ...views], canCreate: resource.canCreate || canPost };
}

function createResource(reader: SchemaReader, candidate: Candidate): Resource {
  const { segment, singular, collectionPath, collection, item, kind } = candidate;
  const schema = findEntrySchema(reader, candidate) ?? '';
  const isCollection = kind === 'collection';
  const [route] = [...item.routes.values(), ...(collection?.routes.values() ?? [])];
  const parameter = getTrailingParameters(item.path).at(-1) ?? '';
  const id = isCollection
    ? findId(reader, {
        schema,
        parameter,
        singular,
        route: route as Route,
        isChosenByClient: collection?.routes.has('POST') !== true && item.routes.has('PUT'),
        own: item.overrides.id,
      })
    : NO_ID;
  const parents = findParents(reader, { schema, collectionPath, route: route as Route, id });
  const put = item.routes.get('PUT');
  const canPut =
    put !== undefined &&
    (!collection || put.responses.some(({ name }) => name === '201') || Object.keys(put.bodyMedia).length === 0);
  return {
    name: segment,
    singular,
    kind,
    schema,
    id,
    mounts: [
      {
        collection: collection?.path ?? collectionPath,
        item: item.routes.size > 0 ? item.path : undefined,
        parents,
        id,
      },
    ],
    canCreate: !isCollection || collection?.routes.has('POST') === true || canPut,
    canPost: collection?.routes.has('POST') === true,
    canDelete: item.routes.has('DELETE'),
  };
}

/** Returns whether a resource below a parent is the same as a resource without parents. */
function canMerge(reader: SchemaReader, flat: Resource, nested: Resource): boolean {
  // `DELETE /contacts/{contactId}/companies/{companyId}` removes a member: a company does not belong to one contact.
  const isMember = nested.canDelete && flat.canDelete && nested.mounts[0]?.parents.at(-1)?.property === undefined;
  return flat.name === nested.name && !isMember && hasSameEntries(reader, flat, nested);
}

/** Returns whether the entries of a resource below a parent are those of a resource without parents. */
function hasSameEntries(reader: SchemaReader, flat: Resource, nested: Resource): boolean {
  const isFlat = flat.mounts[0]?.parents.length === 0;
  const isNested = (nested.mounts[0]?.parents.length ?? 0) > 0;
  return (
    isFlat &&
    isNested &&
    flat.kind === nested.kind &&
    flat.id.property === nested.id.property &&
    flat.schema !== '' &&
    reader.isSame(flat.schema, nested.schema)
  );
}

function merge(flat: Resource, nested: Resource): Resource {
  return {
    ...flat,
    mounts: [...flat.mounts, ...nested.mounts],
    canCreate: flat.canCreate || nested.canCreate,
    canPost: flat.canPost || nested.canPost,
    canDelete: flat.canDelete || nested.canDelete,
  };
}

/** Finds further paths that list or create the entries of a resource `/pets`: `/owners/{ownerId}/pets`, and `/pets/findByStatus` with a filter. */
function findViews(
  reader: SchemaReader,
  paths: DocumentPaths,
  resource: Resource,
  resources: readonly Resource[],
): readonly Mount[] {
  const [mount] = resource.mounts;
  if (!mount || resource.kind === 'singleton' || mount.parents.length > 0 || resource.schema === '') return [];
  const used = new Set(resources.flatMap(({ mounts }) => mounts.map(({ collection }) => collection)));
  return [...paths].flatMap(([path, documentPath]) => {
    const { path: template, routes } = documentPath;
    const route = routes.get('GET') ?? routes.get('POST');
    if (used.has(template) || !route || !(isOfParent(path, mount) || isFilter(reader, resource, path, route)))
      return [];
    if (!hasEntries(reader, documentPath, resource)) return [];
    const { id } = resource;
    const parents = findParents(reader, { schema: resource.schema, collectionPath: path, route, id });
    return [{ collection: template, item: undefined, parents, id }];
  });
}

/** Returns whether a path ends like a collection: `/owners/{ownerId}/pets` for `/pets`. */
function isOfParent(path: string, { collection }: Mount): boolean {
  return getLastSegment(path) === getResourceSegment(collection);
}

/** Returns whether a path below a collection lists entries by their properties: each query parameter that is required is a property. */
function isFilter(reader: SchemaReader, { mounts, schema }: Resource, path: string, list: Route): boolean {
  if (list.method !== 'GET' || getParentPath(path) !== removeEnding(mounts[0]?.collection ?? '')) return false;
  const names = [...reader.getProperties(schema).keys()].map(normalizeName);
  const query = list.parameters.filter((parameter) => parameter.in === 'query').map(({ name }) => normalizeName(name));
  const required = getRequiredQuery(list).map(normalizeName);
  return required.every((name) => names.includes(name)) && query.some((name) => names.includes(name));
}

/** Makes the names of the resources unique: adds the name of the parent, else a number. */
function nameResources(resources: readonly Resource[]): readonly Resource[] {
  const used = new Set<string>();
  return resources.map((resource) => {
    const parent = resource.mounts[0]?.parents.at(-1);
    const longer = parent ? `${getResourceSegment(parent.path)}.${resource.name}` : resource.name;
    const numbered = Array.from({ length: resources.length }, (_, index) => `${longer}${index + 2}`);
    const name = [resource.name, longer, ...numbered].find((candidate) => !used.has(candidate)) ?? longer;
    used.add(name);
    return { ...resource, name };
  });
}
