import { getNode, toNode } from '../../openapi/document.ts';
import { isLoginSegment, isLogoutPath, isRegistrationSegment, isTokenRefreshPath } from '../../openapi/login-paths.ts';
import { allowsAnyBody } from '../../openapi/responses.ts';
import type { Route } from '../../openapi/routes.ts';
import { usesBasic } from '../../openapi/security.ts';
import type { Entry, State } from '../../store/state.ts';
import { normalizeName } from '../../util/names.ts';
import { isSecretName } from '../../util/redact-secrets.ts';
import { getLastSegment, getParentPath, OWN_SEGMENT } from '../document/names.ts';
import type { SchemaReader } from '../document/schema-reader.ts';
import { getEntries } from '../entries/entries.ts';
import type { Login, Resource } from '../resource.ts';
import { findFirstUserCredentials } from './first-users.ts';
import { findPasswords, type PasswordChange } from './passwords.ts';
import {
  LOGIN_NAMES,
  normalizeLogin,
  OTHER_LOGINS,
  PASSWORD_NAMES,
  PERSONS,
  PERSONS_WITH_LOGIN,
  UNIQUE_NAMES,
} from './user-names.ts';

/** Names of properties that prove in a request without a login that a message was received. */
const PROOFS = ['token', 'resettoken', 'code', 'resetcode', 'otp', 'verificationcode'];

/** Names of properties with a token, without uppercase letters and separators. */
export const TOKEN_NAMES = [
  'token',
  'accesstoken',
  'jwt',
  'authtoken',
  'sessiontoken',
  'bearertoken',
  'idtoken',
  'access',
];

/** Names of properties with a token for a new token, without uppercase letters and separators. */
const REFRESH_NAMES = ['refreshtoken', 'refresh'];

/** Names of properties with the id and the secret of an OAuth 2 client, without uppercase letters and separators. */
const CLIENT_ID_NAMES = ['clientid'];
const CLIENT_SECRET_NAMES = ['clientsecret'];

/** Matches the ids of operations that log a user in, or register one. */
const LOGIN_ID = /(?:log|sign)_?-?(?:in|on|up)|session|authenticat|register|(?:issue|create|get|obtain)_?-?token/i;

/** Matches the last segment of a path with the user who sends the request. */
export const OWN_USER =
  /^(?:me|whoami|profile|user|account|current|current-?_?user|self|my[-_]?(?:info|profile|account|details)|user-?info|perfil|mi-?perfil|meu-?perfil|profil|mon-?profil)$/i;

/**
 * Returns the resource with the users of a document: entries with a login, or created with one and a password, whose
 * name is that of people.
 */
export function findUsers(
  reader: SchemaReader,
  resources: readonly Resource[],
  routes: readonly Route[],
): Resource | undefined {
  const isCreated = ({ mounts }: Resource) =>
    routes.some((route) => route.path === mounts[0]?.collection && findCredentials(reader, route) !== undefined);
  const used = routes.flatMap((route) => findCredentials(reader, route)?.login ?? []).map(normalizeName);
  const logins = [...LOGIN_NAMES, ...used];
  const isUsers = (resource: Resource) =>
    resource.kind === 'collection' &&
    resource.mounts[0]?.parents.length === 0 &&
    resource.schema !== '' &&
    (findNamed(reader, resource.schema, logins) !== undefined || isCreated(resource));
  const shown = findUserSchema(reader, routes);
  // A login that shows a `User` logs in none of the students with other properties.
  const isOther = (resource: Resource) =>
    shown !== undefined &&
    normalizeName(resource.singular) !== 'user' &&
    !isCreated(resource) &&
    !includesOther(reader, resource.schema, shown);
  const isRegistered = routes.some(
    (route) => isRegistrationSegment(getLastSegment(route.path)) && findCredentials(reader, route),
  );
  // If users are registered, customers whom an operation creates without a password are none of them.
  const isManaged = (resource: Resource) =>
    isRegistered &&
    resource.canPost &&
    normalizeName(resource.singular) !== 'user' &&
    !isCreated(resource) &&
    !(shown !== undefined && reader.isSame(shown, resource.schema));
  const found = resources.filter((resource) => isUsers(resource) && !isOther(resource) && !isManaged(resource));
  // Of two lists of users, a login finds those whom an operation creates with a password.
  const find = (names: readonly string[]) => {
    const named = found.filter(({ singular }) => names.includes(normalizeName(singular)));
    return named.find(isCreated) ?? named[0];
  };
  return find(['user']) ?? find(PERSONS) ?? (used.length > 0 ? find(PERSONS_WITH_LOGIN) : undefined);
}

