import { getNode, toNode } from '../../openapi/document.ts';
import type { Parameter } from '../../openapi/parameters.ts';
import type { Route } from '../../openapi/routes.ts';
import { normalizeName } from '../../util/names.ts';
import { deletesSeveral, findBulk } from '../actions/bulk-actions.ts';
import { findFollowingValues, findStateTime, findStateValue } from '../actions/states.ts';
import { locateResponse } from '../document/locate.ts';
import { getLastSegment, getParameterName, getParentPath, getPathForm } from '../document/names.ts';
import { findPlaceOfForm, renameParameters } from '../document/places.ts';
import type { SchemaReader } from '../document/schema-reader.ts';
import { DELETED_NAMES } from '../lists/view-words.ts';
import {
  type Action,
  type Effect,
  getRouteKey,
  getTrashName,
  type Mount,
  type Plan,
  type Resource,
  type TrashQuery,
} from '../resource.ts';

/** Matches segments with deleted entries, without uppercase letters and separators. */
const TRASH = /^(?:trash|trashed|trashcan|trashbin|deleted|bin|recyclebin)$/;

/** Matches verbs of actions that restore a deleted entry. */
const RESTORE = /^(?:restore|undelete|untrash|recover|restorefromtrash)$/;

/** Matches segments of operations that delete an entry for good. */
const PERMANENT =
  /^(?:permanent|permanently|permanentdelete|deletepermanently|force|forcedelete|hard|harddelete|purge|destroy)$/;

/** Matches segments of operations that delete all entries of the trash for good. */
const EMPTY = /^(?:empty|clear|purge|emptytrash)$/;

/** Matches words that say that a deletion can be taken back. */
const SOFT =
  /\bsoft[- ]?delet|\btrash|\brecycle bin|\bundelet|\brestor\w* (?:\w+ ){0,3}deleted|\bdeleted \w+ (?:\w+ ){0,3}restored/i;

/** The trash of a resource, and the operations on it. */
interface Found {
  readonly trash: Resource;
  readonly plans: ReadonlyMap<string, Plan>;
}

/** What is inferred from a document without the trash. */
interface Inferred {
  readonly reader: SchemaReader;
  readonly resources: readonly Resource[];
  readonly users: Resource | undefined;
}

/** `routes`: the operations with their verbs at the ends of their paths. `plans`: by the keys of these operations. */
interface Context extends Inferred {
  readonly routes: readonly Route[];
  readonly plans: ReadonlyMap<string, Plan>;
}

/** What a document says about the trash of a resource. */
interface Operations {
  readonly removes: readonly (readonly [key: string, plan: Plan])[];
  readonly lists: readonly Route[];
  readonly restores: readonly Route[];
  readonly queries: readonly (readonly [key: string, plan: Plan])[];
}

/**
 * Finds the resources whose deleted entries can be listed or restored, as with `GET /documents/trash`,
 * `GET /documents?trashed=true` and `POST /documents/{documentId}/restore`.
 * Returns their trashes, and the plans that use these.
 * `restRoutes`: the operations of the document, and what they are with their verbs at the ends of their paths.
 */
export function planTrash(
  inferred: Inferred,
  restRoutes: ReadonlyMap<Route, Route>,
  plans: ReadonlyMap<string, Plan>,
): { readonly plans: ReadonlyMap<string, Plan>; readonly trashes: readonly Resource[] } {
  const sources = new Map([...restRoutes].map(([source, route]) => [getRouteKey(route), source]));
  const known = [...sources].flatMap(([key, source]) => {
    const plan = plans.get(getRouteKey(source));
    return plan ? [[key, plan] as const] : [];
  });
  const context = { ...inferred, routes: [...restRoutes.values()], plans: new Map(known) };
  const found = inferred.resources.flatMap((resource) => findTrash(context, resource) ?? []);
  // A `GET /trash` with the entries of several resources is the trash of none of them.
  const keys = found.flatMap((one) => [...one.plans.keys()]);
  const clear = found.filter((one) =>
    [...one.plans.keys()].every((key) => keys.indexOf(key) === keys.lastIndexOf(key)),
  );
  const changed = clear.flatMap((one) =>
    [...one.plans].flatMap(([key, plan]) => {
      const source = sources.get(key);
      return source ? [[getRouteKey(source), { ...plan, route: source }] as const] : [];
    }),
  );
  return { plans: new Map(changed), trashes: clear.map(({ trash }) => trash) };
}

/** Matches the names of properties with which users log in, and which other entries have as the ids of users. */
const LOGIN = /^(?:username|login|handle|email)$/;

