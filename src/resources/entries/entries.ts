import { type EntryList, getCollection, getList, setList } from '../../store/entry-list.ts';
import type { Entry, State } from '../../store/state.ts';
import { memoizeByObject } from '../../util/memoize-by-object.ts';
import { getParentPath, getPathForm } from '../document/names.ts';
import type { Inference, Mount, Parent, PathKey, Resource } from '../resource.ts';
import { findByKeys, withoutEntries } from './entry-lists.ts';
import { getKeyValue, type PathInput } from './entry-values.ts';
import { keepLastId } from './sequences.ts';

/**
 * Returns the entry with the same id as `entry`; undefined if there is none.
 * If entries have parents, the ids of the parents must also be equal.
 */
export function findEqual(
  list: EntryList,
  { id, pairedIds = [], mounts: [mount] }: Resource,
  entry: Entry,
): Entry | undefined {
  const keys = [id, ...(mount?.parents ?? []), ...pairedIds];
  const values = keys.map((key) => getKeyValue(entry, key));
  return findByKeys(list, keys, values)[0];
}

/**
 * Returns whether an entry belongs to the parents in a request path: to the owner 7 for `/owners/7/pets`.
 * `path`: the path parameters of the request.
 */
export function hasParents(entry: Entry, { parents }: Mount, path: PathInput): boolean {
  return parents.every((parent) => getKeyValue(entry, parent) === path[parent.parameter]);
}

/**
 * Returns the entries that belong to the parents in a request path: the pets of the owner 7 for `/owners/7/pets`.
 * `path`: the path parameters of the request.
 */
export function listChildrenOf(list: EntryList, mount: Mount, path: PathInput): readonly Entry[] {
  const parents = listSelectingParents(mount, path);
  return parents.length === 0 ? list.entries : findByKeys(list, parents, getValues(parents, path));
}

/**
 * Returns the parents that select the entries of a request.
 * Only a user can see less than all entries of a list whose words, and not whose path, say that they are those of the
 * user.
 */
function listSelectingParents({ parents }: Mount, path: PathInput): readonly Parent[] {
  const isOpen = parents.some(({ isDescribed, parameter }) => isDescribed && path[parameter] === undefined);
  return isOpen ? parents.filter(({ isDescribed }) => !isDescribed) : parents;
}

/**
 * Returns the entry at a request path such as `/pets/7`; undefined if there is no such entry.
 * `path`: the path parameters of the request.
 */
export function findAtPath(list: EntryList, { kind }: Resource, mount: Mount, path: PathInput): Entry | undefined {
  const { id } = mount;
  if (kind === 'singleton') return listChildrenOf(list, mount, path)[0];
  const parents = listSelectingParents(mount, path);
  const find = (key: PathKey) => {
    const keys = [key, ...parents];
    return findByKeys(list, keys, getValues(keys, path))[0];
  };
  return find(id) ?? (id.alias === undefined ? undefined : find({ ...id, property: id.alias }));
}

function getValues(keys: readonly PathKey[], path: PathInput): readonly (string | undefined)[] {
  return keys.map(({ parameter }) => path[parameter]);
}

/** Returns the list of a resource, with which entries are found and changed without reading all of them. */
export function getEntryList(state: State, { name }: Pick<Resource, 'name'>): EntryList {
  return getList(state, name);
}

/** Returns the stored entries of a resource, such as all pets. */
export function getEntries(state: State, { name }: Pick<Resource, 'name'>): readonly Entry[] {
  return getCollection(state, name);
}

/**
 * Replaces the members of a parent by stored entries: each member of a team by the user with the same id.
 * A member without a stored entry stays unchanged.
 * `memberOf`: the name of the resource with the stored entries, such as `users`.
 */
export function followMembers(state: State, { memberOf, id }: Resource, entries: readonly Entry[]): readonly Entry[] {
  if (memberOf === undefined) return entries;
  const others = getList(state, memberOf);
  return entries.map((entry) => findByKeys(others, [id], [getKeyValue(entry, id)]).at(-1) ?? entry);
}

/** Returns a copy of a state in which a resource has another list of entries. */
export function setEntries(state: State, { name }: Pick<Resource, 'name'>, list: EntryList): State {
  return setList(state, name, list);
}

/**
 * Returns a copy of a state without some entries of a resource.
 * Also removes their child entries, such as the pets of a removed owner.
 */
