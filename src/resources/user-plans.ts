import type { Route } from '../openapi/routes.ts';
import { getOverrides } from './document-paths.ts';
import { locateRequest, sendsPart } from './places.ts';
import type { Action, Plan, Resource } from './resource.ts';
import type { SchemaReader } from './schema-reader.ts';
import { findLogin, findOwnUser, isLogout } from './users.ts';

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
  const responsePath = findOwnUser(reader, users, route);
  if (!responsePath) return undefined;
  const requestPath = locateRequest(reader, users, route, undefined);
  const isPartial = route.method === 'PATCH' || sendsPart(reader, users, route, requestPath);
  const action: Action = route.method === 'GET' ? 'read' : isPartial ? 'update' : 'replace';
  return { ...base, action, requestPath, responsePath, isSender: true };
}
