import { isLoginSegment, isRegistrationSegment } from '../../openapi/login-paths.ts';
import { allowsAnyBody } from '../../openapi/responses.ts';
import type { Route } from '../../openapi/routes.ts';
import { requiresCredentials } from '../../openapi/security.ts';
import { normalizeName, toSingular } from '../../util/names.ts';
import { isSecretName } from '../../util/redact-secrets.ts';
import { type DocumentPaths, getOverrides, getResourceSegment } from '../document/document-paths.ts';
import { getLastSegment, getParameterName, getParentPath, toTemplate } from '../document/names.ts';
import { findId, hasEntryResponse } from '../document/path-keys.ts';
import type { SchemaReader } from '../document/schema-reader.ts';
import { addOtherViews, listUsed } from '../lists/views.ts';
import type { Login, Mount, Resource } from '../resource.ts';
import { LOGIN_NAMES, PERSONS, PERSONS_WITH_LOGIN } from '../users/user-names.ts';
import { findCredentials, findLogin, findNamed, findUserSchema, findUsers, OWN_USER } from '../users/users.ts';

/**
 * Finds the resource with the users, or adds one for a document that has a login, but no list of users.
 * Then a list that no operation changes, and that has the schema of users, shows the users.
 * `isHidden` in the result: whether the resource is added.
 */
export function addUsers(
  reader: SchemaReader,
  paths: DocumentPaths,
  resources: readonly Resource[],
  routes: readonly Route[],
): { readonly resources: readonly Resource[]; readonly users: Resource | undefined; readonly isHidden: boolean } {
  const known = findUsers(reader, resources, routes);
  const created = known ? undefined : createUsers(reader, resources, routes);
  if (!created) return { resources, users: known, isHidden: false };
  const isView = ({ kind, schema, canCreate }: Resource) =>
    kind === 'collection' && !canCreate && schema !== '' && reader.isSame(schema, created.schema);
  const users = addUserPaths(reader, resources, created, routes);
  const others = resources.filter((one) => !isView(one));
  return { resources: addOtherViews(reader, paths, [...others, users]), users, isHidden: true };
}

/**
 * Adds the paths of one user, such as `/users/{id}`, to the resource of the users.
 * An operation at the path must show a user.
 */
function addUserPaths(
  reader: SchemaReader,
  resources: readonly Resource[],
  users: Resource,
  routes: readonly Route[],
): Resource {
  const used = listUsed(resources);
  const names = ['user', users.singular, ...PERSONS].map(normalizeName);
  const isUsers = (path: string) => names.includes(normalizeName(toSingular(getResourceSegment(path))));
  const items = routes.filter((route) => {
    const { path, pathNames } = route;
    const isItem = pathNames.length === 1 && getParameterName(getLastSegment(path)) !== undefined;
    const isUser = isItem && !used.has(path) && isUsers(getParentPath(path));
    return isUser && route.method !== 'POST' && hasEntryResponse(reader, users, route);
  });
  const mounts = [...new Map(items.map((route) => [toTemplate(route.path), route])).values()].map((route): Mount => {
    const parameter = route.pathNames[0] ?? '';
    const { id: own } = getOverrides(reader.document, route);
    const { schema, singular } = users;
    const id = findId(reader, { schema, parameter, singular, route, isChosenByClient: false, isUnshown: false, own });
    return { collection: getParentPath(route.path), item: route.path, parents: [], id };
  });
  const [first] = mounts;
  const canDelete = routes.some(({ method, path }) => method === 'DELETE' && mounts.some(({ item }) => item === path));
  return first ? { ...users, id: first.id, mounts: [...mounts, ...users.mounts], canDelete } : users;
}

/**
 * Returns the schema of the user at a path such as `/me`, or else the one in the response of a login.
 * If `/me` has no documented body, its schema is that of a request, which lacks what only the server sets, such as ids.
 */
function findOwnSchema(reader: SchemaReader, single: Resource | undefined, routes: readonly Route[]) {
  const shown = findUserSchema(reader, routes);
  if (!single || shown === undefined) return single?.schema ?? shown;
  const paths = single.mounts.map(({ item, collection }) => item ?? collection);
  const read = routes.find(({ method, path }) => method === 'GET' && paths.includes(path));
  const isShown = read !== undefined && !allowsAnyBody(reader.document, read);
  const names = reader.getProperties(shown);
  const hasAll = [...reader.getProperties(single.schema).keys()].every((name) => isSecretName(name) || names.has(name));
  return !isShown && hasAll && ![...names.keys()].some(isSecretName) ? shown : single.schema;
}

