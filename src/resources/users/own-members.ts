import { DomainError, type Input } from '../../application.ts';
import type { Route } from '../../openapi/routes.ts';
import type { Entry, State } from '../../store/state.ts';
import { normalizeName } from '../../util/names.ts';
import { getLastSegment, getParentPath, getPathForm, toTemplate } from '../document/names.ts';
import { hasEntryResponse, hasProperties, type Place } from '../document/path-keys.ts';
import { findPlaceOfForm, renameParameters } from '../document/places.ts';
import type { SchemaReader } from '../document/schema-reader.ts';
import { getEntryList } from '../entries/entries.ts';
import { findByKeys } from '../entries/entry-lists.ts';
import { createPropertyKey, getKeyValue, type PathInput } from '../entries/entry-values.ts';
import type { Mount, Parent, PathKey, Plan, Resource } from '../resource.ts';
import { findOwnEntry } from './tokens.ts';
import { isLoginName, PEOPLE_LIST, UNIQUE_NAMES } from './user-names.ts';

/** The entries that say which users belong to others, such as the members of projects. */
export type Membership = NonNullable<Parent['members']>;

/** Matches the last segment of the path of the entry of the user who sends a request. */
const OWN_ENTRY = /^(?:me|self|myself)$/i;

/**
 * Returns the place of an operation on the entry of the user who sends a request, such as
 * `/guilds/{guildId}/members/me` beside `/guilds/{guildId}/members/{memberId}`: the members of the guild.
 * Returns a reason to mock the operation if entries do not say which user they are, and undefined for other operations.
 */
export function findOwnMember(
  reader: SchemaReader,
  resources: readonly Resource[],
  users: Resource | undefined,
  route: Route,
): Place | string | undefined {
  if (!users || !OWN_ENTRY.test(getLastSegment(route.path)) || route.pathNames.length === 0) return undefined;
  const collection = getParentPath(route.path);
  const { resource, mount } = findPlaceOfForm(resources, `${collection}/{id}`) ?? {};
  const isBeside = mount?.item !== undefined && getParentPath(mount.item) === toTemplate(mount.collection);
  if (!resource || !mount || !isBeside || resource === users || resource.kind !== 'collection') return undefined;
  if (route.method === 'GET' && !hasEntryResponse(reader, resource, route)) return undefined;
  const keys = listUserKeys(reader, users, resource, mount.id);
  const isPeople = PEOPLE_LIST.test(normalizeName(resource.singular));
  if (keys.length === 0)
    return isPeople
      ? `the document does not say which ${resource.singular} is the user who sends the request`
      : undefined;
  const own = renameParameters(mount, `${collection}/{${mount.id.parameter}}`);
  return { resource, mount: { ...own, ownKeys: keys }, isItem: true };
}

/**
 * Returns where entries say which user they are, the best first: in a property such as `userId`, in a login such as
 * `username`, or, if entries have most properties of users or their path has `{userId}`, in their id.
 */
function listUserKeys(
  reader: SchemaReader,
  users: Resource,
  { schema, memberOf, name }: Resource,
  id: PathKey,
): readonly PathKey[] {
  const { property: idName } = users.id;
  if (schema === '' || id.property === undefined || idName === undefined) return [];
  if (memberOf === users.name) return [id];
  const properties = reader.getProperties(schema);
  const ids = ['userid', `${normalizeName(users.singular)}id`];
  const isUserId = (own: string) => ids.includes(normalizeName(own));
  const named = [...properties].find(([own, pointer]) => isUserId(own) && reader.isScalar(pointer));
  if (named) return [createPropertyKey(...named)];
  const [shown] = users.otherSchemas ?? [users.schema];
  const isUser =
    PEOPLE_LIST.test(normalizeName(name.split('.').at(-1) ?? '')) && hasProperties(reader, shown ?? '', schema);
  if (id.property !== idName || !(isUser || isUserId(id.parameter))) return [];
  const known = reader.getProperties(users.schema);
  const logins = [...properties].filter(([own]) => UNIQUE_NAMES.includes(normalizeName(own)) && known.has(own));
  return [id, ...logins.map((login) => createPropertyKey(...login))];
}

/**
 * Returns the members of the entries at a path, such as those at `/projects/{projectId}/members` for
 * `/projects/{projectId}`. Returns undefined if members do not say which users they are, or if their
 * id is that of a user whom no request names.
 */
export function findMembership(
  reader: SchemaReader,
  { resources, users }: { readonly resources: readonly Resource[]; readonly users: Resource },
  routes: readonly Route[],
  item: string,
): Membership | undefined {
  const found = resources.flatMap((resource): readonly Membership[] => {
    const [mount] = resource.mounts;
    const entry = mount?.parents.at(-1);
    const isPeople = PEOPLE_LIST.test(normalizeName(resource.singular)) && resource.kind === 'collection';
    if (!mount || !entry || !isPeople || !resource.canCreate || getPathForm(entry.path) !== getPathForm(item))
      return [];
    const [user] = listUserKeys(reader, users, resource, mount.id);
    const isNamed = user?.property !== mount.id.property || namesUser(reader, users, routes, mount);
    return user && isNamed ? [{ resource: resource.name, user, entry }] : [];
  });
  return found.length === 1 ? found[0] : undefined;
}

