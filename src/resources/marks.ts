import type { Route } from '../openapi/routes.ts';
import { normalizeName } from '../util/names.ts';
import { findEffect, splitActionPath } from './actions.ts';
import { getLastSegment, getParentPath } from './names.ts';
import { findPlaceOfForm, renameParameters } from './places.ts';
import { indexEntrySchemas } from './references.ts';
import type { Effect, Mount, Plan, Resource } from './resource.ts';
import type { SchemaReader } from './schema-reader.ts';
import { isSenderFlag } from './sender-flags.ts';

/** The marks that users give entries: the pattern of a segment such as `like` or `likes`, and the boolean for it. */
const MARKS: readonly (readonly [pattern: RegExp, flag: string])[] = [
  [/^(?:un)?likes?$|^liked$/, 'liked'],
  [/^(?:un)?favou?rites?$|^favou?rited$/, 'favorited'],
  [/^(?:un)?bookmarks?$|^bookmarked$/, 'bookmarked'],
  [/^(?:un)?stars?$|^starred$/, 'starred'],
  [/^(?:un)?saves?$|^saved$/, 'saved'],
  [/^(?:un)?watch$|^watched$/, 'watched'],
  [/^upvotes?$|^upvoted$/, 'upvoted'],
];

/** Returns the boolean for a mark that a segment names, such as `liked` for `like`, `likes` and `liked-posts`. */
export function getMark(segment: string, { name, singular }: Resource): string | undefined {
  const word = normalizeName(segment);
  const endings = [name, singular].map(normalizeName).filter((ending) => word.endsWith(ending));
  const words = [word, ...endings.map((ending) => word.slice(0, -ending.length))];
  return MARKS.find(([pattern]) => words.some((one) => pattern.test(one)))?.[1];
}

/** An operation that marks an entry, such as `POST /posts/{postId}/like`. */
interface Marking {
  readonly route: Route;
  readonly resource: Resource;
  readonly mark: string;
  /** The boolean that responses show, such as `isLiked`. Undefined if no response shows it. */
  readonly shown: string | undefined;
}

/** How users mark entries. */
export interface Marks {
  readonly markings: readonly Marking[];
  /** The operations that list marked entries. */
  readonly lists: readonly MarkedList[];
}

interface MarkedList {
  readonly route: Route;
  readonly resource: Resource;
  readonly mark: string;
  /** The path of the user in `/users/{userId}/likes`. Undefined for the user who sends the request. */
  readonly user: Mount | undefined;
  readonly path: readonly string[];
}

/**
 * Finds the operations that mark entries, and those that list the entries which a user has marked.
 * `ownPaths`: the paths that show the user who sends a request.
 */
export function findMarks(
  reader: SchemaReader,
  resources: readonly Resource[],
  routes: readonly Route[],
  { users, ownPaths }: { readonly users: Resource | undefined; readonly ownPaths: readonly string[] },
): Marks {
  if (!users) return { markings: [], lists: [] };
  const markings = routes.flatMap((route) => findMarking(reader, resources, users, route) ?? []);
  const lists = routes.flatMap((route) => findMarkedList(reader, resources, { users, ownPaths }, route) ?? []);
  return { markings, lists };
}

function findMarking(
  reader: SchemaReader,
  resources: readonly Resource[],
  users: Resource,
  route: Route,
): Marking | undefined {
  const action = splitActionPath(route.path);
  const place = action && findPlaceOfForm(resources, action.item);
  if (!action || !place?.isItem || place.resource === users || place.resource.kind !== 'collection') return undefined;
  const { resource } = place;
  const mark = getMark(action.verb, resource);
  const isAction = ['POST', 'PUT', 'DELETE'].includes(route.method) && reader.getRequestSchema(route) === undefined;
  if (mark === undefined || !isAction) return undefined;
  const response = reader.getResponseSchema(route, route.successStatus);
  const schemas = [response && reader.findEntry(response, resource.singular, resource.schema).schema, resource.schema];
  const names = schemas.flatMap((schema) => (schema ? [...reader.getProperties(schema)] : []));
  const shown = names.find(
    ([name, pointer]) =>
      isSenderFlag(name) &&
      reader.getTypes(pointer).includes('boolean') &&
      normalizeName(name).replace('favourit', 'favorit').includes(mark),
  )?.[0];
  return { route, resource, mark, shown };
}

