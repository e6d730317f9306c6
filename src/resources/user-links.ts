import { EntryList } from '../store/entry-list.ts';
import type { Entry, State } from '../store/state.ts';
import { normalizeName } from '../util/names.ts';
import { type Embedded, findShown } from './embedded.ts';
import { getEntries, getEntryList, setEntries } from './entries.ts';
import { getKeyValue, setKeyValue } from './entry-values.ts';
import { getPathForm } from './names.ts';
import { findReferences } from './references.ts';
import type { Inference, PathKey, Resource } from './resource.ts';
import type { ResourceModel } from './resource-model.ts';
import type { SchemaReader } from './schema-reader.ts';
import { changeFlags, changeIds, type IdChanges } from './sender-flags.ts';
import { reserveNames } from './sequences.ts';
import { removeAndUnlink } from './unlink-entries.ts';
import { PEOPLE_LIST } from './user-names.ts';
import { findActorParts, findUserParts, getUserKey } from './user-parts.ts';

type Links = Pick<Inference, 'resources' | 'users' | 'trashes'>;

/** Returns a copy of a state in which all entries refer to a user by a new id, such as a changed user name. */
export function renameUser(reader: SchemaReader, inference: Links, state: State, from: Entry, to: Entry): State {
  const { resources, users, trashes } = inference;
  const old = users && getKeyValue(from, users.id);
  const { property } = users?.id ?? {};
  if (!users || property === undefined || old === undefined || getKeyValue(to, users.id) === old) return state;
  const id = to[property];
  const changes = new Map([[old, id]]);
  return mapEntries([...resources, ...trashes], state, (resource) => {
    const keys = listUserKeys(reader, inference, users, resource);
    return (entry) => {
      const linked = keys.reduce(
        (next, key) => (getKeyValue(next, key) === old ? setKeyValue(next, key, id) : next),
        entry,
      );
      return changeFlags(changeLists(linked, changes), changes);
    };
  });
}

/** Changes the ids in the lists of users of an entry, such as `memberIds`. */
function changeLists(entry: Entry, changes: IdChanges): Entry {
  const changed = Object.entries(entry).flatMap(([name, ids]) => {
    const next = Array.isArray(ids) && PEOPLE_LIST.test(normalizeName(name)) ? changeIds(ids, changes) : ids;
    return next === ids ? [] : [[name, next]];
  });
  return changed.length === 0 ? entry : { ...entry, ...Object.fromEntries(changed) };
}

/** Returns where the entries of a resource have ids of users. */
function listUserKeys(reader: SchemaReader, inference: Links, users: Resource, resource: Resource): readonly PathKey[] {
  if (resource === users) return [];
  const items = users.mounts.flatMap(({ item }) => (item === undefined ? [] : getPathForm(item)));
  const parents = resource.mounts.flatMap((mount) =>
    mount.parents.filter(({ path }) => items.includes(getPathForm(path))),
  );
  const parts = [findUserParts, findActorParts].map((find) => find(reader)(users)(resource));
  const [ids, names] = [parts.flatMap((part) => part.ids), parts.flatMap((part) => part.names)];
  const objects = parts.flatMap((part) => part.objects);
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
  const { inference } = model;
  if (resource !== inference.users) return removeAndUnlink(model, state, resource, removed);
  const isRemoved = new Set(removed);
  const before = getEntries(state, resource);
  const unlinked = unlinkUsers(model, state, resource, isRemoved);
  // Users are found again by their places, because they can refer to each other.
  const users = getEntries(unlinked, resource).filter((_user, place) => isRemoved.has(before[place] as Entry));
  return removeAndUnlink(model, unlinked, resource, users);
}

/**
 * Returns a copy of a state in which other entries no longer belong to some users, before their deletion.
 * They keep showing these users as now, if they cannot show null, or show the user who created or changed them.
 * Another id, such as `assigneeId`, becomes null with the object beside it, if it can be null.
 * No new user gets the name of a deleted one if entries still have it as their id of a user.
 */
function unlinkUsers(model: ResourceModel, state: State, users: Resource, removed: ReadonlySet<Entry>): State {
  const { reader, inference, derived, contract } = model;
  const isName = inference.loginNames.includes(users.id.property ?? '');
  const changes = new Map([...removed].map((user) => [getKeyValue(user, users.id), undefined] as const));
  changes.delete(undefined);
  const names = new Set<string>();
  const next = mapEntries([...inference.resources, ...inference.trashes], state, (resource) => {
    const embedded = derived.getEmbedded(resource);
    const properties = reader.getProperties(resource.schema);
    const required = reader.getRequired(resource.schema);
    const actors = new Set(
      [findUserParts, findActorParts].flatMap((find) => find(reader)(users)(resource).objects.map(({ name }) => name)),
    );
    const userKeys = listUserKeys(reader, inference, users, resource);
    const canBeNull = ({ property = '' }: PathKey) => contract.isValid(properties.get(property) ?? '', null);
    const nullable = new Set(userKeys.filter((key) => properties.has(key.property ?? '') && canBeNull(key)));
    const isKept = ({ property, ids, isList }: Embedded) => {
      const canLack = !required.includes(property) || contract.isValid(properties.get(property) ?? '', null);
      const hasNull = [...nullable].some((key) => key.property === ids);
      return isList || !canLack || !hasNull || actors.has(property);
    };
    return (entry) => {
      const showing = embedded.filter(
        (one) => isKept(one) && removed.has(findShown(one, state, entry, undefined) as Entry),
      );
      const keys = userKeys.filter((key) => changes.has(getKeyValue(entry, key)));
      const unlink = (rest: Entry, key: PathKey) => {
        if (key.property === undefined)
          return isName && !isParent(resource, key) ? setKeyValue(rest, key, undefined) : rest;
        const isFree = nullable.has(key) && showing.every(({ ids }) => ids !== key.property);
        return isFree ? setKeyValue(rest, key, null) : rest;
      };
      const unlinked = keys.reduce(unlink, changeFlags(isName ? changeLists(entry, changes) : entry, changes));
      for (const key of keys) {
        const name = getKeyValue(unlinked, key);
        if (name !== undefined && changes.has(name)) names.add(name);
      }
      if (showing.length === 0) return unlinked;
      const [shown = entry] = derived.add(state, resource, [entry]);
      return { ...unlinked, ...Object.fromEntries(showing.map(({ property }) => [property, shown[property]])) };
    };
  });
  return isName ? reserveNames(next, users, [...names]) : next;
}

/** Returns whether the path of a resource has a parent with the same hidden value. */
function isParent({ mounts }: Resource, { name }: PathKey): boolean {
  return mounts[0]?.parents.some((parent) => parent.property === undefined && parent.name === name) === true;
}

/**
 * Returns a copy of a state with changed entries. Lists without changes stay the same.
 * `createChange`: returns what changes an entry of a resource; undefined if all its entries stay the same.
 */
function mapEntries(
  resources: readonly Resource[],
  state: State,
  createChange: (resource: Resource) => ((entry: Entry) => Entry) | undefined,
): State {
  return resources.reduce((next, resource) => {
    const change = getEntryList(next, resource).length === 0 ? undefined : createChange(resource);
    if (!change) return next;
    const entries = getEntries(next, resource);
    const changed = entries.map(change);
    const isSame = changed.every((entry, index) => entry === entries[index]);
    return isSame ? next : setEntries(next, resource, EntryList.of(changed));
  }, state);
}
