import type { Node } from '../openapi/document.ts';
import type { Route } from '../openapi/routes.ts';
import { normalizeName } from '../util/names.ts';
import { type GetShape, getEntrySchema, isPlausible, type Shape } from './fit-schema.ts';

/** The values of the path parameters of a request, by name. */
type PathValues = Readonly<Record<string, string>>;

/** The normalized names of properties that can be the id of a resource. */
const ID_NAMES = ['id', 'uuid', 'key'];

/** The maximum number of objects around a resource in a response, such as `{ data: … }`. */
const MAX_WRAPPERS = 2;

/**
 * Returns the properties of a response body whose values the request path determines: `{ id: '7' }` for `/pets/7`.
 * The path parameter `petId` sets the property `petId` or `pet_id`.
 * In a path that ends with `/{petId}`, it also sets the property `id`.
 * Returns undefined if the path sets no property.
 */
export function findPathValues(getShape: GetShape, schema: unknown, route: Route, path: PathValues): unknown {
  if (route.pathNames.length === 0) return undefined;
  return findInShape({ getShape, route, path }, getShape(schema, undefined), false, 0);
}

interface Search {
  readonly getShape: GetShape;
  readonly route: Route;
  readonly path: PathValues;
}

function findInShape(search: Search, shape: Shape, isEntry: boolean, depth: number): Node | undefined {
  const { getShape } = search;
  if (isList(shape)) {
    const entries = findInShape(search, getShape(getEntrySchema(shape, 0), undefined), true, depth);
    return entries && { '*': entries };
  }
  const names = Object.keys(shape.properties);
  const own = names.flatMap((name) => {
    const { schema } = getShape(shape.properties[name], undefined);
    const value = findValue(search, name, schema, isEntry);
    return value === undefined ? [] : [[name, value] as const];
  });
  if (own.length > 0) return Object.fromEntries(own);
  if (isEntry || depth === MAX_WRAPPERS || names.some((name) => ID_NAMES.includes(normalizeName(name))))
    return undefined;
  return findInWrapped(search, shape, depth);
}

/** Returns the values that the request path sets inside a wrapper such as `{ data: … }`. */
function findInWrapped(search: Search, { properties }: Shape, depth: number): Node | undefined {
  const entries = Object.entries(properties).flatMap(([name, node]) => {
    const shape = search.getShape(node, undefined);
    const found =
      isList(shape) || Object.keys(shape.properties).length > 0
        ? findInShape(search, shape, false, depth + 1)
        : undefined;
    return found ? [[name, found] as const] : [];
  });
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}

function isList({ schema }: Shape): boolean {
  return [schema.type].flat().includes('array') || 'items' in schema;
}

/**
 * Returns the value that the request path sets for a property; undefined if no path parameter corresponds to the
 * property.
 */
function findValue({ route, path }: Search, property: string, schema: Node, isEntry: boolean): unknown {
  const name = normalizeName(property);
  const last = route.pathNames.at(-1) ?? '';
  const isItemPath = route.path.endsWith(`{${last}}`) && !isEntry;
  const same = route.pathNames.find((parameter) => normalizeName(parameter) === name);
  const isOwnId = ID_NAMES.includes(name);
  if (same !== undefined && (!isOwnId || (isItemPath && same === last))) return convert(path[same], schema);
  const namesItem = ID_NAMES.some((ending) => normalizeName(last).endsWith(ending));
  return isItemPath && isOwnId && namesItem ? convert(path[last], schema) : undefined;
}

/**
 * Converts the text of a path parameter to a type that the schema allows, such as a number.
 * Returns undefined if the schema does not allow the value.
 */
function convert(text: string | undefined, schema: Node): unknown {
  if (text === undefined) return undefined;
  if (isPlausible(schema, text)) return text;
  const number = Number(text);
  return String(number) === text && isPlausible(schema, number) ? number : undefined;
}
