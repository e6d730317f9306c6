import { type Context, DomainError, type HandlerResponse, type Input } from '../../application.ts';
import { isNode, type Node, omitKeys, toNode } from '../../openapi/document.ts';
import { SESSION_COOKIE } from '../../openapi/security.ts';
import type { Entry, State } from '../../store/state.ts';
import { formatPointer, parsePointer } from '../../util/json-pointer.ts';
import { normalizeName } from '../../util/names.ts';
import { isSecretName } from '../../util/redact-secrets.ts';
import { pickKnown } from '../document/request-bodies.ts';
import { addEntry, type NewEntry } from '../entries/add-entry.ts';
import { getEntries, getEntryList, setEntries } from '../entries/entries.ts';
import { replaceEntry } from '../entries/entry-lists.ts';
import { getInner, getKeyValue, getOwn, removePathValues, setInner } from '../entries/entry-values.ts';
import { addIds } from '../entries/named-ids.ts';
import { formatTimes } from '../entries/server-values.ts';
import { type Login, PATH_VALUES, type Plan, type Resource } from '../resource.ts';
import type { ResourceModel } from '../resource-model.ts';
import { findOtherLogins, removePrefix } from './first-users.ts';
import { createSenderError } from './ownership.ts';
import { matchNames } from './sent-names.ts';
import {
  createToken,
  endToken,
  explainNoSender,
  findBearer,
  findByBasic,
  findByToken,
  findOwnEntry,
  findSender,
  getTokenId,
  isExpired,
  namesSender,
  TOKEN_SECONDS,
  type TokenOwner,
  type TokenType,
} from './tokens.ts';
import { getTokenKey, hasPassword } from './user-secrets.ts';
import { findByLogin, findRefreshTokens } from './users.ts';

/** Handles a login or a registration. */
export async function logIn(
  model: ResourceModel,
  plan: Plan,
  input: Input,
  context: Context,
): Promise<HandlerResponse> {
  const { resource: users, login } = plan;
  if (!login) throw new Error('the plan has no login');
  const body = toNode(getInner(input.body, login.requestPath));
  const sent = pickKnown(model.reader, plan, login.requestPath, body, input.headers);
  const authenticated = await authenticate(model, plan, login, { sent, input }, context);
  const { user, client } = authenticated;
  const owner: TokenOwner =
    client === undefined
      ? { sub: user && getKeyValue(user, users.id), key: user && getTokenKey(user) }
      : { client_id: client };
  // All tokens of a login have the same id, so that a logout ends all of them.
  const { [login.refreshToken ?? '']: refresh } = sent;
  const id = (typeof refresh === 'string' ? getTokenId(refresh) : undefined) ?? context.newId();
  const nowMs = context.nowMs();
  const seconds = getLifetime(model, plan);
  const createNext = (type: TokenType) => createToken(owner, { nowMs, id, type, seconds });
  const cookie = findCookieName(model, login);
  const headers =
    cookie === undefined ? {} : { 'Set-Cookie': `${cookie}=${createNext('access')}; Path=/; HttpOnly; SameSite=Lax` };
  return { ...respondWithToken(model, plan, authenticated, { createNext, nowMs, seconds }, context), headers };
}

/** Who gets a token: a user, with the tenant that the registration has created, or an OAuth 2 client. */
interface Authenticated {
  readonly user?: Entry | undefined;
  readonly tenant?: Entry | undefined;
  readonly client?: string | undefined;
}

/** Registers or finds the user of a request. Throws a `DomainError` if there is none. */
async function authenticate(
  model: ResourceModel,
  plan: Plan,
  login: Login,
  { sent, input }: { readonly sent: Node; readonly input: Input },
  context: Context,
): Promise<Authenticated> {
  const registered = login.isRegistration ? await register(model, plan, sent, context, () => undefined) : undefined;
  const client = findClient(login, sent);
  if (client !== undefined) return { client, tenant: registered?.tenant };
  if (registered) return registered;
  const user = login.isTokenRefresh
    ? findUserOfHeader(model, plan, input, context.read())
    : await findUser(model, plan, { sent, input }, context);
  return { user };
}

