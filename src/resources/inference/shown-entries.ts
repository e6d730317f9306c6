import type { Route } from '../../openapi/routes.ts';
import { addToGroup } from '../../util/groups.ts';
import { memoizeByObject } from '../../util/memoize-by-object.ts';
import { normalizeName, toSingular } from '../../util/names.ts';
import {
  type DocumentPath,
  type DocumentPaths,
  getResourceSegment,
  getTrailingParameters,
  indexByLastSegment,
  indexByParent,
} from '../document/document-paths.ts';
import { isOnlyEnvelope } from '../document/envelopes.ts';
import { getLastSegment, getParentPath, OWN_SEGMENT } from '../document/names.ts';
import type { SchemaReader } from '../document/schema-reader.ts';
import { PEOPLE_LIST } from '../users/user-names.ts';

/**
 * Returns the JSON Pointer of the schema of the entries that the object at the path above a list shows: the items that
 * `GET /basket` shows for `/basket/items`.
 * Returns undefined if it shows none.
 */
export function findShownAbove(reader: SchemaReader, paths: DocumentPaths, collectionPath: string): string | undefined {
  const { items, isSent } = findListAbove(reader, paths, collectionPath) ?? {};
  // A client that sends the list itself would see it instead of the entries.
  return isSent ? undefined : items;
}

/**
 * Returns whether the users in a list such as `/projects/{projectId}/members` are a part of the entry above, because
 * requests for the entry send the list.
 */
export function isListOfPeopleAbove(reader: SchemaReader, paths: DocumentPaths, collectionPath: string): boolean {
  const isPeople = PEOPLE_LIST.test(normalizeName(getLastSegment(collectionPath)));
  return isPeople && findListAbove(reader, paths, collectionPath)?.isSent === true;
}

/** Returns the list of the same name that the object at the path above a list shows, and whether requests send it. */
function findListAbove(reader: SchemaReader, paths: DocumentPaths, collectionPath: string) {
  const above = getParentPath(collectionPath);
  const read = paths.get(above)?.routes.get('GET');
  const schema = read && reader.getResponseSchema(read, read.successStatus);
  if (schema === undefined) return undefined;
  const entry = reader.findEntry(schema, toSingular(getResourceSegment(above))).schema;
  const own = normalizeName(getLastSegment(collectionPath));
  const list = [...reader.getProperties(entry)].find(([name]) => normalizeName(name) === own)?.[1];
  const changes = [paths.get(above), paths.get(getParentPath(above))].flatMap((one) => [
    ...(one?.routes.values() ?? []),
  ]);
  const isSent = changes.some((route) => {
    const request = reader.getRequestSchema(route);
    return (
      request !== undefined && [...reader.getProperties(request).keys()].some((name) => normalizeName(name) === own)
    );
  });
  const items = list === undefined ? undefined : reader.getItems(list);
  return items !== undefined && reader.isObject(items) ? { items, isSent } : undefined;
}

/**
 * Returns the JSON Pointer of the schema of the entries that a list such as `/bookings/my` shows, if `/bookings` itself
 * is no list: its items have most properties of the request that creates a booking.
 */
export function findShownBelow(reader: SchemaReader, paths: DocumentPaths, collectionPath: string): string | undefined {
  const { routes } = paths.get(collectionPath) ?? {};
  const post = routes?.has('GET') ? undefined : routes?.get('POST');
  const request = post && reader.getRequestSchema(post);
  if (request === undefined) return undefined;
  const sent = [...reader.getProperties(reader.findEntry(request, getSingular(collectionPath)).schema).keys()];
  const lists = listOwnBelow(paths, collectionPath).flatMap((list) => {
    const response = reader.getResponseSchema(list, list.successStatus);
    const items =
      response === undefined ? undefined : reader.findList(response, getLastSegment(collectionPath))?.schema;
    return items === undefined ? [] : [items];
  });
  return lists.find((items) => {
    const known = reader.getProperties(items);
    return sent.filter((name) => known.has(name)).length * 2 > sent.length;
  });
}

