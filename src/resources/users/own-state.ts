import type { Input } from '../../application.ts';
import { requiresCredentials } from '../../openapi/security.ts';
import { EntryList } from '../../store/entry-list.ts';
import type { Entry, State } from '../../store/state.ts';
import { memoizeByObject } from '../../util/memoize-by-object.ts';
import { getPathForm } from '../document/names.ts';
import { getEntryList, setEntries } from '../entries/entries.ts';
import { findByKeys } from '../entries/entry-lists.ts';
import { getKeyValue } from '../entries/entry-values.ts';
import type { Derived, PathKey, Plan, Resource } from '../resource.ts';
import type { ResourceModel } from '../resource-model.ts';
import { namesOthers } from './own-lists.ts';
import { listJoined, type Membership } from './own-members.ts';
import { findOwnEntry, namesSender } from './tokens.ts';

/**
 * How the entries of a resource belong to a user.
 * `key`: where they have the id of the user, or that of the entry above.
 * `above`: the resource of the entry above, which belongs to the user.
 */
interface Owner {
  readonly key: PathKey;
  readonly above: Resource | undefined;
  readonly members?: Membership | undefined;
}

/** The maximum number of entries above an entry that lead to its user. */
const MAX_LEVELS = 3;

/** Returns how the entries of resources belong to users. Omits resources with a list of the entries of all users. */
const indexOwners = memoizeByObject((model: ResourceModel): ReadonlyMap<Resource, Owner> => {
  const find = (resource: Resource, level = 0): Owner | undefined => {
    const { resources, plans } = model.inference;
    const lists = [...plans.values()].filter(
      ({ resource: own, action, marked }) =>
        own === resource && marked === undefined && (action === 'list' || action === 'create'),
    );
    const owners = lists.map(({ mount: { parents } }): Owner | undefined => {
      const sender = parents.find(({ isSender }) => isSender);
      if (sender) return { key: sender, above: undefined, members: sender.members };
      const key = parents.at(-1);
      if (!key || level >= MAX_LEVELS) return undefined;
      const isAbove = ({ kind, mounts }: Resource) =>
        kind === 'collection' && mounts.some(({ item = '' }) => getPathForm(item) === getPathForm(key.path));
      const above = resources.find((one) => one !== resource && isAbove(one));
      return above && find(above, level + 1) ? { key, above } : undefined;
    });
    return owners.includes(undefined) ? undefined : owners[0];
  };
  const owners = model.inference.resources.map((resource) => [resource, find(resource)] as const);
  return new Map(owners.flatMap(([resource, owner]) => (owner ? [[resource, owner] as const] : [])));
});

/** Returns the resources whose entries an operation counts or shows only for the user who sends the request. */
export const listOwnResources = memoizeByObject((model: ResourceModel) =>
  memoizeByObject(({ route, counts = [], isSender }: Plan): readonly Resource[] => {
    const { users } = model.inference;
    const isForUser = users && !isSender && route.pathNames.length === 0 && requiresCredentials(route);
    if (!isForUser || namesOthers(model.reader, route)) return [];
    const all = new Set(counts.flatMap(listCounted));
    return [...all].filter((resource) => resource !== users && indexOwners(model).has(resource));
  }),
);

function listCounted({ children, inside = [] }: Derived): readonly Resource[] {
  return [children.resource, ...inside.flatMap(listCounted)];
}

/**
 * Returns a copy of a state for an operation such as `GET /analytics`: without the entries of other users than the one
 * who sends the request. With credentials that name no user, the state stays the same, as for lists.
 */
export function selectOwnState(model: ResourceModel, plan: Plan, state: State, input: Input): State {
  const { users } = model.inference;
  const own = listOwnResources(model)(plan);
  const user =
    users && own.length > 0 && namesSender(users, state, input) ? findOwnEntry(users, state, input) : undefined;
  const id = users && user && getKeyValue(user, users.id);
  if (id === undefined) return state;
  return own.reduce(
    (next, resource) => setEntries(next, resource, EntryList.of(selectOwn(model, state, resource, id))),
    state,
  );
}

function selectOwn(model: ResourceModel, state: State, resource: Resource, user: string): readonly Entry[] {
  const owner = indexOwners(model).get(resource);
  if (!owner) return [];
  const { key, above, members } = owner;
  const list = getEntryList(state, resource);
  if (!above) {
    const joined = members ? listJoined(members, state, user) : undefined;
    const own = findByKeys(list, [key], [user]);
    const others = joined?.size ? list.entries.filter((entry) => joined.has(getKeyValue(entry, resource.id))) : [];
    return [...new Set([...own, ...others])];
  }
  return selectOwn(model, state, above, user).flatMap((entry) =>
    findByKeys(list, [key], [getKeyValue(entry, above.id)]),
  );
}
