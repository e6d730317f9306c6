import type { Route } from '../../openapi/routes.ts';
import { normalizeName, toSingular } from '../../util/names.ts';
import { getLastSegment, getParameterName, getParentPath, getPathForm, toTemplate } from '../document/names.ts';
import { findParents } from '../document/path-keys.ts';
import { sharesMostProperties } from '../document/response-shapes.ts';
import type { SchemaReader } from '../document/schema-reader.ts';
import { listUsed } from '../lists/views.ts';
import type { Mount, Parent, Resource } from '../resource.ts';

/** The maximum length of a segment that abbreviates the name of an entry, such as `st` for a subtask. */
const MAX_ABBREVIATION = 3;

/**
 * Adds the paths of entries that lead past their list: `/tasks/{projectId}/st/{subTaskId}` for the subtasks of
 * `/tasks/{projectId}/t/{taskId}/subtasks`.
 * The last parameter must have the name of the entry, and the segment before it this name or an abbreviation. All other
 * parameters must belong to parents of the entry. Without other parameters, the path must read the same entry.
 */
export function addOtherItemPaths(
  reader: SchemaReader,
  routes: readonly Route[],
  resources: readonly Resource[],
): readonly Resource[] {
  const used = listUsed(resources);
  const known = new Set([...used].map(getPathForm));
  const added = new Map<Resource, Mount[]>();
  const items = routes.filter(({ path }) => getParameterName(getLastSegment(path)) !== undefined && !used.has(path));
  for (const route of items) {
    if (known.has(getPathForm(route.path))) continue;
    const found = resources.flatMap((resource) => {
      const mount = findMount(reader, resource, route);
      return mount ? [{ resource, mount }] : [];
    });
    const [only, ...others] = found;
    if (!only || others.length > 0 || hasNamesake(routes, only.resource)) continue;
    known.add(getPathForm(route.path));
    added.set(only.resource, [...(added.get(only.resource) ?? []), only.mount]);
  }
  return addPlaces(reader, routes, addMounts(resources, added));
}

function addMounts(resources: readonly Resource[], added: ReadonlyMap<Resource, readonly Mount[]>) {
  return resources.map((resource) => {
    const mounts = added.get(resource);
    return mounts ? { ...resource, mounts: [...resource.mounts, ...mounts] } : resource;
  });
}

/**
 * Adds the paths of entries that are only a part of other paths: `/lists/{listId}` of `/lists/{listId}/cards`, for the
 * lists of `/boards/{boardId}/lists`. No other list can have the name of the entries.
 */
function addPlaces(
  reader: SchemaReader,
  routes: readonly Route[],
  resources: readonly Resource[],
): readonly Resource[] {
  const known = new Set([...listUsed(resources)].map(getPathForm));
  const places = new Map(
    routes.flatMap(({ path }) => {
      const [place, base, segment, parameter] = PLACE.exec(toTemplate(path)) ?? [];
      const isNew = place !== undefined && !known.has(getPathForm(place));
      return isNew ? [[place, { base, segment, parameter }] as const] : [];
    }),
  );
  const added = new Map<Resource, Mount[]>();
  for (const [item, { base = '', segment = '', parameter = '' }] of places) {
    const name = normalizeName(toSingular(segment));
    const [only, ...others] = resources.filter(
      ({ kind, singular }) => kind === 'collection' && normalizeName(singular) === name,
    );
    if (!only || others.length > 0 || !isPlace(routes, only, base, parameter)) continue;
    // The student of a course that has an `id` and a `studentId` is a student elsewhere.
    const names = only.id.property === undefined ? [] : [...reader.getProperties(only.schema).keys()];
    if (names.some((own) => own !== only.id.property && normalizeName(own) === `${name}id`)) continue;
    const mount = {
      collection: getParentPath(item),
      item,
      parents: [],
      id: { ...only.id, parameter },
      isItemOnly: true,
    };
    added.set(only, [...(added.get(only) ?? []), mount]);
  }
  return addMounts(resources, added);
}

/** Matches the beginning of a path below an entry: `/api/lists/{listId}` of `/api/lists/{listId}/cards`. */
const PLACE = /^((?:\/[^/{}]+)*)\/([^/{}]+)\/\{([^/{}]+)\}(?=\/)/;

