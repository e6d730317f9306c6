import type { Route } from '../../openapi/routes.ts';
import type { Entry, State } from '../../store/state.ts';
import { memoizeByObject } from '../../util/memoize-by-object.ts';
import { normalizeName } from '../../util/names.ts';
import { findStateValue } from '../actions/states.ts';
import type { SchemaReader } from '../document/schema-reader.ts';
import { getEntryList } from '../entries/entries.ts';
import { findByKeys } from '../entries/entry-lists.ts';
import { getKeyValue, getOwn, getPathValues } from '../entries/entry-values.ts';
import { type Effect, type Inference, PATH_VALUES, type Plan, type Resource } from '../resource.ts';

/** Matches booleans that are different for each user, such as `favorited`, without uppercase letters and separators. */
const FLAG =
  /^(?:is|has)?(?:favou?rited?|liked|followed|following|bookmarked|starred|subscribed|saved|upvoted|voted|watched|watching)(?:by(?:me|you|viewer))?$/;

/** Returns whether a boolean says something about an entry and the user who sends the request, such as `favorited`. */
export function isSenderFlag(property: string): boolean {
  return FLAG.test(normalizeName(property));
}

/**
 * Returns the property names that lead to a boolean in the response to an action that sets it, such as
 * `{ isFavorited }`.
 * Returns undefined if the response shows no such boolean.
 */
export function locateFlags(
  reader: SchemaReader,
  { singular, schema: own }: Resource,
  route: Route,
  { values }: Effect,
): readonly string[] | undefined {
  const response = reader.getResponseSchema(route, route.successStatus);
  if (response === undefined) return undefined;
  const { path, schema } = reader.findEntry(response, singular, own);
  const properties = reader.getProperties(schema);
  return values.some(({ property }) => isSenderFlag(property) && properties.has(property)) ? path : undefined;
}

/** Returns whether the response to an action shows a boolean that the action sets, and that entries lack. */
export function showsOtherFlags(reader: SchemaReader, { effect, resource }: Plan, shown: string): boolean {
  const flags = (effect?.values ?? []).filter(({ property }) => isSenderFlag(property));
  if (flags.length === 0 || shown === '') return false;
  const known = resource.schema === '' ? undefined : reader.getProperties(resource.schema);
  return flags.some(({ property }) => reader.getProperties(shown).has(property) && !known?.has(property));
}

/**
 * Returns the effect of an action on a boolean that only its response shows, such as `following` of a profile for
 * `POST /profiles/{username}/follow`.
 */
export function findSenderFlag(
  reader: SchemaReader,
  resource: Resource,
  route: Route,
  verb: string,
): Effect | undefined {
  const response = reader.getResponseSchema(route, route.successStatus);
  if (response === undefined || !['POST', 'PUT', 'DELETE'].includes(route.method)) return undefined;
  const { schema } = reader.findEntry(response, resource.singular, resource.schema);
  const found = findStateValue(reader, schema, verb);
  if (typeof found?.value !== 'boolean' || !isSenderFlag(found.property)) return undefined;
  const value = { property: found.property, value: found.value === (route.method !== 'DELETE') };
  return { values: [value], time: undefined, counter: undefined, setsBody: false };
}

/** Returns the booleans that actions such as `favorite` set for the user who sends the request, by resource. */
const indexFlags = memoizeByObject(
  ({ users, plans }: Pick<Inference, 'users' | 'plans'>): ReadonlyMap<string, ReadonlySet<string>> => {
    const flags = new Map<string, Set<string>>();
    for (const { resource, effect } of users ? plans.values() : [])
      for (const { property, value } of effect?.values ?? []) {
        if (typeof value !== 'boolean' || !isSenderFlag(property)) continue;
        const known = flags.get(resource.name);
        if (known) known.add(property);
        else flags.set(resource.name, new Set([property]));
      }
    return flags;
  },
);

/** Returns the booleans of a resource's entries that actions set for the user who sends the request. */
export function getSenderFlags(
  inference: Pick<Inference, 'users' | 'plans'>,
  { name }: Pick<Resource, 'name'>,
): readonly string[] {
  return [...(indexFlags(inference).get(name) ?? [])];
}

/**
 * Returns the booleans of a resource's entries by the query parameters that name a user for whom they are true:
 * `favorited` or `favoritedBy` for `?favorited=ann`.
 */