/** Returns the response to a login or a registration: the tokens, the user and the tenant, as the document has them. */
function respondWithToken(
  model: ResourceModel,
  plan: Plan,
  { user, tenant }: Authenticated,
  tokens: IssuedToken,
  context: Context,
): HandlerResponse {
  const { route, resource: users } = plan;
  const { reader, contract } = model;
  const status = route.successStatus;
  const schema = reader.getResponseSchema(route, status);
  if (schema === undefined) return { status };
  const shown = user ? showUser(model, plan, user, context) : { value: {}, generated: [] };
  const named = user
    ? addIds(reader, contract.isValid, { resource: users, entry: user, schema, body: shown.value })
    : shown.value;
  const withTenant =
    tenant && plan.tenantPlan ? showTenant(model, plan.tenantPlan, tenant, context.read(), named) : named;
  const withToken = addTokenFields(model, plan, withTenant, tokens);
  const { value, generated } = model.completeResponse(route, withToken);
  // A token of the server can be in an object that shows the user, instead of a generated one.
  const kept = shown.generated.filter((pointer) => {
    const path = parsePointer(pointer);
    return getInner(withToken, path) === getInner(named, path);
  });
  return { status, body: value, generated: [...kept, ...generated] };
}

/**
 * Returns the name of the cookie with the token of a user: that of a security scheme, or `session` if the response of
 * the login has no token. Returns undefined if clients send the token in a header.
 */
function findCookieName({ contract }: ResourceModel, login: Pick<Login, 'token'> | undefined): string | undefined {
  const credentials = contract.routes.flatMap(({ security }) => security.flat());
  const names = credentials.flatMap((credential) => (credential.in === 'cookie' ? credential.name : []));
  const own = names.find((name) => !/refresh|csrf|xsrf/i.test(name)) ?? names[0];
  return own ?? (login && !login.token ? SESSION_COOKIE : undefined);
}

/**
 * Returns the id of the OAuth 2 client for which a request wants a token, instead of for a user (RFC 6749, section
 * 4.4).
 */
function findClient({ clientId, credentials, refreshToken }: Login, sent: Node): string | undefined {
  if (clientId === undefined) return undefined;
  const type = Object.entries(sent).find(([name]) => normalizeName(name) === 'granttype')?.[1];
  const isOfClient = type === undefined ? !credentials && refreshToken === undefined : type === 'client_credentials';
  return isOfClient ? String(sent[clientId] ?? '') : undefined;
}

/** Returns the user whom a request registers, or whom its credentials or its refresh token name. */
async function findUser(
  model: ResourceModel,
  plan: Plan,
  { sent, input }: { readonly sent: Node; readonly input: Input },
  context: Context,
): Promise<Entry> {
  const { resource: users, login } = plan;
  const { credentials, refreshToken = '' } = login ?? {};
  if (login?.isBasic) {
    const user = findByBasic(users, context.read(), input);
    if (!user) throw new DomainError('invalid-credentials', explainNoSender(users, context.read(), input, 'access'));
    return user;
  }
  const { [refreshToken]: refresh } = sent;
  if (!credentials || typeof refresh === 'string') {
    const user = findByToken(users, context.read(), String(refresh), 'refresh');
    if (!user || isExpired(String(refresh), context.nowMs()))
      throw new DomainError(
        'invalid-credentials',
        `the ${refreshToken} is not a refresh token of this server, it has expired, its user does not exist, or a logout has ended it: log in again`,
      );
    return user;
  }
  const { [credentials.password]: password } = sent;
  const used = chooseLogin(credentials, sent);
  const find = (state: State) => findByLogin(users, state, used, sent[used]);
  const user =
    find(context.read()) ??
    (createsUser(plan, context) ? (await register(model, plan, sent, context, find)).user : undefined);
  if (user && hasPassword(users, user, password)) return user;
  throw new DomainError(
    'invalid-credentials',
    user
      ? `the ${credentials.password} is wrong: send the one of the registration`
      : `no ${users.singular} has this ${used}: send the ${nameLogin(model, users, used)} of an existing ${users.singular}${suggestLogin(model, users, used, context.read())}`,
  );
}

/** Returns whether a login creates its user: any unknown one, or only the first. */
function createsUser({ login, resource }: Plan, context: Context): boolean {
  return login?.creates === 'any' || (login?.creates === 'first' && getEntries(context.read(), resource).length === 0);
}

/** Names what identifies a user at a login: the `email` if users have no `username`. */
function nameLogin({ reader }: ResourceModel, users: Resource, used: string): string {
  const others = findOtherLogins(reader, users, used);
  return others.length > 0 ? others.join(' or ') : used;
}

/** Returns what helps after an unknown login: to register, or the login of a user, if no operation creates users. */
function suggestLogin({ inference }: ResourceModel, users: Resource, name: string, state: State): string {
  if ([...inference.plans.values()].some(({ login }) => login?.isRegistration)) return ', or register first';
  const [first] = users.canPost ? [] : getEntries(state, users);
  return typeof first?.[name] === 'string' ? `, such as ${first[name]}` : '';
}

/**
 * Returns the user of the token in the header of a request for another token. It is a refresh token if logins return
 * one. With other credentials, it is the first user.
 */