function findTrash(context: Context, resource: Resource): Found | undefined {
  const { plans, reader, users } = context;
  const { kind, schema, memberOf, id, mounts } = resource;
  const removes = [...plans].filter(([, plan]) => plan.action === 'delete' && plan.resource === resource);
  const isNamed = resource === users && LOGIN.test(normalizeName(id.property ?? ''));
  const isUsable = kind === 'collection' && schema !== '' && memberOf === undefined && !isNamed;
  if (!isUsable || removes.length === 0 || isTrashPath(mounts[0]?.collection ?? '')) return undefined;
  const operations = {
    removes,
    lists: context.routes.filter((route) => isTrashList(context, resource, route)),
    restores: context.routes.filter((route) => isRestore(context, resource, route)),
    queries: findQueries(context, resource),
  };
  const { lists, restores, queries } = operations;
  const marks = findMarks(reader, schema);
  const hasMarks = marks.values.length > 0 || marks.time !== undefined;
  const texts = [...removes.map(([, { route }]) => route), ...restores].map((route) => readText(reader, route));
  const isSoft =
    lists.length > 0 ||
    (restores.length > 0 && (hasMarks || texts.some((text) => SOFT.test(text)))) ||
    (queries.length > 0 && (hasMarks || restores.length > 0));
  if (!isSoft) return undefined;
  const trash = createTrash(reader, resource, lists);
  return { trash, plans: new Map(planOperations(context, resource, trash, operations)) };
}

/** Returns what a deletion changes in an entry that it keeps: `deletedAt`, `isDeleted` or a `status`. */
function findMarks(reader: SchemaReader, schema: string): Effect {
  const named = ['delete', 'trash'].flatMap((verb) => {
    const value = findStateValue(reader, schema, verb);
    return value ? [value, ...findFollowingValues(reader, schema, verb, value.property)] : [];
  });
  const values = named.filter(({ property }, index) => named.findIndex((one) => one.property === property) === index);
  const time =
    findStateTime(reader, schema, 'delete') ??
    findStateTime(reader, schema, 'trash') ??
    [...reader.getProperties(schema).keys()].find((name) => DELETED_NAMES.includes(normalizeName(name)));
  return {
    values: values.filter(({ value }) => value !== false),
    time: time === undefined ? undefined : { property: time, isSet: true },
    counter: undefined,
    setsBody: false,
  };
}

/**
 * Returns what deletions change in the entries of a resource, and what new entries must not have.
 * A new entry is not deleted, also if the resource has no trash. Then its status can be any other one.
 */
export function listDeletionMarks(
  reader: SchemaReader,
  trashes: readonly Resource[],
  { name, schema }: Resource,
): readonly Effect[] {
  const marks = schema === '' ? undefined : findMarks(reader, schema);
  if (!marks) return [];
  const values = marks.values.filter(({ value }) => typeof value === 'boolean');
  return trashes.some(({ trashOf }) => trashOf?.name === name) ? [marks] : [{ ...marks, values, time: undefined }];
}

function readText(reader: SchemaReader, route: Route): string {
  const { summary = '', description = '' } = toNode(getNode(reader.document, route.pointer));
  return `${summary}. ${description}`;
}

function isTrashPath(path: string): boolean {
  return TRASH.test(normalizeName(getLastSegment(path)));
}

/** Returns whether an operation lists deleted entries: `GET /documents/trash`, `GET /trash`. */
function isTrashList({ reader, plans, resources }: Context, resource: Resource, route: Route): boolean {
  if (route.method !== 'GET' || !isTrashPath(route.path)) return false;
  const above = getParentPath(route.path);
  const isBelow = resource.mounts.some((mount) => getPathForm(mount.collection) === getPathForm(above));
  const plan = plans.get(getRouteKey(route));
  if (plan) {
    const isOwn = plan.resource === resource || isTrashResource(reader, resource, plan.resource);
    return plan.action === 'list' && isOwn && (isBelow || above === '');
  }
  const listed = reader.findList(reader.getResponseSchema(route, route.successStatus) ?? '', resource.name);
  const shown = resources.filter(({ schema }) => schema !== '' && listed && reader.isSame(listed.schema, schema));
  return (isBelow || above === '') && shown.length === 1 && shown[0] === resource;
}

/** Returns whether a resource was inferred from the paths of a trash: `/documents/trash/{documentId}`. */
function isTrashResource(reader: SchemaReader, { schema }: Resource, other: Resource): boolean {
  return isTrashPath(other.mounts[0]?.collection ?? '') && other.schema !== '' && reader.isSame(other.schema, schema);
}