/** Returns whether the entries of a list below others can be named by their ids alone, because the server sets them. */
function isPlace(routes: readonly Route[], resource: Resource, base: string, parameter: string): boolean {
  const { id, mounts, singular, canPost, memberOf, schema } = resource;
  const [own] = mounts;
  const isNested = own !== undefined && own.parents.length > 0 && own.parents.every(({ isSender }) => !isSender);
  const isNamed = ['id', `${normalizeName(singular)}id`].includes(normalizeName(parameter));
  const isOwnId = ['id', `${normalizeName(singular)}id`].includes(normalizeName(id.property ?? ''));
  const isUsable = isNested && isNamed && isOwnId && canPost && memberOf === undefined && schema !== '';
  return isUsable && own.collection.startsWith(`${base}/`) && !hasNamesake(routes, resource);
}

/** Returns whether another list has the name of a resource, but other entries: `/users/{userId}/comments`. */
function hasNamesake(routes: readonly Route[], { mounts }: Resource): boolean {
  const own = new Set(mounts.map(({ collection }) => getPathForm(collection)));
  const segment = getLastSegment(mounts[0]?.collection ?? '');
  return routes.some(({ path }) => getLastSegment(path) === segment && !own.has(getPathForm(path)));
}

/** Returns the path of an entry if an operation can belong to the resource. */
function findMount(reader: SchemaReader, resource: Resource, route: Route): Mount | undefined {
  const { kind, schema, singular, id, mounts } = resource;
  const own = mounts[0]?.parents ?? [];
  const [last = '', collection] = [getLastSegment(route.path), getParentPath(route.path)];
  const parameter = getParameterName(last) ?? '';
  const isPlural = isOtherNumber(collection, resource);
  const isById = isIdSegment(collection, parameter, resource);
  const isNamed = normalizeName(parameter) === `${normalizeName(singular)}id` || isPlural || isById;
  if (kind !== 'collection' || schema === '' || !isNamed) return undefined;
  if (!isById && !namesEntry(getLastSegment(collection), resource)) return undefined;
  const isRead = route.method === 'GET' && readsEntry(reader, resource, route, isPlural || isById);
  // `/public/rooms/{roomId}` reads the same room as `/admin/rooms/{roomId}`.
  if (own.length === 0 && !(isRead || (isPlural && route.method === 'DELETE'))) return undefined;
  const parents = findParents(reader, { schema, collectionPath: collection, route, id }).flatMap(
    ({ path, parameter: name }): readonly Parent[] => {
      const parent = own.find((one) => getPathForm(one.path) === getPathForm(path));
      return parent ? [{ ...parent, parameter: name }] : [];
    },
  );
  if (parents.length + 1 !== route.pathNames.length) return undefined;
  return { collection, item: route.path, parents, id: { ...id, parameter }, isItemOnly: true };
}

/** Returns whether a path below a list says that the id follows: `/books/id` of `/books/id/{id}`. */
function isIdSegment(path: string, parameter: string, { mounts, id, singular }: Resource): boolean {
  const ids = ['id', `${normalizeName(singular)}id`];
  const isId = [id.property ?? '', parameter].every((name) => ids.includes(normalizeName(name)));
  const isSegment = ['id', 'byid'].includes(normalizeName(getLastSegment(path)));
  const lists = mounts.filter(({ parents }) => parents.length === 0).map(({ collection }) => toTemplate(collection));
  return isId && isSegment && lists.includes(getParentPath(path));
}

/** Returns whether a path is the singular or the plural of the path of a list: `/rooms` for `/room`. */
function isOtherNumber(path: string, { mounts }: Resource): boolean {
  const list = toTemplate(mounts[0]?.collection ?? '');
  const [own, other] = [path, list].map((one) => toSingular(getLastSegment(one)));
  return list !== path && own === other && getParentPath(list) === getParentPath(path);
}

/**
 * Returns whether a response has the schema of the entries of a resource.
 * `isPlural`: most of their properties are sufficient.
 */
function readsEntry(reader: SchemaReader, { schema, singular }: Resource, route: Route, isPlural: boolean): boolean {
  const response = reader.getResponseSchema(route, route.successStatus);
  const shown = response === undefined ? '' : reader.findEntry(response, singular, schema).schema;
  return reader.isSame(shown, schema) || (isPlural && sharesMostProperties(reader, shown, schema));
}

/** Returns whether a segment is the name of a resource, of its entry, or an abbreviation such as `st` for `subtask`. */
function namesEntry(segment: string, { name, singular }: Resource): boolean {
  const [own, entry] = [segment, singular].map(normalizeName) as [string, string];
  if ([entry, `${entry}s`, normalizeName(name.split('.').at(-1) ?? '')].includes(own)) return true;
  let rest = entry.slice(1);
  const isPart = [...own.slice(1)].every((letter) => {
    const position = rest.indexOf(letter);
    rest = rest.slice(position + 1);
    return position >= 0;
  });
  return own !== '' && own.length <= MAX_ABBREVIATION && own[0] === entry[0] && isPart;
}
