import { allowsAnyBody, allowsAnyJson, findResponse } from '../../openapi/responses.ts';
import { findColonParameter, type Route } from '../../openapi/routes.ts';
import { normalizeName, splitWords, toSingular } from '../../util/names.ts';
import { getResourceSegment } from '../document/document-paths.ts';
import { findParentRelationships } from '../document/entry-properties.ts';
import { locateResponse } from '../document/locate.ts';
import { addArticle, getLastSegment, getParameterName, getParentPath, isSearchPath } from '../document/names.ts';
import { listPatchTypes } from '../document/patch-types.ts';
import { findParents, hasEntryResponse, type Place } from '../document/path-keys.ts';
import { findPlaceOfForm, renameParameters } from '../document/places.ts';
import type { SchemaReader } from '../document/schema-reader.ts';
import { isDownload } from '../entries/uploads.ts';
import { namesSelection } from '../lists/view-words.ts';
import { type Action, type Inference, type MockedPlan, NO_ID, type Plan } from '../resource.ts';
import { listsJoined, needsUnknownUser } from '../users/own-lists.ts';
import { findMembership } from '../users/own-members.ts';
import { confirmsEmail } from '../users/passwords.ts';
import { isRelation } from '../users/user-names.ts';
import { resetsPassword } from '../users/users.ts';
import { indexReferences } from './references.ts';
import type { RestRoute } from './verb-paths.ts';

/** Returns the reason for mocking an operation whose path belongs to no resource. */
export function describeUnknownPath(reader: SchemaReader, route: Route): string {
  const parameter = findColonParameter(route.path);
  if (parameter !== undefined) return `${parameter} in the path is not a parameter: write {${parameter.slice(1)}}`;
  if (confirmsEmail(route)) return 'a confirmation of an e-mail address: the server sends no messages';
  if (resetsPassword(reader, route)) return 'a reset of a forgotten password: the server sends no messages';
  if (route.method !== 'GET') return 'an action: the document does not say what the action changes';
  const schema = reader.getResponseSchema(route, route.successStatus);
  if (schema === undefined && isStream(route)) return 'a stream whose items are no entries of a resource';
  if (schema === undefined) return 'the response has no JSON schema';
  const isItem = getParameterName(getLastSegment(route.path)) !== undefined;
  if (isItem) return 'no operation creates or lists the returned object';
  if (!reader.findList(schema, getResourceSegment(route.path))) return 'no operation changes the returned object';
  if (namesSelection(route.path))
    return `the document does not say which entries are ${splitWords(getLastSegment(route.path)).join(' ')}`;
  if (isRelation(toSingular(getResourceSegment(route.path))))
    return 'a list of related entries: no operation says how they are related';
  if (/^(?:sent|received|incoming|outgoing|pending)$/i.test(getLastSegment(route.path)))
    return `the document does not say which entries are ${getLastSegment(route.path)}`;
  if (isSearchPath(route.path)) return 'a search whose results are no entries of a resource';
  return needsUnknownUser(reader, route)
    ? 'a list of the entries of a user, but the request has no credentials'
    : 'a list without a path for its entries';
}

function isStream({ responses, successStatus }: Route): boolean {
  return Object.values(findResponse(responses, successStatus)?.media ?? {}).some(({ items }) => items !== undefined);
}

/**
 * Returns the reason for mocking a list below an entry that several relationships of the listed entries can name.
 * `posts`: the paths with a POST. One at the path of the list says which entries it has.
 */
export function describeUnclearParent(
  reader: SchemaReader,
  { resource, mount }: Place,
  posts: ReadonlySet<string>,
): string | undefined {
  const parent = mount.parents.at(-1);
  const { schema, singular, canCreate } = resource;
  if (!parent || parent.isSender || parent.property !== undefined || schema === '' || !canCreate) return undefined;
  const segment = getResourceSegment(parent.path);
  const names = findParentRelationships(reader, schema, segment).map(({ name }) => name);
  if (names.length < 2 || posts.has(mount.collection)) return undefined;
  return `${names.join(' and ')} of ${addArticle(singular)} name ${segment}: the document does not say which one the path has`;
}

/**
 * Returns the reason for mocking a list of the entries that the user who sends the request has joined.
 * `routes`: all operations.
 */
export function describeJoined(
  reader: SchemaReader,
  { resource }: Place,
  route: Route,
  { resources, users, routes }: Pick<Inference, 'resources' | 'users'> & { readonly routes: readonly Route[] },
): string | undefined {
  const { name, kind, mounts } = resource;
  if (kind !== 'collection' || !listsJoined(reader, route, mounts[0]?.collection ?? '')) return undefined;
  const { item } = mounts[0] ?? {};
  const members = users && item !== undefined && findMembership(reader, { resources, users }, routes, item);
  return members
    ? `the document does not say whether a ${users.singular} has joined the ${name} that the ${users.singular} has created`
    : `the document does not say how users join ${name}`;
}

