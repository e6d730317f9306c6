import { isCurrentPassword } from '../../openapi/login-paths.ts';
import type { Route } from '../../openapi/routes.ts';
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

/** Matches the end of a path that confirms the e-mail address of a user with a secret from a message. */
const CONFIRMATION =
  /[/_-]?(?:confirm|verify|validate|activate)[/_-]?(?:e-?mail|account|registration|user)?(?:\/\{[^/]+\})?$/i;

/** Names of secrets that a message has, without uppercase letters and separators. */
const MESSAGE_SECRETS = ['token', 'code', 'key', 'hash', 'otp'];

/** Returns whether an operation confirms an e-mail address with a secret from a message, such as `?token=`. */
export function confirmsEmail({ method, path, parameters }: Route): boolean {
  const isSecret = (name: string) => MESSAGE_SECRETS.some((secret) => normalizeName(name).endsWith(secret));
  return method === 'GET' && CONFIRMATION.test(path) && parameters.some(({ name }) => isSecret(name));
}
