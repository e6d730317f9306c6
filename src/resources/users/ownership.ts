import { DomainError, type Input } from '../../application.ts';
import { pickKeys } from '../../openapi/document.ts';
import type { Route } from '../../openapi/routes.ts';
import { requiresCredentials } from '../../openapi/security.ts';
import type { Entry, State } from '../../store/state.ts';
import { memoizeByObject } from '../../util/memoize-by-object.ts';
import { normalizeName } from '../../util/names.ts';
import { listRequestNames } from '../document/locate.ts';
import { getEntries } from '../entries/entries.ts';
import { getKeyValue, getOwn, getProperty, type PathInput, setKeyValue } from '../entries/entry-values.ts';
import { type Mount, OWNER, type Parent, type PathKey, type Plan, type Resource, SENDER } from '../resource.ts';
import type { ResourceModel } from '../resource-model.ts';
import { setShownUser } from '../values/embedded.ts';
import { findOwner } from './own-members.ts';
import { findCreatorKey } from './own-paths.ts';
import {
  explainNoSender,
  findOwnEntry,
  findSender,
  findUserWithToken,
  hasExpired,
  namesSender,
  readBasic,
  type TokenType,
} from './tokens.ts';
import { UPDATED_BY } from './user-names.ts';
import { findActorParts, findUserParts, getUserKey, type UserParts } from './user-parts.ts';
import { findByLogin } from './users.ts';

/** Returns the path parameters of the user who sends a request. Throws a `DomainError` if there is no such user. */
export function getSenderPath({ resource, mount }: Plan, input: Input, state: State): Input['path'] {
  const user = findOwnEntry(resource, state, input);
  const id = user && getKeyValue(user, resource.id);
  if (id === undefined) throw createSenderError(resource, state, input);
  return { [mount.id.parameter]: id };
}

/** Creates the error for a request whose user is not known. */
export function createSenderError(
  users: Resource,
  state: State,
  input: Pick<Input, 'headers' | 'user'>,
  type: TokenType = 'access',
): DomainError {
  return new DomainError('invalid-token', explainNoSender(users, state, input, type));
}

/**
 * Throws a `DomainError` if an operation requires credentials, and the token of a request has expired, its user does
 * not exist, a logout has ended it, or it is a refresh token.
 */
export function requireActiveToken(
  { inference: { users } }: ResourceModel,
  route: Route,
  input: Pick<Input, 'headers' | 'user'>,
  { state, nowMs }: { readonly state: State; readonly nowMs: number },
): void {
  if (!users || !requiresCredentials(route)) return;
  if (hasExpired(input, nowMs)) throw new DomainError('invalid-token', 'the token has expired: log in again');
  const { login } = readBasic(input) ?? {};
  // Other credentials than those of users can be documented, and the first user is created before there are any.
  if (login !== undefined && !findByLogin(users, state, '', login)) return;
  if (namesSender(users, state, input) && !findSender(users, state, input))
    throw createSenderError(users, state, input);
}

/**
 * Returns the path parameters of a request with the id of the user who sends it, if the path is one such as
 * `/me/tasks`.
 * With other credentials, it is the first user; for a list whose words say that it is the user's, it is no user.
 * The parameters stay the same if there are no users.
 * Throws a `DomainError` if the token is not valid.
 */
export function addSenderPath(
  model: ResourceModel,
  plan: Pick<Plan, 'mount'> & Partial<Pick<Plan, 'action' | 'archives'>>,
  path: PathInput,
  input: Pick<Input, 'headers' | 'user'>,
  state: State,
): PathInput {
  const { users } = model.inference;
  const senders = listSenders(model)(plan.mount);
  if (!users || senders.length === 0) return path;
  if (senders.every(({ isDescribed }) => isDescribed) && !namesSender(users, state, input)) return path;
  const user = findOwnEntry(users, state, input);
  if (!user && namesSender(users, state, input)) throw createSenderError(users, state, input);
  const id = user && getKeyValue(user, users.id);
  if (id === undefined) return path;
  const member = senders.find(({ members }) => members !== undefined);
  const owner = member ? { [OWNER]: findOwner(model.inference, plan, member, { path, state, id }) } : {};
  return Object.assign(Object.create(null), path, { [SENDER]: id, ...owner });
}

/** Returns the users who send a request among the parents of a mount, and among those of its parents. */
const listSenders = memoizeByObject((model: ResourceModel) =>
  memoizeByObject((mount: Mount): readonly Parent[] => {
    const above = model.findParents(mount).flatMap((places) => places.flatMap(({ own }) => own.parents));
    return [...mount.parents, ...above].filter(({ isSender }) => isSender);
  }),
);

