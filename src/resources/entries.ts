import { isNode, toNode } from '../openapi/document.ts';
import type { Entry, State } from '../store/state.ts';
import { memoizeByObject } from '../util/memoize-by-object.ts';
import { getPathForm } from './names.ts';
import { type Inference, type Mount, PATH_VALUES, type PathKey, type Resource } from './resource.ts';

/** The path parameters of a request: `{ petId: '7' }` for the path template `/pets/{petId}`. */
export type PathInput = Readonly<Record<string, string>>;

/**
 * Returns an entry's value for a path parameter, as text: `'7'` for `{petId}` if the pet has the id 7.
 * Returns undefined if the entry has no value for the parameter, or if the value is an object.
 */
export function getKeyValue(entry: Entry, { property, name }: PathKey): string | undefined {
  const value = property === undefined ? getOwn(getPathValues(entry), name) : getProperty(entry, property);
  return value === undefined || typeof value === 'object' ? undefined : String(value);
}

/**
 * Returns the value of a property of an entry.
 * `property`: a name such as `id`, or the path of a nested property, such as `metadata.name`.
 */
export function getProperty(entry: Entry, property: string): unknown {
  // This function is called for each entry of a list, so a name that is not nested is not split.
  if (!property.includes('.')) return getOwn(entry, property);
  return property.split('.').reduce<unknown>((value, name) => (isNode(value) ? getOwn(value, name) : undefined), entry);
}

/**
 * Returns the value of an own property.
 * Returns undefined for a property that every JavaScript object inherits, such as `constructor`.
 */