function findUserOfHeader({ reader, inference }: ResourceModel, plan: Plan, input: Input, state: State): Entry {
  const { resource: users } = plan;
  const hasRefresh = [...inference.plans.values()].some(({ login, route }) => {
    const response = login && reader.getResponseSchema(route, route.successStatus);
    return response !== undefined && findRefreshTokens(reader, response).length > 0;
  });
  const type = hasRefresh ? 'refresh' : 'access';
  const user = namesSender(users, state, input)
    ? findBearer(users, state, input, type)
    : findOwnEntry(users, state, input);
  if (!user) throw createSenderError(users, state, input, type);
  return user;
}

/** Returns the name of the login that a request body has. */
function chooseLogin({ login, others }: NonNullable<Login['credentials']>, sent: Node): string {
  return [login, ...others].find((name) => sent[name] !== undefined && sent[name] !== null) ?? login;
}

/** Returns the part of a response that shows a user, as other responses do. */
function showUser(model: ResourceModel, { route, resource: users, login }: Plan, user: Entry, context: Context) {
  const sender = getKeyValue(user, users.id);
  const response = model.reader.getResponseSchema(route, route.successStatus) ?? '';
  const schema = login?.user && model.reader.getInner(response, login.user);
  const [own = user] = model.derived.add(context.read(), users, [user], {
    ...{ sender, getNow: context.nowMs, schema: schema ?? users.schema },
  });
  // The generated values are the same as in other responses.
  const complete =
    schema === undefined ? { value: own, generated: [] } : model.responses.completeEntry(users, schema, own);
  if (!login?.user) return { value: {}, generated: [] };
  const prefix = formatPointer(...login.user);
  return {
    value: setInner({}, login.user, removePathValues(complete.value as Entry)),
    generated: complete.generated.map((pointer) => prefix + pointer),
  };
}

/** Handles a logout: ends the token of the request. Does nothing without a token of this server. */
export async function logOut(
  model: ResourceModel,
  { route, resource: users }: Plan,
  input: Input,
  context: Context,
): Promise<HandlerResponse> {
  const { headers } = input;
  await context.update((state) => {
    const user = findSender(users, state, { headers });
    if (!user) return { next: state, result: undefined };
    const list = replaceEntry(getEntryList(state, users), user, endToken(user, { headers }));
    return { next: setEntries(state, users, list), result: undefined };
  });
  const status = route.successStatus;
  const login = [...model.inference.plans.values()].find((plan) => plan.login)?.login;
  const cookie = findCookieName(model, login);
  const ended = cookie === undefined ? {} : { 'Set-Cookie': `${cookie}=; Path=/; Max-Age=0` };
  if (model.reader.getResponseSchema(route, status) === undefined) return { status, headers: ended };
  const { value, generated } = model.completeResponse(route, {});
  return { status, headers: ended, body: value, generated };
}

/** Adds the entry that a registration creates beside its user, such as a tenant with the `name` or the `tenantName`. */
function addTenant(model: ResourceModel, plan: Plan, sent: Node, place: Pick<NewEntry, 'state' | 'nowMs' | 'newId'>) {
  const { resource } = plan;
  const known = [...model.reader.getProperties(resource.schema).keys()];
  const names = new Map(known.map((name) => [normalizeName(name), name]));
  const own = Object.entries(sent).flatMap(([name, value]) => {
    const rest = removePrefix(name, resource.singular) ?? '';
    const property = names.get(normalizeName(name)) ?? names.get(normalizeName(rest));
    return property === undefined || isSecretName(name) ? [] : [[property, value] as const];
  });
  return addEntry(model, plan, { ...place, body: model.removeReadOnly(resource, Object.fromEntries(own)), path: {} });
}

/**
 * Returns the properties of the first user in the request of a registration, such as `email` for `adminEmail`, and the
 * id of the tenant that it creates.
 */
function toFirstUser(
  { reader }: ResourceModel,
  { resource, login, tenantPlan }: Plan,
  sent: Node,
  tenant?: Entry,
): Node {
  const { prefix } = login ?? {};
  if (prefix === undefined) return sent;
  const own = Object.entries(sent).flatMap(([name, value]) => {
    const rest = removePrefix(name, prefix);
    return rest === undefined ? [] : [[rest, value] as const];
  });
  const { resource: owner } = tenantPlan ?? {};
  const idName = `${normalizeName(owner?.singular ?? '')}id`;
  const ids = [...reader.getProperties(resource.schema).keys()].flatMap((name) =>
    tenant && owner && normalizeName(name) === idName ? [[name, getOwn(tenant, owner.id.property ?? '')] as const] : [],
  );
  return Object.fromEntries([...own, ...ids]);
}