/** Returns whether a request that adds a member can name a user by the id or a login. */
function namesUser(reader: SchemaReader, users: Resource, routes: readonly Route[], mount: Mount): boolean {
  const { id } = mount;
  const ids = ['userid', `${normalizeName(users.singular)}id`];
  const isUserId = [id.property ?? '', id.parameter].some((name) => ids.includes(normalizeName(name)));
  return routes.some((route) => {
    const { method, path } = route;
    if (method === 'PUT') return path === mount.item;
    const request = path === mount.collection && method === 'POST' ? reader.getRequestSchema(route) : undefined;
    const names = request === undefined ? [] : [...reader.getProperties(request).keys()];
    return names.some(
      (name) => name === id.property || (isUserId && (ids.includes(normalizeName(name)) || isLoginName(name))),
    );
  });
}

/** Returns the ids of the entries of which a user is a member. */
export function listJoined({ resource, user, entry }: Membership, state: State, id: string): ReadonlySet<unknown> {
  const members = findByKeys(getEntryList(state, { name: resource }), [user], [id]);
  return new Set(members.map((member) => getKeyValue(member, entry)));
}

/**
 * Returns the user to whom the entry in a path belongs, if the user who sends the request is one of its members.
 * Returns the user who sends the request for other paths, and for the deletion of the entry: only its owner deletes it.
 * `sender`: the user among the parents of the entry.
 */
export function findOwner(
  { resources }: { readonly resources: readonly Resource[] },
  { mount, action, archives }: Pick<Plan, 'mount'> & Partial<Pick<Plan, 'action' | 'archives'>>,
  sender: Parent,
  { path, state, id }: { readonly path: PathInput; readonly state: State; readonly id: string },
): string {
  const { members } = sender;
  if (!members) return id;
  const isEntry = (template: string | undefined) =>
    template !== undefined && getPathForm(template) === getPathForm(members.entry.path);
  const isDeletion = action === 'delete' || archives !== undefined;
  if (isDeletion && isEntry(mount.item)) return id;
  const keys = [...(isEntry(mount.item) ? [mount.id] : []), ...mount.parents.filter((parent) => isEntry(parent.path))];
  const value = keys.map(({ parameter }) => path[parameter]).find((one) => one !== undefined);
  const resource = resources.find(({ mounts }) => mounts.some(({ item }) => isEntry(item)));
  if (!resource || value === undefined || !listJoined(members, state, id).has(value)) return id;
  const [entry] = findByKeys(getEntryList(state, resource), [resource.id], [value]);
  return (entry && getKeyValue(entry, sender)) ?? id;
}

/**
 * Returns the path parameters of a request with the id of the entry that is the user who sends it. If there is none, it
 * is the id of the user, if this can be the id of the entry. The parameters stay the same for other paths.
 * Throws a `DomainError` if there is no such entry, and none can have the id of the user.
 */
export function addOwnMember(
  users: Resource | undefined,
  resource: Resource,
  { id, ownKeys, parents }: Mount,
  { path, input, state }: { readonly path: PathInput; readonly input: Input; readonly state: State },
): PathInput {
  const user = users && ownKeys ? findOwnEntry(users, state, input) : undefined;
  const userId = user && users ? getKeyValue(user, users.id) : undefined;
  if (!users || !user || !ownKeys || userId === undefined) return path;
  const inPath = parents.map(({ parameter }) => path[parameter]);
  const logins = ownKeys.filter(
    (key) => key.property !== id.property && UNIQUE_NAMES.includes(normalizeName(key.name)),
  );
  // A member can have an id of its own, which is that of another user.
  const isOther = (entry: Entry) =>
    logins.some((key) => ![undefined, getKeyValue(user, key)].includes(getKeyValue(entry, key)));
  const found = ownKeys.flatMap((key) => {
    const value = logins.includes(key) ? getKeyValue(user, key) : userId;
    return value === undefined ? [] : findByKeys(getEntryList(state, resource), [key, ...parents], [value, ...inPath]);
  });
  const entry = found.find((one) => !isOther(one));
  const isId = found.length === 0 && ownKeys.some(({ property }) => property === id.property);
  const value = entry ? getKeyValue(entry, id) : isId ? userId : undefined;
  if (value === undefined)
    throw new DomainError('entry-not-found', `the ${users.singular} who sends the request is no ${resource.singular}`);
  return Object.assign(Object.create(null), path, { [id.parameter]: value });
}
