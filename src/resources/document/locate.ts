import { allowsAnyBody } from '../../openapi/responses.ts';
import type { Route } from '../../openapi/routes.ts';
import type { Action, Inference, Resource } from '../resource.ts';
import { getResourceSegment } from './document-paths.ts';
import { addArticle } from './names.ts';
import { hasProperties } from './path-keys.ts';
import type { SchemaReader } from './schema-reader.ts';

/** Returns the property names that lead to the entry in a request body. */
export function locateRequest(
  reader: SchemaReader,
  { schema, singular }: Resource,
  route: Route,
  own: string | undefined,
) {
  const request = reader.getRequestSchema(route);
  if (request === undefined) return [];
  const path = own?.split('.');
  // The property path from `x-storefront` can be one of the response body only.
  if (path && reader.getInner(request, path) !== undefined) return path;
  const located = reader.findEntry(request, singular, schema === '' ? undefined : schema);
  // A body with several properties of the entry is the entry itself, also if it has a property such as `data`.
  return schema !== '' && hasProperties(reader, request, schema) ? [] : located.path;
}

/**
 * Returns where the properties of the request body belong in an entry: in `['attributes']`, or at the top level of the
 * entry (an empty array).
 */
export function locateInEntry(
  reader: SchemaReader,
  { schema }: Resource,
  route: Route,
  requestPath: readonly string[],
) {
  const body = reader.getRequestInner(route, requestPath);
  if (body === undefined || schema === '' || hasProperties(reader, body, schema)) return [];
  const attributes = reader.getProperties(schema).get('attributes');
  if (attributes === undefined) return [];
  const names = [...reader.getProperties(body).keys()];
  const count = (object: string) => names.filter((name) => reader.getProperties(object).has(name)).length;
  return count(attributes) > count(schema) ? ['attributes'] : [];
}

/**
 * Returns the property names that lead to the entry or the list in a response body, such as `['data', 'items']`.
 * If there is none, returns as text why the operation is mocked.
 */
export function locateResponse(
  reader: SchemaReader,
  { resource, action }: { readonly resource: Resource; readonly action: Action },
  route: Route,
  overrides: { readonly list?: string; readonly entry?: string },
): readonly string[] | string {
  const own = action === 'list' ? overrides.list : overrides.entry;
  if (own !== undefined) return own.split('.').filter(Boolean);
  const schema = reader.getResponseSchema(route, route.successStatus);
  if (action === 'list') {
    if (allowsAnyBody(reader.document, route)) return [];
    if (schema === undefined) return 'the response has no body';
    const found = reader.findList(schema, getResourceSegment(route.path));
    return found ? found.path : 'the response has no list of objects';
  }
  if (schema === undefined) return [];
  const found = reader.findEntry(schema, resource.singular, resource.schema === '' ? undefined : resource.schema);
  const list = found.path.length === 0 ? findListOfEntries(reader, resource, schema) : undefined;
  return list ?? describeOtherBodies(reader, { resource, action, shown: found.schema }, route) ?? found.path;
}

/**
 * Returns the property names that lead to a list of entries in a body that has no property of an entry itself: `items`
 * in the response of `POST /bag`.
 */
function findListOfEntries(reader: SchemaReader, resource: Resource, body: string): readonly string[] | undefined {
  const { schema, name } = resource;
  if (schema === '' || reader.getItems(body) !== undefined || reader.sharesProperties(body, schema)) return undefined;
  const list = reader.findList(body, name);
  return list && hasProperties(reader, list.schema, schema) ? list.path : undefined;
}

/**
 * Returns the reason for mocking an operation whose bodies have no property of an entry.
 * Returns undefined if they have one.
 * `shown`: the JSON Pointer of the schema of the object in the response.
 */
function describeOtherBodies(
  reader: SchemaReader,
  { resource, action, shown }: { readonly resource: Resource; readonly action: Action; readonly shown: string },
  route: Route,
): string | undefined {
  const { schema, singular } = resource;
  if (schema === '' || reader.sharesProperties(shown, schema)) return undefined;
  if (action === 'read') return `the response has no property of ${addArticle(singular)}`;
  const request = reader.getRequestSchema(route);
  if (action !== 'create' || request === undefined || reader.hasId(shown, singular)) return undefined;
  const sent = reader.findEntry(request, singular, schema).schema;
  return reader.sharesProperties(sent, schema)
    ? undefined
    : `neither the request nor the response has a property of ${addArticle(singular)}`;
}

/** Returns the names of the properties that the body of a request can have. */
export function listRequestNames(
  reader: SchemaReader,
  route: Route,
  requestPath: readonly string[],
): readonly string[] {
  const inner = reader.getRequestInner(route, requestPath);
  return inner === undefined ? [] : [...reader.getProperties(inner).keys()];
}

/**
 * Returns whether requests for new entries must have a property, in a schema that is not that of the entry itself: the
 * `totalLessons` of a package is the number of lessons that were bought.
 */
export function isChosen(reader: SchemaReader, { plans }: Inference, own: Resource, property: string): boolean {
  return [...plans.values()].some(({ action, resource, route, requestPath }) => {
    const isCreation = resource === own && action === 'create';
    const inner = isCreation ? reader.getRequestInner(route, requestPath) : undefined;
    return inner !== undefined && !reader.isSame(inner, own.schema) && reader.getRequired(inner).includes(property);
  });
}
