import type { Document, Node } from '../../openapi/document.ts';
import { getNode, isNode } from '../../openapi/document.ts';
import { findColonParameter, type Route } from '../../openapi/routes.ts';
import { addToGroup } from '../../util/groups.ts';
import { memoizeByObject } from '../../util/memoize-by-object.ts';
import { normalizeName } from '../../util/names.ts';
import { getLastSegment, getParameterName, getParentPath, toTemplate } from './names.ts';

/**
 * The values of `x-storefront` in a path or an operation of the document.
 * They correct the resources that the server infers from the document.
 */
export interface Overrides {
  /** The name of the resource to which the path belongs. */
  readonly resource?: string;
  /** The property that contains the id of an entry, such as `uuid` or `metadata.name`. */
  readonly id?: string;
  /** The property that contains the list in a response body, such as `data.items`. */
  readonly list?: string;
  /** The property that contains the entry in request and response bodies, such as `data.pet`. */
  readonly entry?: string;
  /** Whether the server mocks the operation and does not use stored entries for it. */
  readonly off?: boolean;
  /**
   * Whether the operation can refuse valid requests with a documented status.
   * Only `storefront check` reads this value.
   */
  readonly refuses?: boolean;
}

/** A path of the document, and its operations by HTTP method. */
export interface DocumentPath {
  readonly path: string;
  readonly routes: ReadonlyMap<string, Route>;
  readonly overrides: Overrides;
}

/** The paths of a document by normalized path template: `/pets`, `/pets/` and `/pets.json` have the key `/pets`. */
export type DocumentPaths = ReadonlyMap<string, DocumentPath>;

/** Returns the paths of a document with their operations. Omits operations with `x-storefront: { off: true }`. */
export function getDocumentPaths(document: Document, routes: readonly Route[]): DocumentPaths {
  const paths = new Map<string, { path: string; routes: Map<string, Route>; overrides: Overrides }>();
  for (const route of routes) {
    if (getOverrides(document, route).off || findColonParameter(route.path) !== undefined) continue;
    const key = toTemplate(route.path);
    const known = paths.get(key) ?? { path: route.path, routes: new Map(), overrides: {} };
    // Two operations can do the same: `GET /users/{id}` and `GET /user?id=7`. The first one describes the path.
    if (!known.routes.has(route.method)) known.routes.set(route.method, route);
    known.overrides = { ...known.overrides, ...getOverrides(document, route) };
    paths.set(key, known);
  }
  return paths;
}

/**
 * Returns the paths of a document by their last segment.
 * A document can have thousands of paths, so comparing each path with all others takes too long.
 */
export const indexByLastSegment = memoizeByObject((paths: DocumentPaths) => groupPaths(paths, getLastSegment));

/** Returns the paths of a document by their parent path. */
export const indexByParent = memoizeByObject((paths: DocumentPaths) => groupPaths(paths, getParentPath));

/**
 * Returns the paths of a document by the resource that `x-storefront` names.
 * Paths without a name have the key `''`.
 */
export const indexByOverride = memoizeByObject((paths: DocumentPaths) =>
  groupPaths(paths, (_path, { overrides }) => overrides.resource ?? ''),
);

/** A path of the document with its normalized template. */
export type PathEntry = readonly [path: string, documentPath: DocumentPath];

function groupPaths(
  paths: DocumentPaths,
  getKey: (path: string, documentPath: DocumentPath) => string,
): ReadonlyMap<string, readonly PathEntry[]> {
  const groups = new Map<string, PathEntry[]>();
  for (const entry of paths) addToGroup(groups, getKey(...entry), entry);
  return groups;
}

/**
 * Returns the `x-storefront` values of an operation and of its path.
 * If both define a value, returns that of the operation.
 */
export function getOverrides(document: Document, { pointer }: Route): Overrides {
  const read = (parent: string): Node => {
    const value = getNode(document, `${parent}/x-storefront`);
    return isNode(value) ? value : {};
  };
  return { ...read(pointer.slice(0, pointer.lastIndexOf('/'))), ...read(pointer) };
}

/**
 * Returns the names of the parameters at the end of a path template: `owner` and `repo` for `/repos/{owner}/{repo}`.
 */
export function getTrailingParameters(path: string): readonly string[] {
  const names = toTemplate(path).split('/').map(getParameterName);
  return names.slice(names.lastIndexOf(undefined) + 1) as string[];
}

/** Matches a segment that says who uses a path, and not what it has. */
const AUDIENCE = /^(?:(?:with|for|as|by)[-_])?(?:admin|public|internal|private|manage|management|backoffice)$/i;

/** Returns a path template without the segments that say who uses it: `/users` for `/admin/users`. */
export function removeAudience(path: string): string {
  return toTemplate(path)
    .split('/')
    .filter((segment) => !AUDIENCE.test(segment))
    .join('/');
}

/** Matches a segment that says which entries of the list above it a path has: `/categories/all`. */
const WHOLE = /^(?:all|list|last|latest|recent)$/i;

/**
 * Returns the last segment of a path template that is not a parameter: `pets` for `/owners/{ownerId}/pets/{petId}`,
 * `/pets/with-admin` and `/pets/all`.
 * Returns `entries` if all segments are parameters.
 */
export function getResourceSegment(path: string): string {
  const segments = toTemplate(path)
    .split('/')
    .filter((segment) => segment !== '' && getParameterName(segment) === undefined);
  // `/groups/{groupId}/private` is a part of a group.
  const isBelow = /\}\/[^{}]+$/.test(toTemplate(path));
  const isName = (one: string, index: number) => index === 0 || !(AUDIENCE.test(one) || WHOLE.test(one));
  const named = isBelow ? segments.at(-1) : segments.findLast(isName);
  return getLastSegment(named ?? 'entries').replaceAll(/[{}]/g, '');
}

/**
 * Returns all parent paths that end with a parameter, the shortest first.
 * For `/shops/{shopId}/owners/{ownerId}/pets`, these are `/shops/{shopId}` and `/shops/{shopId}/owners/{ownerId}`.
 */
export function getAncestors(path: string): readonly string[] {
  const template = toTemplate(path);
  const ancestors: string[] = [];
  for (let end = template.lastIndexOf('/'); end > 0; end = template.lastIndexOf('/', end - 1)) {
    const segment = template.slice(template.lastIndexOf('/', end - 1) + 1, end);
    if (getParameterName(segment) !== undefined) ancestors.push(template.slice(0, end));
  }
  return ancestors.toReversed();
}

/** Returns the names of the required query parameters of an operation. */
export function getRequiredQuery({ parameters }: Route): readonly string[] {
  return parameters.filter((parameter) => parameter.in === 'query' && parameter.isRequired).map(({ name }) => name);
}

/**
 * Returns whether a parameter names an entry: `id`, `planId` for a plan, or the name of the property with the id.
 * `property`: the property with the id.
 */
export function isOwnIdName(name: string, singular: string, property = 'id'): boolean {
  const own = normalizeName(name);
  return own === 'id' || own === `${normalizeName(singular)}id` || own === normalizeName(property);
}

/**
 * Returns the only query parameter with the id of an entry, such as `id` or `userId`.
 * Returns undefined if it has none, or if a GET does not require it.
 */
export function findIdQuery({ method, parameters }: Route, singular: string): string | undefined {
  const ids = parameters.filter((one) => one.in === 'query' && isOwnIdName(one.name, singular));
  const [own] = ids;
  return ids.length === 1 && (method !== 'GET' || own?.isRequired) ? own?.name : undefined;
}
