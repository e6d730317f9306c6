import type { Route } from '../../openapi/routes.ts';
import { requiresCredentials, usesBasic } from '../../openapi/security.ts';
import { normalizeName } from '../../util/names.ts';
import { readActionBody } from '../actions/action-bodies.ts';
import { findAssignment, findEffect, splitActionPath } from '../actions/actions.ts';
import { planArchiving } from '../actions/archiving.ts';
import { planBulk } from '../actions/bulk-actions.ts';
import { findFollow } from '../actions/follows.ts';
import {
  addTakingBack,
  findMarkEffect,
  findMarkedPlace,
  findMarks,
  getMarkSegment,
  type Marks,
  omitMarkedLists,
  planMarkedList,
} from '../actions/marks.ts';
import { findTaken, planCheckout } from '../actions/take-parts.ts';
import { connectActions } from '../actions/transitions.ts';
import { getDocumentPaths, getOverrides, type Overrides } from '../document/document-paths.ts';
import { locateInEntry, locateRequest, locateResponse } from '../document/locate.ts';
import { getLastSegment, getParentPath, toTemplate } from '../document/names.ts';
import { chooseAction, type Place } from '../document/path-keys.ts';
import { findPlace, findPlaceOfForm, planOwner, renameParameters, sendsPart } from '../document/places.ts';
import { findQueryPlace } from '../document/query-ids.ts';
import { listWrapped } from '../document/response-shapes.ts';
import type { SchemaReader } from '../document/schema-reader.ts';
import { addFilePaths, uploadsFile } from '../entries/uploads.ts';
import { addLookups } from '../lists/views.ts';
import {
  type Effect,
  getRouteKey,
  type Inference,
  isTopLevel,
  type KnownLists,
  type Login,
  type MockedPlan,
  NO_ID,
  type Plan,
  type Resource,
} from '../resource.ts';
import { getTenantName } from '../users/first-users.ts';
import { planMember } from '../users/member-lists.ts';
import { findOwnMember } from '../users/own-members.ts';
import { addSenders, findOwnPosition } from '../users/own-paths.ts';
import { confirmsEmail } from '../users/passwords.ts';
import { findSenderFlag, locateFlags } from '../users/sender-flags.ts';
import { isRelation } from '../users/user-names.ts';
import { linkToUsers } from '../users/user-parts.ts';
import { planUser } from '../users/user-plans.ts';
import {
  addOwnProperties,
  asksForReset,
  findLogin,
  findLoginNames,
  findOwnUser,
  listLoginPaths,
} from '../users/users.ts';
import { findCounts } from '../values/statistics.ts';
import { addUsers } from './created-users.ts';
import { planCopy } from './find-copies.ts';
import { findReference, findResources } from './find-resources.ts';
import { planTrash } from './find-trash.ts';
import {
  describeJoined,
  describeUnclearParent,
  describeUnknownAction,
  describeUnknownPath,
  findUnusableMedia,
  planMocked,
} from './mocked-reasons.ts';
import { findOtherCreations, type OtherCreations } from './other-creations.ts';
import { addOtherItemPaths } from './other-item-paths.ts';
import { addPairedIds } from './references.ts';
import { addRelations, omitOtherUser, planRelation } from './relations.ts';
import { type RestRoute, toRestRoutes } from './verb-paths.ts';

/**
 * Infers the resources of a document, and what each operation does with them.
 * `reader`: reads the schemas of the document.
 * `lists`: the lists of another application.
 */
