import type { Document, Node } from '../openapi/document.ts';
import { getNode, isNode } from '../openapi/document.ts';
import type { Route } from '../openapi/routes.ts';
import type { Issue } from '../util/issue.ts';
import { formatPointer } from '../util/json-pointer.ts';
import { getLastSegment, getParameterName, getParentPath, toTemplate } from './names.ts';
import type { Plan } from './resource.ts';

/** The extension `x-storefront` of an operation or a path, which corrects the resources that the server infers from the document. */
export interface Overrides {
  /** The name of the resource to which the path belongs. */
  readonly resource?: string;
  /** The property of an entry that has its id. */
  readonly id?: string;
  /** The property that contains the list in a response body, such as `data.items`. */
  readonly list?: string;
  /** The property that contains the entry in request and response bodies, such as `data.pet`. */
  readonly entry?: string;
  /** Whether the operation is mocked instead of using stored entries. */
  readonly off?: boolean;
}

/** A path of the document and its operations by method. */
export interface DocumentPath {
  readonly path: string;
  readonly routes: ReadonlyMap<string, Route>;
  readonly overrides: Overrides;
}

/** The paths of a document by path template. The key `/pets` is used for `/pets`, `/pets/` and `/pets.json`. */
export type DocumentPaths = ReadonlyMap<string, DocumentPath>;

/** Returns the paths of a document and their operations. Leaves out operations with `x-storefront: { off: true }`. */
export function getDocumentPaths(document: Document, routes: readonly Route[]): DocumentPaths {
  const paths = new Map<string, { path: string; routes: Map<string, Route>; overrides: Overrides }>();
  for (const route of routes) {
    if (getOverrides(document, route).off) continue;
    const key = toTemplate(route.path);
    const known = paths.get(key) ?? { path: route.path, routes: new Map(), overrides: {} };
    known.routes.set(route.method, route);
    known.overrides = { ...known.overrides, ...getOverrides(document, route) };
    paths.set(key, known);
  }
  return paths;
}

const OVERRIDE_TYPES: Readonly<Record<keyof Overrides, 'string' | 'boolean'>> = {
  resource: 'string',
  id: 'string',
  list: 'string',
  entry: 'string',
  off: 'boolean',
};

/** Returns the errors in the `x-storefront` extensions of a document. */
export function findOverrideIssues(document: Document, routes: readonly Route[]): readonly Issue[] {
  const places = routes.flatMap(({ path, pointer }) => [formatPointer('paths', path), pointer]);
  return [...new Set(places)].flatMap((place) => {
    const pointer = `${place}/x-storefront`;
    const value = getNode(document, pointer);
    if (value === undefined) return [];
    if (!isNode(value)) return [{ pointer, message: 'is not an object: use an object such as { off: true }' }];
    return Object.entries(value).flatMap(([name, own]) =>
      findOverrideIssue(`${pointer}${formatPointer(name)}`, name, own),
    );
  });
}

function findOverrideIssue(pointer: string, name: string, value: unknown): readonly Issue[] {
  const names = Object.keys(OVERRIDE_TYPES);
  if (!names.includes(name)) return [{ pointer, message: `is unknown: use ${names.join(', ')}` }];
  const type = OVERRIDE_TYPES[name as keyof Overrides];
  if (typeof value === type && value !== '') return [];
  return [
    {
      pointer,
      message:
        type === 'boolean'
          ? 'is not a boolean: use true or false'
          : 'is not a name: use the name of a property or a resource',
    },
  ];
}

/**
 * Returns an issue for each `id` in an `x-storefront` extension that names a property whose value is an object. `isObject`: returns whether the schema at a
 * JSON Pointer describes an object.
 */
export function findIdIssues(
  document: Document,
  plans: Iterable<Pick<Plan, 'route' | 'resource'>>,
  isObject: (schema: string) => boolean,
): readonly Issue[] {
  const pointers = [...plans].flatMap(({ route: { path, pointer }, resource }) => {
    const places = [pointer, formatPointer('paths', path)].map((place) => `${place}/x-storefront/id`);
    const place = places.find((one) => getNode(document, one) !== undefined);
    return place !== undefined && resource.kind === 'collection' && isObject(resource.id.schema) ? [place] : [];
  });
  const message = 'is an object: use the name of a property in it, such as owner.id';
  return [...new Set(pointers)].map((pointer) => ({ pointer, message }));
}

/** Returns the `x-storefront` extension of an operation, combined with that of its path. The values of the operation take precedence. */
export function getOverrides(document: Document, { path, pointer }: Route): Overrides {
  const read = (parent: string): Node => {
    const value = getNode(document, `${parent}/x-storefront`);
    return isNode(value) ? value : {};
  };
  return { ...read(formatPointer('paths', path)), ...read(pointer) };
}

/** Returns the names of the parameters at the end of a path template: `owner` and `repo` for `/repos/{owner}/{repo}`. */
export function getTrailingParameters(path: string): readonly string[] {
  const name = getParameterName(getLastSegment(path));
  return name === undefined ? [] : [...getTrailingParameters(getParentPath(path)), name];
}

/** Returns the last segment of a path template that is not a parameter; `entries` if there is none. */
export function getResourceSegment(path: string): string {
  const segments = toTemplate(path)
    .split('/')
    .filter((segment) => segment !== '' && getParameterName(segment) === undefined);
  return getLastSegment(segments.at(-1) ?? 'entries').replaceAll(/[{}]/g, '');
}

/** Returns the ancestors of a path template that end with a parameter, the shortest first: `/owners/{ownerId}` for `/owners/{ownerId}/pets`. */
export function getAncestors(path: string): readonly string[] {
  const parent = getParentPath(path);
  if (parent === '') return [];
  const isItem = getParameterName(getLastSegment(parent)) !== undefined;
  return isItem ? [...getAncestors(parent), parent] : getAncestors(parent);
}

/** Returns the names of the query parameters of an operation that a request must have. */
export function getRequiredQuery({ parameters }: Route): readonly string[] {
  return parameters.filter((parameter) => parameter.in === 'query' && parameter.isRequired).map(({ name }) => name);
}
