import { type Document, getNode, toNode } from '../../openapi/document.ts';
import type { Route } from '../../openapi/routes.ts';
import { joinWords, normalizeName, toSingular } from '../../util/names.ts';
import { getLastSegment, getParameterName, getParentPath, getPathForm } from '../document/names.ts';
import type { Place } from '../document/path-keys.ts';
import { findPlaceOfForm, renameParameters } from '../document/places.ts';
import type { SchemaReader } from '../document/schema-reader.ts';
import { indexEntrySchemas } from '../inference/references.ts';
import type { Effect, Mount, Plan, Resource } from '../resource.ts';
import { isSenderFlag } from '../users/sender-flags.ts';
import { findEffect, splitActionPath } from './actions.ts';

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

/** Returns the mark that a boolean shows, such as `favorited` for `is_favorite`. */
function getShownMark(property: string): string | undefined {
  const word = normalizeName(property).replace(/^(?:is|has)|by(?:me|you|viewer)$/g, '');
  return MARKS.find(([pattern]) => pattern.test(word))?.[1];
}

/** Returns the segment of an operation that marks an entry: `like` for `/posts/{postId}/like` and `/likes/{postId}`. */
export function getMarkSegment({ path }: Pick<Route, 'path'>): string {
  return splitActionPath(path)?.verb ?? toSingular(getLastSegment(getParentPath(path)));
}

/** An operation that marks an entry, such as `POST /posts/{postId}/like` or `PUT /me/likes/{postId}`. */
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
  /** The paths of these lists whose entries are marked at paths such as `/me/likes/{postId}`. */
  readonly ownLists: readonly string[];
}

interface MarkedList {
  readonly route: Route;
  readonly resource: Resource;
  readonly mark: string;
  /** The path of the user in `/users/{userId}/likes`. Undefined for the user who sends the request. */
  readonly user: Mount | undefined;
  readonly path: readonly string[];
  /** Whether the path is one such as `/favorites`, which does not say whose list it is. */
  readonly isTop: boolean;
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
  if (!users) return { markings: [], lists: [], ownLists: [] };
  const found = routes.flatMap((route) => findMarkedList(reader, resources, { users, ownPaths }, route) ?? []);
  const inLists = found.flatMap((list) => findListMarkings(reader, routes, list));
  const markings = [...routes.flatMap((route) => findMarking(reader, resources, users, route) ?? []), ...inLists];
  // A path such as `/favorites` says less than `/me/favorites`.
  const lists = found.filter(
    ({ resource, mark, isTop }) => !isTop || markings.some((one) => one.resource === resource && one.mark === mark),
  );
  return { markings, lists, ownLists: inLists.map(({ route }) => getParentPath(route.path)) };
}

/**
 * Finds the operations such as `PUT` and `DELETE /me/likes/{postId}` that mark the entries of a list. Returns an empty
 * array if other operations at these paths need the entries of a list of its own.
 */
function findListMarkings(reader: SchemaReader, routes: readonly Route[], list: MarkedList): readonly Marking[] {
  const { resource, mark, user } = list;
  const { path } = list.route;
  const isItem = (route: Route) => getParentPath(route.path) === path && getParameterName(getLastSegment(route.path));
  const items = routes.filter(isItem);
  const marks = items.filter(
    (route) => MARKING_METHODS.includes(route.method) && reader.getRequestSchema(route) === undefined,
  );
  const isOther = (route: Route) => route !== list.route && (route.path === path || route.path.startsWith(`${path}/`));
  const others = routes.filter((route) => isOther(route) && !marks.includes(route));
  if (user || others.length > 0 || !marks.some(({ method }) => method !== 'DELETE')) return [];
  return marks.map((route) => ({ route, resource, mark, shown: findShown(reader, resource, mark, route) }));
}

/** The methods of operations that mark entries, or take a mark back. */
const MARKING_METHODS = ['POST', 'PUT', 'DELETE'];

/** Returns the boolean with which the response of an operation, or an entry, shows a mark. */
function findShown(
  reader: SchemaReader,
  { singular, schema: own }: Resource,
  mark: string,
  route: Route,
): string | undefined {
  const response = reader.getResponseSchema(route, route.successStatus);
  const schemas = [response && reader.findEntry(response, singular, own).schema, own];
  const names = schemas.flatMap((schema) => (schema ? [...reader.getProperties(schema)] : []));
  const isShown = ([name, pointer]: readonly [string, string]) =>
    isSenderFlag(name) && reader.getTypes(pointer).includes('boolean') && getShownMark(name) === mark;
  return names.find(isShown)?.[0];
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
  const isAction = MARKING_METHODS.includes(route.method) && reader.getRequestSchema(route) === undefined;
  if (mark === undefined || !isAction) return undefined;
  return { route, resource, mark, shown: findShown(reader, resource, mark, route) };
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
  const isTop = !isOwn && !user && route.pathNames.length === 0;
  const found = isOwn || user || isTop ? reader.findList(response, segment) : undefined;
  const resource = found && findMarked(reader, resources, route, found.schema);
  const mark = resource && resource !== users ? getMark(segment, resource) : undefined;
  return found && resource && mark !== undefined ? { route, resource, mark, user, path: found.path, isTop } : undefined;
}