export function inferResources(reader: SchemaReader, documented: readonly Route[], lists: KnownLists): Inference {
  const restRoutes = toRestRoutes(reader, documented);
  const routes = [...restRoutes.values()];
  const paths = getDocumentPaths(reader.document, routes);
  const found = addUsers(reader, paths, findResources(reader, paths, lists), routes);
  const { isHidden } = found;
  const read = addLookups(reader, routes, found.resources);
  const items = addFilePaths(routes, addOtherItemPaths(reader, routes, read));
  const all = addPairedIds(reader, { resources: items, users: found.users }, routes);
  const listed = all.find(({ name }) => name === found.users?.name);
  const own = listed && addOwnProperties(reader, listed, routes);
  const loginPaths = own ? listLoginPaths(reader, own, routes) : [];
  const hasLogin = loginPaths.length > 0 || routes.some(usesBasic);
  const ownPaths = routes.flatMap((route) =>
    own && route.method === 'GET' && findOwnUser(reader, own, route) ? [route.path] : [],
  );
  const linked = own ? all.map((resource) => (resource === listed ? own : linkToUsers(reader, own, resource))) : all;
  const owned = own && hasLogin ? addSenders(reader, own, linked, { routes, ownPaths }) : linked;
  const users = owned.find(({ name }) => name === own?.name);
  const sent = users ? addRelations(reader, users, owned, { routes, ownPaths }) : owned;
  const marks = findMarks(reader, sent, hasLogin ? routes : [], { users, ownPaths });
  const creations = findOtherCreations(reader, routes, omitMarkedLists(sent, marks));
  const logins = routes.map((route) => ({ route, login: users && findLogin(reader, users, route, isHidden) }));
  const resources = allowTenants(creations.resources, logins);
  const isRegistered = logins.some(({ login }) => login?.isRegistration);
  const follow = users && findFollow(reader, users, routes);
  const creates = isRegistered ? undefined : isHidden ? 'any' : needsFirstUser(users, routes) ? 'first' : undefined;
  const context = { follow, loginPaths, ownPaths, isHidden, creates, resources } as const;
  const { plans, mockedPlans, reasons } = planRoutes(reader, resources, restRoutes, {
    planUser: (route) => users && planUser(reader, users, route, context),
    sender: { users, marks, creations, ownPaths: hasLogin ? ownPaths : undefined, routes, posts: listPosts(routes) },
  });
  const before = new Set([...plans.values()].map(({ resource }) => resource));
  const { plans: changed, trashes } = planTrash({ reader, resources, users }, restRoutes, plans);
  for (const [key, plan] of changed) {
    plans.set(key, plan);
    mockedPlans.delete(key);
    reasons.delete(key);
  }
  const used = new Set([...plans.values()].flatMap(({ resource, tenantPlan }) => [resource, tenantPlan?.resource]));
  // `GET` and `PUT /me` form no resource of their own if they read and change an entry of the users.
  const kept = resources.filter(
    (resource) => used.has(resource) || !(before.has(resource) || (resource.kind === 'singleton' && users)),
  );
  return {
    resources: kept,
    trashes,
    users,
    ...describeLogins(reader, users, plans),
    follow,
    plans: connectActions(reader, plans),
    mockedPlans,
    reasons,
  };
}

/** Returns resources with `canCreate` for those whose entries a registration creates beside the first user. */
function allowTenants(
  resources: readonly Resource[],
  logins: readonly { readonly route: Route; readonly login: Login | undefined }[],
): readonly Resource[] {
  const tenants = logins.flatMap(({ route, login }) => (login?.prefix === undefined ? [] : [getTenantName(route)]));
  return resources.map((one) =>
    tenants.includes(normalizeName(one.singular)) && !one.canCreate ? { ...one, canCreate: true } : one,
  );
}

function listPosts(routes: readonly Route[]): ReadonlySet<string> {
  return new Set(routes.flatMap(({ method, path }) => (method === 'POST' ? [path] : [])));
}

/** Returns whether users are created only by operations that require the credentials of a user. */
function needsFirstUser(users: Resource | undefined, routes: readonly Route[]): boolean {
  const lists = users?.mounts.map(({ collection }) => collection) ?? [];
  const creates = routes.filter(({ method, path }) => method === 'POST' && lists.includes(path));
  return creates.length > 0 && creates.every(requiresCredentials);
}

/**
 * Plans the operations of a document. Mocked ones get a reason.
 * `planUser`: returns the plan of an operation about users.
 */
function planRoutes(
  reader: SchemaReader,
  resources: readonly Resource[],
  restRoutes: ReadonlyMap<Route, RestRoute>,
  { planUser: plan, sender }: { planUser(route: Route): Plan | undefined; readonly sender: SenderContext },
) {
  const plans = new Map<string, Plan>();
  const mockedPlans = new Map<string, MockedPlan>();
  const reasons = new Map<string, string>();
  const inference = { resources, users: sender.users };
  for (const [source, route] of restRoutes) {
    const planned = plan(route) ?? planRoute(reader, resources, route, sender);
    const key = getRouteKey(source);
    if (typeof planned !== 'string') {
      plans.set(key, setRoute(planned, source, route));
      continue;
    }
    const isOff = getOverrides(reader.document, route).off;
    const mocked = isOff ? undefined : planMocked(reader, inference, source, route);
    if (mocked) mockedPlans.set(key, mocked);
    reasons.set(key, planned);
  }
  for (const [key, { file }] of mockedPlans)
    if (file && uploadsFile([...plans.values()], file.resource)) reasons.set(key, FILE_REASON);
  return { plans, mockedPlans, reasons };
}

/** Returns what the logins of a document say about its users. */
function describeLogins(reader: SchemaReader, users: Resource | undefined, plans: ReadonlyMap<string, Plan>) {
  const logins = [...plans.values()].flatMap(({ login }) => login ?? []);
  const logsInByHeader = [...plans.values()].some(({ route }) => usesBasic(route));
  const loginNames = users ? findLoginNames(reader, users, { logins, logsInByHeader }) : [];
  return { loginNames, hasLogin: logins.some(({ credentials, isBasic }) => credentials || isBasic) };
}