export function getOwn(object: Readonly<Record<string, unknown>>, name: string): unknown {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

/**
 * Returns a copy of an entry with a changed or added property.
 * An added property becomes the first one, unless it is nested.
 */
function setProperty(entry: Entry, property: string, value: unknown): Entry {
  const [name = '', ...rest] = property.split('.');
  if (rest.length > 0) return { ...entry, [name]: setProperty(toNode(entry[name]), rest.join('.'), value) };
  const { [name]: _old, ...others } = entry;
  return Object.hasOwn(entry, name) ? { ...entry, [name]: value } : { [name]: value, ...others };
}

/**
 * Returns the path parameters in the hidden property `PATH_VALUES` of an entry.
 * An entry stores path parameters there if its schema has no properties for them.
 */
export function getPathValues(entry: Entry): Readonly<Record<string, unknown>> {
  return (entry[PATH_VALUES] ?? {}) as Readonly<Record<string, unknown>>;
}

/** Returns an entry without its hidden property `PATH_VALUES`, which is never sent to clients. */
export function removePathValues(entry: Entry): Entry {
  if (!(PATH_VALUES in entry)) return entry;
  const { [PATH_VALUES]: _hidden, ...visible } = entry;
  return visible;
}

/** Returns a copy of an entry with a new value for a path parameter, such as a new id for `{petId}`. */
export function setKeyValue(entry: Entry, { property, name }: PathKey, value: unknown): Entry {
  if (property !== undefined) return setProperty(entry, property, value);
  return { ...entry, [PATH_VALUES]: { ...getPathValues(entry), [name]: value } };
}

/**
 * Copies the property `key.property`, such as the id, from the entry `from` to a copy of `entry`.
 * Returns `entry` itself if `from` does not have the property.
 */
export function copyKeyValue(from: Entry, entry: Entry, key: PathKey): Entry {
  const value = key.property === undefined ? undefined : getProperty(from, key.property);
  return value === undefined ? entry : setKeyValue(entry, key, value);
}

/**
 * Creates a function that returns whether another entry has the same id as `entry`.
 * If entries have parents, the ids of the parents must also be equal.
 */
export function matchId({ id, mounts: [mount] }: Resource, entry: Entry): (other: Entry) => boolean {
  const keys = [id, ...(mount?.parents ?? [])];
  const values = keys.map((key) => getKeyValue(entry, key));
  return (other) => keys.every((key, index) => getKeyValue(other, key) === values[index]);
}

/**
 * Returns whether an entry belongs to the parents in a request path: to the owner 7 for `/owners/7/pets`.
 * `path`: the path parameters of the request.
 */
export function hasParents(entry: Entry, { parents }: Mount, path: PathInput): boolean {
  return parents.every((parent) => getKeyValue(entry, parent) === path[parent.parameter]);
}

/**
 * Returns the index of the entry at a request path such as `/pets/7`; -1 if there is no such entry.
 * `path`: the path parameters of the request.
 */
export function findIndex(entries: readonly Entry[], { kind }: Resource, mount: Mount, path: PathInput): number {
  const { id } = mount;
  const find = (key: PathKey) => {
    const isEntry = (entry: Entry) => kind === 'singleton' || getKeyValue(entry, key) === path[key.parameter];
    return entries.findIndex((entry) => isEntry(entry) && hasParents(entry, mount, path));
  };
  const index = find(id);
  return index === -1 && id.alias !== undefined ? find({ ...id, property: id.alias }) : index;
}

/**
 * Returns a text that identifies an entry within its resource, such as its id.
 * The text is the seed for the generated values of the entry.
 */
export function getEntryKey({ id, kind, mounts }: Resource, entry: Entry): string {
  if (kind === 'collection' && id.property !== undefined) return getKeyValue(entry, id) ?? '';
  const keys = [...(mounts[0]?.parents ?? []), ...(kind === 'collection' ? [id] : [])];
  return keys.map((key) => getKeyValue(entry, key)).join('/');
}

/** Returns the stored entries of a resource, such as all pets. */
export function getEntries(state: State, { name }: Pick<Resource, 'name'>): readonly Entry[] {
  return state[name] ?? [];
}

/**
 * Replaces the members of a parent by stored entries: each member of a team by the user with the same id.
 * A member without a stored entry stays unchanged.
 * `memberOf`: the name of the resource with the stored entries, such as `users`.
 */
export function followMembers(state: State, { memberOf, id }: Resource, entries: readonly Entry[]): readonly Entry[] {
  if (memberOf === undefined) return entries;
  const keys = new Set(entries.map((entry) => getKeyValue(entry, id)));
  const others = getEntries(state, { name: memberOf }).filter((other) => keys.has(getKeyValue(other, id)));
  const byKey = new Map(others.map((other) => [getKeyValue(other, id), other]));
  return entries.map((entry) => byKey.get(getKeyValue(entry, id)) ?? entry);
}

/** Returns a copy of a state in which a resource has the given entries instead of its previous ones. */
export function setEntries(state: State, { name }: Pick<Resource, 'name'>, entries: readonly Entry[]): State {
  return { ...state, [name]: entries };
}

/**
 * Returns a copy of a state without the entries for which `isRemoved` returns true.
 * Also removes their child entries, such as the pets of a removed owner.
 */
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
 * Lists the resources whose entries depend on the entries of a resource.
 * For `owners`, an example is `pets` at `/owners/{ownerId}/pets`.
 * For `users`, an example is the `members` of a team.
 * `isDeleted` in the result: whether deleting an entry also deletes the entries that depend on it.
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
 * Returns whether each entry of a resource belongs to a parent, as a pet at `/owners/{ownerId}/pets` belongs to an
 * owner.
 * Returns false if the pets also have the path `/pets`, because then they exist without an owner.
 */
function isOwned({ mounts }: Resource, mount: Mount): boolean {
  return mounts[0] === mount && mount.parents.length > 0;
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
  const keys = [...own.parents, ...(resource.kind === 'collection' ? [own.id] : [])];
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
      const parameters = mount.parents.slice(0, index + 1).map((parent) => parent.parameter);
      const places = resources
        .filter(({ kind }) => kind === 'collection')
        .flatMap((resource) => resource.mounts.map((own) => ({ parameter, resource, own, parameters })))
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
