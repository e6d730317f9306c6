import { DomainError } from '../../application.ts';
import { omitKeys } from '../../openapi/document.ts';
import type { EntryList } from '../../store/entry-list.ts';
import type { Entry, State } from '../../store/state.ts';
import type { Issue } from '../../util/issue.ts';
import { formatPointer } from '../../util/json-pointer.ts';
import { addArticle } from '../document/names.ts';
import { findByKeys } from '../entries/entry-lists.ts';
import { getKeyValue, getOwn } from '../entries/entry-values.ts';
import { isReserved } from '../entries/sequences.ts';
import { createUuidFrom } from '../entries/server-values.ts';
import type { Inference, Resource } from '../resource.ts';
import type { ResourceModel } from '../resource-model.ts';
import { findPasswords, type Passwords } from './passwords.ts';
import { normalizeLogin } from './user-names.ts';
import { getTokenKey, hasPassword, setPassword, setTokenKey } from './user-secrets.ts';
import { findByLogin } from './users.ts';

/** What is inferred about users. */
type Users = Pick<Inference, 'users' | 'loginNames'>;

/**
 * Returns a new user with the hash of the password in a request body, and without the password.
 * Returns other entries, and users who don't log in, unchanged.
 * Throws a `DomainError` if another user has the login in the body.
 */
export function createAccount(
  inference: Users,
  resource: Resource,
  user: Entry,
  { state, sent, newId }: { readonly state: State; readonly sent: Entry; readonly newId: () => string },
): Entry {
  if (!hasAccounts(inference, resource)) return user;
  requireFreeLogin(inference, resource, state, { ...user, ...sent });
  return keepPassword(resource, setTokenKey(user, newId()), sent);
}

/**
 * Returns a user of the default data with the hash of the password, if the data has one, and without the password.
 * If users have their names as ids, the user also gets a text for tokens, so that a new name does not end them.
 * Returns other entries, and users who don't log in, unchanged.
 */
export function createDefaultAccount(inference: Users, resource: Resource, user: Entry): Entry {
  if (!hasAccounts(inference, resource)) return user;
  const { property = '' } = resource.id;
  const isNamed = inference.loginNames.includes(property) && getTokenKey(user) === undefined;
  const keyed = isNamed ? setTokenKey(user, createUuidFrom(`${resource.name} ${user[property]}`)) : user;
  return keepPassword(resource, keyed, user);
}

/**
 * Returns a changed user with the hash of the password in a request body, and without the password.
 * Returns other entries, and users who don't log in, unchanged.
 * Throws a `DomainError` if another user has the new login.
 * `current`: the user before the change.
 */
export function changeAccount(
  inference: Users,
  resource: Resource,
  user: Entry,
  { state, sent, current }: { readonly state: State; readonly sent: Entry; readonly current: Entry },
): Entry {
  if (!hasAccounts(inference, resource)) return user;
  requireFreeLogin(inference, resource, state, user, current);
  return keepPassword(resource, user, sent);
}

/**
 * Returns a changed user with the id in a request of this user, if the id is a login such as the user name.
 * Other requests can't change ids.
 */
export function changeOwnId(
  { inference, responses }: Pick<ResourceModel, 'inference' | 'responses'>,
  users: Resource,
  user: Entry,
  sent: Entry,
): Entry {
  const { property = '' } = users.id;
  const value = getOwn(sent, property);
  const isNew = inference.loginNames.includes(property) && typeof value === 'string' && value !== user[property];
  if (!isNew || value === '') return user;
  // Generated values depend on the id, and clients have seen those of the old id.
  const { value: shown } = responses.completeEntry(users, users.schema, user);
  return { ...(shown as Entry), ...user, [property]: value };
}

function hasAccounts({ users, loginNames }: Users, resource: Resource): boolean {
  return resource === users && loginNames.length > 0;
}

/** Returns the property with a login, such as an e-mail address, that another user has; undefined if there is none. */
export function findUsedLogin(
  { users, loginNames }: Users,
  resource: Resource,
  state: State,
  user: Entry,
  current?: Entry,
): string | undefined {
  if (resource !== users) return undefined;
  return loginNames.find(
    (name) => user[name] !== current?.[name] && findByLogin(users, state, name, user[name], current) !== undefined,
  );
}

