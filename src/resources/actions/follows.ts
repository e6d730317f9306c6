import type { Route } from '../../openapi/routes.ts';
import type { Entry, State } from '../../store/state.ts';
import { addToGroup } from '../../util/groups.ts';
import { memoizeByObject } from '../../util/memoize-by-object.ts';
import { normalizeName } from '../../util/names.ts';
import { getLastSegment, getPathForm } from '../document/names.ts';
import { findPlaceOfForm } from '../document/places.ts';
import type { SchemaReader } from '../document/schema-reader.ts';
import { getEntryList } from '../entries/entries.ts';
import { findByKeys } from '../entries/entry-lists.ts';
import { getKeyValue } from '../entries/entry-values.ts';
import type { Follow, Resource } from '../resource.ts';
import { listFlagged } from '../users/sender-flags.ts';
import { splitActionPath } from './actions.ts';

/** Matches the last segment of a path that makes the sender of a request follow a user, or ends it. */
const FOLLOW = /^(?:un)?follow$|^followers?$/i;

/** Matches the last segments of paths that list the users who follow a user, and those whom a user follows. */
const FOLLOWERS = /^followers$/i;
const FOLLOWING = /^(?:followings?|followees|follows|followed)$/i;

/** Matches names of properties with followers, and with followed users, without uppercase letters and separators. */
const FOLLOWERS_NAME = /^(?:num|numberof|total)?followers?(?:count|total|ids)?$/;
const FOLLOWING_NAME = /^(?:num|numberof|total)?(?:followings?|followees?|follows|followed)(?:count|total|ids)?$/;

/** Matches names of booleans that say whether the sender of a request follows a user. */
const FLAG = /^(?:is)?(?:followed|following)(?:by(?:me|you|viewer))?$/;

/** The flag of documents in which no response says whether the sender of a request follows a user. */
const HIDDEN_FLAG = 'following';

/**
 * Returns how users follow each other, if an operation such as `POST /users/{userId}/follow` has no request body.
 * Returns undefined if there is no such operation.
 */
export function findFollow(reader: SchemaReader, users: Resource, routes: readonly Route[]): Follow | undefined {
  const following = routes.filter((route) => followsUser(reader, users, route));
  if (following.length === 0) return undefined;
  const shown = users.mounts.flatMap((mount) => mount.shown ?? []);
  const responses = following.flatMap((route) => {
    const response = reader.getResponseSchema(route, route.successStatus);
    return response === undefined ? [] : [reader.findEntry(response, users.singular, users.schema).schema];
  });
  const names = [...responses, ...shown, users.schema].flatMap((schema) =>
    [...reader.getProperties(schema)].flatMap(([name, pointer]) =>
      FLAG.test(normalizeName(name)) && reader.getTypes(pointer).includes('boolean') ? [name] : [],
    ),
  );
  return { flag: names[0] ?? HIDDEN_FLAG };
}

/** Returns whether an operation makes the sender of a request follow a user, or ends it. */
export function followsUser(reader: SchemaReader, users: Resource, route: Route): boolean {
  const action = splitActionPath(route.path);
  const place = action && FOLLOW.test(action.verb) ? findPlaceOfForm([users], action.item) : undefined;
  return (
    place?.isItem === true &&
    place.mount.parents.length === 0 &&
    ['POST', 'PUT', 'DELETE'].includes(route.method) &&
    reader.getRequestSchema(route) === undefined
  );
}

/** Returns whether an operation such as `POST /users/{userId}/follow` starts to follow a user, and does not end it. */
export function startsToFollow({ method, path }: Pick<Route, 'method' | 'path'>): boolean {
  return method !== 'DELETE' && !/^un/i.test(getLastSegment(path));
}

/** Returns which users a path such as `/users/{userId}/followers` lists; undefined for other paths. */
export function getFollowList(path: string): 'followers' | 'following' | undefined {
  const segment = getLastSegment(getPathForm(path));
  if (FOLLOWERS.test(segment)) return 'followers';
  return FOLLOWING.test(segment) ? 'following' : undefined;
}

/** Returns the users who follow a user, or whom a user follows. */
export function listFollows(
  follow: Follow,
  users: Resource,
  state: State,
  user: Entry,
  list: 'followers' | 'following',
): readonly Entry[] {
  const all = getEntryList(state, users);
  if (list === 'followers')
    return listFlagged(user, follow.flag).flatMap((id) => findByKeys(all, [users.id], [String(id)]));
  return indexFollowed(follow)(all.entries).get(getKeyValue(user, users.id) ?? '') ?? [];
}

/** Returns the users whom each user follows, by the id of the user. */
const indexFollowed = memoizeByObject(({ flag }: Follow) =>
  memoizeByObject((entries: readonly Entry[]): ReadonlyMap<string, readonly Entry[]> => {
    const index = new Map<string, Entry[]>();
    for (const entry of entries) for (const id of listFlagged(entry, flag)) addToGroup(index, String(id), entry);
    return index;
  }),
);

/** A property of a user with followers or followed users: their number, or their ids. */
export interface FollowProperty {
  readonly property: string;
  readonly list: 'followers' | 'following';
  /** The JSON Pointer of the schema of an id. Undefined if the property is a number. */
  readonly items: string | undefined;
}

/** Finds the properties of a schema with numbers or ids of followers and followed users. */
export const findFollowProperties = memoizeByObject(
  (reader: SchemaReader) => (schema: string) =>
    [...reader.getProperties(schema)].flatMap(([property, pointer]): readonly FollowProperty[] => {
      const name = normalizeName(property);
      const list = FOLLOWERS_NAME.test(name) ? 'followers' : FOLLOWING_NAME.test(name) ? 'following' : undefined;
      const items = reader.getItems(pointer);
      const isShown = reader.allowsNumber(pointer) || (items !== undefined && reader.isScalar(items));
      return list && isShown ? [{ property, list, items }] : [];
    }),
);

/** Returns the values of properties with followers and followed users. `toId`: returns the id of a user in a list. */
export function computeFollows(
  properties: readonly FollowProperty[],
  listUsers: (list: 'followers' | 'following') => readonly Entry[],
  toId: (items: string, user: Entry) => unknown,
): Entry {
  return Object.fromEntries(
    properties.map(({ property, list, items }) => {
      const users = listUsers(list);
      return [property, items === undefined ? users.length : users.map((user) => toId(items, user))];
    }),
  );
}
