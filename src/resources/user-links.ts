import { EntryList } from '../store/entry-list.ts';
import type { Entry, State } from '../store/state.ts';
import { type Embedded, findShown } from './embedded.ts';
import { getEntries, setEntries } from './entries.ts';
import { getKeyValue, setKeyValue } from './entry-values.ts';
import { getPathForm } from './names.ts';
import { findReferences } from './references.ts';
import type { Inference, PathKey, Resource } from './resource.ts';
import type { SchemaReader } from './schema-reader.ts';
import { renameInFlags } from './sender-flags.ts';
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
    return renameInFlags(linked, old, getKeyValue(to, users.id));
  });
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

/**
 * Returns a copy of a state in which other entries keep showing a user as now, after its deletion.
 * `getShown`: returns an entry with the users that it shows.
 */
export function keepShownUser(
  { resources }: Links,
  state: State,
  user: Entry,
  getEmbedded: (resource: Resource) => readonly Embedded[],
  getShown: (resource: Resource, entry: Entry) => Entry,
): State {
  return mapEntries(resources, state, (entry, resource) => {
    const names = getEmbedded(resource).filter((one) => findShown(one, state, entry, undefined) === user);
    if (names.length === 0) return entry;
    const shown = getShown(resource, entry);
    return { ...entry, ...Object.fromEntries(names.map(({ property }) => [property, shown[property]])) };
  });
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
