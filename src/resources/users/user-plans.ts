import { getNode, toNode } from '../../openapi/document.ts';
import type { Route } from '../../openapi/routes.ts';
import { requiresCredentials } from '../../openapi/security.ts';
import { normalizeName } from '../../util/names.ts';
import { isSecretName } from '../../util/redact-secrets.ts';
import { splitActionPath } from '../actions/actions.ts';
import { followsUser, getFollowList, startsToFollow } from '../actions/follows.ts';
import { getOverrides } from '../document/document-paths.ts';
import { isOnlyEnvelope } from '../document/envelopes.ts';
import { locateRequest, locateResponse } from '../document/locate.ts';
import { getLastSegment, getParentPath } from '../document/names.ts';
import { namesOne } from '../document/path-keys.ts';
import { findPlaceOfForm, renameParameters, sendsPart } from '../document/places.ts';
import type { SchemaReader } from '../document/schema-reader.ts';
import { findUpload } from '../entries/uploads.ts';
import type { Action, Effect, Follow, Login, Plan, Resource } from '../resource.ts';
import { getTenantName } from './first-users.ts';
import type { PasswordChange } from './passwords.ts';
import { findLogin, findOwnUser, findPasswordChange, isAboutSender, isLogout } from './users.ts';

/** What the operations of a document say about its users. */
interface UserContext {
  /** The paths that log users in. */
  readonly loginPaths: readonly string[];
  /** The paths that show the user who sends a request. */
  readonly ownPaths: readonly string[];
  /** Whether no operation lists the users. */
  readonly isHidden: boolean;
  /** The unknown users that a login creates. */
  readonly creates: Login['creates'];
  /** How users follow each other. */
  readonly follow: Follow | undefined;
  readonly resources: readonly Resource[];
}

/**
 * Returns the plan of a login, a registration, a logout, or an operation on the user who sends the request.
 */
export function planUser(
  reader: SchemaReader,
  users: Resource,
  route: Route,
  { loginPaths, ownPaths, isHidden, creates, follow, resources }: UserContext,
): Plan | undefined {
  if (getOverrides(reader.document, route).off) return undefined;
  const [mount] = users.mounts;
  if (!mount || mount.parents.length > 0) return undefined;
  const base = { route, resource: users, mount, requestPath: [], entryPath: [] } as const;
  const login = findLogin(reader, users, route, isHidden);
  if (login && (login.isRegistration || loginPaths.includes(route.path))) {
    const tenantPlan = login.prefix === undefined ? undefined : planTenant(reader, users, resources, route);
    const own = { requestPath: login.requestPath, responsePath: [], login: { ...login, creates } };
    return { ...base, action: 'logIn', ...own, ...(tenantPlan ? { tenantPlan } : {}) };
  }
  if (isLogout(reader, route, loginPaths)) return { ...base, action: 'logOut', responsePath: [] };
  if (route.method === 'DELETE' && (ownPaths.includes(route.path) || deletesOwnUser(reader, users, route, loginPaths)))
    return { ...base, action: 'delete', responsePath: [], isSender: true };
  const change = loginPaths.length > 0 ? findPasswordChange(reader, route) : undefined;
  if (change && !findOwnUser(reader, users, route)) return planPasswordChange(reader, users, route, change);
  if (follow && followsUser(reader, users, route)) return planFollow(reader, users, route, follow);
  const upload = ownPaths.includes(getParentPath(route.path)) ? planUpload(reader, users, route) : undefined;
  if (upload) return upload;
  const list = follow && planFollowList(reader, users, route, ownPaths);
  if (list) return list;
  const responsePath =
    findOwnUser(reader, users, route) ??
    (loginPaths.length > 0 ? findChangedUser(reader, users, route) : undefined) ??
    (changesOwnUser(reader, users, route, ownPaths) ? [] : undefined);
  if (!responsePath) return undefined;
  const requestPath = locateRequest(reader, users, route, undefined);
  const isPartial =
    route.method === 'PATCH' ||
    sendsPart(reader, users, route, requestPath) ||
    requiresNothing(reader, users, route, requestPath);
  const action: Action = route.method === 'GET' ? 'read' : isPartial ? 'update' : 'replace';
  return { ...base, action, requestPath, responsePath, isSender: true };
}

/**
 * Returns whether the body of a request about the user who sends it requires no property, and is not the whole user.
 * Then a property that it lacks, such as a name of the registration, stays.
 */
