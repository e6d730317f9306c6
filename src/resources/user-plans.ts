import type { Route } from '../openapi/routes.ts';
import { getOverrides } from './document-paths.ts';
import { findPlaceOfForm, locateRequest, locateResponse, renameParameters, sendsPart } from './places.ts';
import type { Action, PasswordChange, Plan, Resource } from './resource.ts';
import type { SchemaReader } from './schema-reader.ts';
import { findLogin, findOwnUser, findPasswordChange, isLogout } from './users.ts';

/** What the operations of a document say about its users. */
export interface UserContext {
  /** The paths that log users in. */
  readonly loginPaths: readonly string[];
  /** The paths that show the user who sends a request. */
  readonly ownPaths: readonly string[];
  /** Whether no operation lists the users. */
  readonly isHidden: boolean;
  /** Whether a login creates an unknown user. */
  readonly createsUnknown: boolean;
}

/**
 * Returns the plan of a login, a registration, a logout, or an operation on the user who sends the request.
 */
export function planUser(
  reader: SchemaReader,
  users: Resource,
  route: Route,
  { loginPaths, ownPaths, isHidden, createsUnknown }: UserContext,
): Plan | undefined {
  if (getOverrides(reader.document, route).off) return undefined;
  const [mount] = users.mounts;
  if (!mount || mount.parents.length > 0) return undefined;
  const base = { route, resource: users, mount, requestPath: [], entryPath: [] } as const;
  const login = findLogin(reader, users, route, isHidden);
  if (login) return { ...base, action: 'logIn', responsePath: [], login: { ...login, createsUnknown } };
  if (route.method === 'DELETE' && ownPaths.includes(route.path))
    return { ...base, action: 'delete', responsePath: [], isSender: true };
  if (isLogout(route, loginPaths)) return { ...base, action: 'logOut', responsePath: [] };
  const change = loginPaths.length > 0 ? findPasswordChange(reader, route) : undefined;
  if (change && !findOwnUser(reader, users, route)) return planPasswordChange(reader, users, route, change);
  const responsePath = findOwnUser(reader, users, route);
  if (!responsePath) return undefined;
  const requestPath = locateRequest(reader, users, route, undefined);
  const isPartial = route.method === 'PATCH' || sendsPart(reader, users, route, requestPath);
  const action: Action = route.method === 'GET' ? 'read' : isPartial ? 'update' : 'replace';
  return { ...base, action, requestPath, responsePath, isSender: true };
}

/**
 * Returns the plan of a change of a password: of the user who sends the request, or of the one in a path such as
 * `/users/{userId}/password`.
 */
function planPasswordChange(
  reader: SchemaReader,
  users: Resource,
  route: Route,
  { requestPath, passwords }: PasswordChange,
): Plan | undefined {
  const { pathNames, path } = route;
  const item = path.slice(0, path.lastIndexOf('}') + 1);
  const place = pathNames.length === 1 ? findPlaceOfForm([users], item) : undefined;
  const own = pathNames.length === 0 ? users.mounts[0] : place?.isItem && renameParameters(place.mount, item);
  if (!own || own.parents.length > 0 || path === item) return undefined;
  const located = locateResponse(reader, { resource: users, action: 'read' }, route, {});
  const base = {
    route,
    action: 'setPassword',
    resource: users,
    mount: own,
    requestPath,
    entryPath: [],
    passwords,
  } as const;
  const isSender = pathNames.length === 0;
  return typeof located === 'string'
    ? { ...base, isSender, responsePath: [], hidesEntry: true }
    : { ...base, isSender, responsePath: located };
}
