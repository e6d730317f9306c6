import { normalizeName, toSingular } from '../../util/names.ts';
import {
  type DocumentPath,
  type DocumentPaths,
  getResourceSegment,
  getTrailingParameters,
} from '../document/document-paths.ts';
import { listVariants } from '../document/mixed-lists.ts';
import {
  endsWithOwner,
  getLastSegment,
  getParameterName,
  getParentPath,
  getPathForm,
  isSearchPath,
  TEXT_KEYS,
  toTemplate,
} from '../document/names.ts';
import { isForOthers, isSearchOf } from '../document/response-shapes.ts';
import { isEnvelopeName, isListName, type SchemaReader } from '../document/schema-reader.ts';
import { findFilter, isSearchName } from '../lists/list-filters.ts';
import { isPageName } from '../lists/page-fields.ts';
import { findRanking } from '../lists/rankings.ts';
import { FULL_NAMES, findListed, findShown, hasKnownQuery, listUsed } from '../lists/views.ts';
import type { Resource } from '../resource.ts';
import { needsUnknownUser } from '../users/own-lists.ts';

/** A list whose entries have no path of their own, such as `/countries`. No operation changes its entries. */
interface ReadOnlyList {
  readonly path: string;
  /** The JSON Pointer of the schema of an entry. */
  readonly schema: string;
  readonly documentPath: DocumentPath;
}

/**
 * Finds lists that no operation changes, such as `/countries`: one for each schema of an entry.
 * The entries need an id, or a property that usually identifies them.
 * The parents in a path must be entries of known resources.
 */
export function findReadOnlyLists(
  reader: SchemaReader,
  paths: DocumentPaths,
  resources: readonly Resource[],
): readonly ReadOnlyList[] {
  const used = listUsed(resources);
  const items = new Set(
    resources.flatMap(({ mounts }) => mounts.flatMap(({ item }) => (item === undefined ? [] : getPathForm(item)))),
  );
  const found: ReadOnlyList[] = [];
  const schemas = new Set<string>();
  const isSearch = (path: string) => findFilter([getLastSegment(path)], []) !== undefined;
  const rank = (path: string) => path.split('/').length + (isSearch(path) ? 100 : 0);
  for (const [path, documentPath] of [...paths].sort(([a], [b]) => rank(a) - rank(b))) {
    const { routes, overrides } = documentPath;
    const schema = findListed(reader, documentPath)?.schema;
    if (used.has(documentPath.path) || schema === undefined || routes.has('POST')) continue;
    const isNamed = overrides.resource !== undefined;
    if (!isNamed && (getTrailingParameters(path).length > 0 || !isKnownPath(path, items))) continue;
    if (!isNamed && (!hasKey(reader, schema, path) || !hasKnownQuery(reader, { schema }, documentPath))) continue;
    const list = routes.get('GET');
    if (!isNamed && list && needsUnknownUser(reader, list)) continue;
    if (!isNamed && (isReport(path) || endsWithOwner(path) || showsAbove(reader, resources, path, schema))) continue;
    const children = resources
      .filter(({ kind }) => kind === 'collection')
      .map((resource) => ({ resource, key: undefined }));
    const listed = { property: getLastSegment(path), items: schema };
    if (!isNamed && findRanking(reader, { resources, users: undefined }, listed, children)?.ranking.label) continue;
    if (!isNamed && (isSearchPath(path) || isAside(reader, documentPath) || isSecondList(resources, path))) continue;
    if (!isNamed && (isMixed(reader, paths, resources, schema) || isSentElsewhere(reader, paths, path, schema)))
      continue;
    if (findShown(reader, resources, documentPath) || schemas.has(reader.resolve(schema))) continue;
    schemas.add(reader.resolve(schema));
    const same = found.findIndex((one) => !isNamed && isForOthers(reader, one, { path, schema }));
    const isFuller = reader.getProperties(schema).size > reader.getProperties(found[same]?.schema ?? schema).size;
    if (same < 0) found.push({ path, schema, documentPath });
    else if (isFuller || isSearchOf(found[same]?.path ?? '', path)) found[same] = { path, schema, documentPath };
  }
  return found;
}

/** Matches the names of lists of requests between two users, and of the users in a request. */
const SENT_LIST = /^(?:sent|received|incoming|outgoing|pending)$/i;
const SENT_BETWEEN = /^(?:sender|receiver|from(?:user)?|to(?:user)?|requester|addressee|recipient|inviter|invitee)$/;

/**
 * Returns whether a list such as `/friends/sent` has what a POST beside it sends to another user, whom it names by an
 * id such as `receiverId`. The document does not say which of these entries the list has.
 */