/** Returns whether one of two schemas has all properties of the other one, except secrets such as a token. */
function includesOther(reader: SchemaReader, schema: string, other: string): boolean {
  const list = (one: string) =>
    [...reader.getProperties(one).keys()].filter((name) => !isSecretName(name)).map(normalizeName);
  const [names, others] = [list(schema), list(other)];
  return names.every((name) => others.includes(name)) || others.every((name) => names.includes(name));
}

/** Returns the schema of the user in the response of `GET /me`, or else of a login or a registration. */
export function findUserSchema(reader: SchemaReader, routes: readonly Route[]): string | undefined {
  const own = routes.filter((route) => isAboutSender(route) && route.method === 'GET');
  const others = routes.filter((route) => findCredentials(reader, route));
  const schemas = [...own, ...others].flatMap((route) => {
    const response = reader.getResponseSchema(route, route.successStatus);
    if (response === undefined) return [];
    const { schema } = reader.findEntry(response, 'user', undefined);
    // A login can respond with tokens and, beside them, with the user.
    return [schema, ...[...reader.getProperties(schema).values()].filter((pointer) => reader.isObject(pointer))];
  });
  const find = (names: readonly string[]) => schemas.find((schema) => findNamed(reader, schema, names) !== undefined);
  const isUser = (schema: string) => reader.resolve(schema).endsWith('/User') && reader.hasId(schema, 'user');
  // A registration can respond with only the `userId`, and a user can be shown without the login.
  return (
    find(LOGIN_NAMES.filter((name) => !['userid', 'user'].includes(name))) ??
    schemas.find(isUser) ??
    findUserBesideToken(reader, others) ??
    find(LOGIN_NAMES)
  );
}

/** Returns the schema of the object `user` with an id that a login shows beside the token, without a login in it. */
function findUserBesideToken(reader: SchemaReader, logins: readonly Route[]): string | undefined {
  const names = ['user', ...PERSONS];
  return logins
    .flatMap((route) => reader.getResponseSchema(route, route.successStatus) ?? [])
    .filter((response) => findToken(reader, response) !== undefined)
    .flatMap((response) => [response, ...reader.getProperties(response).values()])
    .flatMap((schema) => [...reader.getProperties(schema)])
    .find(([name, pointer]) => names.includes(normalizeName(name)) && reader.hasId(pointer, 'user'))?.[1];
}

/**
 * Returns the users with the schema of `GET /me`, or else of the user in the response of a login, if it has more
 * properties of a user than the one in a list, which can be a public profile.
 */
export function addOwnProperties(reader: SchemaReader, users: Resource, routes: readonly Route[]): Resource {
  const { schema, id, singular } = users;
  const [idName] = id.property?.split('.') ?? [];
  const known = [...reader.getProperties(schema).keys()];
  const own = routes.flatMap((route) => {
    const response =
      isAboutSender(route) && route.method === 'GET' ? reader.getResponseSchema(route, route.successStatus) : undefined;
    return response === undefined ? [] : [reader.findEntry(response, singular, schema).schema];
  });
  const shown = own.length === 0 ? findUserSchema(reader, routes) : undefined;
  const richer = [...own, ...(shown === undefined ? [] : [shown])].find((one) => {
    const names = reader.getProperties(one);
    if (one === shown && [...names.keys()].some(isSecretName)) return false;
    const shared = known.filter((name) => names.has(name));
    return idName !== undefined && names.has(idName) && names.size > known.length && shared.length * 2 > known.length;
  });
  return richer === undefined || schema === '' ? users : { ...users, schema: richer, otherSchemas: [schema] };
}

export function isAboutSender({ path, pathNames }: Route): boolean {
  return pathNames.length === 0 && OWN_USER.test(getLastSegment(path));
}

/** Returns the names of the properties with a login and a password in a request body, and where they are. */
export function findCredentials(reader: SchemaReader, route: Route) {
  const request = reader.getRequestSchema(route);
  if (route.method !== 'POST' || route.pathNames.length > 0 || request === undefined) return undefined;
  const { path, schema } = findBody(reader, request);
  const password = findNamed(reader, schema, PASSWORD_NAMES);
  const login = findNamed(reader, schema, isAboutLogin(route) ? [...LOGIN_NAMES, ...OTHER_LOGINS] : LOGIN_NAMES);
  if (password === undefined || login === undefined) return undefined;
  const others = [...reader.getProperties(schema).keys()].filter(
    (name) => name !== login && LOGIN_NAMES.includes(normalizeName(name)),
  );
  return { path, login, password, others };
}

