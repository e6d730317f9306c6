import { createHash } from 'node:crypto';
import { omitKeys } from '../openapi/document.ts';
import type { Entry } from '../store/state.ts';
import { normalizeName } from '../util/names.ts';
import { getKeyValue, getOwn, getPathValues } from './entry-values.ts';
import { type Inference, PATH_VALUES, type Resource } from './resource.ts';
import { PASSWORD_NAMES } from './users.ts';

/** The hidden value of a user with the hash of the password. */
const HASH = 'passwordHash';

function hashPassword(user: Entry, users: Resource, password: unknown): string {
  return createHash('sha256')
    .update(JSON.stringify([getKeyValue(user, users.id), String(password)]))
    .digest('hex');
}

/**
 * Returns a copy of a user with the hash of the password in a request body, and without the password.
 * Returns other entries, and users who don't log in, unchanged.
 */
export function keepPassword(
  { users, hasLogin }: Pick<Inference, 'users' | 'hasLogin'>,
  resource: Resource,
  user: Entry,
  sent: Entry,
): Entry {
  if (resource !== users || !hasLogin) return user;
  const name = Object.keys(sent).find((one) => PASSWORD_NAMES.includes(normalizeName(one)));
  return name === undefined ? user : setPassword(users, omitKeys(user, [name]), sent[name]);
}

/** Returns a copy of a user with the hash of a password. Clients never see it. */
export function setPassword(users: Resource, user: Entry, password: unknown): Entry {
  return { ...user, [PATH_VALUES]: { ...getPathValues(user), [HASH]: hashPassword(user, users, password) } };
}

/** Returns whether a user has a password. A user who was not registered with one has every password. */
export function hasPassword(users: Resource, user: Entry, password: unknown): boolean {
  const hash = getOwn(getPathValues(user), HASH);
  return hash === undefined || hash === hashPassword(user, users, password);
}