function isSentElsewhere(reader: SchemaReader, paths: DocumentPaths, path: string, schema: string): boolean {
  if (!SENT_LIST.test(getLastSegment(path))) return false;
  const people = [...reader.getProperties(schema)].flatMap(([name, pointer]) =>
    SENT_BETWEEN.test(normalizeName(name)) && reader.isObject(pointer) ? [normalizeName(name)] : [],
  );
  const base = getParentPath(path);
  return [...paths].some(([other, { routes }]) => {
    const post = other.startsWith(`${base}/`) && !other.includes('{') ? routes.get('POST') : undefined;
    const names = [...reader.getProperties((post && reader.getRequestSchema(post)) ?? '').keys()];
    return people.length > 1 && names.some((name) => people.includes(normalizeName(name).replace(/id$/, '')));
  });
}

/** Returns whether the items of a list are alternatives, each of which other paths list: `oneOf: [Post, Author]`. */
function isMixed(reader: SchemaReader, paths: DocumentPaths, resources: readonly Resource[], items: string): boolean {
  const variants = listVariants(reader, items);
  if (variants.length < 2) return false;
  const listed = [...paths.values()].flatMap((documentPath) => findListed(reader, documentPath)?.schema ?? []);
  const known = [...listed, ...resources.flatMap(({ schema }) => (schema === '' ? [] : [schema]))];
  return variants.every((variant) => known.some((schema) => reader.contains(variant, schema)));
}

/**
 * Returns whether a response is about something else than the list in it, such as `{ ready, timestamp, checks }` of
 * `/health/ready`: the path does not name the list, and other properties do not describe a page.
 */
function isAside(reader: SchemaReader, documentPath: DocumentPath): boolean {
  const route = documentPath.routes.get('GET');
  const response = route && reader.getResponseSchema(route, route.successStatus);
  const name = normalizeName(findListed(reader, documentPath)?.path.at(-1) ?? '');
  const segment = normalizeName(getResourceSegment(documentPath.path));
  const [one, other] = [name, segment].map(toSingular) as [string, string];
  if (response === undefined || isListName(name) || one.endsWith(other) || other.endsWith(one)) return false;
  return [...reader.getProperties(response)].some(
    ([property, pointer]) =>
      normalizeName(property) !== name &&
      (reader.isScalar(pointer) || reader.getTypes(pointer).includes('boolean')) &&
      !isEnvelopeName(property) &&
      !isPageName(property) &&
      !isSearchName(property),
  );
}

/** Returns whether a path is about figures of other entries, such as `/reports/topics`. */
function isReport(path: string): boolean {
  return path
    .split('/')
    .some((segment) => /^(?:reports?|reporting|analytics|statistics|stats|metrics)$/i.test(segment));
}

/**
 * Returns whether a list below that of a resource shows the same entries in another form, as `/topics/tree` does: the
 * items have the id and another property of the entries, and the path names no other entries.
 */
function showsAbove(reader: SchemaReader, resources: readonly Resource[], path: string, schema: string): boolean {
  const segments = toTemplate(path).split('/');
  const last = segments.at(-1) ?? '';
  const above = segments.slice(0, -1).map((_, index) => segments.slice(0, index + 1).join('/'));
  const isOther = toSingular(last) !== last && !FULL_NAMES.includes(normalizeName(last));
  if (isOther) return false;
  const known = reader.getProperties(schema);
  return resources.some((resource) => {
    const { id, kind, mounts, schema: own } = resource;
    if (kind !== 'collection' || own === '' || id.property === undefined || !known.has(id.property)) return false;
    const isAbove = mounts.some(({ collection }) => above.includes(toTemplate(collection)));
    return isAbove && [...known.keys()].filter((name) => reader.getProperties(own).has(name)).length > 1;
  });
}

/**
 * Returns whether a list has the name of a resource in the plural, as `/categories` beside `/category`. It shows the
 * same entries in another form, and no others.
 */
function isSecondList(resources: readonly Resource[], path: string): boolean {
  const toForm = (list: string) => `${getPathForm(getParentPath(list))}/${toSingular(getLastSegment(list))}`;
  return resources.some(
    ({ kind, mounts: [mount], canCreate }) =>
      kind === 'collection' &&
      canCreate &&
      mount !== undefined &&
      toForm(mount.collection) === toForm(toTemplate(path)),
  );
}

/** Returns whether each parameter in a path belongs to an entry of a resource. `items`: the forms of their paths. */
function isKnownPath(path: string, items: ReadonlySet<string>): boolean {
  const segments = path.split('/');
  return segments.every(
    (segment, index) =>
      getParameterName(segment) === undefined || items.has(getPathForm(segments.slice(0, index + 1).join('/'))),
  );
}

/** Returns whether the entries of a list have an id, or a property such as `code` that usually identifies them. */
function hasKey(reader: SchemaReader, schema: string, path: string): boolean {
  const keys = ['id', 'uuid', ...TEXT_KEYS, 'symbol'];
  const singular = toSingular(getResourceSegment(path));
  const names = [...reader.getProperties(schema)]
    .filter(([, pointer]) => reader.isScalar(pointer))
    .map(([name]) => name);
  return reader.hasId(schema, singular) || names.some((name) => keys.includes(normalizeName(name)));
}