/** Returns the reason for mocking an operation at the path of a resource. */
export function describeUnknownAction({ resource, isItem }: Place, route: Route): string {
  const target = isItem ? resource.singular : resource.name;
  if (route.method === 'QUERY') return `the document does not say how the request body selects ${resource.name}`;
  return Object.keys(route.bodyMedia).length > 0
    ? `the request body is not an object with the properties of ${addArticle(resource.singular)}`
    : `an action on ${target}: the document does not say what the action changes`;
}

/**
 * Explains why the bodies of an operation can't contain entries, such as `the request body is image/png`.
 * Returns undefined if they can.
 */
export function findUnusableMedia(reader: SchemaReader, action: Action, route: Route): string | undefined {
  const media = Object.keys(route.bodyMedia);
  const needsBody = ['create', 'replace', 'replaceById', 'update', 'updateById'].includes(action);
  const isPatch = listPatchTypes(reader, route).length > 0;
  if (needsBody && media.length > 0 && !isPatch && reader.getRequestSchema(route) === undefined)
    return `the request body is ${media.join(' or ')}`;
  if (allowsAnyBody(reader.document, route) || allowsAnyJson(reader.document, route)) return undefined;
  const response = route.responses.find(({ name }) => name === String(route.successStatus));
  const types = Object.keys(response?.media ?? {});
  // A text in the response to a DELETE, such as `Deleted`, says nothing about the entry.
  if (action === 'delete' && types.some((type) => type.startsWith('text/'))) return undefined;
  if (types.length > 0 && reader.getResponseSchema(route, route.successStatus) === undefined)
    return `the response is ${types.join(' or ')} without a schema of JSON or XML`;
  return undefined;
}

/**
 * Returns the plan of a mocked operation.
 * The plan says which entries must exist: the pet for `POST /pets/{petId}/feed`.
 * For a PUT, the last entry in the path can be new.
 * The second route: the operation with the verb at the end of its path.
 */
export function planMocked(
  reader: SchemaReader,
  inference: Pick<Inference, 'resources' | 'users'>,
  route: Route,
  { path: moved }: RestRoute,
): MockedPlan {
  const { resources } = inference;
  const path = moved.split('/').length === route.path.split('/').length ? moved : route.path;
  const last = normalizeName(getParameterName(getLastSegment(path)) ?? '');
  const at = findPlaceOfForm(resources, path);
  const canBeNew = at?.isItem ? at.resource.canCreate : !indexReferences(inference).has(last);
  const isNew = route.method === 'PUT' && canBeNew;
  const collection = isNew ? getParentPath(path) : path;
  const parents = findParents(reader, { schema: '', collectionPath: collection, route, id: NO_ID });
  const owner = parents.at(-1);
  const place = owner && findPlaceOfForm(resources, owner.path);
  const mount = { collection, item: undefined, parents, id: NO_ID };
  // A parameter with a single allowed value means all entries, such as `~` in `/dags/~/runs`.
  if (owner && hasSingleValue(reader, owner.schema))
    return { route, mount: { ...mount, parents: [] }, entry: undefined };
  if (!owner || !place?.isItem) return { route, mount, entry: undefined };
  const { resource } = place;
  const own = renameParameters(place.mount, owner.path);
  const needed = { ...mount, parents: [...own.parents, { ...own.id, path: owner.path }] };
  if (isDownload(route)) return { route, mount: needed, entry: undefined, file: { resource, mount: own } };
  // The response of a GET can be another entry of the same resource, such as the manager of a user.
  if (route.method === 'GET' || !hasEntryResponse(reader, resource, route))
    return { route, mount: needed, entry: undefined };
  const responsePath = locateResponse(reader, { resource, action: 'read' }, route, {}) as readonly string[];
  const response = reader.getResponseSchema(route, route.successStatus);
  const shown = response === undefined ? undefined : reader.getInner(response, responsePath);
  // A list has other entries than the one in the path.
  if (shown !== undefined && reader.getItems(shown) !== undefined) return { route, mount: needed, entry: undefined };
  const entry: Plan = { route, action: 'read', resource, mount: own, requestPath: [], entryPath: [], responsePath };
  return { route, mount: needed, entry };
}

function hasSingleValue(reader: SchemaReader, schema: string): boolean {
  const values = reader.getKeyword(schema, 'enum');
  return reader.getKeyword(schema, 'const') !== undefined || (Array.isArray(values) && values.length === 1);
}
