import { getNode, toNode } from '../../openapi/document.ts';
import type { Route } from '../../openapi/routes.ts';
import { normalizeName, toSingular } from '../../util/names.ts';
import { findLogin } from '../actions/actions.ts';
import { listRequestNames, locateResponse } from '../document/locate.ts';
import { getLastSegment, getParameterName, getParentPath, toTemplate } from '../document/names.ts';
import { hasProperties } from '../document/path-keys.ts';
import type { SchemaReader } from '../document/schema-reader.ts';
import type { Plan, Resource } from '../resource.ts';
import { findOwnPosition } from '../users/own-paths.ts';
import { isRelation, PEOPLE_LIST } from '../users/user-names.ts';
import { isOwnList } from '../users/user-parts.ts';

/**
 * Adds to the resources of relations between users, such as the friends of a user, where their entries have the id of
 * the other user, if they have no id of their own: `friend.id` at `/me/friends/{friendId}`. So do members with an
 * object `user` at `/groups/{groupId}/members/{userId}`.
 * `ownPaths`: the paths that show the user who sends a request.
 */
export function addRelations(
  reader: SchemaReader,
  users: Resource,
  resources: readonly Resource[],
  { routes, ownPaths }: { readonly routes: readonly Route[]; readonly ownPaths: readonly string[] },
): readonly Resource[] {
  const posts = routes.filter(({ method }) => method === 'POST');
  const added = resources.map((resource): Resource => {
    const [mount] = resource.mounts;
    const isOwn =
      isOwnList(users, resource) || (mount !== undefined && findOwnPosition(mount.collection, ownPaths) !== undefined);
    const isPossible = (isOwn && isRelation(resource.singular)) || isUserInPath(users, resource);
    if (!mount || resource === users || !isPossible || resource.kind !== 'collection') return resource;
    const object = findOtherUser(reader, users, resource);
    if (object !== undefined) {
      const related = setRelation(reader, users, resource, object);
      const isSet = routes.some((route) => route.method !== 'DELETE' && planRelation(reader, [related], route));
      return isSet ? { ...related, canCreate: true } : related;
    }
    if (!isOwn) return resource;
    const post = posts.find(({ path }) => path === mount.collection);
    const isShown = resource.id.property === users.id.property && isUserSummary(reader, users, resource);
    const isAdded = post !== undefined && listRequestNames(reader, post, []).length === 1;
    const from = isAdded ? findOtherId(reader, users, post, { resource, object: undefined }) : undefined;
    const isPut = routes.some((one) => one.method === 'PUT' && one.path === mount.item && hasNoBody(one));
    return isShown && (from !== undefined || isPut) ? { ...resource, memberOf: users.name } : resource;
  });
  return added.every((one, index) => one === resources[index]) ? resources : added;
}

/** Returns whether the path of an entry below another one has the id of a user: `/groups/{id}/members/{userId}`. */
function isUserInPath(users: Resource, { singular, mounts: [mount] }: Resource): boolean {
  const ids = ['userid', `${normalizeName(users.singular)}id`];
  const isPerson = PEOPLE_LIST.test(normalizeName(singular)) && mount?.item !== undefined && mount.parents.length > 0;
  return isPerson && ids.includes(normalizeName(mount.id.parameter));
}

function hasNoBody({ bodyMedia }: Route): boolean {
  return Object.keys(bodyMedia).length === 0;
}

/** Returns whether entries have the id of users, and nothing but some properties of users. */
function isUserSummary(reader: SchemaReader, users: Resource, { schema }: Resource): boolean {
  const [names, known] = [reader.getProperties(schema), reader.getProperties(users.schema)];
  return names.size > 1 && [...names.keys()].every((name) => known.has(name));
}

/** Returns the only object of an entry that shows a user with the id, if the entry has no id of its own. */
function findOtherUser(reader: SchemaReader, users: Resource, { schema, id }: Resource): string | undefined {
  const { property: idName } = users.id;
  const isSameType = reader.getTypes(id.schema).join() === reader.getTypes(users.id.schema).join();
  if (schema === '' || id.property !== undefined || idName === undefined || !isSameType) return undefined;
  const shown = [...reader.getProperties(schema)].filter(([, pointer]) => {
    const isUser = reader.isSame(pointer, users.schema) || hasProperties(reader, pointer, users.schema);
    return reader.isObject(pointer) && isUser && reader.getProperties(pointer).has(idName);
  });
  return shown.length === 1 ? shown[0]?.[0] : undefined;
}

function setRelation(reader: SchemaReader, users: Resource, resource: Resource, object: string): Resource {
  const { property: idName = '' } = users.id;
  const path = [object, idName];
  const schema = reader.getInner(resource.schema, path) ?? '';
  const pathSchema = resource.id.schema;
  const id = { ...resource.id, property: path.join('.'), schema, ...(pathSchema === '' ? {} : { pathSchema }) };
  const mounts = resource.mounts.map((mount) => (mount.id.property === undefined ? { ...mount, id } : mount));
  return { ...resource, id, mounts, relation: { object } };
}

