import { normalizeName } from '../util/names.ts';

/** Matches the last segment of a path that logs a user in, such as `login` and `admin-sign-in`. */
const LOGIN = /^(?:\w+[-_])?(?:log|sign)[-_]?(?:in|on)$/i;

/** Matches the last segment of a path that logs a user in if the request has a secret. */
const SESSION = /^(?:auth|authenticate|authentication|authorize|sessions?|tokens?)$/i;

const SIGN_UP = /^sign[-_]?up$/i;

/** Matches the last segment of a path that registers a user if the request has a secret. */
const REGISTRATION = /^(?:register|registrations?|join|create[-_]?account)$/i;

/** Matches the last segment of a path that logs a user out. */
const LOGOUT = /^(?:log|sign)[-_]?(?:out|off)$/i;

/** Matches the last segments of a path that issues another token, such as `/token/refresh`. */
const TOKEN_REFRESH = /[/_-](?:refresh|renew)(?:[/_-]?tokens?)?\/?$/i;

const PASSWORD_RESET =
  /^(?:(?:forgot|forgotten|reset|recover)[-_]?passwords?|passwords?[-_](?:forgot|reset|recovery))$/i;

/** Matches the name of the current password in a change of a password, without uppercase letters and separators. */
const CURRENT_PASSWORD = /^(?:current|old|existing|previous)(?:password|passwd|pwd)?$|^password(?:current|old)$/;

/** Returns whether a property has the current password in a change of a password, such as `oldPassword`. */
export function isCurrentPassword(name: string): boolean {
  return CURRENT_PASSWORD.test(normalizeName(name));
}

/** Returns whether a path logs a user in. `segment`: its last segment. */
export function isLoginSegment(segment: string): boolean {
  return LOGIN.test(segment) || SESSION.test(segment);
}

/** Returns whether a path logs a user out. */
export function isLogoutPath(path: string): boolean {
  return LOGOUT.test(getLastSegment(path));
}

/** Returns whether a path registers a user. `segment`: its last segment. */
export function isRegistrationSegment(segment: string): boolean {
  return SIGN_UP.test(segment) || REGISTRATION.test(segment);
}

/** Returns whether a path issues another token for that in a request. */
export function isTokenRefreshPath(path: string): boolean {
  return TOKEN_REFRESH.test(path);
}

/**
 * Returns whether a path logs a user in.
 * `hasSecret`: returns whether the request has a secret. Without one, words such as `sessions` can mean other things.
 */
export function isLoginPath(path: string, hasSecret: () => boolean): boolean {
  const segment = getLastSegment(path);
  return LOGIN.test(segment) || (SESSION.test(segment) && hasSecret());
}

/**
 * Returns whether clients request a path before they have credentials: it logs a user in, registers one, renews a
 * token, or resets a forgotten password.
 * `hasSecret`: returns whether the request has a secret. Without one, words such as `sessions` can mean other things.
 */
export function precedesLogin(path: string, hasSecret: () => boolean): boolean {
  const segment = getLastSegment(path);
  if (LOGIN.test(segment) || SIGN_UP.test(segment) || PASSWORD_RESET.test(segment)) return true;
  return (SESSION.test(segment) || REGISTRATION.test(segment) || TOKEN_REFRESH.test(path)) && hasSecret();
}

/** Matches the last segment of a path whose POST registers a user if the document has no path such as `/register`. */
const USERS = /^(?:users?|accounts?|members?|customers?)$/i;

/** Returns whether the last segment of a path names users. */
export function isUsersPath(path: string): boolean {
  return USERS.test(getLastSegment(path));
}

/** Returns whether a POST of the users at a path registers one: the document has a login, but no other registration. */
export function registersUsers(path: string, paths: readonly string[]): boolean {
  if (!isUsersPath(path)) return false;
  const segments = paths.map(getLastSegment);
  return segments.some(isLoginSegment) && !segments.some(isRegistrationSegment);
}

function getLastSegment(path: string): string {
  const own = path.replace(/\/$/, '');
  return own.slice(own.lastIndexOf('/') + 1);
}
