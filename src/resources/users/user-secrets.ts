import { createHash } from 'node:crypto';
import type { Entry } from '../../store/state.ts';
import { getKeyValue, getOwn, getPathValues } from '../entries/entry-values.ts';
import { PATH_VALUES, type Resource } from '../resource.ts';
import { findPasswords } from './passwords.ts';

/** The hidden value of a user with a text that is in all tokens of the user. */
const KEY = 'tokenKey';

/** Returns the text that is in all tokens of a user; undefined for users of the default data. */
export function getTokenKey(user: Entry): unknown {
  return getOwn(getPathValues(user), KEY);
}

/** Returns a copy of a new user with a text for tokens: a deleted user with the same id has other tokens. */
export function setTokenKey(user: Entry, key: string): Entry {
  return { ...user, [PATH_VALUES]: { ...getPathValues(user), [KEY]: key } };
}

/** The hidden value of a user with the hash of the password. */
const HASH = 'passwordHash';

function hashPassword(user: Entry, users: Resource, password: unknown): string {
  return createHash('sha256')
    .update(JSON.stringify([getTokenKey(user) ?? getKeyValue(user, users.id), String(password)]))
    .digest('hex');
}

/** Returns a copy of a user with the hash of a password. Clients never see it. */
export function setPassword(users: Resource, user: Entry, password: unknown): Entry {
  return { ...user, [PATH_VALUES]: { ...getPathValues(user), [HASH]: hashPassword(user, users, password) } };
}

/** Returns whether a user has a password. A user who was not registered with one has every password. */
export function hasPassword(users: Resource, user: Entry, password: unknown): boolean {
  const hash = getOwn(getPathValues(user), HASH);
  // A user in an edited data file can have the password itself.
  const { next = '' } = findPasswords(Object.keys(user)) ?? {};
  const text = getOwn(user, next);
  if (hash === undefined && typeof text === 'string') return text === password;
  return hash === undefined || hash === hashPassword(user, users, password);
}

/** Returns whether a user has a password of a registration or of the default data. */
export function isSecured(user: Entry): boolean {
  return getOwn(getPathValues(user), HASH) !== undefined || findPasswords(Object.keys(user)) !== undefined;
}