/** Splits the path of an operation below an entry of a resource, or of its trash, into the path and the verb. */
function findVerb({ resources, reader }: Context, resource: Resource, route: Route) {
  const item = getParentPath(route.path);
  const place = findPlaceOfForm(resources, item);
  const isOwn = place?.isItem && (place.resource === resource || isTrashResource(reader, resource, place.resource));
  return isOwn ? { item, verb: normalizeName(getLastSegment(route.path)) } : undefined;
}

/**
 * Returns whether an operation restores deleted entries: `POST /documents/{documentId}/restore`.
 * `restore` can also take `archive` back, or restore another version of an entry, which the body then names.
 */
function isRestore(context: Context, resource: Resource, route: Route): boolean {
  const { reader } = context;
  const found = findVerb(context, resource, route);
  if (!found || !RESTORE.test(found.verb) || !['POST', 'PUT', 'PATCH'].includes(route.method)) return false;
  const request = reader.getRequestSchema(route);
  if (request !== undefined && reader.getRequired(request).length > 0) return false;
  return restoresDeleted(context, resource, { route, verb: found.verb });
}

/** Returns whether a verb such as `restore` restores deleted entries, and does not take `archive` back. */
function restoresDeleted(
  context: Context,
  resource: Resource,
  { route, verb }: { readonly route: Route; readonly verb: string },
): boolean {
  const text = readText(context.reader, route);
  if (/delet|trash/i.test(text) || verb !== 'restore') return true;
  const archives = context.routes.some((other) => findVerb(context, resource, other)?.verb === 'archive');
  return !archives && !/archiv/i.test(text);
}

/** Matches the names of query parameters that add deleted entries to a list. */
const WITH_DELETED = /^(?:include|with|show)(?:soft)?(?:deleted|trashed|trash)$/;

/** Matches the names of query parameters that select only deleted entries, or add them. */
const ONLY_DELETED = /^(?:only|is|in|show)?(?:soft)?(?:deleted|trashed|trash)(?:only)?$/;

/** Returns the plans of lists with a query parameter that selects deleted entries: `trashed=true`, `trashed=only`. */
function findQueries({ reader, plans }: Context, resource: Resource): Operations['queries'] {
  return [...plans].flatMap(([key, plan]): Operations['queries'] => {
    const isList = plan.action === 'list' && plan.resource === resource;
    const [trashQuery] = isList ? plan.route.parameters.flatMap((one) => readQuery(reader, one) ?? []) : [];
    return trashQuery ? [[key, { ...plan, trashQuery }]] : [];
  });
}

function readQuery(reader: SchemaReader, parameter: Parameter): TrashQuery | undefined {
  const { name, schema, pointer } = parameter;
  const own = normalizeName(name);
  const isWith = WITH_DELETED.test(own);
  if (parameter.in !== 'query' || !(isWith || ONLY_DELETED.test(own))) return undefined;
  const values: readonly unknown[] = [reader.getKeyword(schema, 'enum') ?? []].flat();
  if (values.includes('only')) return { name, only: 'only', all: 'with' };
  if (!reader.getTypes(schema).includes('boolean')) return undefined;
  const { description } = toNode(getNode(reader.document, pointer));
  const adds = isWith || /\b(?:includ|also|as well)/i.test(String(description ?? ''));
  return { name, ...(adds ? { all: 'true' } : { only: 'true' }) };
}

/** Returns the resource with the deleted entries of another one. Its paths are those of the trash. */
function createTrash(reader: SchemaReader, resource: Resource, lists: readonly Route[]): Resource {
  const [own] = resource.mounts as [Mount];
  const mounts = lists.map(({ path }) => {
    const above = getPathForm(getParentPath(path));
    const mount = resource.mounts.find(({ collection }) => getPathForm(collection) === above) ?? own;
    const { parents } = renameParameters(mount, `${path}/{}`);
    return { collection: path, item: `${path}/{${mount.id.parameter}}`, parents, id: mount.id };
  });
  const { view: _view, ...plain } = own;
  return {
    ...resource,
    name: getTrashName(resource),
    mounts: [plain, ...mounts],
    canCreate: true,
    canPost: false,
    trashOf: { name: resource.name, marks: findMarks(reader, resource.schema) },
  };
}

