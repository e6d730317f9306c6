import { isCurrentPassword } from '../../openapi/login-paths.ts';
import { normalizeName } from '../../util/names.ts';
import { PASSWORD_NAMES } from './user-names.ts';

/** The names of the properties with passwords in a request body. */
export interface Passwords {
  /** The password that the user has. Undefined if the request does not have it. */
  readonly current: string | undefined;
  readonly next: string;
  /** The new password again. */
  readonly repeated: string | undefined;
}

/** How an operation changes the password of a user. `requestPath`: the property names that lead to the passwords. */
export interface PasswordChange {
  readonly requestPath: readonly string[];
  readonly passwords: Passwords;
}

/** Names of properties with a new password. */
const NEW_PASSWORD = /^new(?:password|passwd|pwd)?$|^passwordnew$/;

/** Names of properties with a password that a user has typed again. */
const REPEATED_PASSWORD =
  /^(?:confirm|repeat|retype|verify)(?:ed)?(?:new)?(?:password|passwd|pwd)$|^(?:new)?(?:password|passwd|pwd)(?:confirm|confirmation|confirmed|repeat|again|verification|2)$/;

/**
 * Returns the names of the passwords in a request body: `password`, or `currentPassword` and `newPassword`.
 * Returns undefined if there is no password.
 */
export function findPasswords(names: readonly string[]): Passwords | undefined {
  const find = (pattern: RegExp) => names.find((name) => pattern.test(normalizeName(name)));
  const only = names.find((name) => PASSWORD_NAMES.includes(normalizeName(name)));
  const added = find(NEW_PASSWORD);
  const next = added ?? only;
  if (next === undefined) return undefined;
  return {
    current: names.find(isCurrentPassword) ?? (added === undefined ? undefined : only),
    next,
    repeated: find(REPEATED_PASSWORD),
  };
}