/** Returns the properties of a new entry that say who created it, as far as an operation lets the server set them. */
const getSignedParts = memoizeByObject((model: ResourceModel) =>
  memoizeByObject(({ resource, mount, route, requestPath }: Plan): UserParts => {
    const { inference, reader } = model;
    const { users } = inference;
    if (!users || resource === users) return { ids: [], names: [], objects: [] };
    const { ids, names, objects } = findUserParts(reader)(users)(resource);
    const described = listRequestNames(reader, route, requestPath);
    const ownId = `${normalizeName(users.singular)}id`;
    // The path of a list such as `/users/{userId}/posts` names the user.
    const isFree = (name: string) =>
      !(normalizeName(name) === ownId && ownId !== 'userid' && described.includes(name)) &&
      mount.parents.every(
        (parent) => parent.isDescribed || (parent.property !== name && parent.name !== getUserKey(name)),
      );
    return {
      // A new member is not the user who adds it, unless the request can have the id of a user.
      ids: ids.filter((name) => isFree(name) && (name !== resource.id.property || described.includes(name))),
      names: names.filter(({ name }) => isFree(name)),
      objects: objects.filter(({ name }) => isFree(name)),
    };
  }),
);

/** Returns the properties that a creation sets to the user who sends the request, if the body can lack them. */
export function listSigned(model: ResourceModel, plan: Plan): readonly string[] {
  const { ids, names, objects } = getSignedParts(model)(plan);
  const { property } = plan.mount.parents.find(({ isDescribed }) => isDescribed) ?? {};
  const holder = property === undefined ? [] : [property.split('.')[0] ?? ''];
  const inner = model.reader.getRequestInner(plan.route, plan.requestPath);
  const required = inner === undefined ? [] : model.reader.getRequired(inner);
  const all = new Set([...ids, ...[...names, ...objects].map(({ name }) => name), ...holder]);
  // A `userId` in the body says which user the object `user` is.
  const isSent = (name: string) =>
    required.some((one) => one === name || normalizeName(one) === `${normalizeName(name)}id`);
  return [...all].filter((name) => !isSent(name));
}

/**
 * Adds the user who sends a request to a new entry, unless the body has it: the id as `authorId`, or the properties
 * of the object `author`.
 */
export function addSender(model: ResourceModel, plan: Plan, state: State, input: Input, body: Entry): Entry {
  const { users } = model.inference;
  const { resource } = plan;
  if (!users || resource === users) return body;
  const parts = getSignedParts(model)(plan);
  const sent = Object.keys(body).map(normalizeName);
  const isFree = (name: string) => {
    const own = normalizeName(name);
    return ![own, `${own}id`, `${own}name`].some((one) => sent.includes(one));
  };
  const ids = parts.ids.filter(isFree);
  const names = parts.names.filter(({ name }) => isFree(name));
  const objects = parts.objects.filter(({ name }) => isFree(name));
  const hidden = findHiddenKey(resource);
  const isShown = ids.length + names.length + objects.length > 0;
  const user = isShown || hidden ? findUserWithToken(users, state, input) : undefined;
  const key = user && getKeyValue(user, users.id);
  if (!user || key === undefined) return body;
  const id = getProperty(user, users.id.property ?? '');
  const own = hidden ? setKeyValue(body, hidden, id ?? key) : body;
  return signEntry(model, resource, own, user, { ids, names, objects });
}

/**
 * Returns the body of a PUT with the user whom the creation of the entry has set, unless the body names the user: a
 * client that sends the data of its form does not remove the owner.
 */
export function keepSigned(model: ResourceModel, { resource }: Plan, current: Entry, body: Entry): Entry {
  const sent = Object.keys(body).map(normalizeName);
  const creations = [...model.inference.plans.values()].filter(
    (plan) => plan.resource === resource && plan.action === 'create',
  );
  const names = creations.flatMap((plan) => listSigned(model, plan));
  const kept = names.filter((name) => {
    const own = normalizeName(name);
    return ![own, `${own}id`, `${own}name`].some((one) => sent.includes(one));
  });
  return { ...pickKeys(current, kept), ...body };
}

/** Returns a copy of an entry with a user in some properties: the id, a name, or an object. */
function signEntry(
  { reader, contract, inference: { users } }: ResourceModel,
  resource: Resource,
  entry: Entry,
  user: Entry,
  { ids, names, objects }: UserParts,
): Entry {
  const key = users && getKeyValue(user, users.id);
  const id = getProperty(user, users?.id.property ?? '');
  const properties = resource.schema === '' ? new Map<string, string>() : reader.getProperties(resource.schema);
  const shown = [
    ...ids.map((name) => [name, [id, key].find((value) => contract.isValid(properties.get(name) ?? '', value))]),
    ...names.map(({ name, shows }) => [name, getOwn(user, shows)]),
    ...objects.map(({ name, properties: own }) => [name, pickKeys(user, own)]),
  ];
  const signed: Entry = { ...entry, ...Object.fromEntries(shown.filter(([, value]) => value !== undefined)) };
  return [...names, ...objects].reduce((next, { name }) => setShownUser(next, name, key ?? ''), signed);
}

