import type { Route } from '../../openapi/routes.ts';
import { addToGroup } from '../../util/groups.ts';
import { normalizeName, toSingular } from '../../util/names.ts';
import { findIdQuery } from '../document/document-paths.ts';
import { getLastSegment, getParameterName, getParentPath, getPathForm, toTemplate } from '../document/names.ts';
import { showsEntry } from '../document/query-ids.ts';
import { isPart, sharesMostProperties } from '../document/response-shapes.ts';
import type { SchemaReader } from '../document/schema-reader.ts';

/** What a verb in a path does with entries. */
type Verb = 'read' | 'list' | 'create' | 'update' | 'delete';

/** The words in paths, and the HTTP methods that each verb can have. */
const VERBS: Readonly<Record<Verb, { readonly words: readonly string[]; readonly methods: readonly string[] }>> = {
  read: { words: ['get', 'fetch', 'view', 'show', 'find', 'read'], methods: ['GET'] },
  list: { words: ['list', 'all', 'listall', 'getall', 'fetchall', 'findall'], methods: ['GET'] },
  create: { words: ['create', 'add', 'new', 'insert'], methods: ['POST', 'PUT'] },
  update: { words: ['update', 'edit', 'modify'], methods: ['PUT', 'PATCH', 'POST'] },
  delete: { words: ['delete', 'remove', 'destroy'], methods: ['DELETE', 'POST'] },
};

/** The path of a resource that a path with a verb means, and what the verb does: `/users` for `/createUser`. */
interface VerbPath {
  readonly verb: Verb;
  readonly path: string;
  readonly isItem: boolean;
}

/**
 * An operation as it would be at the path of a list or of an entry.
 * `idInQuery`: the query parameter with the id of the entry, if the documented path does not have it.
 */
export interface RestRoute extends Route {
  readonly idInQuery?: string;
}

/**
 * Returns the operations as they would be at the path of a list or of an entry, by the documented operations:
 * `POST /users/{id}/delete` is like `DELETE /users/{id}`, `GET /getUsers` like `GET /users`, and both
 * `GET /users/get?id=7` and `GET /user?id=7` like `GET /users/7`.
 * Other operations, and those whose meaning is not clear, stay unchanged.
 */
export function toRestRoutes(reader: SchemaReader, routes: readonly Route[]): ReadonlyMap<Route, RestRoute> {
  const segments = indexSegments(routes);
  const plurals = indexPlurals(reader, routes);
  const lists = indexListsOfSingulars(reader, routes);
  const items = new Map(routes.map(({ path }) => [getPathForm(path), path]));
  const taken = new Set(routes.map(getKey));
  const reads = new Set(routes.flatMap(({ method, path }) => (method === 'GET' ? [getPathForm(path)] : [])));
  const renamed = routes.map((route): RestRoute => {
    const found = splitVerb(route, segments);
    const next: RestRoute =
      moveSingular(reader, route, plurals) ??
      moveToList(route, lists) ??
      (found && hasNeededId(reader, route, found) ? rename(reader, route, found) : moveAction(route, reads));
    // The path of an entry has the same parameter in all operations.
    const path = items.get(getPathForm(next.path)) ?? next.path;
    items.set(getPathForm(path), path);
    const key = getKey(next);
    // Two operations can do the same with an entry: one with the id in the path, and one with the id in the query.
    if (next === route || (taken.has(key) && next.idInQuery === undefined)) return route;
    taken.add(key);
    return { ...next, path };
  });
  const shown = groupBy(
    renamed.filter(({ method }) => method === 'GET'),
    ({ path }) => getPathForm(path),
  );
  const isCreated = (route: Route, next: Route) =>
    next.path === route.path || next.method !== 'POST' || showsSent(reader, shown, next);
  return new Map(
    routes.map((route, index) => {
      const next = renamed[index] ?? route;
      return [route, isCreated(route, next) ? next : route];
    }),
  );
}

function groupBy<Item>(
  items: readonly Item[],
  getGroup: (route: Item) => string,
): ReadonlyMap<string, readonly Item[]> {
  const groups = new Map<string, Item[]>();
  for (const item of items) addToGroup(groups, getGroup(item), item);
  return groups;
}

function getKey({ method, path }: Pick<Route, 'method' | 'path'>): string {
  return `${method} ${getPathForm(path)}`;
}

/** The literal segments of all paths without verbs, by the path above them and their singular. */
type Segments = ReadonlyMap<string, string>;

function indexSegments(routes: readonly Route[]): Segments {
  const index = new Map<string, string>();
  for (const { path } of routes)
    for (let part = toTemplate(path); part !== ''; part = getParentPath(part)) {
      const [, noun = getLastSegment(part)] = splitCompound(getLastSegment(part)) ?? [];
      const key = getSegmentKey(getParentPath(part), noun);
      // The plural is the name of the list.
      if (getParameterName(noun) === undefined && (index.get(key)?.length ?? 0) <= noun.length) index.set(key, noun);
    }
  return index;
}

