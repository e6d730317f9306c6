import type { Input } from '../application.ts';
import type { Route } from '../openapi/routes.ts';
import type { Entry, State } from '../store/state.ts';
import { normalizeName, toSingular } from '../util/names.ts';
import { getShownUser, setShownUser } from './embedded.ts';
import { getKeyValue, getOwn, getProperty } from './entry-values.ts';
import { getLastSegment } from './names.ts';
import { findReferences } from './references.ts';
import type { Plan, Resource } from './resource.ts';
import type { ResourceModel } from './resource-model.ts';
import type { SchemaReader } from './schema-reader.ts';
import { getSenderFlags, hasFlag } from './sender-flags.ts';
import { findUserWithToken } from './tokens.ts';
import { findUserParts, getUserKey } from './user-parts.ts';

/**
 * Adds the user who sends a request to a new entry, unless the body has it: the id as `authorId`, or the properties
 * of the object `author`.
 */
export function addSender(
  { inference: { users }, reader }: ResourceModel,
  { resource, mount, route, requestPath }: Plan,
  state: State,
  input: Input,
  body: Entry,
): Entry {
  if (!users || resource === users) return body;
  const parts = findUserParts(reader)(users)(resource);
  // The path of a list such as `/users/{userId}/posts` names the user.
  const sent = Object.keys(body).map(normalizeName);
  const described = listRequestNames(reader, route, requestPath);
  const ownId = `${normalizeName(users.singular)}id`;
  const isFree = (name: string) =>
    !(normalizeName(name) === ownId && ownId !== 'userid' && described.includes(name)) &&
    !sent.includes(normalizeName(name)) &&
    !sent.includes(`${normalizeName(name)}id`) &&
    mount.parents.every((parent) => parent.property !== name && parent.name !== getUserKey(name));
  const ids = parts.ids.filter(isFree);
  const names = parts.names.filter(({ name }) => isFree(name));
  const objects = parts.objects.filter(({ name }) => isFree(name));
  const user = ids.length + names.length + objects.length === 0 ? undefined : findUserWithToken(users, state, input);
  const key = user && getKeyValue(user, users.id);
  if (!user || key === undefined) return body;
  const id = getProperty(user, users.id.property ?? '');
  const shown = [
    ...(id === undefined ? [] : ids.map((name) => [name, id])),
    ...names.map(({ name, shows }) => [name, getOwn(user, shows)]),
    ...objects.map(({ name, properties }) => [
      name,
      Object.fromEntries(Object.entries(user).filter(([property]) => properties.includes(property))),
    ]),
  ];
  const signed: Entry = { ...body, ...Object.fromEntries(shown.filter(([, value]) => value !== undefined)) };
  return [...names, ...objects].reduce((next, { name }) => setShownUser(next, name, key), signed);
}

/** Returns the names of the properties that the body of a request can have. */
function listRequestNames(reader: SchemaReader, route: Route, requestPath: readonly string[]): readonly string[] {
  const request = reader.getRequestSchema(route);
  const inner = request === undefined ? undefined : reader.getInner(request, requestPath);
  return inner === undefined ? [] : [...reader.getProperties(inner).keys()];
}

/** Returns the entries of the user who sends a request; all entries if the user is not known. */
export function selectOwn(
  model: ResourceModel,
  { resource, route }: Plan,
  state: State,
  input: Input,
  entries: readonly Entry[],
): readonly Entry[] {
  const { users } = model.inference;
  const user = users && findUserWithToken(users, state, input);
  const isOwn = findOwnRule(model, resource, route.path);
  if (!user || !isOwn) return entries;
  return entries.filter((entry) => isOwn(entry, getKeyValue(user, users.id) ?? ''));
}

/**
 * Returns the function that says whether an entry is one of a user at a path such as `/me/tasks`: by the user who
 * created it, by the only property with the id of a user, such as `assigneeId`, or at `/me/favorites`, by the boolean
 * `favorited`.
 * Returns undefined if entries do not say whose they are.
 */
export function findOwnRule(
  { inference, reader }: ResourceModel,
  resource: Resource,
  path: string,
): ((entry: Entry, user: string) => boolean) | undefined {
  const word = normalizeName(toSingular(getLastSegment(path)));
  const flag = getSenderFlags(inference, resource).find((name) => word !== '' && normalizeName(name).includes(word));
  if (flag !== undefined) return (entry, user) => hasFlag(entry, flag, user);
  const getOwner = findCreator({ inference, reader }, resource);
  if (getOwner) return (entry, user) => getOwner(entry) === user;
  const { users } = inference;
  const references = findReferences(reader, inference, resource.schema, resource);
  const [reference, ...others] = references.filter(({ target }) => target === users);
  if (!users || !reference || others.length > 0 || users === resource) return undefined;
  const key = { ...users.id, property: reference.property };
  return (entry, user) => getKeyValue(entry, key) === user;
}

/**
 * Returns the function that returns the id of the user who created an entry.
 * Returns undefined if entries do not say who created them.
 */
export function findCreator(
  { inference: { users }, reader }: Pick<ResourceModel, 'inference' | 'reader'>,
  resource: Resource,
): ((entry: Entry) => string | undefined) | undefined {
  if (!users || users === resource) return undefined;
  const { ids, names, objects } = findUserParts(reader)(users)(resource);
  const [property] = ids;
  if (property !== undefined) return (entry) => getKeyValue(entry, { ...users.id, property });
  const [shown] = [...objects, ...names];
  if (!shown) return undefined;
  const key = { ...users.id, property: `${shown.name}.${users.id.property}` };
  return (entry) => getKeyValue(entry, key) ?? getShownUser(entry, shown.name);
}