function findMarkedList(
  reader: SchemaReader,
  resources: readonly Resource[],
  { users, ownPaths }: { readonly users: Resource; readonly ownPaths: readonly string[] },
  route: Route,
): MarkedList | undefined {
  const response = reader.getResponseSchema(route, route.successStatus);
  if (route.method !== 'GET' || response === undefined) return undefined;
  const item = getParentPath(route.path);
  const isOwn = route.pathNames.length === 0 && (ownPaths.includes(item) || /^(?:me|my)$/i.test(getLastSegment(item)));
  const place = isOwn ? undefined : findPlaceOfForm([users], item);
  const user = place?.isItem && place.mount.parents.length === 0 ? renameParameters(place.mount, item) : undefined;
  const segment = getLastSegment(route.path);
  const found = isOwn || user ? reader.findList(response, segment) : undefined;
  const resource = found && indexEntrySchemas(reader)(resources).get(reader.resolve(found.schema));
  const mark = resource && resource !== users ? getMark(segment, resource) : undefined;
  return found && resource && mark !== undefined ? { route, resource, mark, user, path: found.path } : undefined;
}

/** Returns the boolean that all operations use for a mark of a resource; undefined if no operation marks entries. */
function getFlag({ markings }: Marks, resource: Resource, mark: string): string | undefined {
  const own = markings.filter((one) => one.resource === resource && one.mark === mark);
  return own.length === 0 ? undefined : (own.find(({ shown }) => shown !== undefined)?.shown ?? mark);
}

/**
 * Returns the effect of an operation that marks an entry for the user who sends the request, also if no response shows
 * the mark, but a list of marked entries or a number such as `likesCount` follows from it.
 * Returns undefined for other operations.
 */
export function findMarkEffect(reader: SchemaReader, marks: Marks, route: Route): Effect | undefined {
  const marking = marks.markings.find((one) => one.route === route);
  if (!marking) return undefined;
  const { resource, mark } = marking;
  const { verb = '' } = splitActionPath(route.path) ?? {};
  const isUndone = /^un/i.test(verb);
  const own = findEffect(reader, resource, route, isUndone ? verb.replace(/^un[-_]?/i, '') : verb);
  const isListed = marks.lists.some((list) => list.resource === resource && list.mark === mark);
  const flag = getFlag(marks, resource, mark) ?? mark;
  if (marking.shown === undefined && !isListed && !own?.counter) return undefined;
  const isSet = route.method !== 'DELETE' && !isUndone;
  const counter = own?.counter && { ...own.counter, step: isSet ? (1 as const) : (-1 as const) };
  return { values: [{ property: flag, value: isSet }], time: undefined, counter, setsBody: false };
}

/**
 * Returns the plan of a list of the entries that a user has marked, such as `GET /me/bookmarks`.
 * Returns the reason as text if no operation marks entries in this way, and undefined for other operations.
 */
export function planMarkedList(marks: Marks, route: Route): Plan | string | undefined {
  const list = marks.lists.find((one) => one.route === route);
  if (!list) return undefined;
  const { resource, mark, user, path } = list;
  const flag = getFlag(marks, resource, mark);
  if (flag === undefined) return `a list of what users have ${mark}: no operation marks ${resource.name}`;
  const item = getParentPath(route.path);
  const parents = user ? [{ ...user.id, path: item }] : [];
  const mount = { collection: route.path, item: undefined, parents, id: resource.id };
  return { route, action: 'list', resource, mount, requestPath: [], entryPath: [], responsePath: path, marked: flag };
}
