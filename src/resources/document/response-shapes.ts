import { findResponse } from '../../openapi/responses.ts';
import type { Route } from '../../openapi/routes.ts';
import { memoizeByObject } from '../../util/memoize-by-object.ts';
import { normalizeName, toSingular } from '../../util/names.ts';
import { isSearchName } from '../lists/list-filters.ts';
import { isTotalName } from '../lists/page-fields.ts';
import {
  type DocumentPath,
  type DocumentPaths,
  getResourceSegment,
  getTrailingParameters,
  removeAudience,
} from './document-paths.ts';
import { getLastSegment, getParameterName, getParentPath } from './names.ts';
import { hasProperties } from './path-keys.ts';
import { isEnvelopeName, type SchemaReader } from './schema-reader.ts';

/** The paths of a list and of an entry in it, and the names of the list and of an entry. */
interface Listed {
  readonly collection: DocumentPath | undefined;
  readonly item: DocumentPath;
  readonly segment: string;
  readonly singular: string;
}

/**
 * Returns whether a POST responds with less than an entry: with nothing, with the id of the entry, or with an object
 * such as `{ message, id }`.
 */
export function repliesShortly(reader: SchemaReader, create: Route, singular: string): boolean {
  const schema = reader.getResponseSchema(create, create.successStatus);
  if (schema === undefined) return hasNoBody(create);
  const names = [...reader.getProperties(schema).keys()];
  if (names.length === 0) return reader.isScalar(schema);
  const ids = ['id', 'uuid', `${normalizeName(singular)}id`];
  return names.every((name) => isEnvelopeName(name) || ids.includes(normalizeName(name)));
}

/**
 * Returns whether two schemas are the same, or at least two properties, and more than half of those of one schema, are
 * also properties of the other.
 */
export function sharesMostProperties(reader: SchemaReader, one: string, other: string): boolean {
  return reader.isSame(one, other) || hasProperties(reader, one, other) || hasProperties(reader, other, one);
}

/** Returns whether an object has only properties of another one, such as the name in the request for a new user. */
export function isPart(reader: SchemaReader, sent: string, shown: string): boolean {
  const [names, others] = [sent, shown].map((schema) => [...reader.getProperties(schema).keys()]);
  return names !== undefined && names.length > 0 && names.every((name) => others?.includes(name));
}

/**
 * Returns whether the path of an entry such as `/rooms/{roomId}` returns the entry in a list.
 * The parameter must have the id of the entry, because `/rooms/{floor}` can list several ones.
 */
export function isListOfOne(
  reader: SchemaReader,
  { collection, item, segment, singular }: Listed,
  read: Route,
): boolean {
  const [shown, listed] = [read, collection?.routes.get('GET')].map((route) => {
    const schema = route && reader.getResponseSchema(route, route.successStatus);
    return schema === undefined ? undefined : reader.findList(schema, segment);
  });
  const parameter = normalizeName(getParameterName(getLastSegment(item.path)) ?? '');
  const isId = parameter === 'id' || parameter === `${normalizeName(singular)}id`;
  return (
    isId &&
    shown?.path.length === 0 &&
    listed !== undefined &&
    sharesMostProperties(reader, shown.schema, listed.schema)
  );
}

/** Returns whether a body with a list is an entry: it has an id, or another object with an id. */
export function isEntryWithList(reader: SchemaReader, schema: string, segment: string): boolean {
  const { path = [] } = reader.findList(schema, segment) ?? {};
  const others = [...reader.getProperties(schema)].filter(([name]) => name !== path[0]);
  const singular = toSingular(segment);
  return (
    reader.hasId(schema, singular) ||
    others.some(([, pointer]) => reader.isObject(pointer) && reader.hasId(pointer, singular))
  );
}

/** Returns whether the document defines no body for the success response of an operation. */
export function hasNoBody({ responses, successStatus }: Route): boolean {
  const response = findResponse(responses, successStatus);
  return response !== undefined && Object.keys(response.media).length === 0;
}

export function isEntryResponse(reader: SchemaReader, route: Route): boolean {
  const schema = reader.getResponseSchema(route, route.successStatus);
  return schema !== undefined && reader.isObject(schema);
}

