import type { Route } from '../openapi/routes.ts';
import { normalizeName, toSingular } from '../util/names.ts';
import { getLastSegment, getParameterName, getParentPath, getPathForm, toTemplate } from './names.ts';
import { isAlike } from './response-shapes.ts';
import type { SchemaReader } from './schema-reader.ts';

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
 * Returns the operations as they would be without verbs in their paths, by the documented operations:
 * `POST /users/{id}/delete` is like `DELETE /users/{id}`, and `GET /getUsers` like `GET /users`.
 * Other operations, and those whose meaning is not clear, stay unchanged.
 */
export function removeVerbs(reader: SchemaReader, routes: readonly Route[]): ReadonlyMap<Route, Route> {
  const segments = indexSegments(routes);
  const taken = new Set(routes.map(getKey));
  const renamed = routes.map((route) => {
    const found = splitVerb(route, segments);
    const next = found && hasNeededId(reader, route, found) ? rename(route, found) : route;
    const key = getKey(next);
    if (next === route || taken.has(key)) return route;
    taken.add(key);
    return next;
  });
  const isCreated = (route: Route, next: Route) =>
    next.path === route.path || next.method !== 'POST' || showsSent(reader, renamed, next);
  return new Map(
    routes.map((route, index) => {
      const next = renamed[index] ?? route;
      return [route, isCreated(route, next) ? next : route];
    }),
  );
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

function rename(route: Route, { verb, path }: VerbPath): Route {
  const methods = { read: 'GET', list: 'GET', create: 'POST', delete: 'DELETE' };
  const method = verb === 'update' ? (route.method === 'PUT' ? 'PUT' : 'PATCH') : methods[verb];
  return { ...route, method, path };
}

/** Returns whether a GET of the list or of an entry shows mostly the properties that a POST sends. */
function showsSent(reader: SchemaReader, routes: readonly Route[], create: Route): boolean {
  const request = reader.getRequestSchema(create);
  const forms = [getPathForm(create.path), getPathForm(`${create.path}/{}`)];
  const segment = getLastSegment(create.path);
  const singular = toSingular(segment);
  return routes.some((route) => {
    const response = reader.getResponseSchema(route, route.successStatus);
    if (route.method !== 'GET' || response === undefined || request === undefined) return false;
    if (!forms.includes(getPathForm(route.path))) return false;
    const shown = reader.findList(response, segment)?.schema ?? reader.findEntry(response, singular).schema;
    const sent = reader.findEntry(request, singular, shown).schema;
    return isAlike(reader, sent, shown);
  });
}
