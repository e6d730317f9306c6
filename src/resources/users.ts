import { createHash } from 'node:crypto';
import type { HandlerResponse, Input } from '../application.ts';
import { isNode, omitKeys } from '../openapi/document.ts';
import type { Route } from '../openapi/routes.ts';
import type { Entry, State } from '../store/state.ts';
import { normalizeName } from '../util/names.ts';
import { tryOrUndefined } from '../util/try-or-undefined.ts';
import { getEntries } from './entries.ts';
import { findByKeys } from './entry-lists.ts';
import { getKeyValue, getOwn, getPathValues } from './entry-values.ts';
import { getLastSegment } from './names.ts';
import { type Inference, type Login, PATH_VALUES, type Resource } from './resource.ts';
import { setInner } from './responses.ts';
import type { SchemaReader } from './schema-reader.ts';

/** Names of entries that are people, without uppercase letters and separators. */
const PERSONS = ['user', 'member', 'person', 'account', 'customer', 'author', 'owner', 'employee', 'profile'];

/** Names of properties by which users log in, without uppercase letters and separators. */
const LOGIN_NAMES = [
  'email',
  'emailaddress',
  'username',
  'login',
  'userid',
  'phone',
  'phonenumber',
  'identifier',
  'user',
];

/** Names of properties with a password, without uppercase letters and separators. */
const PASSWORD_NAMES = ['password', 'passwd', 'pwd', 'passcode', 'pin'];

/** Names of properties with a token, without uppercase letters and separators. */
const TOKEN_NAMES = ['token', 'accesstoken', 'jwt', 'authtoken', 'sessiontoken', 'bearertoken', 'idtoken'];

/** Names of properties with a token for a new token, without uppercase letters and separators. */
const REFRESH_NAMES = ['refreshtoken', 'refresh'];

/** Names of properties with the id and the secret of an OAuth 2 client, without uppercase letters and separators. */
const CLIENT_ID_NAMES = ['clientid'];
const CLIENT_SECRET_NAMES = ['clientsecret'];

/** Matches the last segment of a path that logs a user in. */
const LOGIN = /^(?:(?:log|sign)[-_]?(?:in|on)|sessions?|auth|authenticate|authentication|tokens?)$/i;

/** Matches the last segment of a path that registers a user. */
const REGISTRATION = /^(?:register|registration|sign-?_?up|join|create-?_?account)$/i;

/** Matches the last segment of a path with the user who sends the request. */
const OWN_USER = /^(?:me|whoami|profile|user|account|current|current-?_?user|self)$/i;

/** Returns the resource with the users of a document: entries with a login whose name is that of people. */
export function findUsers(reader: SchemaReader, resources: readonly Resource[]): Resource | undefined {
  const isUsers = ({ kind, schema, singular, mounts }: Resource) =>
    kind === 'collection' &&
    mounts[0]?.parents.length === 0 &&
    schema !== '' &&
    PERSONS.includes(normalizeName(singular)) &&
    findNamed(reader, schema, LOGIN_NAMES) !== undefined;
  const found = resources.filter(isUsers);
  return found.find(({ singular }) => normalizeName(singular) === 'user') ?? found[0];
}

/**
 * Returns a resource for the users of a document that has a login, but no list of users: the object of `GET /user`, or
 * the user in the response of a login or a registration, becomes an entry of `users`.
 */
export function createUsers(
  reader: SchemaReader,
  resources: readonly Resource[],
  routes: readonly Route[],
): Resource | undefined {
  const isUser = ({ kind, schema, name }: Resource) =>
    kind === 'singleton' && OWN_USER.test(name) && findNamed(reader, schema, LOGIN_NAMES) !== undefined;
  if (resources.some(({ name }) => name === 'users')) return undefined;
  const single = resources.find((one) => one.schema !== '' && isUser(one) && one.mounts[0]?.parents.length === 0);
  const own = single?.schema ?? findUserSchema(reader, routes);
  if (own === undefined) return undefined;
  const property = reader.hasId(own, 'user') ? findNamed(reader, own, ['id', 'uuid', 'userid']) : undefined;
  const schema = property === undefined ? '' : (reader.getProperties(own).get(property) ?? '');
  const id = { parameter: 'id', property, name: 'id', schema };
  const mount = { collection: '/users', item: undefined, parents: [], id };
  const users: Resource = {
    ...{ name: 'users', singular: 'user', kind: 'collection', schema: own, id, mounts: [mount] },
    ...{ canCreate: true, canPost: true, canDelete: false },
  };
  return routes.some((route) => findLogin(reader, users, route)?.credentials) ? users : undefined;
}