function requiresNothing(
  reader: SchemaReader,
  { schema }: Resource,
  route: Route,
  requestPath: readonly string[],
): boolean {
  const body = reader.getRequestInner(route, requestPath);
  if (body === undefined || reader.isSame(body, schema)) return false;
  const hasDefault = [...reader.getProperties(body).values()].some(
    (pointer) => reader.getKeyword(pointer, 'default') !== undefined,
  );
  return reader.getRequired(body).length === 0 && !hasDefault;
}

/** Returns how a registration creates the tenant of its first user; undefined if no list has such entries. */
function planTenant(
  reader: SchemaReader,
  users: Resource,
  resources: readonly Resource[],
  route: Route,
): Plan | undefined {
  const resource = resources.find(
    (one) => one !== users && one.kind === 'collection' && normalizeName(one.singular) === getTenantName(route),
  );
  const [mount] = resource?.mounts ?? [];
  if (!resource || !mount || mount.parents.length > 0 || resource.schema === '') return undefined;
  const response = reader.getResponseSchema(route, route.successStatus);
  const found = response === undefined ? undefined : reader.findEntry(response, resource.singular, resource.schema);
  const isShown = found !== undefined && reader.contains(found.schema, resource.schema);
  return {
    ...{ route, action: 'create', resource, mount, requestPath: [], entryPath: [] },
    responsePath: isShown ? found.path : [],
    ...(isShown ? {} : { hidesEntry: true }),
  };
}

/**
 * Returns whether an operation such as `PATCH /me` changes the user who sends the request, although its response does
 * not show the user: the path shows this user, and most properties of the request are those of users.
 */
function changesOwnUser(reader: SchemaReader, users: Resource, route: Route, ownPaths: readonly string[]): boolean {
  const request = reader.getRequestSchema(route);
  const response = reader.getResponseSchema(route, route.successStatus);
  const isChange = ['PUT', 'PATCH'].includes(route.method) && ownPaths.includes(route.path);
  if (!isChange || request === undefined || users.schema === '') return false;
  const hidesUser = response === undefined || isOnlyEnvelope(reader, response) || showsOnlySecrets(reader, response);
  const known = reader.getProperties(users.schema);
  const sent = [...reader.getProperties(request).keys()].filter((name) => !isSecretName(name));
  return hidesUser && sent.filter((name) => known.has(name)).length > sent.length / 2;
}

/** Returns whether a response has only secrets, such as a new token. */
function showsOnlySecrets(reader: SchemaReader, response: string): boolean {
  const names = [...reader.getProperties(response).keys()];
  return names.length > 0 && names.every(isSecretName);
}

/**
 * Returns where the user is in the response of an operation such as `PUT /auth/update-details`, which changes the user
 * who sends the request: it needs credentials, names no user, and its request has only properties of users.
 * Returns undefined for other operations.
 */
function findChangedUser(reader: SchemaReader, users: Resource, route: Route): readonly string[] | undefined {
  const request = reader.getRequestSchema(route);
  const response = reader.getResponseSchema(route, route.successStatus);
  const isChange =
    ['PUT', 'PATCH'].includes(route.method) && route.pathNames.length === 0 && requiresCredentials(route);
  if (!isChange || request === undefined || response === undefined || users.schema === '') return undefined;
  const known = reader.getProperties(users.schema);
  const sent = [...reader.getProperties(request).keys()];
  const namesUser = route.parameters.some((one) => one.in === 'query') || sent.includes(users.id.property ?? '');
  if (namesUser || sent.length === 0 || !sent.every((name) => known.has(name))) return undefined;
  const found = reader.findEntry(response, users.singular, users.schema);
  return reader.isSame(found.schema, users.schema) ? found.path : undefined;
}

/**
 * Returns whether a DELETE of the list of users with a user's token deletes only this user, as its summary says:
 * `Delete user`, or `Delete my account`. `DELETE /user` always does.
 */
function deletesOwnUser(reader: SchemaReader, users: Resource, route: Route, loginPaths: readonly string[]): boolean {
  const { summary } = toNode(getNode(reader.document, route.pointer));
  const isOwn = typeof summary === 'string' && /\b(?:my|own|your|current)\b/i.test(summary);
  const namesOther = route.parameters.some((one) => one.in === 'query') || Object.keys(route.bodyMedia).length > 0;
  return (
    loginPaths.length > 0 &&
    users.mounts.some(({ collection, parents }) => collection === route.path && parents.length === 0) &&
    requiresCredentials(route) &&
    !namesOther &&
    (isOwn || namesOne(reader, users, route) || isAboutSender(route))
  );
}