/** Returns the plans of the operations that use the trash of a resource, by the keys of the operations. */
function* planOperations(
  context: Context,
  resource: Resource,
  trash: Resource,
  { removes, restores, queries }: Operations,
): Generator<readonly [string, Plan]> {
  const { reader } = context;
  for (const [key, plan] of removes) {
    const permanentQuery = findPermanentQuery(reader, plan.route);
    yield [key, { ...plan, trash, ...(permanentQuery === undefined ? {} : { permanentQuery }) }];
  }
  for (const [key, plan] of queries) yield [key, { ...plan, trash }];
  const places = { ...context, resources: [...context.resources, trash] };
  for (const route of context.routes) {
    const several = planSeveral(context, resource, trash, route);
    if (several) {
      yield [getRouteKey(route), several];
      continue;
    }
    const own = planInTrash(trash, route);
    const found = findVerb(places, resource, route);
    const mount = found && findItemMount([resource, trash], found.item);
    const isRemoval = route.method === 'DELETE' || (route.method === 'POST' && found?.verb !== 'force');
    const base = { route, requestPath: [], entryPath: [], trash };
    const [plan] = [
      ...(own ? [{ ...base, ...own }] : []),
      ...(mount && restores.includes(route) ? [{ ...base, action: 'restore' as const, resource, mount }] : []),
      ...(mount && isRemoval && PERMANENT.test(found.verb)
        ? [{ ...base, action: 'delete' as const, resource, mount, isPermanent: true }]
        : []),
    ];
    if (!plan) continue;
    const action = plan.action === 'list' ? plan.action : 'read';
    const located = locateResponse(reader, { resource: plan.resource, action }, route, {});
    const hides = typeof located === 'string' ? { responsePath: [], hidesEntry: true } : { responsePath: located };
    yield [getRouteKey(route), { ...plan, ...hides }];
  }
}

/**
 * Returns the plan of an operation that moves several entries to the trash, restores them or deletes them for good:
 * `POST /documents/bulk-restore` with `{ "ids": [1, 2] }`.
 */
function planSeveral(context: Context, resource: Resource, trash: Resource, route: Route): Plan | undefined {
  // The resource can list entries at the paths of the trash too.
  const inTrash = { ...trash, mounts: trash.mounts.slice(1) };
  const plan = findBulk(context.reader, [inTrash, resource], route);
  if (!plan) return undefined;
  const isInTrash = plan.resource === inTrash;
  if (deletesSeveral(plan)) return isInTrash ? { ...plan, resource: trash } : { ...plan, trash };
  const verb = normalizeName(plan.bulk.verb);
  const restores = RESTORE.test(verb) && (isInTrash || restoresDeleted(context, resource, { route, verb }));
  return restores ? { ...plan, action: 'restore', resource, trash } : undefined;
}

/** Returns what an operation at a path of the trash does with it: `GET /trash`, `DELETE /trash/{documentId}`. */
function planInTrash(trash: Resource, route: Route): Pick<Plan, 'action' | 'resource' | 'mount'> | undefined {
  const { method, path } = route;
  const form = getPathForm(path);
  const isEmptied = EMPTY.test(normalizeName(getLastSegment(path))) && method !== 'GET';
  const listForm = isEmptied ? getPathForm(getParentPath(path)) : form;
  const mounts = trash.mounts.slice(1);
  const item = mounts.find((mount) => getPathForm(mount.item ?? '') === form);
  const list = mounts.find(({ collection }) => getPathForm(collection) === listForm);
  const actions: Readonly<Record<string, Action>> = item
    ? { GET: 'read', DELETE: 'delete' }
    : { GET: 'list', DELETE: 'clear', ...(isEmptied && { POST: 'clear' }) };
  const mount = item ? renameParameters(item, path) : list;
  const action = actions[method];
  return mount && action ? { action, resource: trash, mount } : undefined;
}

/** Returns the mount of an entry at a path, with the names that the parameters have in the path. */
function findItemMount(resources: readonly Resource[], item: string): Mount | undefined {
  if (getParameterName(getLastSegment(item)) === undefined) return undefined;
  const mounts = resources.flatMap((resource) => resource.mounts);
  const mount = mounts.find((one) => one.item !== undefined && getPathForm(one.item) === getPathForm(item));
  return mount && renameParameters(mount, item);
}

/** Returns the name of a query parameter of a `DELETE` that deletes an entry for good: `permanent=true`. */
function findPermanentQuery(reader: SchemaReader, { parameters }: Route): string | undefined {
  return parameters.find((parameter) => {
    const name = normalizeName(parameter.name);
    if (parameter.in !== 'query' || !PERMANENT.test(name)) return false;
    const { description } = toNode(getNode(reader.document, parameter.pointer));
    const isClear = !/^(?:force|hard)$/.test(name) || /permanent|for good|hard|trash/i.test(String(description ?? ''));
    return isClear && reader.getTypes(parameter.schema).includes('boolean');
  })?.name;
}
