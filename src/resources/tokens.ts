import type { HandlerResponse, Input } from '../application.ts';
import { isNode } from '../openapi/document.ts';
import type { Entry, State } from '../store/state.ts';
import { tryOrUndefined } from '../util/try-or-undefined.ts';
import { getEntries } from './entries.ts';
import { findByKeys } from './entry-lists.ts';
import { getOwn, getPathValues } from './entry-values.ts';
import { PATH_VALUES, type Resource } from './resource.ts';
import { setInner } from './responses.ts';
import type { SchemaReader } from './schema-reader.ts';
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