/** Returns the properties that each change of an entry sets to the user who sends the request, such as `updatedBy`. */
export function listEditors({ reader, inference: { users } }: ResourceModel, { resource }: Plan): readonly string[] {
  if (!users || resource === users) return [];
  const { ids, names, objects } = findActorParts(reader)(users)(resource);
  const all = [...ids, ...[...names, ...objects].map(({ name }) => name)];
  return all.filter((name) => UPDATED_BY.test(normalizeName(name)));
}

/** A new or changed entry. `current`: the entry before the change. `sent`: the properties in the request. */
interface SignedChange {
  readonly current: Entry | undefined;
  readonly entry: Entry;
  readonly sent: Entry;
}

/**
 * Adds the user who sends a request to a new or changed entry: as `updatedBy`, and as `completedBy` if the request sets
 * the time `completedAt`. Removes the user if the request removes the time.
 */
export function addActors(
  model: ResourceModel,
  { resource }: Pick<Plan, 'resource'>,
  state: State,
  input: Pick<Input, 'headers' | 'user'>,
  change: SignedChange,
): Entry {
  const { users } = model.inference;
  const { entry, sent, current } = change;
  if (!users || resource === users || entry === current) return entry;
  const { ids, names, objects } = findActorParts(model.reader)(users)(resource);
  const all = [...ids, ...[...names, ...objects].map(({ name }) => name)];
  if (all.length === 0) return entry;
  const user = findUserWithToken(users, state, input);
  const known = Object.keys(sent).map(normalizeName);
  const isSent = (name: string) => known.includes(normalizeName(name)) || known.includes(`${normalizeName(name)}id`);
  const changes = new Map(all.map((name) => [name, isSent(name) ? undefined : findEvent(change, name)]));
  const isSet = (name: string) => user !== undefined && changes.get(name) === 'set';
  const removed = all.filter((name) => changes.get(name) === 'removed');
  const cleared = model.setOrRemove(resource, entry, Object.fromEntries(removed.map((name) => [name, null])));
  const free = removed.reduce((next, name) => setShownUser(next, name, ''), cleared);
  if (!user || !all.some(isSet)) return removed.length === 0 ? entry : free;
  return signEntry(model, resource, free, user, {
    ids: ids.filter(isSet),
    names: names.filter(({ name }) => isSet(name)),
    objects: objects.filter(({ name }) => isSet(name)),
  });
}

/** Returns whether a change sets or removes what a property such as `completedBy` is about. */
function findEvent({ current, entry }: SignedChange, name: string): 'set' | 'removed' | undefined {
  if (UPDATED_BY.test(normalizeName(name))) return 'set';
  const stem = normalizeName(name).replace(/by(?:(?:user)?id)?$/, '');
  const names = [stem, `is${stem}`, ...['at', 'on', 'date', 'time'].map((end) => stem + end)];
  const properties = new Set([...Object.keys(entry), ...Object.keys(current ?? {})]);
  const isSet = (value: unknown) => value !== undefined && value !== null && value !== false;
  for (const property of properties) {
    const [now, before] = [entry[property], current?.[property]];
    if (now === before) continue;
    if (names.includes(normalizeName(property))) return isSet(now) ? 'set' : isSet(before) ? 'removed' : undefined;
    if (typeof now === 'string' && normalizeName(now) === stem) return 'set';
    if (typeof before === 'string' && normalizeName(before) === stem) return 'removed';
  }
  return undefined;
}

/** Returns the hidden value with the id of an entry's user, if entries below `/me` have no property for it. */
function findHiddenKey({ mounts }: Resource): PathKey | undefined {
  return mounts.flatMap(({ parents }) => parents).find(({ isSender, property }) => isSender && property === undefined);
}

/** Returns a copy of a state in which entries of a resource below `/me` without a user belong to the first user. */
export function addFirstUser({ inference: { users } }: ResourceModel, resource: Resource, state: State): State {
  const [user] = users ? getEntries(state, users) : [];
  const id = users && user && getProperty(user, users.id.property ?? '');
  const key = resource.mounts[0]?.parents.find(({ isSender }) => isSender) ?? findHiddenKey(resource);
  if (id === undefined || !key) return state;
  const entries = getEntries(state, resource).map((entry) =>
    getKeyValue(entry, key) === undefined ? setKeyValue(entry, key, id) : entry,
  );
  return { ...state, [resource.name]: entries };
}

/**
 * Returns the function that returns the id of the user who created an entry.
 * Returns undefined if entries do not say who created them.
 */
export function findCreator(
  { inference: { users }, reader }: Pick<ResourceModel, 'inference' | 'reader'>,
  resource: Resource,
): ((entry: Entry) => string | undefined) | undefined {
  const key = users && findCreatorKey(reader, users, resource);
  return key && ((entry) => getKeyValue(entry, key) ?? getKeyValue(entry, { ...key, property: undefined }));
}
