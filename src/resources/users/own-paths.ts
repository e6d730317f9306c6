import { getNode, toNode } from '../../openapi/document.ts';
import type { Route } from '../../openapi/routes.ts';
import { requiresCredentials } from '../../openapi/security.ts';
import { normalizeName } from '../../util/names.ts';
import { getMark } from '../actions/marks.ts';
import { getLastSegment, getParameterName, getPathForm, OWN_SEGMENT, toTemplate } from '../document/names.ts';
import type { SchemaReader } from '../document/schema-reader.ts';
import { findReferences } from '../inference/references.ts';
import { isFeed } from '../lists/views.ts';
import { type Mount, OWNER, type Parent, type PathKey, type Resource, SENDER } from '../resource.ts';
import { describesOwn, findHolder, isForOthers, isPersonalEntry } from './own-lists.ts';
import { findMembership } from './own-members.ts';
import { isCreator } from './user-names.ts';
import { findUserParts, getUserKey, hasUserId, isOfOther } from './user-parts.ts';

/** Lists and objects that each user has alone, if they need a login. Without uppercase letters and separators. */
const PERSONAL = [
  ...['cart', 'basket', 'bag', 'shoppingcart', 'shoppingbasket', 'shoppingbag', 'checkout'],
  ...['wishlist', 'favorites', 'favourites', 'bookmarks', 'watchlist', 'readinglist', 'saveditems'],
  ...['settings', 'preferences', 'usersettings', 'userpreferences', 'notificationsettings', 'notificationpreferences'],
];

/** What the operations of a document say about the paths of the user who sends a request. */
interface OwnContext {
  readonly routes: readonly Route[];
  /** The paths that show this user, such as `/me`. */
  readonly ownPaths: readonly string[];
}

/**
 * Returns the number of parameters before the segment of a path that stands for the user who sends a request: 0 for
 * `/me/tasks`, and 1 for `/projects/{projectId}/tasks/mine`.
 * Returns undefined if there is none.
 */
export function findOwnPosition(path: string, ownPaths: readonly string[]): number | undefined {
  const segments = toTemplate(path).split('/');
  const index = segments.findIndex(
    (segment, at) =>
      OWN_SEGMENT.test(segment) || (at < segments.length - 1 && ownPaths.includes(segments.slice(0, at + 1).join('/'))),
  );
  return index < 0 ? undefined : segments.slice(0, index).filter((one) => getParameterName(one) !== undefined).length;
}

/**
 * Adds the user who sends a request to the parents of paths such as `/me/tasks` and `/me/tasks/{taskId}`, of personal
 * ones that need credentials, such as `/cart` and `/cart/items`, and of lists whose summary, description or operationId
 * says that they have the entries of this user.
 */
export function addSenders(
  reader: SchemaReader,
  users: Resource,
  resources: readonly Resource[],
  { routes, ownPaths }: OwnContext,
): readonly Resource[] {
  const [first, ...others] = users.mounts;
  if (!first) return resources;
  // The path of a user is a parent also if no operation has it.
  const item = first.item ?? `${first.collection}/{${first.id.parameter}}`;
  const needsLogin = new Map<string, boolean>();
  for (const route of routes)
    needsLogin.set(route.path, requiresCredentials(route) && needsLogin.get(route.path) !== false);
  const isPersonal = ({ collection, item: own = collection }: Mount) => {
    const [before = ''] = toTemplate(own).split('/{');
    const isNamed = before.split('/').some((segment) => PERSONAL.includes(normalizeName(segment)));
    return isNamed && [collection, own].every((path) => needsLogin.get(path) !== false) && needsLogin.has(own);
  };
  const inference = { resources, users };
  const added = resources.map((each): Resource => {
    const resource = each === users ? each : addDescribed(reader, inference, each, { item, routes, ownPaths });
    const positions = resource.mounts.map((mount) => {
      const path = mount.item ?? mount.collection;
      const isKnown = mount.parents.some(({ isSender }) => isSender);
      return isKnown ? undefined : (findOwnPosition(path, ownPaths) ?? (isPersonal(mount) ? 0 : undefined));
    });
    if (resource === users || positions.every((position) => position === undefined)) return resource;
    const paths = resource.mounts.flatMap(({ collection }) =>
      findOwnPosition(collection, ownPaths) === undefined ? [] : [collection],
    );
    const sent = listSent(reader, routes, paths);
    const key = findOwnerKey(reader, inference, resource, { item, sent });
    const mounts = resource.mounts.flatMap((mount, index): Mount | readonly Mount[] => {
      const path = mount.item ?? mount.collection;
      const position = positions[index];
      const isMarked = getMark(getLastSegment(path), resource) !== undefined && (index > 0 || !resource.canCreate);
      // Another path of entries that no operation creates says nothing about their users.
      const isUnknown = key.property === undefined && !resource.canCreate && index > 0;
      if (position === undefined || isMarked || isUnknown || isFeed({ path })) return mount;
      // `/me/mentions` has other messages than those of the user.
      const isOther = index > 0 && mount.item === undefined && !mount.view && !namesResource(path, resource);
      if (isOther) return [];
      const own = findAssigneeKey(reader, users, resource, { routes, collection: mount.collection });
      const sender: Parent = { ...(own ?? key), parameter: SENDER, path: item, isSender: true };
      return { ...mount, parents: mount.parents.toSpliced(position, 0, sender) };
    });
    const isSame =
      mounts.length === resource.mounts.length && mounts.every((one, index) => one === resource.mounts[index]);
    return isSame ? resource : { ...resource, mounts };
  });
  if (added.every((resource, index) => resource === resources[index])) return resources;
  return added.map((one) => (one === users ? { ...users, mounts: [{ ...first, item }, ...others] } : one));
}