export function findUserFilters(
  inference: Pick<Inference, 'users' | 'plans'>,
  resource: Pick<Resource, 'name'>,
  parameters: readonly { readonly name: string }[],
): ReadonlyMap<string, string> {
  const flags = getSenderFlags(inference, resource);
  return new Map(
    parameters.flatMap(({ name }) => {
      const flag = flags.find((one) => [one, `${one}By`].map(normalizeName).includes(normalizeName(name)));
      return flag === undefined ? [] : [[name, flag] as const];
    }),
  );
}

/**
 * Booleans of users that say whether they have a relation to the user who sends a request: the pattern of the boolean,
 * without uppercase letters and separators, `is` and `by me`, and that of the name of the relation.
 */
const RELATION_FLAGS: readonly (readonly [flag: RegExp, relation: RegExp])[] = [
  [/^(?:my)?friend$/, /^friend(?:ship)?$/],
  [/^block(?:ed|ing)?$/, /^(?:user)?block(?:ed|eduser)?$/],
  [/^mut(?:e|ed|ing)$/, /^mute(?:d|duser)?$/],
  [/^(?:my)?contact$/, /^contact$/],
  [/^follow(?:ed|ing)$/, /^follow(?:ing)?$/],
  [/^connect(?:ed|ion)$/, /^connection$/],
];

/** A boolean of users, and the resource whose entries are the other users for whom it is true. */
interface RelationFlag {
  readonly property: string;
  readonly resource: Resource;
}

/** Returns the booleans of users that say how they are related to the user who sends a request, such as `is_friend`. */
export function getRelationFlags(
  reader: SchemaReader,
  inference: Pick<Inference, 'users' | 'resources'>,
  { name }: Pick<Resource, 'name'>,
): readonly RelationFlag[] {
  return name === inference.users?.name ? findRelationFlags(reader)(inference) : [];
}

/** Returns the booleans of a resource's entries that are different for each user who sends a request. */
export function listFlagNames(reader: SchemaReader, inference: Inference, resource: Resource): readonly string[] {
  const related = getRelationFlags(reader, inference, resource).map(({ property }) => property);
  return [...getSenderFlags(inference, resource), ...related];
}

/** Returns the booleans in a schema that are different for each user, and functions that return their values. */
export function findShownFlags(
  reader: SchemaReader,
  inference: Inference,
  resource: Resource,
  { state, sender, schema }: { readonly state: State; readonly sender: string | undefined; readonly schema: string },
): readonly { readonly property: string; isSet(entry: Entry): boolean }[] {
  const shown = schema === '' ? undefined : reader.getProperties(schema);
  const flags = sender === undefined ? [] : getSenderFlags(inference, resource);
  const user = sender ?? '';
  const own = flags.map((property) => ({ property, isSet: (entry: Entry) => hasFlag(entry, property, user) }));
  const related = getRelationFlags(reader, inference, resource).map((flag) => ({
    property: flag.property,
    isSet: (entry: Entry) => isRelated(flag, state, user, getKeyValue(entry, resource.id)),
  }));
  return [...own, ...related].filter(({ property }) => shown?.has(property));
}

/** Finds the booleans of users that follow from the own list of the user who sends a request, such as `is_friend`. */
const findRelationFlags = memoizeByObject((reader: SchemaReader) =>
  memoizeByObject(({ users, resources }: Pick<Inference, 'users' | 'resources'>): readonly RelationFlag[] => {
    if (!users) return [];
    const schemas = [users.schema, ...(users.otherSchemas ?? []), ...users.mounts.flatMap(({ shown }) => shown ?? [])];
    const names = new Set(
      schemas.flatMap((schema) =>
        [...reader.getProperties(schema)].flatMap(([name, pointer]) =>
          reader.getTypes(pointer).includes('boolean') ? [name] : [],
        ),
      ),
    );
    const own = resources.filter(
      ({ kind, mounts, memberOf, relation }) =>
        kind === 'collection' &&
        (memberOf === users.name || relation !== undefined) &&
        mounts[0]?.parents.at(-1)?.isSender === true,
    );
    return [...names].flatMap((property) => {
      const word = normalizeName(property).replace(/^(?:is|are|has)|by(?:me|you|viewer)$/g, '');
      const [, pattern] = RELATION_FLAGS.find(([flag]) => flag.test(word)) ?? [];
      const [resource, ...others] = own.filter(({ singular }) => pattern?.test(normalizeName(singular)));
      return resource && others.length === 0 ? [{ property, resource }] : [];
    });
  }),
);