export function removeEntries(
  inference: Pick<Inference, 'resources' | 'plans'>,
  state: State,
  resource: Resource,
  removed: readonly Entry[],
): State {
  if (removed.length === 0) return state;
  const kept = keepLastId(state, resource, removed);
  let next = setEntries(kept, resource, withoutEntries(getEntryList(kept, resource), new Set(removed)));
  for (const child of inference.resources) {
    if (child.memberOf === resource.name) {
      const members = removed.flatMap((entry) =>
        findByKeys(getEntryList(next, child), [child.id], [getKeyValue(entry, child.id)]),
      );
      next = removeEntries(inference, next, child, members);
    }
    for (const mount of child.mounts) {
      const own = resource.mounts.find(({ item }) => item !== undefined && isParentPath(mount, item));
      if (!own || child === resource || !isOwned(inference, child, mount)) continue;
      const children = removed.flatMap((parent) =>
        listChildrenOf(getEntryList(next, child), mount, getPathInput(mount, own, resource, parent)),
      );
      next = removeEntries(inference, next, child, children);
    }
  }
  return next;
}

/** Returns whether entries at the paths below an entry exist, such as the pets of a removed owner. */
export function hasChildren({ resources }: Inference, state: State, resource: Resource, parent: Entry): boolean {
  return resources.some(
    (child) =>
      child !== resource &&
      child.mounts.some((mount) => {
        const own = resource.mounts.find(({ item }) => item !== undefined && isParentPath(mount, item));
        const path = own && getPathInput(mount, own, resource, parent);
        return path !== undefined && listChildrenOf(getEntryList(state, child), mount, path).length > 0;
      }),
  );
}

/**
 * Returns a copy of a state without the entries below the path of a singleton: without the items of the basket, if the
 * basket is deleted.
 */
export function removeParts(
  inference: Pick<Inference, 'resources' | 'plans'>,
  state: State,
  mount: Mount,
  path: PathInput,
): State {
  const below = inference.resources.flatMap((resource) =>
    resource.kind === 'collection' && isBelow(resource.mounts[0], mount) ? [resource] : [],
  );
  return below.reduce((next, resource) => {
    const own = resource.mounts[0] as Mount;
    const values = mount.parents.map(({ parameter }) => path[parameter] ?? '');
    const parents = Object.fromEntries(own.parents.map(({ parameter }, index) => [parameter, values[index] ?? '']));
    return removeEntries(inference, next, resource, listChildrenOf(getEntryList(next, resource), own, parents));
  }, state);
}

function isBelow(own: Mount | undefined, { item = '' }: Mount): boolean {
  return own !== undefined && item !== '' && getPathForm(getParentPath(own.collection)) === getPathForm(item);
}

/**
 * Lists the resources whose entries depend on the entries of a resource.
 * For `owners`, an example is `pets` at `/owners/{ownerId}/pets`.
 * For `users`, an example is the `members` of a team.
 * `isDeleted` in the result: whether deleting an entry also deletes the entries that depend on it.
 */
export function listChildren(inference: Inference, resource: Resource) {
  const { resources } = inference;
  const isParent = (mount: Mount) =>
    !mount.isItemOnly && resource.mounts.some(({ item }) => item !== undefined && isParentPath(mount, item));
  const isMember = ({ memberOf }: Resource) => memberOf === resource.name;
  if (resource.kind === 'singleton')
    return resources
      .filter((child) => resource.mounts.some((mount) => isBelow(child.mounts[0], mount)))
      .map(({ name }) => ({ name, isDeleted: true }));
  return resources
    .filter((child) => child !== resource && (isMember(child) || child.mounts.some(isParent)))
    .map((child) => ({
      name: child.name,
      isDeleted: isMember(child) || child.mounts.some((mount) => isParent(mount) && isOwned(inference, child, mount)),
    }));
}

/**
 * Returns whether each entry of a resource belongs to a parent, as a pet at `/owners/{ownerId}/pets` belongs to an
 * owner.
 * Returns false if an operation creates pets elsewhere, such as `POST /pets`, because then they exist without an owner.
 */
function isOwned({ plans }: Pick<Inference, 'plans'>, resource: Resource, mount: Mount): boolean {
  if (mount.parents.length === 0) return false;
  const creating = [...plans.values()].filter((plan) => plan.resource === resource && plan.action === 'create');
  return creating.length === 0
    ? resource.mounts[0] === mount
    : creating.every(
        (plan) => plan.mount.collection === mount.collection || (isOfSender(mount) && isOfSender(plan.mount)),
      );
}

