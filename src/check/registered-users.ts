import { isNode } from '../openapi/document.ts';
import { isCurrentPassword, isTokenRefreshPath, isUsersPath } from '../openapi/login-paths.ts';
import type { Route } from '../openapi/routes.ts';
import { normalizeName } from '../util/names.ts';
import type { CheckContext } from './check-context.ts';
import { sendConfirmed } from './confirm-findings.ts';
import { changesPassword, isLogin, isStorefront } from './credentials.ts';
import { listSetCookies } from './csrf-token.ts';
import { isSuccess, type RequestToSend } from './exchange.ts';
import { findLists } from './ids.ts';
import { type RequestValues, toRequest } from './requests.ts';

/** The maximum number of operations that register or list users. */
const MAX_SOURCES = 5;

/**
 * What the check knows about a user that it has registered.
 * `texts`: the texts of requests and responses by the name of their property, without uppercase letters and separators.
 * `cookies`: those of the login.
 */
interface RegisteredUser {
  readonly texts: Map<string, string>;
  readonly cookies: Map<string, string>;
}

/**
 * Registers users, and sends their logins, passwords and tokens to the operations that log users in, renew tokens or
 * change the password of the user, if some of these returned only errors.
 * On a storefront server, also tries the logins of listed users: it accepts any password of a user without one. Other
 * servers can lock an account after wrong passwords.
 * `listFailing`: returns the operations that returned only errors so far.
 */
export async function retryAsRegistered(context: CheckContext, listFailing: () => readonly Route[]): Promise<void> {
  const isFailing = () => listFailing().some((one) => isLogin(one) || changesOwnPassword(one));
  if (!isFailing()) return;
  const { allowedRoutes, session } = context;
  const logins = allowedRoutes.filter(isLogin);
  const ordered = [...logins.filter((one) => !renewsToken(one)), ...logins.filter(renewsToken)];
  const lists = isStorefront(session.client) ? allowedRoutes.filter(listsUsers) : [];
  const sources = [...findRegistrations(context), ...lists].slice(0, MAX_SOURCES);
  // Without another source, a login can create a user, whose tokens are then known.
  for (const source of [...sources, undefined]) {
    const user = { texts: new Map<string, string>(), cookies: new Map<string, string>() };
    if (source) await sendAsUser(context, source, user);
    if (source && user.texts.size === 0) continue;
    for (const route of ordered) await sendAsUser(context, route, user);
    for (const route of listFailing().filter(changesOwnPassword)) await sendAsUser(context, route, user);
    if (!isFailing()) return;
  }
}

/** Returns the operations that may register a user: their requests have a password. */
function findRegistrations(context: CheckContext): readonly Route[] {
  const creators = context.allowedRoutes.filter(
    (one) => one.method === 'POST' && one.pathNames.length === 0 && !isLogin(one) && !changesPassword(one),
  );
  return creators.filter((one) => hasPassword(createValues(context, one, context.seed)?.body));
}

function listsUsers({ method, path, pathNames }: Route): boolean {
  return method === 'GET' && pathNames.length === 0 && isUsersPath(path);
}

function renewsToken({ path }: Route): boolean {
  return isTokenRefreshPath(path);
}

/** Returns whether an operation changes the password of the user who sends the request: its path has no id. */
function changesOwnPassword(route: Route): boolean {
  return changesPassword(route) && route.pathNames.length === 0;
}

/** Matches the name of a password, such as `adminPassword`, without uppercase letters and separators. */
const PASSWORD = /pass(?:word|code|phrase|wd)$|^(?:pwd|pin)$/;

function hasPassword(body: unknown): boolean {
  return listTexts(body).some(([name]) => PASSWORD.test(normalizeName(name)));
}

/** The difference between the seeds of two requests: the values of a registration can be taken. */
const SEED_STEP = 7_919;
const MAX_ATTEMPTS = 10;

/** The maximum number of requests that are refused for another reason than a taken value. */
const MAX_REFUSED = 3;

/**
 * Sends a valid request with the texts and the credentials of a user.
 * After a successful response, adds the texts in both bodies and the cookies to those of the user.
 */
