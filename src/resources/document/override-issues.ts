import type { Document } from '../../openapi/document.ts';
import { getNode, isNode, toNode } from '../../openapi/document.ts';
import type { Route } from '../../openapi/routes.ts';
import type { Issue } from '../../util/issue.ts';
import { formatPointer } from '../../util/json-pointer.ts';
import type { Plan } from '../resource.ts';
import type { Overrides } from './document-paths.ts';
import type { SchemaReader } from './schema-reader.ts';

const OVERRIDE_TYPES: Readonly<Record<keyof Overrides, 'string' | 'boolean'>> = {
  resource: 'string',
  id: 'string',
  list: 'string',
  entry: 'string',
  off: 'boolean',
  refuses: 'boolean',
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
 * Returns an error for each `id` in an `x-storefront` extension that refers to an object, such as `owner` instead of
 * `owner.id`.
 * `isObject`: a function that returns whether the schema at a JSON Pointer describes an object.
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

/**
 * Returns an error for each `resource` in an `x-storefront` extension that has no effect, because no operation of the
 * path uses the entries of this resource.
 * `plans`: what the operations do.
 */
export function findResourceIssues(
  document: Document,
  routes: readonly Route[],
  plans: Iterable<Pick<Plan, 'route' | 'resource'>>,
): readonly Issue[] {
  const used = new Map<string, string[]>();
  for (const { route, resource } of plans) used.set(route.path, [...(used.get(route.path) ?? []), resource.name]);
  const pointers = routes.flatMap(({ path, pointer }) =>
    [formatPointer('paths', path), pointer].flatMap((place) => {
      const name = getNode(document, `${place}/x-storefront/resource`);
      if (typeof name !== 'string' || getNode(document, `${place}/x-storefront/off`) === true) return [];
      // A second resource with this name has the name of its parent before it, or a number after it.
      const isUsed = used
        .get(path)
        ?.some((one) => one.split('.').at(-1)?.replace(/\d+$/, '') === name.replace(/\d+$/, ''));
      return isUsed ? [] : [`${place}/x-storefront/resource`];
    }),
  );
  const message =
    'has no effect, because no operation of the path lists or changes entries of this resource: remove it, or describe the entries in the responses of the path';
  return [...new Set(pointers)].map((pointer) => ({ pointer, message }));
}

/**
 * Returns an error for each `id`, `list` and `entry` in an `x-storefront` extension that has no effect, because the
 * document has no such property.
 * `plans`: what the operations do.
 */
export function findNameIssues(
  reader: SchemaReader,
  routes: readonly Route[],
  plans: readonly Pick<Plan, 'route' | 'resource'>[],
): readonly Issue[] {
  const places = routes.flatMap(({ path, pointer }) => [formatPointer('paths', path), pointer]);
  return [...new Set(places)].flatMap((place) => {
    const overrides = getNode(reader.document, `${place}/x-storefront`);
    if (overrides === undefined) return [];
    const { off, ...names } = toNode(overrides);
    const own = routes.filter(({ path, pointer }) => [formatPointer('paths', path), pointer].includes(place));
    const hasEffect: Readonly<Record<string, (path: readonly string[]) => boolean>> = {
      id: (path) =>
        plans.some((plan) => own.some((route) => route.path === plan.route.path) && hasId(reader, plan, path)),
      list: (path) => own.some((route) => hasList(reader, route, path)),
      entry: (path) => own.some((route) => hasEntry(reader, route, path)),
    };
    return Object.entries(NO_EFFECT).flatMap(([name, reason]) => {
      const { [name]: value } = names;
      if (off === true || typeof value !== 'string' || hasEffect[name]?.(value.split('.'))) return [];
      return [{ pointer: `${place}/x-storefront/${name}`, message: `has no effect, because ${reason}, or remove it` }];
    });
  });
}

/** The reasons why a value has no effect, and what to do, by its name. */
const NO_EFFECT: Readonly<Record<string, string>> = {
  id: 'the entries of the path have no such property: use the name of one',
  list: 'no GET of the path returns a list in this property: use the name of one',
  entry: 'no request and no response of the path has this property: use the name of one',
};

function hasId(reader: SchemaReader, { resource }: Pick<Plan, 'resource'>, path: readonly string[]): boolean {
  const { kind, id, schema } = resource;
  return kind === 'collection' && id.property === path.join('.') && hasProperty(reader, schema, path);
}

function hasList(reader: SchemaReader, route: Route, path: readonly string[]): boolean {
  const response = reader.getResponseSchema(route, route.successStatus);
  if (route.method !== 'GET' || response === undefined) return route.method === 'GET';
  const list = reader.getInner(response, path);
  return list === undefined
    ? hasProperty(reader, response, path)
    : reader.getItems(list) !== undefined || isOpen(reader, list);
}

function hasEntry(reader: SchemaReader, route: Route, path: readonly string[]): boolean {
  const bodies = [reader.getRequestSchema(route), reader.getResponseSchema(route, route.successStatus)];
  const described = bodies.filter((schema) => schema !== undefined);
  return described.length === 0 || described.some((schema) => hasProperty(reader, schema, path));
}

/** Returns whether objects with a schema can have a nested property. */
function hasProperty(reader: SchemaReader, schema: string, [name = '', ...rest]: readonly string[]): boolean {
  const inner = schema === '' ? undefined : reader.getProperties(schema).get(name);
  if (inner === undefined) return schema === '' || isOpen(reader, schema);
  return rest.length === 0 || hasProperty(reader, inner, rest);
}

/** Returns whether a schema allows any property: it has no properties, or `additionalProperties`. */
function isOpen(reader: SchemaReader, schema: string): boolean {
  if (reader.getItems(schema) !== undefined) return false;
  return reader.getProperties(schema).size === 0 || reader.allowsOtherProperties(schema);
}