/**
 * Returns the plan of a change of a password: of the user who sends the request, or of the one in a path such as
 * `/users/{userId}/password`.
 */
function planPasswordChange(
  reader: SchemaReader,
  users: Resource,
  route: Route,
  { requestPath, passwords }: PasswordChange,
): Plan | undefined {
  const { pathNames, path } = route;
  const item = path.slice(0, path.lastIndexOf('}') + 1);
  const place = pathNames.length === 1 ? findPlaceOfForm([users], item) : undefined;
  const own = pathNames.length === 0 ? users.mounts[0] : place?.isItem && renameParameters(place.mount, item);
  if (!own || own.parents.length > 0 || path === item) return undefined;
  const located = locateResponse(reader, { resource: users, action: 'read' }, route, {});
  const base = {
    route,
    action: 'setPassword',
    resource: users,
    mount: own,
    requestPath,
    entryPath: [],
    passwords,
  } as const;
  const isSender = pathNames.length === 0;
  return typeof located === 'string'
    ? { ...base, isSender, responsePath: [], hidesEntry: true }
    : { ...base, isSender, responsePath: located };
}

/** Returns the plan of an operation such as `POST /users/{userId}/follow`. */
function planFollow(reader: SchemaReader, users: Resource, route: Route, { flag }: Follow): Plan | undefined {
  const { item = '' } = splitActionPath(route.path) ?? {};
  const place = findPlaceOfForm([users], item);
  if (!place) return undefined;
  const value = { property: flag, value: startsToFollow(route) };
  const effect: Effect = { values: [value], time: undefined, counter: undefined, setsBody: false };
  const mount = renameParameters(place.mount, item);
  const located = locateResponse(reader, { resource: users, action: 'read' }, route, {});
  const base = { route, action: 'act', resource: users, mount, requestPath: [], entryPath: [], effect } as const;
  return typeof located === 'string'
    ? { ...base, responsePath: [], hidesEntry: true }
    : { ...base, responsePath: located };
}

/** Returns the plan of an upload of a file of the user who sends the request, such as `POST /me/avatar`. */
function planUpload(reader: SchemaReader, users: Resource, route: Route): Plan | undefined {
  const [mount] = users.mounts;
  const effect = findUpload(reader, users, route, getLastSegment(route.path));
  if (!effect || !mount) return undefined;
  const located = locateResponse(reader, { resource: users, action: 'read' }, route, {});
  const own = { requestPath: [], entryPath: [], effect, isSender: true } as const;
  const base = { route, action: 'act', resource: users, mount, ...own } as const;
  return typeof located === 'string'
    ? { ...base, responsePath: [], hidesEntry: true }
    : { ...base, responsePath: located };
}

/**
 * Returns the plan of a list of users or of ids such as `GET /users/{userId}/followers` or `GET /me/following`.
 * Returns undefined for other operations.
 */
function planFollowList(
  reader: SchemaReader,
  users: Resource,
  route: Route,
  ownPaths: readonly string[],
): Plan | undefined {
  const list = getFollowList(route.path);
  const response = reader.getResponseSchema(route, route.successStatus);
  if (!list || route.method !== 'GET' || response === undefined) return undefined;
  const item = getParentPath(route.path);
  const isSender = route.pathNames.length === 0 && ownPaths.includes(item);
  const place = isSender ? undefined : findPlaceOfForm([users], item);
  const own = isSender ? users.mounts[0] : place?.isItem && renameParameters(place.mount, item);
  if (!own || own.parents.length > 0) return undefined;
  const found = reader.findList(response, list);
  const ids = found ? undefined : findIds(reader, response);
  if (!ids && !(found && reader.sharesProperties(found.schema, users.schema))) return undefined;
  return {
    ...{ route, action: 'list', resource: users, requestPath: [], entryPath: [] },
    mount: { collection: route.path, item: undefined, parents: [], id: own.id },
    responsePath: (found ?? ids)?.path ?? [],
    follows: { list, items: ids?.items },
    isSender,
  };
}

/** Returns where a response has its only list of texts or numbers, and the JSON Pointer of the schema of one. */
function findIds(reader: SchemaReader, response: string) {
  const places = [{ path: [], schema: response }].concat(
    [...reader.getProperties(response)].map(([name, schema]) => ({ path: [name] as never[], schema })),
  );
  const lists = places.flatMap(({ path, schema }) => {
    const items = reader.getItems(schema);
    return items !== undefined && reader.isScalar(items) ? [{ path: path as readonly string[], items }] : [];
  });
  return lists.length === 1 ? lists[0] : undefined;
}