/** Returns a plan with the route of the document, whose path can have a verb, and whose query can have the id. */
function setRoute(plan: Plan, route: Route, { idInQuery }: RestRoute): Plan {
  if (plan.route.path === route.path && plan.route.method === route.method) return plan;
  const { owner } = plan;
  return { ...plan, route, ...(idInQuery ? { idInQuery } : {}), ...(owner ? { owner: { ...owner, route } } : {}) };
}

const FILE_REASON = 'returns the uploaded file, and a generated one for an entry without it';

/** What the operations of a document say about the user who sends a request. */
interface SenderContext {
  readonly users: Resource | undefined;
  /** The paths that show this user. Undefined if no operation logs in. */
  readonly ownPaths: readonly string[] | undefined;
  readonly marks: Marks;
  readonly creations: OtherCreations;
  readonly routes: readonly Route[];
  /** The paths with a POST. */
  readonly posts: ReadonlySet<string>;
}

/**
 * Returns the plan of an action below an entry, such as `POST /tasks/{taskId}/complete`.
 * Returns undefined if the document does not say what the action changes.
 */
function planAction(
  reader: SchemaReader,
  resources: readonly Resource[],
  route: Route,
  { users, marks }: SenderContext,
): Plan | undefined {
  const { item, verb } = splitActionPath(route.path) ?? { item: route.path, verb: getMarkSegment(route) };
  const place = findMarkedPlace(marks, route) ?? (item === route.path ? undefined : findPlaceOfForm(resources, item));
  if (!place?.isItem || place.resource.kind !== 'collection') return undefined;
  if (asksForReset(reader, route)) return undefined;
  const { resource } = place;
  const shown = users && findSenderFlag(reader, resource, route, verb);
  const found =
    findMarkEffect(reader, marks, route) ??
    findAssignment(reader, { resources, users }, resource, route, verb) ??
    findEffect(reader, resource, route, verb) ??
    shown;
  if (!found) return undefined;
  const effect = addTakingBack(reader, route, found);
  const mount = renameParameters(place.mount, item);
  const entryOnly = locateResponse(reader, { resource, action: 'read' }, route, {});
  const located =
    typeof entryOnly === 'string' ? (locateFlags(reader, resource, route, effect) ?? entryOnly) : entryOnly;
  const base = {
    route,
    action: 'act',
    resource,
    mount,
    ...locateSent(reader, resource, route, effect),
    effect,
  } as const;
  return typeof located === 'string'
    ? { ...base, responsePath: [], hidesEntry: true }
    : { ...base, responsePath: located };
}

/** Returns where the body of an action has properties that it sets, and where these belong in the entry. */
function locateSent(reader: SchemaReader, resource: Resource, route: Route, effect: Effect) {
  if (!effect.setsBody && !effect.counter?.isSent && !effect.copies) return { requestPath: [], entryPath: [] };
  const { requestPath, entryPath } = readActionBody(reader, resource, route) ?? { requestPath: [], entryPath: [] };
  return entryPath.length > 0
    ? { requestPath, entryPath }
    : { requestPath: locateRequest(reader, resource, route, undefined), entryPath };
}

/**
 * Returns the plan of a GET whose response has numbers of entries, such as `GET /statistics` with `taskCount`.
 * Below an entry, such as `/projects/{projectId}/statistics`, the entries that belong to it are counted, and below
 * `/me`, those of the user who sends the request.
 */
function planCounts(
  reader: SchemaReader,
  resources: readonly Resource[],
  route: Route,
  { users, ownPaths }: SenderContext,
): Plan | undefined {
  const schema = reader.getResponseSchema(route, route.successStatus);
  if (route.method !== 'GET' || schema === undefined || confirmsEmail(route)) return undefined;
  if (!reader.isObject(schema) && reader.getItems(schema) === undefined) return undefined;
  const item = getParentPath(route.path);
  const place = findPlaceOfForm(resources, item);
  const parent = place?.isItem ? place : undefined;
  if (
    route.pathNames.length > 0 &&
    (!parent || route.pathNames.length !== parent.mount.parents.filter(({ isSender }) => !isSender).length + 1)
  )
    return undefined;
  const own = place && !place.isItem && isTopLevel(place.mount) ? place.resource : undefined;
  const subject = own?.kind === 'collection' ? own : undefined;
  const name = getLastSegment(route.path);
  const find = (owner: Resource | undefined) =>
    [[], ...listWrapped(reader, schema)].flatMap((path) => {
      const inner = reader.getInner(schema, path) ?? schema;
      const counts = findCounts(reader, resources, inner, { name, parent: owner, own: subject, users });
      return counts.length > 0 ? [{ path, counts }] : [];
    })[0];
  const isOwn = ownPaths !== undefined && route.pathNames.length === 0 && findOwnPosition(route.path, ownPaths) === 0;
  const ofSender = users && isOwn ? find(users) : undefined;
  const { path: responsePath, counts = [] } = ofSender ?? find(parent?.resource) ?? { path: [] };
  const [first] = counts;
  // An object with an id is an entry, of which few properties count other ones.
  const isEntry = reader.hasId(schema, '') && counts.length * 2 < reader.getProperties(schema).size;
  if (!first || isEntry) return undefined;
  const base = { route, action: 'count', requestPath: [], entryPath: [], responsePath, counts } as const;
  const [senderMount] = users?.mounts ?? [];
  if (ofSender && users && senderMount) return { ...base, resource: users, mount: senderMount, isSender: true };
  const resource = parent?.resource ?? first.children.resource;
  const mount = parent
    ? renameParameters(parent.mount, item)
    : { collection: route.path, item: undefined, parents: [], id: NO_ID };
  return { ...base, resource, mount };
}

