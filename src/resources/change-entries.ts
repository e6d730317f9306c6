import type { Entry, State } from '../store/state.ts';
import { memoizeByObject } from '../util/memoize-by-object.ts';
import { getKeyValue, hasParents, type PathInput } from './entries.ts';
import { getPathForm } from './names.ts';
import type { Inference, Mount, Resource } from './resource.ts';

/** Returns the entries of a resource. */
export function getEntries(state: State, { name }: Pick<Resource, 'name'>): readonly Entry[] {
  return state[name] ?? [];
}

/** Returns the users themselves for the members of a team: the entries of `memberOf` with the same ids. Other entries stay as they are. */
export function followMembers(state: State, { memberOf, id }: Resource, entries: readonly Entry[]): readonly Entry[] {
  if (memberOf === undefined) return entries;
  const keys = new Set(entries.map((entry) => getKeyValue(entry, id)));
  const others = getEntries(state, { name: memberOf }).filter((other) => keys.has(getKeyValue(other, id)));
  const byKey = new Map(others.map((other) => [getKeyValue(other, id), other]));
  return entries.map((entry) => byKey.get(getKeyValue(entry, id)) ?? entry);
}

/** Returns a state with other entries of a resource. */
export function setEntries(state: State, { name }: Pick<Resource, 'name'>, entries: readonly Entry[]): State {
  return { ...state, [name]: entries };
}

/** Returns a state without the entries at some indexes, and without the entries that have them as a parent. */
export function removeEntries(
  { resources }: Inference,
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
      next = removeEntries({ resources } as Inference, next, child, (entry) => ids.has(getKeyValue(entry, child.id)));
    }
    for (const mount of child.mounts) {
      const own = resource.mounts.find(({ item }) => item !== undefined && isParentPath(mount, item));
      if (!own || child === resource || !isOwned(child, mount)) continue;
      const paths = [...removed].map((parent) => getPathInput(mount, own, resource, parent));
      next = removeEntries({ resources } as Inference, next, child, (entry) =>
        paths.some((path) => hasParents(entry, mount, path)),
      );
    }
  }
  return next;
}

/** Returns whether the entries of a resource belong to their parents: they have no path without them. */
function isOwned({ mounts }: Resource, mount: Mount): boolean {
  return mounts[0] === mount && mount.parents.length > 0;
}

/** Returns whether an item path is the innermost parent of a mount. The names of parameters don't matter. */
function isParentPath({ parents }: Mount, item: string): boolean {
  const path = parents.at(-1)?.path;
  return path !== undefined && getPathForm(path) === getPathForm(item);
}

/** Returns the values of the path parameters of a mount for the children of an entry. */
function getPathInput(mount: Mount, own: Mount, resource: Resource, parent: Entry): PathInput {
  const keys = [...own.parents, ...(resource.kind === 'collection' ? [own.id] : [])];
  return Object.fromEntries(
    mount.parents.map(({ parameter }, index) => {
      const key = keys[index];
      return [parameter, key ? (getKeyValue(parent, key) ?? '') : ''];
    }),
  );
}

/** A parent of a mount that is an entry of a resource. `own`: the mount of the resource that has the path of the parent. */
interface ParentPlace {
  readonly parameter: string;
  readonly resource: Resource;
  readonly own: Mount;
  /** The parameters of the mount up to the parent, in the order of the path parameters of `own`. */
  readonly parameters: readonly string[];
}

/** Creates a function that returns the parents of a mount that are entries of resources. It keeps what it has found. */
export function createParentFinder({ resources }: Inference): (mount: Mount) => readonly ParentPlace[] {
  return memoizeByObject((mount: Mount) =>
    mount.parents.flatMap(({ path, parameter }, index) =>
      resources.flatMap((resource) => {
        const own = resource.mounts.find(({ item }) => item !== undefined && getPathForm(item) === getPathForm(path));
        if (!own || resource.kind === 'singleton') return [];
        const parameters = mount.parents.slice(0, index + 1).map((parent) => parent.parameter);
        return [{ parameter, resource, own, parameters }];
      }),
    ),
  );
}

/** Returns the path values of the parents of a mount that exist in a state; one empty object for a mount without parents. */
export function listParentPaths({ resources }: Inference, state: State, mount: Mount): readonly PathInput[] {
  if (mount.parents.length === 0) return [{}];
  for (const resource of resources) {
    const own = resource.mounts.find(({ item }) => item !== undefined && isParentPath(mount, item));
    if (own) return getEntries(state, resource).map((parent) => getPathInput(mount, own, resource, parent));
  }
  return [];
}