async function sendAsUser(context: CheckContext, route: Route, user: RegisteredUser): Promise<void> {
  const { session, seed, prepare } = context;
  await prepare();
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
    const generated = createValues(context, route, seed + attempt * SEED_STEP);
    if (!generated) return;
    const values = { ...generated, body: replaceTexts(route, generated.body, user.texts) };
    const request = addOwnCredentials(route, toRequest(route, values), user);
    const { exchange } = await sendConfirmed(session, 'input', route, request);
    // The check has registered the user before, if all requests have the example of the contract.
    const isTaken = exchange?.response.status === 409 && attempt === MAX_ATTEMPTS;
    if (exchange?.response.status !== 409 && attempt >= MAX_REFUSED && !(exchange && isSuccess(exchange.response)))
      return;
    if (!exchange || !(isSuccess(exchange.response) || isTaken)) continue;
    const { body, headers } = exchange.response;
    // The check can have changed the password of the first user.
    const shown = listsUsers(route) ? findLists(body)[0]?.at(-1) : body;
    for (const [name, text] of [...listTexts(values.body), ...listTexts(shown)])
      if (!user.texts.has(normalizeName(name))) user.texts.set(normalizeName(name), text);
    for (const [name, value] of listSetCookies(headers)) user.cookies.set(name, value);
    return;
  }
}

/** Creates a valid request. If its schema describes no properties, the body is a documented example. */
function createValues({ requests }: CheckContext, route: Route, seed: number): RequestValues | undefined {
  // An optional parameter can select other users.
  if (listsUsers(route)) return requests.createMinimal(route, seed);
  const values = requests.createValid(route, seed);
  if (!isNode(values?.body) || Object.keys(values.body).length > 0) return values;
  requests.useDocumentedValues(route);
  return requests.createValid(route, seed);
}

/** Matches the name of a token in the response to a login, without uppercase letters and separators. */
const TOKEN_NAME = /^(?:access|auth|bearer|jwt|id)?token$|^(?:access|jwt)$/;

/** Adds the token of a user to a request that needs one, or else the cookies in place of other credentials. */
function addOwnCredentials({ security }: Route, request: RequestToSend, user: RegisteredUser): RequestToSend {
  const needsToken = security.flat().some(({ scheme }) => scheme === 'bearer');
  const [, token] = [...user.texts].find(([name]) => TOKEN_NAME.test(name)) ?? [];
  const { headers } = request;
  if (needsToken && token !== undefined)
    return { ...request, headers: { ...headers, authorization: `Bearer ${token}` } };
  if (security.length === 0 || user.cookies.size === 0) return request;
  const cookie = [...user.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  return { ...request, headers: { ...headers, cookie }, isAnonymous: true };
}

/** Returns the texts in an object by the names of their properties. Leaves out those in lists. */
function listTexts(value: unknown): readonly (readonly [string, string])[] {
  if (!isNode(value) || Array.isArray(value)) return [];
  return Object.entries(value).flatMap(([name, inner]) =>
    typeof inner === 'string' ? [[name, inner] as const] : listTexts(inner),
  );
}

/** Replaces the texts in a request body by those of a user with the same meaning. */
function replaceTexts(route: Route, value: unknown, texts: RegisteredUser['texts']): unknown {
  if (!isNode(value) || Array.isArray(value)) return value;
  const entries = Object.entries(value).map(([name, inner]) => {
    const known = findText(route, normalizeName(name), texts);
    return [name, typeof inner === 'string' && known !== undefined ? known : replaceTexts(route, inner, texts)];
  });
  return Object.fromEntries(entries);
}

/** Names of properties with any login of a user, without uppercase letters and separators. */
const LOGIN_NAMES = ['login', 'identifier', 'username', 'user', 'emailorusername', 'usernameoremail'];

/** Returns the text of a user for a property of a request body: a login for `identifier`. */
function findText(route: Route, name: string, texts: RegisteredUser['texts']): string | undefined {
  const names = renewsToken(route) ? ['refreshtoken', 'refresh', name] : [name];
  if (isCurrentPassword(name)) names.push('password');
  if (LOGIN_NAMES.includes(name)) names.push('username', 'email');
  return names.map((one) => texts.get(one)).find((text) => text !== undefined);
}