/** Returns the schema of the user in the response of `GET /me`, or else of a login or a registration. */
function findUserSchema(reader: SchemaReader, routes: readonly Route[]): string | undefined {
  const own = routes.filter((route) => isAboutSender(route) && route.method === 'GET');
  const others = routes.filter((route) => findCredentials(reader, route));
  const schemas = [...own, ...others].flatMap((route) => {
    const response = reader.getResponseSchema(route, route.successStatus);
    if (response === undefined) return [];
    const { schema } = reader.findEntry(response, 'user', undefined);
    // A login can respond with tokens and, beside them, with the user.
    return [schema, ...[...reader.getProperties(schema).values()].filter((pointer) => reader.isObject(pointer))];
  });
  return schemas.find((schema) => findNamed(reader, schema, LOGIN_NAMES) !== undefined);
}

function isAboutSender({ path, pathNames }: Route): boolean {
  return pathNames.length === 0 && OWN_USER.test(getLastSegment(path));
}

/** Returns the names of the properties with a login and a password in a request body, and where they are. */
function findCredentials(reader: SchemaReader, route: Route) {
  const request = reader.getRequestSchema(route);
  if (route.method !== 'POST' || route.pathNames.length > 0 || request === undefined) return undefined;
  const { path, schema } = findBody(reader, request);
  const [password, login] = [PASSWORD_NAMES, LOGIN_NAMES].map((names) => findNamed(reader, schema, names));
  if (password === undefined || login === undefined) return undefined;
  const others = [...reader.getProperties(schema).keys()].filter(
    (name) => name !== login && LOGIN_NAMES.includes(normalizeName(name)),
  );
  return { path, login, password, others };
}

function findNamed(reader: SchemaReader, schema: string, names: readonly string[]): string | undefined {
  const properties = [...reader.getProperties(schema)].filter(([, pointer]) => reader.isScalar(pointer));
  return names
    .map((name) => properties.find(([property]) => normalizeName(property) === name)?.[0])
    .find((property) => property !== undefined);
}

/** Returns the property names that lead to a token in a body: `['token']`, or `['user', 'token']`. */
function findToken(reader: SchemaReader, schema: string): readonly string[] | undefined {
  const own = findNamed(reader, schema, TOKEN_NAMES);
  if (own !== undefined) return [own];
  for (const [name, pointer] of reader.getProperties(schema)) {
    const inner = reader.isObject(pointer) ? findNamed(reader, pointer, TOKEN_NAMES) : undefined;
    if (inner !== undefined) return [name, inner];
  }
  return undefined;
}

/**
 * Returns how an operation logs a user in, registers one, or issues another token.
 * Its request has a password and a login, a refresh token, or the id and the secret of an OAuth 2 client.
 * Its response has a token, or the user if it is a registration.
 * Returns undefined for other operations.
 * `isHidden`: whether no operation lists the users. Then a POST of the users is a registration.
 */
export function findLogin(reader: SchemaReader, users: Resource, route: Route, isHidden = false): Login | undefined {
  const request = reader.getRequestSchema(route);
  const response = reader.getResponseSchema(route, route.successStatus);
  if (route.method !== 'POST' || route.pathNames.length > 0 || request === undefined) return undefined;
  const { path: requestPath, schema } = findBody(reader, request);
  const find = (names: readonly string[]) => findNamed(reader, schema, names);
  const refreshToken = find(REFRESH_NAMES);
  const sent = findCredentials(reader, route);
  const credentials = sent && { login: sent.login, password: sent.password, others: sent.others };
  const clientId = find(CLIENT_SECRET_NAMES) === undefined ? undefined : find(CLIENT_ID_NAMES);
  if (!credentials && refreshToken === undefined && clientId === undefined) return undefined;
  const token = response === undefined ? undefined : findToken(reader, response);
  const user = response === undefined ? undefined : findUser(reader, users, response);
  const segment = getLastSegment(route.path);
  const isOfUsers = (token !== undefined || isHidden) && /^(?:users?|accounts?|members?)$/i.test(segment);
  const isRegistration = credentials !== undefined && (REGISTRATION.test(segment) || isOfUsers);
  const found = { requestPath, credentials, refreshToken, clientId, token, user, isRegistration };
  return token || isRegistration || (credentials && LOGIN.test(segment)) ? found : undefined;
}

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
  return reader.sharesProperties(found.schema, schema) ? found.path : undefined;
}

/** Matches the last segment of a path that logs a user out. */
const LOGOUT = /^(?:log|sign)[-_]?(?:out|off)$/i;

/** Returns whether an operation logs a user out: `POST /logout`, or `DELETE` of a path whose `POST` logs in. */
export function isLogout({ method, path, pathNames }: Route, loginPaths: readonly string[]): boolean {
  if (loginPaths.length === 0 || pathNames.length > 0) return false;
  return LOGOUT.test(getLastSegment(path)) || (method === 'DELETE' && loginPaths.includes(path));
}