/**
 * Returns where an entry is in a body: the object `friend` of a friend shows the other user, and is no envelope.
 * `path`: the property names that lead to the entry.
 */
export function omitOtherUser({ relation }: Resource, path: readonly string[]): readonly string[] {
  return relation && path.at(-1) === relation.object ? path.slice(0, -1) : path;
}

/** Returns the property of a request with the id of the other user of a relation. */
function findOtherId(
  reader: SchemaReader,
  users: Resource,
  route: Route,
  {
    resource,
    object = '',
    path = [],
  }: { readonly resource: Resource; readonly object?: string | undefined; readonly path?: readonly string[] },
): string | undefined {
  const stems = [
    '',
    'target',
    'other',
    normalizeName(users.singular),
    normalizeName(resource.singular),
    normalizeName(object),
  ];
  const ids = new Set(stems.flatMap((stem) => (stem === '' ? ['userid'] : [`${stem}id`, `${stem}userid`])));
  return listRequestNames(reader, route, path).find((name) => ids.has(normalizeName(name)));
}

/**
 * Returns the property of a request that names the other user of a new relation, and the login of users in it. Without
 * a login, the property has the id. Returns undefined if the request names no user.
 */
export function findOtherName(
  reader: SchemaReader,
  users: Resource | undefined,
  { action, resource, route, requestPath }: Plan,
): { readonly from: string; readonly login: string | undefined } | undefined {
  const { object } = resource.relation ?? {};
  if (!users || object === undefined || action !== 'create') return undefined;
  const byId = findOtherId(reader, users, route, { resource, object, path: requestPath });
  if (byId !== undefined) return { from: byId, login: undefined };
  const known = reader.getProperties(resource.schema);
  const names = listRequestNames(reader, route, requestPath).filter((name) => !known.has(name));
  const from = names.find((name) => findLogin(reader, users, name) !== undefined);
  return from === undefined ? undefined : { from, login: findLogin(reader, users, from) };
}

/** Matches words for requests that another user has to accept, and the values of relations that stand for them. */
const REQUESTS = /\b(?:request|invit|send|pending|incoming|outgoing)/i;

/**
 * Returns the plan of an operation that adds or ends a relation of a type that the path names:
 * `PUT` and `DELETE` of `/relationships/blocks/{userId}`, if relationships have a type such as `blocked`.
 */
export function planRelation(reader: SchemaReader, resources: readonly Resource[], route: Route): Plan | undefined {
  const { method, path, bodyMedia } = route;
  const list = getParentPath(path);
  const [parameter, word] = [getParameterName(getLastSegment(path)), getLastSegment(list)];
  const isUsable = ['PUT', 'POST', 'DELETE'].includes(method) && Object.keys(bodyMedia).length === 0;
  if (parameter === undefined || !isUsable || !isRelation(toSingular(word))) return undefined;
  const resource = resources.find(
    ({ relation, mounts }) => relation && toTemplate(mounts[0]?.collection ?? '') === getParentPath(list),
  );
  const [mount] = resource?.mounts ?? [];
  const sets = resource && findType(reader, resource, route, word);
  if (!resource || !mount || !sets) return undefined;
  const action = method === 'DELETE' ? 'delete' : 'replace';
  const located = locateResponse(reader, { resource, action }, route, {});
  return {
    ...{ route, action, resource, requestPath: [], entryPath: [], sets },
    responsePath: typeof located === 'string' ? [] : omitOtherUser(resource, located),
    mount: { ...mount, item: path, id: { ...resource.id, parameter } },
    ...(typeof located === 'string' ? { hidesEntry: true } : {}),
  };
}

/**
 * Returns the only value of an `enum` of a relation that a segment such as `blocks` names. Returns undefined if a new
 * relation can be a request that the other user has to accept.
 */
function findType(
  reader: SchemaReader,
  { schema }: Resource,
  { method, pointer }: Route,
  segment: string,
): Plan['sets'] {
  const word = normalizeName(toSingular(segment));
  const words = [segment, word, `${word}d`, `${word}ed`].map(normalizeName);
  const found = [...reader.getProperties(schema)].flatMap(([property, place]) => {
    const values = [reader.getKeyword(place, 'enum') ?? []].flat().filter((one) => typeof one === 'string');
    const named = values.filter((value) => words.includes(normalizeName(value)));
    return named.map((value) => ({ property, value, hasRequests: values.some((one) => REQUESTS.test(one)) }));
  });
  const [only, ...others] = found;
  if (!only || others.length > 0) return undefined;
  const { summary = '', description = '' } = toNode(getNode(reader.document, pointer));
  const isRequest = only.hasRequests && method !== 'DELETE' && REQUESTS.test(`${summary} ${description}`);
  return isRequest ? undefined : { [only.property]: only.value };
}