/** Returns the resource with the entries of a list: another one than that at the path of the list. */
function findMarked(
  reader: SchemaReader,
  resources: readonly Resource[],
  { path }: Route,
  schema: string,
): Resource | undefined {
  const resource = indexEntrySchemas(reader)(resources).get(reader.resolve(schema));
  if (resource?.mounts[0]?.collection !== path) return resource;
  return resources.find(
    (one) =>
      one !== resource && one.kind === 'collection' && one.schema !== '' && reader.isSame(one.schema, resource.schema),
  );
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
  const verb = getMarkSegment(route);
  const isUndone = /^un/i.test(verb);
  const own = findEffect(reader, resource, route, isUndone ? verb.replace(/^un[-_]?/i, '') : verb);
  const isListed = marks.lists.some((list) => list.resource === resource && list.mark === mark);
  const flag = getFlag(marks, resource, mark) ?? mark;
  if (marking.shown === undefined && !isListed && !own?.counter) return undefined;
  const isSet = route.method !== 'DELETE' && !isUndone;
  const counter = own?.counter && { ...own.counter, step: isSet ? (1 as const) : (-1 as const) };
  return { values: [{ property: flag, value: isSet }], time: undefined, counter, setsBody: false };
}

/** Words for setting a mark. */
const SETS = 'likes?|favou?rites?|bookmarks?|saves?|stars?|sets?';

/** Matches words for an operation that sets a mark, and takes it back the next time. */
const TOGGLE = new RegExp(
  `\\btoggl(?:e|es|ing)\\b|\\b(?:adds?|${SETS}) (?:or|/|and) (?:removes?|un-?(?:${SETS})|clears?)\\b`,
);

/**
 * Returns the effect of an operation that also takes a mark back, as its text says: `Toggle a like`, `Adds or removes a
 * favorite`. Returns other effects unchanged, and those beside another operation that takes the mark back.
 */
export function addTakingBack(
  { document }: SchemaReader,
  { pointer, path, operationId }: Route,
  effect: Effect,
): Effect {
  const isMark = effect.values.length > 0 && effect.values.every(({ property }) => isSenderFlag(property));
  if (!isMark || effect.values.some(({ value }) => value !== true)) return effect;
  const { summary = '', description = '' } = toNode(getNode(document, pointer));
  const text = `${summary} . ${description} . ${joinWords(operationId)}`.toLowerCase();
  return TOGGLE.test(text) && !isTakenBackBeside(document, path) ? { ...effect, takesBack: true } : effect;
}

/** Returns whether a document has a `DELETE` of a path such as `/posts/{postId}/like` or `likes`, or an `unlike`. */
function isTakenBackBeside(document: Document, path: string): boolean {
  const getWord = (one: string) => toSingular(normalizeName(getLastSegment(one)));
  const isBeside = (one: string) => getPathForm(getParentPath(one)) === getPathForm(getParentPath(path));
  return Object.entries(toNode(document.paths)).some(
    ([one, item]) =>
      isBeside(one) &&
      (getWord(one) === `un${getWord(path)}` || (getWord(one) === getWord(path) && 'delete' in toNode(item))),
  );
}

/** Returns the resources without those of lists such as `/favorites`, whose entries users mark. */
export function omitMarkedLists(resources: readonly Resource[], { ownLists }: Marks): readonly Resource[] {
  return resources.filter(({ mounts }) => !ownLists.includes(mounts[0]?.collection ?? ''));
}

/** Returns the resource and the place of an entry that an operation such as `PUT /me/likes/{postId}` marks. */
export function findMarkedPlace({ markings, ownLists }: Marks, { path, method }: Route): Place | undefined {
  const marking = ownLists.includes(getParentPath(path))
    ? markings.find(({ route }) => route.path === path && route.method === method)
    : undefined;
  const mount = marking?.resource.mounts.find(({ parents }) => parents.length === 0);
  return marking && mount && { resource: marking.resource, mount, isItem: true };
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
