import { DomainError, type Input } from '../../application.ts';
import type { Entry, State } from '../../store/state.ts';
import { normalizeName } from '../../util/names.ts';
import { findBrokenLimit } from '../document/broken-limits.ts';
import { getKeyNames } from '../document/names.ts';
import { findNamesakes, indexReferences } from '../inference/references.ts';
import type { Mount, Parent, Plan, Resource } from '../resource.ts';
import type { ResourceModel } from '../resource-model.ts';
import { findAtPath, getEntryList, listChildrenOf, type ParentPlace } from './entries.ts';
import { findByKeys } from './entry-lists.ts';
import { findMovedParent, getKeyValue } from './entry-values.ts';

/**
 * Throws a `DomainError` with the code `entry-not-found` if a parent in the request path does not exist: the owner 7
 * for `/owners/7/pets`.
 * Ignores path parameters that belong to no resource.
 */
export function requireParents(
  model: ResourceModel,
  state: State,
  { mount, action }: Pick<Plan, 'mount'> & Partial<Pick<Plan, 'action'>>,
  path: Input['path'],
): void {
  for (const [index, places] of model.findParents(mount).entries()) {
    const [place] = places;
    // A list of the entries with an unknown id is empty.
    const parent = mount.parents[index];
    if (!place && action !== 'list' && !isOutside(model, mount, parent)) requireNamedParent(model, state, parent, path);
    if (!place || mount.parents[index]?.isSender || places.some((one) => hasParent(model, state, one, path))) continue;
    const { parameter, resource, own } = place;
    if (isNamesake(model, state, resource, path[parameter])) continue;
    throw new DomainError(
      'entry-not-found',
      `no ${resource.singular} has the ${own.id.property ?? own.id.parameter} ${path[parameter]}`,
    );
  }
}

/**
 * Throws a `DomainError` with the code `entry-not-found` if a request moves an entry to a parent that does not exist.
 * `entry`: the changed entry.
 */
export function requireMovedParent(
  model: ResourceModel,
  state: State,
  plan: Plan,
  { current, entry, sent }: { readonly current: Entry; readonly entry: Entry; readonly sent: Entry },
): void {
  const parent = findMovedParent(model.reader, plan, { current, sent });
  if (!parent) return;
  const path = Object.fromEntries(plan.mount.parents.map((one) => [one.parameter, getKeyValue(entry, one) ?? '']));
  requireParents(model, state, { ...plan, action: 'create' }, path);
}

/** Returns whether a path has other entries than the list of each user: `/tasks/{taskId}` beside `/me/tasks`. */
function isOutside(model: ResourceModel, mount: Mount, parent: Parent | undefined): boolean {
  const target = parent && findNamedParent(model, parent);
  const isOwn = target?.mounts.every(({ parents }) => parents.some(({ isSender }) => isSender)) === true;
  const place = `/${target?.name}/{${parent?.parameter}}`;
  return isOwn && [mount.collection, mount.item].some((path) => path?.includes(place));
}

/**
 * Throws a `DomainError` with the code `entry-not-found` if a path parameter is the id of an entry elsewhere, which
 * does not exist: the slot 7 for `/registrations/7` with the parameter `slot_id`.
 */
function requireNamedParent(model: ResourceModel, state: State, parent: Parent | undefined, path: Input['path']): void {
  const resource = parent && findNamedParent(model, parent);
  const value = parent && path[parent.parameter];
  if (!resource || value === undefined) return;
  const list = getEntryList(state, resource);
  if ((!model.canCreate(resource) && list.length === 0) || findByKeys(list, [resource.id], [value]).length > 0) return;
  throw new DomainError('entry-not-found', `no ${resource.singular} has the ${resource.id.property} ${value}`);
}

/** Returns whether an id is that of an entry of another resource with the same name, such as a direct channel. */
function isNamesake({ inference }: ResourceModel, state: State, resource: Resource, id: string | undefined): boolean {
  if (id === undefined || resource === inference.users) return false;
  return findNamesakes(inference)(resource).some(
    (other) => findByKeys(getEntryList(state, other), [other.id], [id]).length > 0,
  );
}