/** Returns what an operation does with stored entries. If the operation is mocked, returns the reason as text. */
function planRoute(
  reader: SchemaReader,
  resources: readonly Resource[],
  route: Route,
  context: SenderContext,
): Plan | string {
  const overrides = getOverrides(reader.document, route);
  if (overrides.off) return 'x-storefront: off';
  const marked = planMarkedList(context.marks, route);
  if (marked !== undefined) return marked;
  const creation = context.creations.plan(route);
  if (creation) return creation;
  const member = findOwnMember(reader, resources, context.users, route);
  if (typeof member === 'string') return member;
  const place = member ?? findPlace(resources, route);
  if (!place)
    return (
      planRelation(reader, resources, route) ??
      planMember(reader, resources, context.users, route) ??
      planCopy(reader, resources, context.users, route) ??
      planAction(reader, resources, route, context) ??
      planBulk(reader, resources, route) ??
      planCheckout(reader, resources, route) ??
      planCounts(reader, resources, route, context) ??
      describeUnknownPath(reader, route)
    );
  const bulk = place.isItem ? undefined : planBulk(reader, resources, route);
  return bulk ?? planPlace(reader, resources, route, { place, overrides, context });
}

/** Returns what an operation at a place of a resource does. If the operation is mocked, returns the reason as text. */
function planPlace(
  reader: SchemaReader,
  resources: readonly Resource[],
  route: Route,
  {
    place: inPath,
    overrides,
    context,
  }: { readonly place: Place; readonly overrides: Overrides; readonly context: SenderContext },
): Plan | string {
  const inQuery = findQueryPlace(reader, inPath, route);
  const place = inQuery ?? inPath;
  const action = chooseAction(reader, place, route);
  if (action === undefined) return describeUnknownAction(place, route);
  const unusable =
    findUnusableMedia(reader, action, route) ??
    (action === 'list'
      ? (describeUnclearParent(reader, place, context.posts) ??
        describeJoined(reader, place, route, { ...context, resources }))
      : undefined);
  if (unusable !== undefined) return unusable;
  const { resource, mount } = place;
  const inQueryId = inQuery ? { idInQuery: inQuery.mount.id.parameter } : {};
  const archiving = action === 'delete' ? planArchiving(reader, place, route) : undefined;
  if (archiving) return { ...archiving, ...inQueryId };
  const requestPath = omitOtherUser(resource, locateRequest(reader, resource, route, overrides.entry));
  const entryPath = locateInEntry(reader, resource, route, requestPath);
  const reference =
    resource.memberOf === undefined
      ? undefined
      : findReference(reader, route, isRelation(resource.singular) ? '' : resource.singular);
  const located = locateResponse(reader, { resource, action }, route, overrides);
  // A response such as `{ success }` need not show the entry that becomes a member.
  const hidesEntry = typeof located === 'string' && action === 'create' && reference !== undefined;
  if (typeof located === 'string' && !hidesEntry) return located;
  const takes = action === 'create' ? findTaken(reader, resources, resource, route) : undefined;
  const isBelowUser = context.ownPaths?.some((path) => toTemplate(path) === getParentPath(mount.collection)) === true;
  const owner = isBelowUser || resource.relation ? undefined : planOwner(reader, resources, resource, mount, route);
  const isPartial =
    action === 'replace' && resource.kind === 'collection' && sendsPart(reader, resource, route, requestPath);
  return {
    route,
    action: isPartial ? 'update' : action,
    resource,
    mount,
    requestPath,
    entryPath,
    responsePath: typeof located === 'string' ? [] : omitOtherUser(resource, located),
    reference,
    ...(hidesEntry ? { hidesEntry } : {}),
    ...(takes ? { takes } : {}),
    ...(owner ? { owner } : {}),
    ...inQueryId,
  };
}