/** Returns whether the path or the operation id of an operation says that it logs a user in, or registers one. */
function isAboutLogin({ path, operationId }: Route): boolean {
  const segment = getLastSegment(path);
  return isLoginSegment(segment) || isRegistrationSegment(segment) || LOGIN_ID.test(operationId);
}

export function findNamed(reader: SchemaReader, schema: string, names: readonly string[]): string | undefined {
  const properties = [...reader.getProperties(schema)].filter(([, pointer]) => reader.isScalar(pointer));
  return names
    .map((name) => properties.find(([property]) => normalizeName(property) === name)?.[0])
    .find((property) => property !== undefined);
}

/** The maximum number of property names that lead to a token: 3 for `tokens.access.token`. */
const MAX_TOKEN_DEPTH = 3;

/** Returns the property names that lead to a token in a body: `['token']`, or `['tokens', 'access', 'token']`. */
function findToken(reader: SchemaReader, schema: string, depth = 1): readonly string[] | undefined {
  const own = findNamed(reader, schema, TOKEN_NAMES);
  if (own !== undefined || depth >= MAX_TOKEN_DEPTH) return own === undefined ? undefined : [own];
  for (const [name, pointer] of reader.getProperties(schema)) {
    const isOther = !reader.isObject(pointer) || REFRESH_NAMES.includes(normalizeName(name));
    const inner = isOther ? undefined : findToken(reader, pointer, depth + 1);
    if (inner !== undefined) return [name, ...inner];
  }
  return undefined;
}

/** Returns the property names that lead to each refresh token in a body, such as `['tokens', 'refresh', 'token']`. */
export function findRefreshTokens(reader: SchemaReader, schema: string, depth = 1): readonly (readonly string[])[] {
  return [...reader.getProperties(schema)].flatMap(([name, pointer]): readonly (readonly string[])[] => {
    const isRefresh = REFRESH_NAMES.includes(normalizeName(name));
    if (reader.isScalar(pointer)) return isRefresh ? [[name]] : [];
    if (depth >= MAX_TOKEN_DEPTH || !reader.isObject(pointer)) return [];
    const own = isRefresh ? findNamed(reader, pointer, TOKEN_NAMES) : undefined;
    const inner = own === undefined ? findRefreshTokens(reader, pointer, depth + 1) : [[own]];
    return inner.map((path) => [name, ...path]);
  });
}

/**
 * Returns how an operation logs a user in, registers one, or issues another token.
 * Its request has a password and a login, a refresh token, or the id and the secret of an OAuth 2 client. At a path
 * such as `/refresh`, it has no body.
 * Its response has a token, or the user if it is a registration.
 * Returns undefined for other operations.
 * `isHidden`: whether no operation lists the users. Then a POST of the users is a registration.
 */
export function findLogin(reader: SchemaReader, users: Resource, route: Route, isHidden = false): Login | undefined {
  const request = reader.getRequestSchema(route);
  const response = reader.getResponseSchema(route, route.successStatus);
  const isBasic = usesBasic(route) && isLoginSegment(getLastSegment(route.path));
  if (!(route.method === 'POST' || (isBasic && route.method === 'GET')) || route.pathNames.length > 0) return undefined;
  const token = response === undefined ? undefined : findToken(reader, response);
  const user = response === undefined ? undefined : findUser(reader, users, response);
  if (isBasic && token && request === undefined) return { ...NO_CREDENTIALS, token, user, isBasic };
  if (request === undefined)
    return token && isTokenRefreshPath(route.path)
      ? { ...NO_CREDENTIALS, token, user, isTokenRefresh: true }
      : undefined;
  const { path: requestPath, schema } = findBody(reader, request);
  const find = (names: readonly string[]) => findNamed(reader, schema, names);
  const refreshToken = find(REFRESH_NAMES) ?? findPlainRefresh(reader, route, schema, response);
  const named = findCredentials(reader, route);
  const isKnown = (login: string) =>
    LOGIN_NAMES.includes(normalizeName(login)) || reader.getProperties(users.schema).has(login);
  const sent = named && isKnown(named.login) ? named : undefined;
  const prefixed = named ? undefined : findFirstUserCredentials(reader, route, schema);
  const credentials =
    (sent && { login: sent.login, password: sent.password, others: sent.others }) ?? prefixed?.credentials;
  const clientId = find(CLIENT_SECRET_NAMES) === undefined ? undefined : find(CLIENT_ID_NAMES);
  if (!credentials && refreshToken === undefined && clientId === undefined) return undefined;
  const segment = getLastSegment(route.path);
  const isOfUsers = (token !== undefined || isHidden) && /^(?:users?|accounts?|members?)$/i.test(segment);
  const isRegistration = credentials !== undefined && (isRegistrationSegment(segment) || isOfUsers || !!prefixed);
  const own = { requestPath, credentials, refreshToken, clientId, token, user, isRegistration };
  const found = prefixed ? { ...own, prefix: prefixed.prefix } : own;
  return token || isRegistration || (credentials && isLoginSegment(segment)) ? found : undefined;
}

