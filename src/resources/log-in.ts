import { type Context, DomainError, type HandlerResponse, type Input } from '../application.ts';
import { type Node, omitKeys, toNode } from '../openapi/document.ts';
import type { Route } from '../openapi/routes.ts';
import type { Entry, State } from '../store/state.ts';
import { normalizeName } from '../util/names.ts';
import { addEntry } from './add-entry.ts';
import { getEntries, setEntries } from './entries.ts';
import { appendEntry, replaceEntry } from './entry-lists.ts';
import { getKeyValue, getOwn, removePathValues } from './entry-values.ts';
import { addArticle } from './names.ts';
import { PATH_VALUES, type Plan } from './resource.ts';
import type { ResourceModel } from './resource-model.ts';
import { getInner, setInner } from './responses.ts';
import {
  createToken,
  endToken,
  findByLogin,
  findOwnEntry,
  findSender,
  hasPassword,
  setPassword,
  TOKEN_SECONDS,
} from './users.ts';

/** Returns the path parameters of the user who sends a request. Throws a `DomainError` if there is no such user. */
export function getSenderPath({ resource, mount }: Plan, input: Input, state: State): Input['path'] {
  const user = findOwnEntry(resource, state, input);
  const id = user && getKeyValue(user, resource.id);
  if (id === undefined)
    throw new DomainError(
      'invalid-credentials',
      'a logout has ended the token, or its user does not exist: log in again',
    );
  return { [mount.id.parameter]: id };
}

/** Handles a login or a registration. */
export async function logIn(
  model: ResourceModel,
  plan: Plan,
  input: Input,
  context: Context,
): Promise<HandlerResponse> {
  const { route, resource: users, login } = plan;
  if (!login) throw new Error('the plan has no login');
  const sent = toNode(getInner(input.body, login.requestPath));
  const { [login.password]: password, [login.login]: name } = sent;
  const user = login.isRegistration
    ? await register(model, plan, sent, context)
    : findByLogin(users, context.read(), login.login, name);
  if (!user || !hasPassword(users, user, password))
    throw new DomainError(
      'invalid-credentials',
      user
        ? `the ${login.password} is wrong: send the one of the registration`
        : `no ${users.singular} has this ${login.login}: register first, or list the ${users.name}`,
    );
  const [own = user] = model.derived.add(context.read(), users, [user]);
  const response = model.reader.getResponseSchema(route, route.successStatus) ?? '';
  const schema = login.user && model.reader.getInner(response, login.user);
  // The generated values are the same as in other responses.
  const complete = schema === undefined ? own : model.responses.completeEntry(users, schema, own).value;
  const shown = login.user ? setInner({}, login.user, removePathValues(complete as Entry)) : {};
  const body = login.token
    ? setInner(shown, login.token, createToken(users, user, { nowMs: context.nowMs(), id: context.newId() }))
    : shown;
  const { value, generated } = model.completeResponse(route, { ...getTokenFields(model, route), ...body });
  return { status: route.successStatus, body: value, generated };
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
    const entries = replaceEntry(getEntries(state, users), user, endToken(user, { headers }));
    return { next: setEntries(state, users, entries), result: undefined };
  });
  const status = route.successStatus;
  if (model.reader.getResponseSchema(route, status) === undefined) return { status };
  const { value, generated } = model.completeResponse(route, {});
  return { status, body: value, generated };
}

/** Adds a user with the properties and the password of a registration. */
async function register(model: ResourceModel, plan: Plan, sent: Node, context: Context): Promise<Entry> {
  const { resource: users, login } = plan;
  const body = omitKeys(sent, [PATH_VALUES, login?.password ?? '']);
  return context.update((state, nowMs) => {
    const name = login?.login ?? '';
    if (findByLogin(users, state, name, sent[name]))
      throw new DomainError(
        'entry-exists',
        `${addArticle(users.singular)} with this ${name} already exists: log in, or use another ${name}`,
      );
    const { result } = addEntry(model, plan, { state, nowMs, body, path: {}, newId: context.newId });
    const user = setPassword(users, result, sent[login?.password ?? '']);
    return { next: setEntries(state, users, appendEntry(getEntries(state, users), user)), result: user };
  });
}

/** Returns the fields of a response with a token that describe the token (RFC 6749, section 5.1). */
function getTokenFields({ reader, contract }: ResourceModel, route: Route): Entry {
  const schema = reader.getResponseSchema(route, route.successStatus) ?? '';
  const fields: Entry = { tokentype: 'Bearer', expiresin: TOKEN_SECONDS };
  const names = [...reader.getProperties(schema)];
  return Object.fromEntries(
    names.flatMap(([name, pointer]) => {
      const value = getOwn(fields, normalizeName(name));
      return value !== undefined && contract.isValid(pointer, value) ? [[name, value]] : [];
    }),
  );
}