/** Returns whether a user is in the list of a relation of the user who sends a request. */
function isRelated({ resource }: RelationFlag, state: State, sender: string, user: string | undefined): boolean {
  const [mount] = resource.mounts;
  const parents = mount?.parents.slice(-1) ?? [];
  const list = getEntryList(state, resource);
  return user !== undefined && findByKeys(list, [resource.id, ...parents], [user, sender]).length > 0;
}

/** Returns the key of the hidden value of an entry with the ids of the users for whom a boolean is true. */
function getHiddenKey(property: string): string {
  return `${property}.by`;
}

/** Returns the ids of the users for whom a boolean of an entry is true. */
export function listFlagged(entry: Entry, property: string): readonly unknown[] {
  const users = getOwn(getPathValues(entry), getHiddenKey(property));
  return Array.isArray(users) ? users : [];
}

/** Returns whether a boolean of an entry is true for the user with an id. */
export function hasFlag(entry: Entry, property: string, user: string): boolean {
  return listFlagged(entry, property).includes(user);
}

/** Returns the booleans of an entry that an action sets for the user with an id, as they are now. */
export function readFlags({ values }: Effect, entry: Entry, user: string | undefined): Entry {
  const flags = values.filter(({ property, value }) => typeof value === 'boolean' && isSenderFlag(property));
  return user === undefined
    ? {}
    : Object.fromEntries(flags.map(({ property }) => [property, hasFlag(entry, property, user)]));
}

/** Returns a copy of an entry in which a boolean has another value for the user with an id. */
export function setFlag(entry: Entry, property: string, user: string, value: boolean): Entry {
  const others = listFlagged(entry, property).filter((one) => one !== user);
  const users = value ? [...others, user] : others;
  return { ...entry, [PATH_VALUES]: { ...getPathValues(entry), [getHiddenKey(property)]: users } };
}

/**
 * Changes of the ids of users: the new id of a renamed user by the old one.
 * The new id of a deleted user is undefined.
 */
export type IdChanges = ReadonlyMap<unknown, unknown>;

/** Returns a list of ids of users after some changes. Returns the list itself if it stays the same. */
export function changeIds(ids: readonly unknown[], changes: IdChanges): readonly unknown[] {
  if (!ids.some((id) => changes.has(id))) return ids;
  return ids.map((id) => (changes.has(id) ? changes.get(id) : id)).filter((id) => id !== undefined);
}

/** Changes the ids in the lists of users for whom a boolean of an entry is true. */
export function changeFlags(entry: Entry, changes: IdChanges): Entry {
  const values = getPathValues(entry);
  const changed = Object.entries(values).flatMap(([key, users]) => {
    const next = key.endsWith(getHiddenKey('')) && Array.isArray(users) ? changeIds(users, changes) : users;
    return next === users ? [] : [[key, next]];
  });
  return changed.length === 0 ? entry : { ...entry, [PATH_VALUES]: { ...values, ...Object.fromEntries(changed) } };
}

/** Returns the numbers that actions such as `like` change, by the booleans that they set for a user, by resource. */
const indexCounters = memoizeByObject(
  ({ plans }: Pick<Inference, 'plans'>): ReadonlyMap<string, ReadonlyMap<string, string>> => {
    const counters = new Map<string, Map<string, string>>();
    for (const { resource, effect } of plans.values())
      for (const { property } of effect?.counter ? effect.values.filter((one) => isSenderFlag(one.property)) : []) {
        const known = counters.get(resource.name) ?? new Map<string, string>();
        counters.set(resource.name, known.set(property, effect?.counter?.property ?? ''));
      }
    return counters;
  },
);

/** Returns an entry of a resource without the ids of deleted users in its booleans. Numbers of users become smaller. */
export function removeFlags(
  inference: Pick<Inference, 'plans'>,
  { name }: Pick<Resource, 'name'>,
  entry: Entry,
  changes: IdChanges,
): Entry {
  const changed = changeFlags(entry, changes);
  const counters = changed === entry ? [] : [...(indexCounters(inference).get(name) ?? [])];
  const counts = counters.flatMap(([flag, property]) => {
    const lost = listFlagged(entry, flag).length - listFlagged(changed, flag).length;
    const count = getOwn(entry, property);
    return lost > 0 && typeof count === 'number' ? [[property, Math.max(0, count - lost)] as const] : [];
  });
  return counts.length === 0 ? changed : { ...changed, ...Object.fromEntries(counts) };
}