/**
 * Returns the only property of a request at a path such as `/auth/refresh`, if it is a `token` by its name, and the
 * response has a refresh token too.
 */
function findPlainRefresh(
  reader: SchemaReader,
  { path }: Route,
  sent: string,
  response: string | undefined,
): string | undefined {
  const [only, ...others] = [...reader.getProperties(sent).keys()];
  const isPlain = others.length === 0 && isTokenRefreshPath(path) && findNamed(reader, sent, TOKEN_NAMES) === only;
  return isPlain && response !== undefined && findRefreshTokens(reader, response).length > 0 ? only : undefined;
}

/** Returns the paths that return tokens to users. Without a login or a registration, no refresh token is valid. */
export function listLoginPaths(reader: SchemaReader, users: Resource, routes: readonly Route[]): readonly string[] {
  const logins = routes.flatMap((route) => {
    const login = findLogin(reader, users, route);
    return login ? [{ path: route.path, login }] : [];
  });
  const isUsable = logins.some(({ login }) => login.credentials || login.isBasic || login.clientId !== undefined);
  return isUsable ? logins.filter(({ login }) => !login.isRegistration).map(({ path }) => path) : [];
}

const NO_CREDENTIALS = {
  ...{ requestPath: [], credentials: undefined, refreshToken: undefined, clientId: undefined },
  isRegistration: false,
};

/** Returns where the credentials are in a request body: in the body, or in its only property. */
function findBody(reader: SchemaReader, request: string) {
  const [only, ...others] = [...reader.getProperties(request)];
  if (only && others.length === 0 && reader.isObject(only[1])) return { path: [only[0]], schema: only[1] };
  return { path: [], schema: request };
}

/** Returns the property names that lead to the user in a response body. */
function findUser(
  reader: SchemaReader,
  { singular, schema }: Resource,
  response: string,
): readonly string[] | undefined {
  const found = reader.findEntry(response, singular, schema);
  if (reader.sharesProperties(found.schema, schema)) return found.path;
  // The user can be beside the token in an object such as `data`.
  const own = [...reader.getProperties(found.schema)].find(([name]) => normalizeName(name) === normalizeName(singular));
  return own && reader.isObject(own[1]) && reader.sharesProperties(own[1], schema)
    ? [...found.path, own[0]]
    : undefined;
}

/** Matches paths about passwords. */
const PASSWORD_PATH = /passw|pwd/i;

/**
 * Returns how an operation changes the password of a user: its request has the current and the new one, or its path is
 * one such as `/me/password`, and its request has only the new one.
 * Returns undefined for other operations.
 */
export function findPasswordChange(reader: SchemaReader, route: Route): PasswordChange | undefined {
  const request = reader.getRequestSchema(route);
  if (!['POST', 'PUT', 'PATCH'].includes(route.method) || request === undefined) return undefined;
  const { path: requestPath, schema } = findBody(reader, request);
  const names = [...reader.getProperties(schema).keys()];
  const passwords = findPasswords(names);
  if (!passwords || resetsPassword(reader, route)) return undefined;
  const isNamed = PASSWORD_PATH.test(route.path);
  const isAlone = names.every((name) => Object.values(passwords).includes(name));
  return (isNamed && passwords.current !== undefined) || (isAlone && (isNamed || passwords.current !== undefined))
    ? { requestPath, passwords }
    : undefined;
}

/** Returns whether an operation resets a forgotten password with a message. The server sends no messages. */
export function resetsPassword(reader: SchemaReader, route: Route): boolean {
  if (route.method === 'GET' || !PASSWORD_PATH.test(route.path)) return false;
  const request = reader.getRequestSchema(route);
  const names = request === undefined ? [] : [...reader.getProperties(findBody(reader, request).schema).keys()];
  const hasProof = [...names, ...route.pathNames].some((name) => PROOFS.includes(normalizeName(name)));
  return hasProof || FORGOTTEN.test(route.path);
}

/** Returns whether a request asks for a message with which the user can reset a password. */
export function asksForReset(reader: SchemaReader, route: Route): boolean {
  const request = reader.getRequestSchema(route);
  const names = request === undefined ? [] : [...reader.getProperties(request).keys()];
  return resetsPassword(reader, route) && !names.some(isSecretName);
}

