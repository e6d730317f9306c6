import type { Entry, State } from '../store/state.ts';
import { memoizeByObject } from '../util/memoize-by-object.ts';
import { getKeyValue, hasParents, type PathInput } from './entries.ts';
import { getPathForm } from './names.ts';
import type { Inference, Mount, Resource } from './resource.ts';

/** Returns the entries of a resource in a state. */
export function getEntries(state: State, { name }: Pick<Resource, 'name'>): readonly Entry[] {
  return state[name] ?? [];
}

/**
 * Replaces the members of a parent by the entries that they stand for: the members of a team by the users with the same ids. `memberOf` of the resource is
 * `users` in this example. A member without such an entry stays unchanged.
 */
export function followMembers(state: State, { memberOf, id }: Resource, entries: readonly Entry[]): readonly Entry[] {
  if (memberOf === undefined) return entries;
  const keys = new Set(entries.map((entry) => getKeyValue(entry, id)));
  const others = getEntries(state, { name: memberOf }).filter((other) => keys.has(getKeyValue(other, id)));
  const byKey = new Map(others.map((other) => [getKeyValue(other, id), other]));
  return entries.map((entry) => byKey.get(getKeyValue(entry, id)) ?? entry);
}

/** Returns a copy of a state in which the entries of a resource are replaced. */
export function setEntries(state: State, { name }: Pick<Resource, 'name'>, entries: readonly Entry[]): State {
  return { ...state, [name]: entries };
}

/** Returns a copy of a state without some entries of a resource, and without the entries that belong to them, such as the pets of a deleted owner. */
export function removeEntries(
  { resources }: Pick<Inference, 'resources'>,
  state: State,
  resource: Resource,
  isRemoved: (entry: Entry) => boolean,
): State {
  const entries = getEntries(state, resource);
  const removed = new Set(entries.filter(isRemoved));
  if (removed.size === 0) return state;
  let next = setEntries(
    state,
    resource,
    entries.filter((entry) => !removed.has(entry)),
  );
  for (const child of resources) {
    if (child.memberOf === resource.name) {
      const ids = new Set([...removed].map((entry) => getKeyValue(entry, resource.id)));
      next = removeEntries({ resources }, next, child, (entry) => ids.has(getKeyValue(entry, child.id)));
    }
    for (const mount of child.mounts) {
      const own = resource.mounts.find(({ item }) => item !== undefined && isParentPath(mount, item));
      if (!own || child === resource || !isOwned(child, mount)) continue;
      const paths = [...removed].map((parent) => getPathInput(mount, own, resource, parent));
      next = removeEntries({ resources }, next, child, (entry) => paths.some((path) => hasParents(entry, mount, path)));
    }
  }
  return next;
}

/**
 * Returns the child resources of a resource: the resources below the path of its entries, and the resources with `memberOf` that list its entries as members.
 * `isDeleted`: whether the child entries are deleted when their parent is deleted.
 */
export function listChildren({ resources }: Inference, resource: Resource) {
  const isParent = (mount: Mount) =>
    resource.mounts.some(({ item }) => item !== undefined && isParentPath(mount, item));
  const isMember = ({ memberOf }: Resource) => memberOf === resource.name;
  return resources
    .filter((child) => child !== resource && (isMember(child) || child.mounts.some(isParent)))
    .map((child) => ({
      name: child.name,
      isDeleted: isMember(child) || child.mounts.some((mount) => isParent(mount) && isOwned(child, mount)),
    }));
}

/**
 * Returns whether the entries of a resource belong to their parents. This is the case if the first path of the resource contains a parent, as in
 * `/owners/{ownerId}/pets`.
 */
function isOwned({ mounts }: Resource, mount: Mount): boolean {
  return mounts[0] === mount && mount.parents.length > 0;
}

/**
 * Returns whether an item path, such as `/owners/{id}`, is the innermost parent of a mount (the paths of a resource). The names of parameters are not compared.
 */
function isParentPath({ parents }: Mount, item: string): boolean {
  const path = parents.at(-1)?.path;
  return path !== undefined && getPathForm(path) === getPathForm(item);
}

/**
 * Returns the values of the path parameters in the paths of an entry's children. `mount`: the paths of the children. `own`: the paths of the parent. `parent`:
 * the entry.
 */
function getPathInput(mount: Mount, own: Mount, resource: Resource, parent: Entry): PathInput {
  const keys = [...own.parents, ...(resource.kind === 'collection' ? [own.id] : [])];
  return Object.fromEntries(
    mount.parents.map(({ parameter }, index) => {
      const key = keys[index];
      return [parameter, key ? (getKeyValue(parent, key) ?? '') : ''];
    }),
  );
}

/**
 * A resource whose entry is a parent in a path: `owners` for `/owners/{ownerId}/pets`. `own`: the paths of this resource. `parameter`: the path parameter of
 * the parent.
 */
export interface ParentPlace {
  readonly parameter: string;
  readonly resource: Resource;
  readonly own: Mount;
  /**
   * The names of the path parameters in the child's path, up to the parent, such as `['shopId', 'ownerId']`. The path parameters of `own` have the same order.
   */
  readonly parameters: readonly string[];
}

/**
 * Creates a function that finds the resources to which the parents in a path belong. It returns a list for each parent, because `/groups/{id}` and
 * `/groups/{name}` can be different resources. The resource with the same parameter name is first. The results are cached.
 */
export function createParentFinder({ resources }: Inference): (mount: Mount) => readonly (readonly ParentPlace[])[] {
  return memoizeByObject((mount: Mount) =>
    mount.parents.map(({ path, parameter }, index) => {
      const parameters = mount.parents.slice(0, index + 1).map((parent) => parent.parameter);
      const places = resources
        .filter(({ kind }) => kind === 'collection')
        .flatMap((resource) => resource.mounts.map((own) => ({ parameter, resource, own, parameters })))
        .filter(({ own: { item } }) => item !== undefined && getPathForm(item) === getPathForm(path));
      const named = places.filter(({ own }) => own.id.parameter === parameter);
      const next = mount.parents[index + 1]?.path ?? mount.item ?? mount.collection;
      // In `/rates/{from}/{to}`, both parameters together identify an entry, so `{from}` is not the id of `/rates/{id}`.
      if (next.startsWith(`${path}/{`)) return named;
      return [...named, ...places.filter((place) => !named.includes(place))];
    }),
  );
}

/**
 * Returns the path parameters of each parent that exists in a state, such as `{ ownerId: '1' }` for `/owners/{ownerId}/pets`. For paths without parents,
 * returns one empty object.
 */
export function listParentPaths({ resources }: Inference, state: State, mount: Mount): readonly PathInput[] {
  if (mount.parents.length === 0) return [{}];
  for (const resource of resources) {
    const own = resource.mounts.find(({ item }) => item !== undefined && isParentPath(mount, item));
    if (own) return getEntries(state, resource).map((parent) => getPathInput(mount, own, resource, parent));
  }
  return [];
}
