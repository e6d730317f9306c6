import type { Document, Node } from '../openapi/document.ts';
import { getNode, isNode } from '../openapi/document.ts';
import type { Route } from '../openapi/routes.ts';
import type { Issue } from '../util/issue.ts';
import { formatPointer } from '../util/json-pointer.ts';
import { getLastSegment, getParameterName, getParentPath, removeEnding } from './names.ts';

/** Corrections of the inference for an operation or a path: the keyword `x-storefront` in the document. */
export interface Overrides {
  /** The name of the resource. */
  readonly resource?: string;
  /** The property with the id. */
  readonly id?: string;
  /** The names of the properties that lead to the list in a response, separated by dots. */
  readonly list?: string;
  /** The names of the properties that lead to the entry in a request and in a response, separated by dots. */
  readonly entry?: string;
  /** Whether the operation is mocked. */
  readonly off?: boolean;
}

/** A path of the document and its operations by method. */
export interface DocumentPath {
  readonly path: string;
  readonly routes: ReadonlyMap<string, Route>;
  readonly overrides: Overrides;
}

/** The paths of a document by path template. A key has no slash and no file extension at its end. */
export type DocumentPaths = ReadonlyMap<string, DocumentPath>;

/** Returns the paths of a document. Leaves out operations with the override `off`. */
export function getDocumentPaths(document: Document, routes: readonly Route[]): DocumentPaths {
  const paths = new Map<string, { path: string; routes: Map<string, Route>; overrides: Overrides }>();
  for (const route of routes) {
    if (getOverrides(document, route).off) continue;
    const key = removeEnding(route.path);
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

/** Returns the issues of the overrides in a document. */
export function findOverrideIssues(document: Document, routes: readonly Route[]): readonly Issue[] {
  const places = routes.flatMap(({ path, pointer }) => [formatPointer('paths', path), pointer]);
  return [...new Set(places)].flatMap((place) => {
    const pointer = `${place}/x-storefront`;
    const value = getNode(document, pointer);
    if (value === undefined) return [];
    if (!isNode(value)) return [{ pointer, message: 'is not an object: use one such as { off: true }' }];
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
    { pointer, message: type === 'boolean' ? 'is not true or false' : 'is not the name of a property or a resource' },
  ];
}

/** Returns the overrides of an operation. Those of the operation take precedence over those of its path. */
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
  const segments = path.split('/').filter((segment) => segment !== '' && getParameterName(segment) === undefined);
  return getLastSegment(segments.at(-1) ?? 'entries').replaceAll(/[{}]/g, '');
}

/** Returns the templates of the paths that contain a path and end with a parameter, from the outermost to the innermost. */
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