/**
 * Returns whether a POST creates entries that only it shows, or other paths with the same last segment: `payments` for
 * `POST /bookings/{bookingId}/payments`.
 */
export function createsOwn(reader: SchemaReader, paths: DocumentPaths, create: Route): boolean {
  const segment = getLastSegment(create.path);
  const response = reader.getResponseSchema(create, 201);
  const request = reader.getRequestSchema(create);
  if (
    create.successStatus !== 201 ||
    response === undefined ||
    request === undefined ||
    toSingular(segment) === segment
  )
    return false;
  if ([...reader.getProperties(request).keys()].some((name) => /password|token/i.test(name))) return false;
  const own = reader.resolve(reader.findEntry(response, toSingular(segment)).schema);
  const segments = indexShown(reader)(paths).get(own) ?? new Set();
  return [...segments].every((one) => one === segment);
}

/** Returns the last segments, without ids, of the paths that show the entries with a schema. */
const indexShown = memoizeByObject((reader: SchemaReader) =>
  memoizeByObject((paths: DocumentPaths): ReadonlyMap<string, ReadonlySet<string>> => {
    const index = new Map<string, Set<string>>();
    for (const { path, routes } of paths.values()) {
      const segment = getResourceSegment(getTrailingParameters(path).length > 0 ? getParentPath(path) : path);
      for (const route of routes.values()) {
        const schema = route.method === 'POST' ? undefined : reader.getResponseSchema(route, route.successStatus);
        if (schema === undefined) continue;
        const shown = reader.findList(schema, segment)?.schema ?? reader.findEntry(schema, toSingular(segment)).schema;
        const known = index.get(reader.resolve(shown)) ?? new Set<string>();
        index.set(reader.resolve(shown), known.add(segment));
      }
    }
    return index;
  }),
);

/**
 * Returns the places of the only object in a response beside properties such as `success`, `total` and `query`:
 * `['data']`.
 */
export function listWrapped(reader: SchemaReader, schema: string): readonly (readonly string[])[] {
  const others = [...reader.getProperties(schema)].filter(
    ([name, pointer]) =>
      !isEnvelopeName(name) && !(reader.isScalar(pointer) && (isTotalName(name) || isSearchName(name))),
  );
  const [[name, pointer] = []] = others;
  const isWrapped = others.length === 1 && name !== undefined && pointer !== undefined && reader.isObject(pointer);
  return isWrapped ? [[name]] : [];
}

/** Returns whether a schema has at least three properties, and all of them are also properties of another schema. */
export function hasOnly(reader: SchemaReader, schema: string, other: string): boolean {
  const names = [...reader.getProperties(schema).keys()];
  const known = reader.getProperties(other);
  return names.length >= 3 && names.every((name) => known.has(name));
}

/**
 * Returns whether two lists, such as `/users` and `/admin/users`, show the same entries to different people: one has
 * all properties of the other. `/search/messages` finds those of `/rooms/{roomId}/messages` with equal properties.
 */
export function isForOthers(reader: SchemaReader, ...lists: readonly [OfPeople, OfPeople]): boolean {
  const [one, other] = lists;
  if (isSearchOf(one.path, other.path) || isSearchOf(other.path, one.path))
    return lists.every(({ schema }, index) => hasOnly(reader, schema, lists[1 - index]?.schema ?? ''));
  if (one.path === other.path || removeAudience(one.path) !== removeAudience(other.path)) return false;
  return hasOnly(reader, one.schema, other.schema) || hasOnly(reader, other.schema, one.schema);
}

/** Returns whether a path such as `/search/messages` searches another list with the same name. */
export function isSearchOf(path: string, list: string): boolean {
  const isSearch = (one: string) => /\/search\/[^/{]+$/.test(one);
  return isSearch(path) && !isSearch(list) && getLastSegment(path) === getLastSegment(list);
}

/** The path of a list, and the JSON Pointer of the schema of its entries. */
interface OfPeople {
  readonly path: string;
  readonly schema: string;
}