function getSegmentKey(above: string, noun: string): string {
  return `${getPathForm(above)}/${normalizeName(toSingular(noun))}`;
}

/** Splits a segment such as `createUser`, `get-all-users` or `getUserById` into the verb and the noun. */
function splitCompound(segment: string): readonly [verb: Verb, noun: string] | undefined {
  const [, word = '', all, noun = ''] =
    /^([A-Za-z][a-z]+?)(?:[_-]?([Aa]ll))?(?:[_-](?=[A-Za-z])|(?=[A-Z]))(\w[\w-]*?)(?:[_-]?[Bb]y[_-]?(?:id|[A-Z]\w*))?$/.exec(
      segment,
    ) ?? [];
  const verb = findVerb(word);
  if (verb === undefined || noun === '' || /^(?:to|from|by|in|on|for|with)(?=[A-Z_-]|$)/i.test(noun)) return undefined;
  const isList = verb === 'read' && (all !== undefined || toSingular(noun) !== noun);
  const own = noun.charAt(0).toLowerCase() + noun.slice(1);
  return [isList ? 'list' : verb, own];
}

function findVerb(segment: string): Verb | undefined {
  const word = normalizeName(segment);
  return (Object.keys(VERBS) as Verb[]).find((verb) => VERBS[verb].words.includes(word));
}

/** Returns what a path with a verb means. Returns undefined if it has no verb, or one that does not fit its method. */
function splitVerb({ method, path }: Route, segments: Segments): VerbPath | undefined {
  const last = getLastSegment(path);
  const isItem = getParameterName(last) !== undefined;
  const own = isItem ? getParentPath(path) : toTemplate(path);
  const [segment, above] = [getLastSegment(own), getParentPath(own)];
  const simple = findVerb(segment);
  const [verb = simple, noun] = simple === undefined ? (splitCompound(segment) ?? []) : [];
  if (verb === undefined || !VERBS[verb].methods.includes(method)) return undefined;
  const isBelowItem = getParameterName(getLastSegment(above)) !== undefined;
  if (noun === undefined && above === '') return undefined;
  if (noun === undefined && isBelowItem)
    return isItem || verb === 'create' || verb === 'list' ? undefined : { verb, path: above, isItem: true };
  const isSame = noun !== undefined && getSegmentKey('', getLastSegment(above)) === getSegmentKey('', noun);
  const named = noun === undefined || isSame ? above : `${above}/${segments.get(getSegmentKey(above, noun)) ?? noun}`;
  if (isItem && (verb === 'create' || verb === 'list')) return undefined;
  return { verb, path: isItem ? `${named}/${last}` : named, isItem };
}

/** Returns whether a request that reads, changes or deletes an entry has its id in the path, the query or the body. */
function hasNeededId(reader: SchemaReader, route: Route, { verb, path, isItem }: VerbPath): boolean {
  if (isItem || verb === 'list' || verb === 'create') return true;
  const ids = ['id', 'uuid', `${normalizeName(toSingular(getLastSegment(path)))}id`];
  const request = reader.getRequestSchema(route);
  const inBody = verb === 'update' && request !== undefined ? [...reader.getProperties(request).keys()] : [];
  const inQuery = route.parameters.filter((parameter) => parameter.in === 'query').map(({ name }) => name);
  return [...inBody, ...inQuery].some((name) => ids.includes(normalizeName(name)));
}

function rename(reader: SchemaReader, route: Route, { verb, path, isItem }: VerbPath): RestRoute {
  const methods = { read: 'GET', list: 'GET', create: 'POST', delete: 'DELETE' };
  const request = reader.getRequestSchema(route) ?? '';
  const isWhole = route.method === 'PUT' && reader.getRequired(request).length > 0;
  const method = verb === 'update' ? (isWhole ? 'PUT' : 'PATCH') : methods[verb];
  const next = { ...route, method, path };
  return isItem || verb === 'list' || verb === 'create' ? next : (moveId(reader, next) ?? next);
}

/** Returns an operation with the id of the entry in its path instead of its query. Returns undefined if it has none. */
function moveId(reader: SchemaReader, route: Route): RestRoute | undefined {
  const singular = toSingular(getLastSegment(route.path));
  const name = findIdQuery(route, singular);
  if (name === undefined || (route.method === 'GET' && !showsEntry(reader, route, singular))) return undefined;
  return { ...route, path: `${route.path}/{${name}}`, idInQuery: name };
}

/**
 * Returns an action whose verb is before the id with the verb at the end: `PUT /tasks/complete/{id}` becomes
 * `PUT /tasks/{id}/complete`, if `GET /tasks/{id}` reads a task.
 * `reads`: the paths of GET operations without the names of parameters.
 */