/** Matches words for forgotten passwords in paths, also in other languages. */
const FORGOTTEN = /forgot|reset|recover|recuper|olvid|restablec|esquec|redefin|oubli|reinitialis|dimentica|vergessen/i;

/**
 * Returns whether an operation logs a user out: `POST /logout`, `DELETE` of a path whose `POST` logs in, or
 * `DELETE /me` with the summary `Log out`.
 */
export function isLogout(reader: SchemaReader, route: Route, loginPaths: readonly string[]): boolean {
  const { method, path, pathNames } = route;
  if (loginPaths.length === 0 || pathNames.length > 0) return false;
  if (isLogoutPath(path)) return true;
  if (method !== 'DELETE') return false;
  const { summary = '', description = '' } = toNode(getNode(reader.document, route.pointer));
  const text = `${summary} . ${description}`;
  const isSession = loginPaths.includes(path) || (CURRENT.test(path) && loginPaths.includes(getParentPath(path)));
  return !DELETES_USER.test(text) && (isSession || LOGS_OUT.test(text));
}

/** Matches the end of a path with the session of the user who sends the request, such as `/sessions/current`. */
const CURRENT = /\/(?:current|me|this|own)\/?$/i;

/** Matches words for the end of an account, which can also say that the user is logged out. */
const DELETES_USER =
  /\b(?:delet|remov|clos|eras)\w* (?:\w+ ){0,3}(?:accounts?|profiles?|users?)\b(?!'s| sessions?\b| tokens?\b)/i;

const LOGS_OUT = /\b(?:log|sign)(?:s|ged|ging|ed|ing)?\b(?: \S+){0,4}? (?:out|off)\b|\b(?:log|sign)[- ]?(?:out|off)\b/i;

/**
 * Returns where the user who sends the request is in the response of an operation such as `GET /me`.
 * Returns undefined for other operations.
 */
export function findOwnUser(reader: SchemaReader, users: Resource, route: Route): readonly string[] | undefined {
  const response = reader.getResponseSchema(route, route.successStatus);
  if (!isAboutSender(route)) return undefined;
  // Generated documents often leave out the user in the response of `GET /me`.
  const isOpen = OWN_SEGMENT.test(getLastSegment(route.path)) && allowsAnyBody(reader.document, route);
  if (isOpen && route.method === 'GET') return [];
  if (response === undefined) return undefined;
  if (!['GET', 'PUT', 'PATCH'].includes(route.method) || !reader.isObject(response)) return undefined;
  const found = reader.findEntry(response, users.singular, users.schema);
  // The user can be shown with other properties than in a list of users.
  const isUser =
    findNamed(reader, found.schema, LOGIN_NAMES) !== undefined && reader.sharesProperties(found.schema, users.schema);
  return isUser || reader.isSame(found.schema, users.schema) ? found.path : undefined;
}

/**
 * Returns the user with a login, such as an e-mail address. Ignores case, and separators in phone numbers.
 * Blank texts are no logins.
 * `name`: the property with the login. A text can also be another login of the user.
 * `except`: a user who is left out.
 */
export function findByLogin(
  users: Resource,
  state: State,
  name: string,
  value: unknown,
  except?: Entry,
): Entry | undefined {
  const [own, wanted] = [normalizeName(name), normalizeLogin(value ?? '')];
  if (wanted === '') return undefined;
  const isSame = ([property, other]: readonly [string, unknown]) => {
    const isLogin = typeof other === 'string' && LOGIN_NAMES.includes(normalizeName(property));
    return (isLogin || normalizeName(property) === own) && normalizeLogin(other) === wanted;
  };
  return getEntries(state, users).find((user) => user !== except && Object.entries(user).some(isSame));
}

/**
 * Returns the properties of users that no two users have in common: those by which they log in, e-mail addresses and
 * user names.
 * `logins`: how operations log users in. `logsInByHeader`: whether users send their logins in a header.
 */
export function findLoginNames(
  reader: SchemaReader,
  { schema }: Resource,
  { logins, logsInByHeader }: { readonly logins: readonly Login[]; readonly logsInByHeader: boolean },
): readonly string[] {
  const used = logins.flatMap(({ credentials, isRegistration }) =>
    credentials ? [credentials.login, ...(isRegistration ? [] : credentials.others)] : [],
  );
  const names = [...UNIQUE_NAMES, ...used.map(normalizeName)];
  const unique = [...reader.getProperties(schema).keys()].filter((name) => names.includes(normalizeName(name)));
  return used.length === 0 && !logsInByHeader ? [] : [...new Set([...used, ...unique])];
}
