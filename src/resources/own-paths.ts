import type { Route } from '../openapi/routes.ts';
import { normalizeName } from '../util/names.ts';
import { getMark } from './marks.ts';
import { getLastSegment, getParameterName, getPathForm, toTemplate } from './names.ts';
import { findReferences } from './references.ts';
import { type Mount, type Parent, type PathKey, type Resource, SENDER } from './resource.ts';
import type { SchemaReader } from './schema-reader.ts';
import { findUserParts, getUserKey } from './user-parts.ts';
import { isFeed } from './views.ts';

/** Matches segments that stand for the user who sends a request, such as `/me/tasks`. */
const OWN_SEGMENT = /^(?:me|mine|self|myself)$|^my(?:[-_].+)?$/i;

/** Lists and objects that each user has alone, if they need a login. Without uppercase letters and separators. */
const PERSONAL = [
  ...['cart', 'basket', 'bag', 'shoppingcart', 'shoppingbasket', 'shoppingbag', 'checkout'],
  ...['wishlist', 'favorites', 'favourites', 'bookmarks', 'watchlist', 'readinglist', 'saveditems'],
  ...['settings', 'preferences', 'usersettings', 'userpreferences', 'notificationsettings', 'notificationpreferences'],
];

/** Returns whether all requests of an operation need credentials. */
export function needsCredentials({ security }: Pick<Route, 'security'>): boolean {
  return security.length > 0 && security.every((requirement) => requirement.length > 0);
}

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
 * Adds the user who sends a request to the parents of paths such as `/me/tasks` and `/me/tasks/{taskId}`, and of
 * personal ones that need credentials, such as `/cart` and `/cart/items`.
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
    needsLogin.set(route.path, needsCredentials(route) && needsLogin.get(route.path) !== false);
  const isPersonal = ({ collection, item: own = collection }: Mount) => {
    const [before = ''] = toTemplate(own).split('/{');
    const isNamed = before.split('/').some((segment) => PERSONAL.includes(normalizeName(segment)));
    return isNamed && [collection, own].every((path) => needsLogin.get(path) !== false) && needsLogin.has(own);
  };
  const inference = { resources, users };
  const added = resources.map((resource): Resource => {
    if (resource === users) return resource;
    const key = findOwnerKey(reader, inference, resource);
    const mounts = resource.mounts.map((mount, index): Mount => {
      const path = mount.item ?? mount.collection;
      const position = findOwnPosition(path, ownPaths) ?? (isPersonal(mount) ? 0 : undefined);
      const isMarked = getMark(getLastSegment(path), resource) !== undefined && (index > 0 || !resource.canCreate);
      // No user has entries that no operation creates, unless a property names the user.
      const isUnknown = key.property === undefined && !resource.canCreate;
      if (position === undefined || isMarked || isUnknown || isFeed({ path })) return mount;
      const sender: Parent = { ...key, parameter: SENDER, path: item, isSender: true };
      return { ...mount, parents: mount.parents.toSpliced(position, 0, sender) };
    });
    return mounts.some((mount, index) => mount !== resource.mounts[index]) ? { ...resource, mounts } : resource;
  });
  if (added.every((resource, index) => resource === resources[index])) return resources;
  return added.map((one) => (one === users ? { ...users, mounts: [{ ...first, item }, ...others] } : one));
}

/**
 * Returns where an entry has the id of its user: in the property with the creator or the only user, or in a hidden
 * value.
 */
function findOwnerKey(
  reader: SchemaReader,
  inference: { readonly resources: readonly Resource[]; readonly users: Resource },
  resource: Resource,
): Omit<PathKey, 'parameter'> {
  const { users } = inference;
  const creator = findCreatorKey(reader, users, resource);
  if (creator) return creator;
  const references = findReferences(reader, inference, resource.schema, resource);
  const [reference, ...others] = references.filter(({ target }) => target === users);
  const { property, schema } = reference ?? {};
  if (property !== undefined && schema !== undefined && others.length === 0)
    return { property, name: property, schema };
  const items = users.mounts.flatMap(({ item }) => (item === undefined ? [] : getPathForm(item)));
  const parents = resource.mounts.flatMap((mount) => mount.parents.slice(-1));
  const known = parents.find(({ path }) => items.includes(getPathForm(path)));
  return known ?? { property: undefined, name: `${users.singular}Id`, schema: users.id.schema };
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