function isOfSender({ parents }: Mount): boolean {
  return parents.some(({ isSender }) => isSender);
}

/**
 * Returns whether a path is the innermost parent in the paths of a mount: `/owners/{id}` for `/owners/{ownerId}/pets`.
 * The names of the parameters can differ.
 */
function isParentPath({ parents }: Mount, item: string): boolean {
  const path = parents.at(-1)?.path;
  return path !== undefined && getPathForm(path) === getPathForm(item);
}

/**
 * Returns the path parameters that select the children of an entry: `{ ownerId: '7' }` for the pets of the owner 7.
 * `mount`: the paths of the children, such as `/owners/{ownerId}/pets`.
 * `own`: the paths of the parent, such as `/owners/{id}`.
 * `parent`: the parent, such as the owner 7.
 */
function getPathInput(mount: Mount, own: Mount, resource: Resource, parent: Entry): PathInput {
  // The user who sends a request is a parent of `/me/lists/{listId}/tasks`, but not of `/lists/{listId}/tasks`.
  const isOfSender = mount.parents.some(({ isSender }) => isSender);
  const parents = isOfSender ? own.parents : own.parents.filter(({ isSender }) => !isSender);
  const keys = [...parents, ...(resource.kind === 'collection' ? [own.id] : [])];
  return Object.fromEntries(
    mount.parents.map(({ parameter }, index) => {
      const key = keys[index];
      return [parameter, key ? (getKeyValue(parent, key) ?? '') : ''];
    }),
  );
}

/**
 * A resource that is named as a parent in a path: `owners` in `/owners/{ownerId}/pets`.
 * `own`: the paths of `owners`.
 * `parameter`: the path parameter of the parent, here `ownerId`.
 */
export interface ParentPlace {
  readonly parameter: string;
  readonly resource: Resource;
  readonly own: Mount;
  /**
   * The path parameters in a child's path, up to the parent: `['shopId', 'ownerId']` for
   * `/shops/{shopId}/owners/{ownerId}/pets`.
   * The paths in `own` have the same parameters in the same order, but their names can differ.
   */
  readonly parameters: readonly string[];
}

/**
 * Creates a function that finds the resources named as parents in a path, such as `owners` in `/owners/{ownerId}/pets`.
 * The function caches its results.
 * It returns a list for each parent, because `/groups/{id}` and `/groups/{name}` can be different resources.
 * Resources with the same parameter name are first in a list.
 */
export function createParentFinder({ resources }: Inference): (mount: Mount) => readonly (readonly ParentPlace[])[] {
  return memoizeByObject((mount: Mount) =>
    mount.parents.map(({ path, parameter }, index) => {
      const inPath = mount.parents.slice(0, index + 1).filter(({ isSender }) => !isSender);
      const listParameters = ({ parents, id }: Mount) => {
        const rest = inPath.map((parent) => parent.parameter);
        return [...parents, id].map((key) => ('isSender' in key ? key.parameter : (rest.shift() ?? '')));
      };
      const places = resources
        .filter(({ kind }) => kind === 'collection')
        .flatMap((resource) =>
          resource.mounts.map((own) => ({ parameter, resource, own, parameters: listParameters(own) })),
        )
        .filter(({ own: { item } }) => item !== undefined && getPathForm(item) === getPathForm(path));
      const named = places.filter(({ own }) => own.id.parameter === parameter);
      const next = mount.parents[index + 1]?.path ?? mount.item ?? mount.collection;
      // In `/rates/{from}/{to}`, both parameters together identify an entry, so `{from}` is not the id of
      // `/rates/{id}`.
      if (next.startsWith(`${path}/{`)) return named;
      return [...named, ...places.filter((place) => !named.includes(place))];
    }),
  );
}

/**
 * Returns the path parameters of each existing parent.
 * For `/owners/{ownerId}/pets` and two owners, the result is `[{ ownerId: '1' }, { ownerId: '2' }]`.
 * For a path without parents, the result is one empty object.
 */
export function listParentPaths({ resources }: Inference, state: State, mount: Mount): readonly PathInput[] {
  if (mount.parents.length === 0) return [{}];
  for (const resource of resources) {
    const own = resource.mounts.find(({ item }) => item !== undefined && isParentPath(mount, item));
    if (own) return getEntries(state, resource).map((parent) => getPathInput(mount, own, resource, parent));
  }
  return [];
}
