import { allowsJson } from '../openapi/media-types.ts';
import type { Route } from '../openapi/routes.ts';
import { toSingular } from '../util/singular.ts';
import { allowsAnyBody } from './allows-any-body.ts';
import { type DocumentPath, getRequiredQuery } from './document-paths.ts';
import { getLastSegment, getParameterName } from './names.ts';
import type { SchemaReader } from './schema-reader.ts';

/**
 * Returns whether a path has one object instead of a list, such as `/settings`. GET must return the object, and PUT or PATCH must change at least one of its
 * properties.
 */
export function isSingleton(reader: SchemaReader, path: string, { routes }: DocumentPath): boolean {
  const segment = getLastSegment(path);
  const read = routes.get('GET');
  const change = routes.get('PUT') ?? routes.get('PATCH');
  const request = change && reader.getRequestSchema(change);
  if (!read || !change || request === undefined || getParameterName(segment) !== undefined) return false;
  if (selectsObject(read, change)) return false;
  if (allowsAnyBody(reader.document, read))
    return hasOneName(segment) && !routes.has('POST') && sendsJson(reader, change);
  const schema = reader.getResponseSchema(read, read.successStatus);
  if (schema === undefined || !reader.isObject(schema) || reader.findList(schema, segment)?.path.length === 0)
    return false;
  const [sent, shown] = [request, schema].map((body) => getNames(reader, body, segment));
  return !sent?.length || !shown?.length || sent.some((name) => shown.includes(name));
}

/** Returns whether the last segment of a path is singular. The plural `/items` is probably a list whose entries PUT changes together. */
function hasOneName(segment: string): boolean {
  return toSingular(segment) === segment;
}

/** Returns whether the request body of an operation is a JSON object. */
function sendsJson(reader: SchemaReader, route: Route): boolean {
  const request = reader.getRequestSchema(route);
  return request !== undefined && reader.isObject(request) && Object.keys(route.bodyMedia).some(allowsJson);
}

/** Returns the property names of a body, and of the entry in the body. `body`: the JSON Pointer of the schema of the body. */
function getNames(reader: SchemaReader, body: string, singular: string): readonly string[] {
  const { schema } = reader.findEntry(body, singular);
  return [body, schema].flatMap((part) => [...reader.getProperties(part).keys()]);
}

/** Returns whether a query parameter selects one of several objects: the operation `read` requires the parameter, but the operation `change` does not. */
function selectsObject(read: Route, change: Route): boolean {
  const names = getRequiredQuery(change);
  return getRequiredQuery(read).some((name) => !names.includes(name));
}