/** Adds the entry that a registration creates beside its user, or its id, to the response. */
function showTenant(model: ResourceModel, plan: Plan, entry: Entry, state: State, body: Entry): Entry {
  const { resource, route, responsePath, hidesEntry } = plan;
  const { reader, contract } = model;
  const schema = reader.getResponseSchema(route, route.successStatus);
  if (schema === undefined) return body;
  const [own = entry] = model.derived.add(state, resource, [entry]);
  const value = removePathValues(model.responses.completeEntry(resource, resource.schema, own).value as Entry);
  // A body that is the tenant has the user at most in an object.
  const others = Object.fromEntries(Object.entries(body).filter(([, one]) => isNode(one)));
  const whole = responsePath.length === 0 ? { ...others, ...value } : setInner(body, responsePath, value);
  const shown = hidesEntry ? body : whole;
  return addIds(reader, contract.isValid, { resource, entry, schema, body: shown });
}

/**
 * Adds a user with the properties and the password of a registration, and the tenant that it creates.
 * `findKnown`: returns the user if another request has added it in the meantime.
 */
async function register(
  model: ResourceModel,
  plan: Plan,
  sent: Node,
  context: Context,
  findKnown: (state: State) => Entry | undefined,
): Promise<{ readonly user: Entry; readonly tenant?: Entry | undefined }> {
  const { schema } = plan.resource;
  const { newId } = context;
  return context.update<{ readonly user: Entry; readonly tenant?: Entry | undefined }>((state, nowMs) => {
    const known = findKnown(state);
    if (known) return { next: state, result: { user: known } };
    const tenant = plan.tenantPlan && addTenant(model, plan.tenantPlan, sent, { state, nowMs, newId });
    const own = omitKeys(toFirstUser(model, plan, sent, tenant?.result), [PATH_VALUES]);
    const body = model.removeReadOnly(plan.resource, matchNames(model.reader, schema, own));
    const added = addEntry(model, plan, { state: tenant?.next ?? state, nowMs, body, path: {}, newId });
    return { next: added.next, result: { user: added.result, tenant: tenant?.result } };
  });
}

/** How a response gets its tokens, and when they expire. `createNext`: creates a token. `seconds`: its lifetime. */
interface IssuedToken {
  readonly createNext: (type: TokenType) => string;
  readonly nowMs: number;
  readonly seconds: number;
}

/** Returns the lifetime of the tokens of a login in seconds. It is shorter if the document allows no longer one. */
function getLifetime({ reader, contract }: ResourceModel, { route, login }: Plan): number {
  const response = reader.getResponseSchema(route, route.successStatus) ?? '';
  const schema = login?.token && reader.getInner(response, login.token.slice(0, -1));
  const [, pointer] =
    [...reader.getProperties(schema ?? '')].find(([name]) => normalizeName(name) === 'expiresin') ?? [];
  if (pointer === undefined) return TOKEN_SECONDS;
  const documented = ['maximum', 'const', 'enum', 'example'].flatMap((keyword) => reader.getKeyword(pointer, keyword));
  const possible = [TOKEN_SECONDS, ...documented.map(Number)];
  return possible.find((seconds) => seconds > 0 && contract.isValid(pointer, seconds)) ?? TOKEN_SECONDS;
}

/**
 * Adds the token to a response, and the fields that describe it (RFC 6749, section 5.1).
 */
function addTokenFields(
  { reader, contract }: ResourceModel,
  plan: Plan,
  body: Node,
  { createNext, nowMs, seconds }: IssuedToken,
): Node {
  const path = plan.login?.token;
  if (!path) return body;
  const place = path.slice(0, -1);
  const schema = reader.getInner(reader.getResponseSchema(plan.route, plan.route.successStatus) ?? '', place) ?? '';
  const lifetimes = [seconds, String(seconds)];
  const ends = formatTimes((Math.floor(nowMs / 1_000) + seconds) * 1_000);
  const fields = new Map<string, readonly unknown[]>([
    ['tokentype', ['Bearer', 'bearer']],
    ...['expiresin', 'refreshexpiresin', 'refreshtokenexpiresin'].map((name) => [name, lifetimes] as const),
    ...['expiresat', 'expiry', 'expires', 'refreshexpiresat', 'refreshtokenexpiresat'].map(
      (name) => [name, ends] as const,
    ),
  ]);
  const response = reader.getResponseSchema(plan.route, plan.route.successStatus) ?? '';
  const withToken = findRefreshTokens(reader, response).reduce(
    (next, one) => setInner(next, one, createNext('refresh')),
    setInner(body, path, createNext('access')),
  );
  return [...reader.getProperties(schema)].reduce((result, [name, pointer]) => {
    const value = fields.get(normalizeName(name))?.find((one) => contract.isValid(pointer, one));
    return value !== undefined ? setInner(result, [...place, name], value) : result;
  }, withToken);
}