/**
 * Returns where the user who sends the request is in the response of an operation such as `GET /me`.
 * Returns undefined for other operations.
 */
export function findOwnUser(reader: SchemaReader, users: Resource, route: Route): readonly string[] | undefined {
  const response = reader.getResponseSchema(route, route.successStatus);
  if (!isAboutSender(route) || response === undefined) return undefined;
  if (!['GET', 'PUT', 'PATCH'].includes(route.method) || !reader.isObject(response)) return undefined;
  const found = reader.findEntry(response, users.singular, users.schema);
  // The user can be shown with other properties than in a list of users.
  const isUser =
    findNamed(reader, found.schema, LOGIN_NAMES) !== undefined && reader.sharesProperties(found.schema, users.schema);
  return isUser || reader.isSame(found.schema, users.schema) ? found.path : undefined;
}

/**
 * Returns the response about the user who sends a request with the token of the request, if the response has a token.
 * `path`: the property names that lead to the user in the body.
 */
export function addToken(
  reader: SchemaReader,
  users: Resource,
  response: HandlerResponse,
  path: readonly string[],
  input: Pick<Input, 'headers'>,
): HandlerResponse {
  const name = findNamed(reader, users.schema, TOKEN_NAMES);
  const token = readToken(input);
  if (name === undefined || token === undefined || !isNode(response.body)) return response;
  return { ...response, body: setInner(response.body, [...path, name], token) };
}

/** The part of a token that is the same in all tokens: a JSON Web Token without a signature (RFC 7519, section 6). */
const HEADER = encode({ alg: 'none', typ: 'JWT' });

