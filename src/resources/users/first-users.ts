import { isRegistrationSegment } from '../../openapi/login-paths.ts';
import type { Route } from '../../openapi/routes.ts';
import { normalizeName, toSingular } from '../../util/names.ts';
import { getLastSegment, getParentPath } from '../document/names.ts';
import type { SchemaReader } from '../document/schema-reader.ts';
import type { Resource } from '../resource.ts';
import { LOGIN_NAMES, PASSWORD_NAMES } from './user-names.ts';

/** Words before the login and the password of the first user of a tenant, such as `admin` in `adminEmail`. */
const FIRST_USERS = ['superadmin', 'admin', 'owner', 'manager', 'user'];

/** Matches the last segment of a path that registers a tenant with its first user, such as `register-tenant`. */
const TENANT_REGISTRATION = /^(?:register|sign[-_]?up|onboard)[-_]?(?=[a-z])/i;

/** Returns the name of what a path such as `/register-tenant` registers with its first user: `tenant`. */
export function getTenantName({ path }: Pick<Route, 'path'>): string {
  const [parent, segment] = [getLastSegment(getParentPath(path)), getLastSegment(path)];
  return normalizeName(isRegistrationSegment(segment) ? toSingular(parent) : segment.replace(TENANT_REGISTRATION, ''));
}

/**
 * Returns the credentials of the first user in a request that registers a tenant, such as `adminEmail` and
 * `adminPassword` of `POST /register-tenant`: their names without the prefix.
 */
export function findFirstUserCredentials(reader: SchemaReader, route: Route, schema: string) {
  const segment = getLastSegment(route.path);
  if (!isRegistrationSegment(segment) && !TENANT_REGISTRATION.test(segment)) return undefined;
  const names = [...reader.getProperties(schema).keys()];
  for (const prefix of FIRST_USERS) {
    // A user who registers a device can already exist.
    if (prefix === 'user' && !isRegistrationSegment(segment)) continue;
    const rest = names.map((name) => removePrefix(name, prefix)).filter((name) => name !== undefined);
    const find = (known: readonly string[]) => rest.find((name) => known.includes(normalizeName(name)));
    const [login, password] = [find(LOGIN_NAMES), find(PASSWORD_NAMES)];
    if (login !== undefined && password !== undefined)
      return { prefix, credentials: { login, password, others: [] as readonly string[] } };
  }
  return undefined;
}

/** Returns a name without a prefix: `email` for `adminEmail` and `admin_email`; undefined if it has another one. */
export function removePrefix(name: string, prefix: string): string | undefined {
  if (!name.toLowerCase().startsWith(prefix)) return undefined;
  const rest = name.slice(prefix.length).replace(/^[^a-z0-9]+/i, '');
  return rest === '' ? undefined : rest.charAt(0).toLowerCase() + rest.slice(1);
}

/** Returns the logins of users whose values a login such as `username` can have, if users have no such property. */
export function findOtherLogins(reader: SchemaReader, { schema }: Resource, name: string): readonly string[] {
  const names = [...reader.getProperties(schema).keys()];
  if (names.some((one) => normalizeName(one) === normalizeName(name))) return [];
  return names.filter((one) => LOGIN_NAMES.includes(normalizeName(one)));
}