function moveAction(route: Route, reads: ReadonlySet<string>): Route {
  const { method, path } = route;
  const [last, above] = [getLastSegment(path), getParentPath(path)];
  const verb = getLastSegment(above);
  const item = `${getParentPath(above)}/${last}`;
  const isAction = method !== 'GET' && getParameterName(last) !== undefined && /^[a-z][\w-]*$/i.test(verb);
  const isOwn = reads.has(getPathForm(above)) || reads.has(getPathForm(path)) || toSingular(verb) !== verb;
  return isAction && !isOwn && reads.has(getPathForm(item)) ? { ...route, path: `${item}/${verb}` } : route;
}

/**
 * Returns the paths of lists by the paths of their entries, which have the id in the query: `/users` for `/user`, if
 * `GET /user?id=7` shows a user and `GET /users` lists users.
 */
function indexPlurals(reader: SchemaReader, routes: readonly Route[]): ReadonlyMap<string, string> {
  const reads = routes.filter(({ method }) => method === 'GET');
  const byPath = new Map(reads.map((route) => [toTemplate(route.path), route]));
  const lists = groupBy(reads, ({ path }) => getSegmentKey(getParentPath(path), getLastSegment(path)));
  return new Map(
    [...byPath].flatMap(([path, read]) => {
      const segment = getLastSegment(path);
      if (findIdQuery(read, segment) === undefined || !showsEntry(reader, read, segment)) return [];
      const { schema } = reader.findEntry(reader.getResponseSchema(read, read.successStatus) ?? '', segment);
      const list = (lists.get(getSegmentKey(getParentPath(path), segment)) ?? []).find((other) => {
        const response = reader.getResponseSchema(other, other.successStatus);
        const listed = response === undefined ? undefined : reader.findList(response, getLastSegment(other.path));
        return listed !== undefined && other !== read && sharesMostProperties(reader, listed.schema, schema);
      });
      return list ? [[path, toTemplate(list.path)] as const] : [];
    }),
  );
}

/**
 * Returns the paths of lists by the singular paths that create their entries: `/channels/{id}/bans` for
 * `POST /channels/{id}/ban`, if the list has no path for its entries, and the request has properties of them.
 */
function indexListsOfSingulars(reader: SchemaReader, routes: readonly Route[]): ReadonlyMap<string, string> {
  const byPath = groupBy(routes, ({ path }) => toTemplate(path));
  const shown = groupBy(
    routes.filter(({ method }) => method === 'GET'),
    ({ path }) => getPathForm(path),
  );
  return new Map(
    [...byPath].flatMap(([list, [read, ...others]]) => {
      const segment = getLastSegment(list);
      const singular = toSingular(segment);
      const path = `${getParentPath(list)}/${singular}`;
      const [create, ...more] = byPath.get(path) ?? [];
      if (singular === segment || read?.method !== 'GET' || create?.method !== 'POST') return [];
      const isPair = others.length + more.length === 0 && !routes.some((one) => one.path.startsWith(`${list}/`));
      return isPair && showsSent(reader, shown, { ...create, path: list }) ? [[path, list] as const] : [];
    }),
  );
}

/** Returns an operation of a singular path, or of one below it, as one of the list: `/bans/{id}` for `/ban/{id}`. */
function moveToList(route: Route, lists: ReadonlyMap<string, string>): RestRoute | undefined {
  const path = toTemplate(route.path);
  const found = [...lists].find(([singular]) => path === singular || path.startsWith(`${singular}/{`));
  return found && { ...route, path: `${found[1]}${path.slice(found[0].length)}` };
}

/** Returns an operation of a path such as `/user` as one of the list, or of an entry whose id is in the query. */
function moveSingular(reader: SchemaReader, route: Route, plurals: ReadonlyMap<string, string>): RestRoute | undefined {
  const list = plurals.get(toTemplate(route.path));
  if (list === undefined) return undefined;
  const next = { ...route, path: list };
  return moveId(reader, next) ?? (route.method === 'GET' || route.method === 'DELETE' ? undefined : next);
}

/**
 * Returns whether a GET of the list or of an entry shows mostly the properties that a POST sends.
 * `reads`: the GET operations by their paths without the names of parameters.
 */
function showsSent(reader: SchemaReader, reads: ReadonlyMap<string, readonly Route[]>, create: Route): boolean {
  const request = reader.getRequestSchema(create);
  if (request === undefined) return false;
  const created = reader.getResponseSchema(create, create.successStatus) ?? '';
  const isOpen = reader.getProperties(request).size === 0 && reader.isObject(request);
  const forms = [getPathForm(create.path), getPathForm(`${create.path}/{}`)];
  const segment = getLastSegment(create.path);
  const singular = toSingular(segment);
  return forms
    .flatMap((form) => reads.get(form) ?? [])
    .some((route) => {
      const response = reader.getResponseSchema(route, route.successStatus);
      if (response === undefined) return false;
      const shown = reader.findList(response, segment)?.schema ?? reader.findEntry(response, singular).schema;
      // A body without described properties can have those of the entry in the response.
      if (isOpen) return reader.isSame(reader.findEntry(created, singular, shown).schema, shown);
      const sent = reader.findEntry(request, singular, shown).schema;
      return sharesMostProperties(reader, sent, shown) || isPart(reader, sent, shown);
    });
}