function encode(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

/**
 * Creates a token: a JSON Web Token (RFC 7519). It is not secret.
 * `owner`: the user, whose id is `sub` in the token, or an OAuth 2 client, whose id is `client_id`.
 * `id`: the id of the token, with which a logout ends it.
 */
export function createToken(
  owner: { readonly sub: string | undefined } | { readonly client_id: string },
  { nowMs, id }: { readonly nowMs: number; readonly id: string },
): string {
  const seconds = Math.floor(nowMs / 1_000);
  return `${HEADER}.${encode({ ...owner, jti: id, iat: seconds, exp: seconds + TOKEN_SECONDS })}.`;
}

/** The lifetime that a token states. The server accepts a token until a logout ends it. */
export const TOKEN_SECONDS = 365 * 86_400;

/** Matches the value of a token of this server in a cookie. */
const IN_COOKIE = new RegExp(`(?:^|;)\\s*[^=;]+=(${HEADER}\\.[\\w-]+\\.)`);

/** Names of headers in which clients send tokens. */
const TOKEN_HEADERS = ['authorization', 'x-auth-token', 'x-access-token', 'x-token', 'token'];

function readToken({ headers }: Pick<Input, 'headers'>): string | undefined {
  const name = TOKEN_HEADERS.find((one) => headers[one] !== undefined);
  if (name !== undefined) return /^(?:(?:bearer|token|jwt)\s+)?(\S+)$/i.exec(String(headers[name]))?.[1];
  return headers.cookie === undefined ? undefined : IN_COOKIE.exec(headers.cookie)?.[1];
}

/** Returns the claims in a token of a user; undefined if it is not a token of this server. */
function readClaims(token: string | undefined): { readonly user: string; readonly id: string } | undefined {
  const [head, payload] = token?.split('.') ?? [];
  if (head !== HEADER || payload === undefined) return undefined;
  const value: unknown = tryOrUndefined(() => JSON.parse(Buffer.from(payload, 'base64url').toString()));
  return isNode(value) && typeof value.sub === 'string'
    ? { user: value.sub, id: typeof value.jti === 'string' ? value.jti : payload }
    : undefined;
}

/** The parts of a request that say who sends it. */
type Sender = Pick<Input, 'headers' | 'user'>;

/** Returns the user whose token a request has. Returns undefined without such a token, or if a logout has ended it. */
export function findSender(users: Resource | undefined, state: State, input: Sender): Entry | undefined {
  if (!users) return undefined;
  return input.user === undefined
    ? findByToken(users, state, readToken(input))
    : (findById(users, state, input.user) ?? findByLogin(users, state, '', input.user));
}

/** Returns the user of a token of this server. Returns undefined without a user, or if a logout has ended the token. */
export function findByToken(users: Resource, state: State, token: string | undefined): Entry | undefined {
  const claims = readClaims(token);
  const user = claims && findById(users, state, claims.user);
  return user && !listEnded(user).includes(claims.id) ? user : undefined;
}

function findById(users: Resource, state: State, id: string): Entry | undefined {
  return findByKeys(getEntries(state, users), [users.id], [id])[0];
}

/** Returns whether a request names a user: by a token of this server, or by a token that the option `auth` names. */
export function namesSender(input: Sender): boolean {
  return input.user !== undefined || readClaims(readToken(input)) !== undefined;
}

/** Returns the id of a token of this server, which a logout ends; undefined if it is not such a token. */
export function getTokenId(token: string): string | undefined {
  return readClaims(token)?.id;
}

/** The hidden value of a user with the ids of the tokens that logouts have ended. */
const ENDED = 'endedTokens';

/** The maximum number of ended tokens of a user. The oldest are forgotten. */
const MAX_ENDED = 100;

function listEnded(user: Entry): readonly unknown[] {
  const ended = getOwn(getPathValues(user), ENDED);
  return Array.isArray(ended) ? ended : [];
}

/** Returns a copy of a user without the token of a request. */
export function endToken(user: Entry, input: Pick<Input, 'headers'>): Entry {
  const ended = [...listEnded(user), readClaims(readToken(input))?.id].slice(-MAX_ENDED);
  return { ...user, [PATH_VALUES]: { ...getPathValues(user), [ENDED]: ended } };
}

/**
 * Returns the user of `GET /me`: the one whose token the request has.
 * With other credentials, the first user.
 * Returns undefined if there is no user, if the user of the token does not exist, or if a logout has ended the token.
 */
export function findOwnEntry(users: Resource, state: State, input: Sender): Entry | undefined {
  return namesSender(input) ? findSender(users, state, input) : getEntries(state, users)[0];
}

/** Returns the user with a login, such as an e-mail address. Ignores case. */
export function findByLogin(users: Resource, state: State, name: string, value: unknown): Entry | undefined {
  if (value === undefined || value === null) return undefined;
  const wanted = String(value).toLowerCase();
  const names = [normalizeName(name), ...LOGIN_NAMES];
  return getEntries(state, users).find((user) =>
    Object.entries(user).some(
      ([property, own]) =>
        names.includes(normalizeName(property)) && typeof own === 'string' && own.toLowerCase() === wanted,
    ),
  );
}

/** The hidden value of a user with the hash of the password. */
const HASH = 'passwordHash';

function hashPassword(user: Entry, users: Resource, password: unknown): string {
  return createHash('sha256')
    .update(JSON.stringify([getKeyValue(user, users.id), String(password)]))
    .digest('hex');
}

/**
 * Returns a copy of a user with the hash of the password in a request body, and without the password.
 * Returns other entries, and users who don't log in, unchanged.
 */
export function keepPassword(
  { users, hasLogin }: Pick<Inference, 'users' | 'hasLogin'>,
  resource: Resource,
  user: Entry,
  sent: Entry,
): Entry {
  if (resource !== users || !hasLogin) return user;
  const name = Object.keys(sent).find((one) => PASSWORD_NAMES.includes(normalizeName(one)));
  return name === undefined ? user : setPassword(users, omitKeys(user, [name]), sent[name]);
}

/** Returns a copy of a user with the hash of a password. Clients never see it. */
export function setPassword(users: Resource, user: Entry, password: unknown): Entry {
  return { ...user, [PATH_VALUES]: { ...getPathValues(user), [HASH]: hashPassword(user, users, password) } };
}

/** Returns whether a user has a password. A user who was not registered with one has every password. */
export function hasPassword(users: Resource, user: Entry, password: unknown): boolean {
  const hash = getOwn(getPathValues(user), HASH);
  return hash === undefined || hash === hashPassword(user, users, password);
}

/** Names of properties with the user who created an entry. A `customerId` or `assigneeId` is often another user. */
const CREATOR_PROPERTIES = [
  'userid',
  'ownerid',
  'authorid',
  'createdby',
  'createdbyid',
  'creatorid',
  'owner',
  'author',
];

/** Returns the properties of an entry that name its user, such as `authorId`. */
export function listUserProperties(reader: SchemaReader, { schema }: Resource): readonly string[] {
  const properties = schema === '' ? [] : [...reader.getProperties(schema)];
  return properties.flatMap(([name, pointer]) =>
    CREATOR_PROPERTIES.includes(normalizeName(name)) && reader.isScalar(pointer) ? [name] : [],
  );
}

/** Returns the objects in an entry that show its user, such as `author`, and the names of their properties. */
export function listUserObjects(reader: SchemaReader, { schema }: Resource) {
  const properties = schema === '' ? [] : [...reader.getProperties(schema)];
  return properties.flatMap(([name, pointer]) => {
    const inner = [...reader.getProperties(pointer).keys()];
    const isUser = ['author', 'owner', 'user', 'creator', 'createdby'].includes(normalizeName(name));
    return isUser && inner.length > 0 ? [{ name, properties: inner }] : [];
  });
}