/** Throws a `DomainError` if a user has a login that another user has, such as an e-mail address. */
function requireFreeLogin(inference: Users, users: Resource, state: State, user: Entry, current?: Entry): void {
  const used = findUsedLogin(inference, users, state, user, current);
  const { loginNames } = inference;
  const { property: idName = '' } = users.id;
  const isNew = loginNames.includes(idName) && user[idName] !== current?.[idName];
  if (isNew && isReserved(state, users, user[idName]))
    throw new DomainError(
      'entry-exists',
      `other entries belong to a deleted ${users.singular} with this ${idName}: use another ${idName}`,
    );
  if (used === undefined) return;
  const what = current ? 'use another' : 'log in, or use another';
  throw new DomainError(
    'entry-exists',
    `${addArticle(users.singular)} with this ${used} already exists: ${what} ${used}`,
  );
}

/**
 * Finds the users whose login another user has, such as an e-mail address.
 * Leaves out logins that two users had before.
 * `before`: the users before a change.
 */
export function findLoginIssues(
  { loginNames }: Users,
  { name: list, id }: Resource,
  users: readonly Entry[],
  before: EntryList,
): readonly Issue[] {
  const owners = new Map<string, number>();
  const logins = users.flatMap((user, index) =>
    loginNames.flatMap((name) => {
      const login = normalizeLogin(user[name] ?? '');
      const current = findByKeys(before, [id], [getKeyValue(user, id)]);
      const isKnown = current.some((one) => normalizeLogin(one[name] ?? '') === login);
      return login === '' ? [] : [{ login, name, index, isKnown }];
    }),
  );
  const sorted = [...logins].sort((a, b) => Number(b.isKnown) - Number(a.isKnown));
  return sorted.flatMap(({ login, name, index, isKnown }): readonly Issue[] => {
    const owner = owners.get(login) ?? index;
    owners.set(login, owner);
    if (owner === index || isKnown) return [];
    const message = `is a login of ${formatPointer(list, owner)}: use another ${name}`;
    return [{ pointer: formatPointer(list, index, name), message, rule: 'unique' }];
  });
}

/**
 * Returns a copy of a user with the hash of the password in a request body, and without the password.
 * A password that is null changes nothing.
 * Throws a `DomainError` if the body has another current password than the user, or two different new ones.
 */
function keepPassword(users: Resource, user: Entry, sent: Entry): Entry {
  const passwords = findPasswords(Object.keys(sent));
  if (!passwords) return user;
  const names = Object.values(passwords).filter((name) => name !== undefined);
  // A form can send null for a password that the user has not typed.
  if (sent[passwords.next] === null) return omitKeys(user, names);
  requirePassword(users, user, passwords, sent);
  requireSame(passwords, sent);
  return setPassword(users, omitKeys(user, names), sent[passwords.next]);
}

/** Throws a `DomainError` if a request body has another current password than the user. */
function requirePassword(users: Resource, user: Entry, { current }: Passwords, sent: Entry): void {
  if (current === undefined || hasPassword(users, user, sent[current])) return;
  throw new DomainError('password-refused', `the ${current} is wrong: send the password with which the user logs in`);
}

/**
 * Returns a copy of a user with the new password in a request body.
 * Throws a `DomainError` if the body has another current password than the user, or two different new ones.
 */
export function changePassword(users: Resource, user: Entry, passwords: Passwords, sent: Entry): Entry {
  requirePassword(users, user, passwords, sent);
  requireSame(passwords, sent);
  return setPassword(users, user, sent[passwords.next]);
}

/** Throws a `DomainError` if a request body has two different new passwords. */
function requireSame({ next, repeated }: Passwords, sent: Entry): void {
  if (repeated === undefined || !Object.hasOwn(sent, repeated) || sent[repeated] === sent[next]) return;
  throw new DomainError('password-refused', `the ${repeated} is not the ${next}: send the same text in both`);
}