/**
 * Returns the schema of the user that an operation such as `GET /user/{userId}` or `PATCH /user` shows, with a login.
 */
function findItemSchema(reader: SchemaReader, routes: readonly Route[]): string | undefined {
  const names = ['user', ...PERSONS];
  const isUser = ({ path, pathNames }: Route) => {
    const isItem = pathNames.length === 1 && getParameterName(getLastSegment(path)) !== undefined;
    const list = isItem ? getParentPath(path) : path;
    return pathNames.length <= 1 && names.includes(normalizeName(toSingular(getResourceSegment(list))));
  };
  const shown = routes.flatMap((route) => {
    const response = isUser(route) ? reader.getResponseSchema(route, route.successStatus) : undefined;
    const entry = response === undefined ? undefined : reader.findEntry(response, 'user').schema;
    const isList = entry === undefined || reader.findList(response ?? '', 'users') !== undefined;
    return !isList && findNamed(reader, entry, LOGIN_NAMES) !== undefined ? [entry] : [];
  });
  return shown[0];
}

/**
 * Returns the schema of the user whom a registration sends, or else a login, for a document that shows no users. Then
 * the server knows of them only their logins and passwords. An operation must need the credentials of users.
 */
function findSentSchema(reader: SchemaReader, routes: readonly Route[]): string | undefined {
  if (!routes.some(requiresCredentials)) return undefined;
  const named = routes.filter((route) => findCredentials(reader, route));
  const find = (isNamed: (segment: string) => boolean) => named.find(({ path }) => isNamed(getLastSegment(path)));
  const login = find(isLoginSegment);
  const sent = login && (find(isRegistrationSegment) ?? login);
  return sent && reader.getRequestInner(sent, findCredentials(reader, sent)?.path ?? []);
}

/**
 * Returns a resource for the users of a document that has a login, but no list of users: the object of `GET /user`, or
 * the user in the response of a login or a registration, or else the one in its request, becomes an entry of `users`.
 */
function createUsers(
  reader: SchemaReader,
  resources: readonly Resource[],
  routes: readonly Route[],
): Resource | undefined {
  const isUser = ({ kind, schema, name }: Resource) =>
    kind === 'singleton' && OWN_USER.test(name) && findNamed(reader, schema, LOGIN_NAMES) !== undefined;
  if (resources.some(({ name }) => name === 'users')) return undefined;
  const single = resources.find((one) => one.schema !== '' && isUser(one) && one.mounts[0]?.parents.length === 0);
  const shown = findOwnSchema(reader, single, routes);
  const own = shown ?? findItemSchema(reader, routes) ?? findSentSchema(reader, routes);
  if (own === undefined) return undefined;
  const property = reader.hasId(own, 'user') ? findNamed(reader, own, ['id', 'uuid', 'userid']) : undefined;
  const schema = property === undefined ? '' : (reader.getProperties(own).get(property) ?? '');
  const id = { parameter: 'id', property, name: 'id', schema };
  const mount = { collection: '/users', item: undefined, parents: [], id };
  const users: Resource = {
    ...{ name: 'users', singular: namePerson(reader, own), kind: 'collection', schema: own, id, mounts: [mount] },
    ...{ canCreate: true, canPost: true, canDelete: false },
  };
  // Without an object for users, a login is only known by the token in its response.
  const isUsed = (login: Login | undefined) =>
    (login?.credentials || login?.isBasic) && (shown !== undefined || (login.token && !login.isRegistration));
  return routes.some((route) => isUsed(findLogin(reader, users, route))) ? users : undefined;
}

/** Returns the name of a schema for people who log in, such as `customer` for `Customer`; `user` for other names. */
function namePerson(reader: SchemaReader, schema: string): string {
  const name = reader.resolve(schema).split('/').at(-1) ?? '';
  const isPerson = [...PERSONS, ...PERSONS_WITH_LOGIN].includes(normalizeName(name)) && !/profile$/i.test(name);
  return isPerson ? name.charAt(0).toLowerCase() + name.slice(1) : 'user';
}