/** Returns the resource whose entries a path parameter names by their ids, such as `slots` for `slot_id`. */
export function findNamedParent({ inference, reader }: ResourceModel, parent: Parent): Resource | undefined {
  const { isSender, parameter, schema } = parent;
  const target = isSender ? undefined : indexReferences(inference).get(normalizeName(parameter));
  if (target?.id.property === undefined || findNamesakes(inference)(target).length > 0) return undefined;
  const types = target.id.schema === '' ? [] : reader.getTypes(target.id.schema);
  const isSameType = schema === '' || reader.getTypes(schema).some((type) => types.includes(type));
  return isSameType ? target : undefined;
}

/**
 * Throws a `DomainError` with the code `value-refused` if the schema of the entry does not allow a sent value.
 * An example is a negative number with `minimum: 0` that the schema of the request body allows.
 * Ignores operations that document no response for invalid requests.
 */
export function requireAllowedValues(model: ResourceModel, plan: Plan, sent: Entry): void {
  if (!plan.route.responses.some(({ name }) => REFUSALS.includes(name))) return;
  const broken = findBrokenLimit(model, plan, model.removeReadOnly(plan.resource, sent));
  if (broken) throw new DomainError('value-refused', `${broken.pointer} ${broken.message}`);
}

/** The names of responses to invalid requests. */
const REFUSALS = ['400', '422', '4XX', 'default'];

/** Returns whether a parent in a request path exists: the owner 7 for `/owners/7/pets`. */
function hasParent(
  model: ResourceModel,
  state: State,
  { parameter, resource, own, parameters }: ParentPlace,
  path: Input['path'],
): boolean {
  const names = [...own.parents.map((parent) => parent.parameter), own.id.parameter];
  // Requests without a user have no value for it.
  const parentPath = Object.fromEntries(
    names.flatMap((name, index) => {
      const value = path[parameters[index] ?? ''];
      return value === undefined ? [] : [[name, value]];
    }),
  );
  const list = getEntryList(state, resource);
  if (findAtPath(list, resource, own, parentPath)) return true;
  const inside = listChildrenOf(list, own, parentPath);
  // No operation creates such a parent, so each value is accepted.
  if (!model.canCreate(resource) && inside.length === 0) return true;
  // `/stores/{reference}/logo` and `/stores/{store_id}/logo` identify a store by another property than
  // `/stores/{name}`.
  const keys = getKeyNames(parameter, resource.singular);
  // The value for the parameter of the parent's own path is always stored, so the entries of a long list are only
  // completed for another parameter.
  const isOther = parameter !== own.id.parameter && resource.schema !== '';
  return inside.some((entry) => {
    const shown = isOther ? model.derived.complete(resource, entry) : entry;
    return Object.entries(shown).some(
      ([name, value]) => keys.includes(normalizeName(name)) && String(value) === path[parameter],
    );
  });
}

/**
 * Returns whether a list such as `/users/{userId}/chats` has the same entries for each user, because no operation
 * creates chats or users, and chats do not name their user.
 */
export function isShared(model: ResourceModel, { resource, mount, action, marked, follows }: Plan): boolean {
  if (action !== 'list' || marked !== undefined || follows || mount.parents.length === 0) return false;
  const isUnknown = mount.parents.every(({ isSender, property }) => !isSender && property === undefined);
  return isUnknown && !model.canCreate(resource) && model.findParents(mount).every((places) => places.length === 0);
}

/**
 * Returns the entry at a request path such as `/pets/7`; undefined if there is no such entry.
 * `path`: the path parameters of the request.
 */
export function findEntry(
  { resource, mount, action, sets = {} }: Pick<Plan, 'resource' | 'mount' | 'sets'> & Partial<Pick<Plan, 'action'>>,
  state: State,
  path: Input['path'],
): Entry | undefined {
  const entry = findAtPath(getEntryList(state, resource), resource, mount, path);
  // `DELETE /relationships/blocks/{userId}` does not end a friendship.
  const isOther = action === 'delete' && Object.entries(sets).some(([name, value]) => entry?.[name] !== value);
  return isOther ? undefined : entry;
}

/** Creates the error for a request path without an entry: for `/pets/7` if there is no pet 7. */
export function createNotFound({ resource, mount: { id } }: Plan, path: Input['path']): DomainError {
  const { singular, kind } = resource;
  const detail =
    kind === 'singleton'
      ? `${singular} does not exist yet: create it first`
      : `no ${singular} has the ${id.property ?? id.parameter} ${path[id.parameter]}`;
  return new DomainError('entry-not-found', detail);
}
