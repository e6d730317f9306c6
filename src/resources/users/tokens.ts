import type { HandlerResponse, Input } from '../../application.ts';
import { isNode, type Node } from '../../openapi/document.ts';
import type { Entry, State } from '../../store/state.ts';
import { formatPointer } from '../../util/json-pointer.ts';
import { tryOrUndefined } from '../../util/try-or-undefined.ts';
import type { SchemaReader } from '../document/schema-reader.ts';
import { getEntries, getEntryList } from '../entries/entries.ts';
import { findByKeys } from '../entries/entry-lists.ts';
import { getOwn, getPathValues, setInner } from '../entries/entry-values.ts';
import { PATH_VALUES, type Resource } from '../resource.ts';
import { getTokenKey, hasPassword, isSecured } from './user-secrets.ts';
import { findByLogin, findNamed, TOKEN_NAMES } from './users.ts';

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
  const place = [...path, name];
  const generated = response.generated?.filter((pointer) => pointer !== formatPointer(...place));
  return { ...response, body: setInner(response.body, place, token), ...(generated && { generated }) };
}

/** The part of a token that is the same in all tokens: a JSON Web Token without a signature (RFC 7519, section 6). */
const HEADER = encode({ alg: 'none', typ: 'JWT' });

function encode(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

/** What a token is for: requests, or a new token. */
export type TokenType = 'access' | 'refresh';

/** Whose a token is: a user, whose id is `sub` in the token, or an OAuth 2 client, whose id is `client_id`. */
export type TokenOwner = { readonly sub: string | undefined; readonly key: unknown } | { readonly client_id: string };

/** What a new token states. `id`: its id, with which a logout ends it. `seconds`: its lifetime. */
interface TokenInput {
  readonly nowMs: number;
  readonly id: string;
  readonly type: TokenType;
  readonly seconds?: number;
}

/**
 * Creates a token: a JSON Web Token (RFC 7519). It is not secret.
 */
export function createToken(owner: TokenOwner, { nowMs, id, type, seconds = TOKEN_SECONDS }: TokenInput): string {
  const start = Math.floor(nowMs / 1_000);
  return `${HEADER}.${encode({ ...owner, type, jti: id, iat: start, exp: start + seconds })}.`;
}

/** The lifetime of a token in seconds: one year. */
export const TOKEN_SECONDS = 365 * 86_400;

/** Returns whether a request has a token of this server whose lifetime has ended. */
export function hasExpired(input: Pick<Input, 'headers'>, nowMs: number): boolean {
  return isExpired(readToken(input), nowMs);
}

/** Returns whether the lifetime of a token of this server has ended. */
export function isExpired(token: string | undefined, nowMs: number): boolean {
  const claims = readPayload(token);
  return typeof claims?.exp === 'number' && claims.exp * 1_000 <= nowMs;
}

/** Returns what a token of this server states; undefined if it is not such a token. */
function readPayload(token: string | undefined): Node | undefined {
  const [head, payload] = token?.split('.') ?? [];
  if (head !== HEADER || payload === undefined) return undefined;
  const value: unknown = tryOrUndefined(() => JSON.parse(Buffer.from(payload, 'base64url').toString()));
  return isNode(value) ? value : undefined;
}

/** Matches the value of a token of this server in a cookie. */
const IN_COOKIE = new RegExp(`(?:^|;)\\s*[^=;]+=(${HEADER}\\.[\\w-]+\\.)`);

/** Names of headers in which clients send tokens. */
const TOKEN_HEADERS = ['authorization', 'x-auth-token', 'x-access-token', 'x-token', 'token'];

function readToken({ headers }: Pick<Input, 'headers'>): string | undefined {
  const name = TOKEN_HEADERS.find((one) => headers[one] !== undefined);
  if (name !== undefined) return /^(?:(?:bearer|token|jwt)\s+)?(\S+)$/i.exec(String(headers[name]))?.[1];
  return headers.cookie === undefined ? undefined : IN_COOKIE.exec(headers.cookie)?.[1];
}

/** The claims in a token of a user. */
interface Claims {
  readonly user: string;
  readonly id: string;
  readonly type: unknown;
  readonly key: unknown;
}

/** Returns the claims in a token of a user; undefined if it is not a token of this server. */
function readClaims(token: string | undefined): Claims | undefined {
  const value = readPayload(token);
  const [, payload = ''] = token?.split('.') ?? [];
  return typeof value?.sub === 'string'
    ? { user: value.sub, id: typeof value.jti === 'string' ? value.jti : payload, type: value.type, key: value.key }
    : undefined;
}

/** Returns whether a text is a token of this server, of a user or of an OAuth 2 client, or a part of one. */
export function isIssuedToken(text: string): boolean {
  return text.startsWith(`${HEADER}.`);
}

/** Returns whether a token starts as those of this server do, but a part of it is missing. */
function isDamaged(token: string | undefined): boolean {
  return token?.split('.')[0] === HEADER && readPayload(token) === undefined;
}

/** Returns the login and the password in a request with HTTP Basic authentication (RFC 7617). */
export function readBasic({ headers }: Pick<Input, 'headers'>) {
  const [, encoded = ''] = /^basic\s+(\S+)$/i.exec(headers.authorization ?? '') ?? [];
  const text = Buffer.from(encoded, 'base64').toString();
  const end = text.indexOf(':');
  return end >= 0 ? { login: text.slice(0, end), password: text.slice(end + 1) } : undefined;
}

/** Returns the user with the login and the password in the header of a request with HTTP Basic authentication. */
export function findByBasic(users: Resource, state: State, input: Pick<Input, 'headers'>): Entry | undefined {
  const { login, password } = readBasic(input) ?? {};
  const user = findByLogin(users, state, '', login);
  return user && hasPassword(users, user, password) ? user : undefined;
}

/** The parts of a request that say who sends it. */
type Sender = Pick<Input, 'headers' | 'user'>;

/**
 * Returns the user whose token, or whose login and password a request has. Returns undefined without them, or if a
 * logout has ended the token.
 */
export function findSender(users: Resource | undefined, state: State, input: Sender): Entry | undefined {
  if (!users) return undefined;
  if (input.user === undefined && readBasic(input)) return findByBasic(users, state, input);
  return input.user === undefined
    ? findByToken(users, state, readToken(input), 'access')
    : (findById(users, state, input.user) ?? findByLogin(users, state, '', input.user));
}

/**
 * Returns the user who sends a request with credentials: the one whom `GET /me` shows.
 * Returns undefined for a request without a token of a user.
 */
export function findUserWithToken(users: Resource, state: State, input: Sender): Entry | undefined {
  const token = readToken(input);
  // A token of an OAuth 2 client names no user.
  const isSender = namesSender(users, state, input);
  const isOfClient = token !== undefined && isIssuedToken(token) && !isSender;
  if (isOfClient || (!isSender && token === undefined)) return undefined;
  return findOwnEntry(users, state, input);
}

/** Returns the user whose token of a type a request has, such as a refresh token in the header Authorization. */
export function findBearer(users: Resource, state: State, input: Sender, type: TokenType): Entry | undefined {
  return findByToken(users, state, readToken(input), type);
}

/**
 * Returns the user of a token of this server.
 * Returns undefined for a token of another type, without a user, or if a logout has ended the token.
 */
export function findByToken(
  users: Resource,
  state: State,
  token: string | undefined,
  type: TokenType,
): Entry | undefined {
  const claims = readClaims(token);
  const user = claims?.type === type ? findClaimed(users, state, claims) : undefined;
  return user && claims && !hasEnded(user, claims.id) ? user : undefined;
}

/** Returns the user whom a token names, also if it has ended. */
function findClaimed(users: Resource, state: State, claims: Claims): Entry | undefined {
  const named = findById(users, state, claims.user);
  const isOwn = (user: Entry) => claims.key === getTokenKey(user);
  // The id of a user can be a user name, which was changed since.
  const renamed = () => (claims.key === undefined ? undefined : getEntries(state, users).find(isOwn));
  return named && isOwn(named) ? named : renamed();
}

/** Explains why a request has no user. `type`: the type of token that the operation needs. */
export function explainNoSender(users: Resource, state: State, input: Sender, type: TokenType): string {
  const { singular, name } = users;
  if (input.user !== undefined)
    return `no ${singular} has the id or the login ${input.user}, which the option --auth names for the token: correct the option`;
  const basic = readBasic(input);
  if (basic)
    return findByLogin(users, state, '', basic.login)
      ? `the password of the ${singular} is wrong: send the one of the registration`
      : `no ${singular} has the login in the header Authorization: send the one of an existing ${singular}`;
  const token = readToken(input);
  if (isDamaged(token)) return 'a part of the token is missing: send the whole token, or log in again';
  const claims = readClaims(token);
  if (!claims) return `there are no ${name}: register first`;
  if (claims.type !== type)
    return type === 'access'
      ? 'it is a refresh token: send the access token'
      : 'it is an access token: send the refresh token';
  return findClaimed(users, state, claims)
    ? 'a logout has ended the token: log in again'
    : `the ${singular} of the token does not exist: log in again`;
}

function findById(users: Resource, state: State, id: string): Entry | undefined {
  return findByKeys(getEntryList(state, users), [users.id], [id])[0];
}

/**
 * Returns whether a request names a user: by a token of this server, also a damaged one, by a token that the option
 * `auth` names, or by the login of HTTP Basic authentication. An unknown login names one if a user has a password.
 */
export function namesSender(users: Resource, state: State, input: Sender): boolean {
  const basic = readBasic(input);
  if (basic)
    return findByLogin(users, state, '', basic.login) !== undefined || getEntries(state, users).some(isSecured);
  const token = readToken(input);
  return input.user !== undefined || readClaims(token) !== undefined || isDamaged(token);
}

/** Returns the id of a token of this server, which a logout ends; undefined if it is not such a token. */
export function getTokenId(token: string): string | undefined {
  return readClaims(token)?.id;
}

/** The hidden value of a user with the ends of the ids of the tokens that logouts have ended. */
const ENDED = 'endedTokens';

/** The maximum number of ended tokens of a user. A token that was ended before so many others is valid again. */
const MAX_ENDED = 1_000;

/** The number of characters at the end of the id of a token, which is a UUID, that tell it from others of its user. */
const ENDED_LENGTH = 12;

function listEnded(user: Entry): readonly unknown[] {
  const ended = getOwn(getPathValues(user), ENDED);
  return Array.isArray(ended) ? ended : [];
}

function hasEnded(user: Entry, id: string): boolean {
  return listEnded(user).some((one) => String(one).slice(-ENDED_LENGTH) === id.slice(-ENDED_LENGTH));
}

/** Returns a copy of a user without the token of a request. */
export function endToken(user: Entry, input: Pick<Input, 'headers'>): Entry {
  const ended = [...listEnded(user), readClaims(readToken(input))?.id.slice(-ENDED_LENGTH)];
  return { ...user, [PATH_VALUES]: { ...getPathValues(user), [ENDED]: ended.slice(-MAX_ENDED) } };
}

/**
 * Returns the user of `GET /me`: the one whose token the request has.
 * With other credentials, the first user.
 * Returns undefined if there is no user, if the user of the token does not exist, or if a logout has ended the token.
 */
export function findOwnEntry(users: Resource, state: State, input: Sender): Entry | undefined {
  return namesSender(users, state, input) ? findSender(users, state, input) : getEntries(state, users)[0];
}