/**
 * Adds the user who sends a request to the parents of lists such as `/bookings` whose words say that they have the
 * entries of this user, and to those of the entries, unless other operations show that other people use them.
 */
function addDescribed(
  reader: SchemaReader,
  inference: { readonly resources: readonly Resource[]; readonly users: Resource },
  resource: Resource,
  { item, routes, ownPaths }: OwnContext & { readonly item: string },
): Resource {
  const find = (method: string, path: string) => routes.find((route) => route.method === method && route.path === path);
  const describeMount = ({ collection, parents }: Mount) => {
    const list = resource.kind === 'collection' && parents.length === 0 ? find('GET', collection) : undefined;
    const isInPath = findOwnPosition(collection, ownPaths) !== undefined || isFeed({ path: collection });
    const owned = list && !isInPath ? describesOwn(reader, list, find('POST', collection), routes) : undefined;
    return list && owned ? { list, owned } : undefined;
  };
  const described = resource.mounts.map(describeMount);
  if (described.every((one) => one === undefined)) return resource;
  const collections = resource.mounts.map(({ collection }) => collection);
  const sent = listSent(reader, routes, collections);
  const others = sent.filter((name) => !isCreator(name));
  const mounts = resource.mounts.flatMap((mount, index): Mount | readonly Mount[] => {
    const own = described[index];
    if (!own) return mount;
    const { users, resources } = inference;
    const { collection } = mount;
    const isAssigned = listsAssigned(reader, own.list);
    const assignee = isAssigned ? findAssigneeKey(reader, users, resource, { routes, collection }) : undefined;
    if (isAssigned && !assignee) return mount;
    const names = resources.map(({ singular }) => normalizeName(singular));
    const creator = findOwnerKey(reader, inference, resource, { item, sent: others });
    const isHidden = creator.property === undefined && !creator.name.includes('.');
    const holder = isHidden ? findHolder(reader, resource.schema, { sent, names }) : undefined;
    const isRelated = isHidden && isOfOther(reader, users, resource);
    const isPersonal =
      !isHidden || holder || isRelated || isPersonalEntry(reader, resource.schema, collection, own.owned);
    if (!assignee && (!isPersonal || (isHidden && !holder && index > 0 && !resource.canCreate))) return mount;
    const key = assignee ?? (holder ? { ...holder, name: holder.property } : creator);
    const members =
      own.owned === 'own' && !assignee && mount.item !== undefined
        ? findMembership(reader, inference, routes, mount.item)
        : undefined;
    const known = { ...key, ...(members && { members }) };
    const sender: Parent = {
      ...known,
      parameter: members ? OWNER : SENDER,
      path: item,
      isSender: true,
      isDescribed: true,
    };
    const whole = { ...mount, parents: [sender] };
    const hasOthers =
      isForOthers(reader, routes, collection) ||
      routes.some((route) => route.path === mount.item && !requiresCredentials(route)) ||
      resource.mounts.some((one, at) => at !== index && !described[at] && find('GET', one.collection) !== undefined);
    return mount.item === undefined || !hasOthers ? whole : [{ ...whole, item: undefined }, mount];
  });
  return { ...resource, mounts };
}

/** Returns the names of properties in requests that create entries at some paths. */
function listSent(reader: SchemaReader, routes: readonly Route[], paths: readonly string[]): readonly string[] {
  const creates = routes.filter(({ method }) => method === 'POST');
  return listSentProperties(reader, creates, paths).map(([name]) => normalizeName(name));
}

/** Returns the names and the schemas of the properties in requests to some paths. */
function listSentProperties(
  reader: SchemaReader,
  routes: readonly Route[],
  paths: readonly (string | undefined)[],
): readonly (readonly [name: string, schema: string])[] {
  const requests = routes.flatMap((route) =>
    paths.includes(route.path) ? (reader.getRequestSchema(route) ?? []) : [],
  );
  return requests.flatMap((request) => [...reader.getProperties(request)]);
}

/** Returns whether a path has a segment such as `tasks` or `my-tasks` with the name of a resource. */
function namesResource(path: string, { name, singular }: Resource): boolean {
  const words = [name.split('.').at(-1) ?? '', singular].map(normalizeName);
  return path.split('/').some((segment) => words.some((word) => normalizeName(segment).endsWith(word)));
}

