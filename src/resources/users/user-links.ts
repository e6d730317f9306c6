import { getNode, omitKeys, toNode } from '../../openapi/document.ts';
import { EntryList } from '../../store/entry-list.ts';
import type { Entry, State } from '../../store/state.ts';
import { memoizeByObject } from '../../util/memoize-by-object.ts';
import { normalizeName, removeAccents } from '../../util/names.ts';
import { readResponseText } from '../document/document-texts.ts';
import { getPathForm } from '../document/names.ts';
import type { SchemaReader } from '../document/schema-reader.ts';
import { getEntries, getEntryList, setEntries } from '../entries/entries.ts';
import { getKeyValue, setKeyValue } from '../entries/entry-values.ts';
import { reserveNames } from '../entries/sequences.ts';
import { removeAndUnlink } from '../entries/unlink-entries.ts';
import { findReferences } from '../inference/references.ts';
import type { Inference, PathKey, Plan, Resource } from '../resource.ts';
import type { ResourceModel } from '../resource-model.ts';
import { type Embedded, findShown } from '../values/embedded.ts';
import { changeFlags, changeIds, type IdChanges, removeFlags } from './sender-flags.ts';
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
 * What happens to the users whom the entries of a resource show, and to the ids of these users, after their deletion.
 * `kept`: the properties that keep showing the user as before. `dropped`: those that lose the user.
 * `keys`: where entries have ids of users. `nullable`: those of them that can be null.
 */
interface ShownUsers {
  readonly kept: readonly Embedded[];
  readonly dropped: readonly Embedded[];
  readonly keys: readonly PathKey[];
  readonly nullable: ReadonlySet<PathKey>;
}

const findShownUsers = memoizeByObject((model: ResourceModel) =>
  memoizeByObject((resource: Resource): ShownUsers => {
    const { reader, inference, derived, contract } = model;
    const { users } = inference;
    if (!users) return { kept: [], dropped: [], keys: [], nullable: new Set() };
    const properties = reader.getProperties(resource.schema);
    const required = reader.getRequired(resource.schema);
    const parts = [findUserParts, findActorParts].map((find) => find(reader)(users)(resource));
    const actors = new Set(parts.flatMap(({ objects }) => objects.map(({ name }) => name)));
    const keys = listUserKeys(reader, inference, users, resource);
    const canBeNull = (property = '') => contract.isValid(properties.get(property) ?? '', null);
    const nullable = new Set(keys.filter(({ property }) => properties.has(property ?? '') && canBeNull(property)));
    const canLack = (property: string) => !required.includes(property) || canBeNull(property);
    const hasNull = ({ ids }: Embedded) => [...nullable].some((key) => key.property === ids);
    const isKept = (one: Embedded) => one.isList || !canLack(one.property) || !hasNull(one) || actors.has(one.property);
    const isDropped = (one: Embedded) =>
      anonymizes(model) && !one.isList && canLack(one.property) && (!properties.has(one.ids ?? '') || hasNull(one));
    const embedded = derived.getEmbedded(resource);
    const dropped = embedded.filter(isDropped);
    return { kept: embedded.filter((one) => isKept(one) && !dropped.includes(one)), dropped, keys, nullable };
  }),
);

/** Returns whether an operation that deletes users says that their data is made anonymous: `Anonymises the data`. */
const anonymizes = memoizeByObject(({ reader, inference }: ResourceModel): boolean =>
  [...inference.plans.values()].some(({ resource, action, route }) => {
    if (resource !== inference.users || !['delete', 'clear'].includes(action)) return false;
    const { summary = '', description = '' } = toNode(getNode(reader.document, route.pointer));
    const response = readResponseText(reader, route, String(route.successStatus));
    return /\banon[iy]mi[sz]/i.test(removeAccents(`${summary} ${description} ${response}`));
  }),
);

/** Returns the properties of other entries that keep showing a deleted user: `notes.author`. */
export function listKeptUsers(model: ResourceModel, { resource: users }: Plan): readonly string[] {
  if (users !== model.inference.users) return [];
  return model.inference.resources.flatMap((resource) => {
    const kept = findShownUsers(model)(resource).kept.filter((one) => one.resource === users && !one.isList);
    return resource === users ? [] : kept.map(({ property }) => `${resource.name}.${property}`);
  });
}

/**
 * Returns a copy of a state in which other entries no longer belong to some users, before their deletion.
 * They keep showing these users as now, if they cannot show null, or show the user who created or changed them, unless
 * the document says that the data is made anonymous.
 * Another id, such as `assigneeId`, becomes null with the object beside it, if it can be null.
 * No new user gets the name of a deleted one if entries still have it as their id of a user.
 */
function unlinkUsers(model: ResourceModel, state: State, users: Resource, removed: ReadonlySet<Entry>): State {
  const { reader, inference, derived } = model;
  const isName = inference.loginNames.includes(users.id.property ?? '');
  const changes = new Map([...removed].map((user) => [getKeyValue(user, users.id), undefined] as const));
  changes.delete(undefined);
  const names = new Set<string>();
  const next = mapEntries([...inference.resources, ...inference.trashes], state, (resource) => {
    const { kept, dropped, keys: userKeys, nullable } = findShownUsers(model)(resource);
    const properties = reader.getProperties(resource.schema);
    const required = reader.getRequired(resource.schema);
    return (entry) => {
      const isShown = (one: Embedded) => removed.has(findShown(one, state, entry, undefined) as Entry);
      const showing = kept.filter(isShown);
      const keys = userKeys.filter((key) => changes.has(getKeyValue(entry, key)));
      const unlink = (rest: Entry, key: PathKey) => {
        if (key.property === undefined)
          return isName && !isParent(resource, key) ? setKeyValue(rest, key, undefined) : rest;
        const isFree = nullable.has(key) && showing.every(({ ids }) => ids !== key.property);
        return isFree ? setKeyValue(rest, key, null) : rest;
      };
      const listed = isName ? changeLists(entry, changes) : entry;
      const own = keys.reduce(unlink, removeFlags(inference, resource, listed, changes));
      // An id that only requests have would show the user again.
      const lost = dropped.filter(isShown).flatMap(({ property, ids = property }) => {
        return properties.has(ids) ? [property] : [property, ids];
      });
      const nulls = lost.filter((property) => required.includes(property)).map((property) => [property, null]);
      const unlinked: Entry = lost.length === 0 ? own : { ...omitKeys(own, lost), ...Object.fromEntries(nulls) };
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