/** Returns the GET operations of paths such as `/bookings/my`. */
function listOwnBelow(paths: DocumentPaths, path: string): readonly Route[] {
  return (indexByParent(paths).get(path) ?? []).flatMap(
    ([below, { routes }]) => (OWN_SEGMENT.test(getLastSegment(below)) && routes.get('GET')) || [],
  );
}

function getSingular(collectionPath: string): string {
  return toSingular(getResourceSegment(collectionPath));
}

/**
 * Returns whether a path below lists the entries that a POST creates: `/visits/patient/{patientId}` or `/visits/mine`
 * for `POST /visits`.
 */
export function isListedBelow(reader: SchemaReader, paths: DocumentPaths, path: string, create: Route): boolean {
  const response = reader.getResponseSchema(create, create.successStatus);
  if (response === undefined) return false;
  const entry = reader.findEntry(response, toSingular(getResourceSegment(path))).schema;
  const lists = [...(indexSelections(paths).get(path) ?? []), ...listOwnBelow(paths, path)];
  return lists.some((list) => {
    const shown = reader.getResponseSchema(list, list.successStatus);
    const listed = shown === undefined ? undefined : reader.findList(shown, getResourceSegment(path));
    return listed !== undefined && reader.isSame(listed.schema, entry);
  });
}

/** Returns the GET operations of paths such as `/visits/patient/{patientId}`, by the path two segments above. */
const indexSelections = memoizeByObject((paths: DocumentPaths): ReadonlyMap<string, readonly Route[]> => {
  const index = new Map<string, Route[]>();
  for (const [path, { routes }] of paths) {
    const list = getTrailingParameters(path).length === 1 ? routes.get('GET') : undefined;
    if (list) addToGroup(index, getParentPath(getParentPath(path)), list);
  }
  return index;
});

/** Paths that may form a resource: those of a list, and of its entries. */
interface CandidatePaths {
  readonly segment: string;
  readonly collectionPath: string;
  readonly collection: DocumentPath | undefined;
  readonly item: DocumentPath;
}

/** Matches segments that say what an operation finds out, and do not name entries. */
const CHECKS =
  /^(?:verify|validate|check|preview|calculate|estimate|simulate|compare|test|status|health|lookup|resolve)$/i;

/** Returns the paths that end with the name of a candidate without a list of its own: `/books/{isbn}/loans`. */
export function listElsewhere(
  paths: DocumentPaths,
  { collectionPath, segment }: Pick<CandidatePaths, 'collectionPath' | 'segment'>,
): readonly DocumentPath[] {
  if (collectionPath.includes('{') || CHECKS.test(segment)) return [];
  return (indexByLastSegment(paths).get(segment) ?? []).map(([, path]) => path);
}

/**
 * Returns whether no operation at the paths of a candidate shows entries, and other paths list those with all
 * properties of the requests: `/books` for `POST /admin/books`, which responds with a message.
 */
export function hidesEntries(reader: SchemaReader, paths: DocumentPaths, candidate: CandidatePaths): boolean {
  const { collection, item, segment } = candidate;
  const create = collection?.routes.get('POST');
  if (!create || collection?.routes.has('GET')) return false;
  const changes = [create, item.routes.get('PUT'), item.routes.get('PATCH')].flatMap((route) => route ?? []);
  const isShown = changes.some((route) => {
    const response = reader.getResponseSchema(route, route.successStatus);
    return response !== undefined && !isOnlyEnvelope(reader, response);
  });
  const sent = changes.flatMap((route) => [...reader.getProperties(reader.getRequestSchema(route) ?? '').keys()]);
  const lists = listElsewhere(paths, candidate).filter((other) => other !== collection && !other.path.includes('{'));
  const [list, ...others] = lists.flatMap(({ routes }) => (routes.has('POST') ? [] : (routes.get('GET') ?? [])));
  if (isShown || !list || others.length > 0 || sent.length === 0) return false;
  const entry = reader.findList(reader.getResponseSchema(list, list.successStatus) ?? '', segment)?.schema;
  const known = entry === undefined ? undefined : reader.getProperties(entry);
  return known !== undefined && sent.every((name) => known.has(name));
}