/**
 * Returns where an entry has the id of its user: in the property with the creator or the only user, or in a hidden
 * value.
 * `item`: the path of a user.
 * `sent`: what a client sends names another user, such as that of a contact.
 */
function findOwnerKey(
  reader: SchemaReader,
  inference: { readonly resources: readonly Resource[]; readonly users: Resource },
  resource: Resource,
  { item, sent }: { readonly item: string; readonly sent: readonly string[] },
): Omit<PathKey, 'parameter'> {
  const { users } = inference;
  // `/me/tasks` has the same tasks as `/users/{userId}/tasks`.
  const items = [item, ...users.mounts.flatMap((mount) => mount.item ?? [])].map(getPathForm);
  const parents = resource.mounts.flatMap((mount) => mount.parents.slice(-1));
  const known = parents.find(({ path }) => items.includes(getPathForm(path)));
  const isShownUser = ({ property, name }: PathKey) => property?.includes('.') === true || name.includes('.');
  const isOwn = ({ property, name }: Pick<PathKey, 'property' | 'name'>) => {
    const own = normalizeName((property ?? name).split('.')[0] ?? '');
    return [own, `${own}id`, `${own}name`].every((one) => !sent.includes(one));
  };
  const creator = findCreatorKey(reader, users, resource);
  // In the user's own list of friends, `user` is the friend.
  const isOther = creator !== undefined && isShownUser(creator) && isOfOther(reader, users, resource);
  const found = known ?? (creator && !isOther && isOwn(creator) ? creator : undefined);
  if (found) return found;
  const references = findReferences(reader, inference, resource.schema, resource);
  const [reference, ...others] = references.filter(({ target }) => target === users);
  const { property, schema } = reference ?? {};
  const isOnly = property !== undefined && others.length === 0 && isOwn({ property, name: property });
  if (isOnly && schema !== undefined) return { property, name: property, schema };
  return { property: undefined, name: `${users.singular}Id`, schema: users.id.schema };
}

/** Names of properties with the id of the user to whom an entry is assigned, the best first. */
const ASSIGNEE_IDS = ['assigneeid', 'assignedtoid', 'assigneduserid'];

/** Names of properties with this user or the id, the best first. */
const ASSIGNEES = [...ASSIGNEE_IDS, 'assignedto', 'assignee'];

/**
 * Returns where an entry has the id of the user to whom it is assigned, if an operation lists the entries that are
 * assigned to a user.
 */
function findAssigneeKey(
  reader: SchemaReader,
  users: Resource,
  { schema, mounts }: Resource,
  { routes, collection }: { readonly routes: readonly Route[]; readonly collection: string },
): Omit<PathKey, 'parameter'> | undefined {
  if (schema === '' || !routes.some((route) => route.path === collection && listsAssigned(reader, route)))
    return undefined;
  const properties = reader.getProperties(schema);
  const { property: id = '' } = users.id;
  const shown = [...properties].flatMap(([name, pointer]) => {
    if (!ASSIGNEES.includes(normalizeName(name))) return [];
    const inner = reader.getProperties(pointer).get(id);
    if (inner !== undefined) return [{ property: `${name}.${id}`, name, schema: inner }];
    const isId = reader.isScalar(pointer) && hasUserId(reader, users, name, pointer);
    return isId ? [{ property: name, name, schema: pointer }] : [];
  });
  if (shown.length === 0) return undefined;
  // An object `assignee` can follow an `assigneeId` that only requests have.
  const paths = mounts.flatMap(({ collection: list, item }) => [list, item]);
  const sent = listSentProperties(reader, routes, paths).flatMap(([name, pointer]) => {
    const isId = ASSIGNEE_IDS.includes(normalizeName(name)) && reader.isScalar(pointer);
    return isId && !properties.has(name) ? [{ property: name, name, schema: pointer }] : [];
  });
  const rank = ({ name }: { readonly name: string }) => ASSIGNEES.indexOf(normalizeName(name));
  return [...shown, ...sent].sort((a, b) => rank(a) - rank(b))[0];
}

/** Returns whether an operation lists entries that are assigned to a user. */
function listsAssigned({ document }: SchemaReader, { method, pointer, operationId }: Route): boolean {
  const { summary = '', description = '' } = toNode(getNode(document, pointer));
  return method === 'GET' && /(?<!un)assigned/i.test(`${summary} ${description} ${operationId}`);
}

/** Returns where an entry has the id of the user who created it. Returns undefined if entries do not say it. */
export function findCreatorKey(reader: SchemaReader, users: Resource, resource: Resource): PathKey | undefined {
  if (users === resource) return undefined;
  const { ids, names, objects } = findUserParts(reader)(users)(resource);
  const [property] = ids;
  const { property: id = '' } = users.id;
  if (property !== undefined)
    return { ...users.id, property, schema: reader.getProperties(resource.schema).get(property) ?? '' };
  const [object] = objects;
  const [shown] = [...objects, ...names];
  if (!shown) return undefined;
  const inside = object?.properties.includes(id) ? `${object.name}.${id}` : undefined;
  return { ...users.id, property: inside, name: getUserKey(shown.name) };
}
