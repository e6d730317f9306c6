import { EntryList } from '../store/entry-list.ts';
import type { Entry, State } from '../store/state.ts';
import { normalizeName } from '../util/names.ts';
import { findShown, removeCopies } from './embedded.ts';
import { getEntries, removeEntries, setEntries } from './entries.ts';
import { getKeyValue, setKeyValue } from './entry-values.ts';
import { getPathForm } from './names.ts';
import { findReferences } from './references.ts';
import type { Inference, PathKey, Resource } from './resource.ts';
import type { ResourceModel } from './resource-model.ts';
import type { SchemaReader } from './schema-reader.ts';
import { removeFromFlags, renameInFlags } from './sender-flags.ts';
import { reserveName } from './sequences.ts';
import { PEOPLE_LIST } from './user-names.ts';
import { findUserParts, getUserKey } from './user-parts.ts';

type Links = Pick<Inference, 'resources' | 'users'>;

/** Returns a copy of a state in which all entries refer to a user by a new id, such as a changed user name. */
export function renameUser(reader: SchemaReader, inference: Links, state: State, from: Entry, to: Entry): State {
  const { resources, users } = inference;
  const old = users && getKeyValue(from, users.id);
  const { property = '' } = users?.id ?? {};
  if (!users || old === undefined || getKeyValue(to, users.id) === old) return state;
  return mapEntries(resources, state, (entry, resource) => {
    const keys = listUserKeys(reader, inference, users, resource);
    const linked = keys.reduce(
      (next, key) => (getKeyValue(next, key) === old ? setKeyValue(next, key, to[property]) : next),
      entry,
    );
    const listed = changeLists(linked, (list) => list.map((id) => (id === old ? to[property] : id)), old);
    return renameInFlags(listed, old, getKeyValue(to, users.id));
  });
}

/** Returns an entry with other lists of users, such as `memberIds`. Changes only lists that have the id `old`. */
function changeLists(entry: Entry, change: (ids: readonly unknown[]) => readonly unknown[], old: string): Entry {
  const changed = Object.entries(entry).flatMap(([name, ids]) =>
    Array.isArray(ids) && ids.includes(old) && PEOPLE_LIST.test(normalizeName(name)) ? [[name, change(ids)]] : [],
  );
  return changed.length === 0 ? entry : { ...entry, ...Object.fromEntries(changed) };
}

/** Returns where the entries of a resource have ids of users. */
function listUserKeys(reader: SchemaReader, inference: Links, users: Resource, resource: Resource): readonly PathKey[] {
  if (resource === users) return [];
  const items = users.mounts.flatMap(({ item }) => (item === undefined ? [] : getPathForm(item)));
  const parents = resource.mounts.flatMap((mount) =>
    mount.parents.filter(({ path }) => items.includes(getPathForm(path))),
  );
  const { ids, names, objects } = findUserParts(reader)(users)(resource);
  const references = findReferences(reader, inference, resource.schema, resource).filter(
    ({ target }) => target === users,
  );
  const properties = [
    ...ids,
    ...references.map(({ property }) => property),
    ...objects.map(({ name }) => `${name}.${users.id.property}`),
  ];
  const shown = [...names, ...objects].map(({ name }) => ({
    ...users.id,
    property: undefined,
    name: getUserKey(name),
  }));
  const own = resource.memberOf === users.name ? [resource.id] : [];
  return [...parents, ...own, ...shown, ...properties.map((property) => ({ ...users.id, property }))];
}

/** Returns a copy of a state without some entries of a resource, and without what belongs to them. */
export function deleteEntries(
  model: ResourceModel,
  resource: Resource,
  state: State,
  removed: readonly Entry[],
): State {
  const { inference, derived, reader } = model;
  if (resource !== inference.users) {
    const listCopies = (own: Resource) =>
      derived.getEmbedded(own).filter((one) => one.isSent && one.resource === resource);
    const others = inference.resources.filter((own) => listCopies(own).length > 0);
    const next = mapEntries(others, state, (entry, own) =>
      removeCopies(listCopies(own), reader.getRequired(own.schema), entry, removed),
    );
    return removeEntries(inference, next, resource, removed);
  }
  // Users are found again by their places, because other users can refer to them.
  const places = removed.map((user) => getEntries(state, resource).indexOf(user));
  const unlinked = places.reduce((next: State, place) => {
    const user = getEntries(next, resource)[place];
    return user ? unlinkUser(model, next, user) : next;
  }, state);
  const users = getEntries(unlinked, resource).filter((_user, place) => places.includes(place));
  return removeEntries(inference, unlinked, resource, users);
}

/**
 * Returns a copy of a state in which other entries no longer belong to a user, before its deletion.
 * They keep showing the user as now. An id beside no such object becomes null, if it can be null.
 * No new user gets the name of the deleted one if entries still have it as their id of a user.
 */
function unlinkUser(model: ResourceModel, state: State, user: Entry): State {
  const { reader, inference, derived, contract } = model;
  const { users, resources, loginNames } = inference;
  const old = users && getKeyValue(user, users.id);
  if (!users || old === undefined) return state;
  const isName = loginNames.includes(users.id.property ?? '');
  let isNamed = false;
  const next = mapEntries(resources, state, (entry, resource) => {
    const embedded = derived.getEmbedded(resource).filter((one) => findShown(one, state, entry, undefined) === user);
    const shown = embedded.length === 0 ? entry : (derived.add(state, resource, [entry])[0] ?? entry);
    const kept = embedded.map(({ property }) => [property, shown[property]]);
    const properties = reader.getProperties(resource.schema);
    const isFree = ({ property = '' }: PathKey) =>
      embedded.every(({ ids }) => ids !== property) && contract.isValid(properties.get(property) ?? '', null);
    const keys = listUserKeys(reader, inference, users, resource).filter((key) => getKeyValue(entry, key) === old);
    const unlinked = keys.reduce(
      (rest, key) => {
        if (key.property !== undefined)
          return properties.has(key.property) && isFree(key) ? setKeyValue(rest, key, null) : rest;
        return isName && !isParent(resource, key) ? setKeyValue(rest, key, undefined) : rest;
      },
      removeFromFlags(isName ? changeLists(entry, (list) => list.filter((id) => id !== old), old) : entry, old),
    );
    const result = kept.length === 0 ? unlinked : { ...unlinked, ...Object.fromEntries(kept) };
    isNamed ||= keys.some((key) => getKeyValue(result, key) === old);
    return result;
  });
  return isName && isNamed ? reserveName(next, users, old) : next;
}

/** Returns whether the path of a resource has a parent with the same hidden value. */
function isParent({ mounts }: Resource, { name }: PathKey): boolean {
  return mounts[0]?.parents.some((parent) => parent.property === undefined && parent.name === name) === true;
}

/** Returns a copy of a state with changed entries. Lists without changes stay the same. */
function mapEntries(
  resources: readonly Resource[],
  state: State,
  change: (entry: Entry, resource: Resource) => Entry,
): State {
  return resources.reduce((next, resource) => {
    const entries = getEntries(next, resource);
    const changed = entries.map((entry) => change(entry, resource));
    const isSame = changed.every((entry, index) => entry === entries[index]);
    return isSame ? next : setEntries(next, resource, EntryList.of(changed));
  }, state);
}
