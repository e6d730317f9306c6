import { getNode, toNode } from '../../openapi/document.ts';
import type { Route } from '../../openapi/routes.ts';
import { joinWords, toSingular } from '../../util/names.ts';
import { isSecretName } from '../../util/redact-secrets.ts';
import { getOverrides } from '../document/document-paths.ts';
import { locateRequest, locateResponse } from '../document/locate.ts';
import { getLastSegment, getParameterName, getParentPath, toTemplate } from '../document/names.ts';
import { findParents } from '../document/path-keys.ts';
import type { SchemaReader } from '../document/schema-reader.ts';
import { isTopLevel, type Plan, type Resource } from '../resource.ts';
import { omitOtherUser } from './relations.ts';

/** Matches the last segments of paths that change or look up entries, and do not create them. */
const NO_CREATION = /^(?:check|validate|verify|preview|search|find|query|lookup|update|edit$|bulk|batch|restore)/i;

/** Matches the first words of summaries and operation ids of operations that create an entry. */
const CREATION = /^(?:add|create|send|request|invite|new)(?![a-z])/;

/** What POST operations at the paths of other entries, or at paths of their own, create. */
export interface OtherCreations {
  /** All resources: those with such operations have `canPost`. */
  readonly resources: readonly Resource[];
  /** Returns the plan of such an operation; undefined for others. */
  plan(route: Route): Plan | undefined;
}

/**
 * Finds the POST operations that create entries of another list than that of their path: `POST /upload` adds to
 * `/videos` if the response is a video, and `POST /shops` adds to `/contributions` if it is a contribution.
 * The response must have the schema of an entry, and no other operation may create such entries. The status must be
 * 201, or the path directly below that of the list, and the name of the operation begin with a verb such as `send`.
 */
export function findOtherCreations(
  reader: SchemaReader,
  routes: readonly Route[],
  resources: readonly Resource[],
): OtherCreations {
  const reads = new Set(routes.flatMap(({ method, path }) => (method === 'GET' ? [path] : [])));
  const isRead = ({ mounts }: Resource) =>
    mounts.some(({ collection, item }) => reads.has(collection) || (item !== undefined && reads.has(item)));
  const targets = resources.filter(
    (one) => one.kind === 'collection' && one.schema !== '' && !one.canPost && isTopLevel(one.mounts[0]) && isRead(one),
  );
  const byRoute = new Map<Route, Resource>();
  for (const route of routes) {
    const schema = getCreatedSchema(reader, route);
    const owner = resources.find(({ mounts }) => mounts.some(({ collection }) => collection === route.path));
    // The object `friend` of a friend shows the other user, whom the request does not create.
    const isSame = owner?.relation !== undefined || reader.isSame(owner?.schema ?? '', schema ?? '');
    const isOwn = owner !== undefined && isRead(owner) && isSame;
    if (schema === undefined || isOwn) continue;
    const [only, ...others] = targets.filter((one) => reader.isSame(one.schema, schema));
    const isCreated = route.successStatus === 201 || (only !== undefined && isBelow(route, only));
    if (only && others.length === 0 && isCreated) byRoute.set(route, only);
  }
  const created = new Set(byRoute.values());
  const changed = new Map([...created].map((one) => [one, { ...one, canCreate: true, canPost: true }]));
  return {
    resources: resources.map((one) => changed.get(one) ?? one),
    plan(route) {
      const resource = changed.get(byRoute.get(route) as Resource);
      return resource && planCreation(reader, resource, route);
    },
  };
}

/** Returns the JSON Pointer of the schema of the entry that a POST creates; undefined if it creates none. */
function getCreatedSchema(reader: SchemaReader, route: Route): string | undefined {
  const { method, path, successStatus } = route;
  const segment = getLastSegment(path);
  const isNamed = successStatus === 201 || (successStatus === 200 && namesCreation(reader, route));
  if (method !== 'POST' || !isNamed || getParameterName(segment) !== undefined) return undefined;
  const response = reader.getResponseSchema(route, successStatus);
  const request = reader.getRequestSchema(route);
  if (response === undefined || request === undefined || NO_CREATION.test(segment)) return undefined;
  if ([...reader.getProperties(request).keys()].some(isSecretName)) return undefined;
  return reader.findEntry(response, toSingular(segment)).schema;
}

/** Returns whether the summary or the operationId of an operation begins with a verb such as `send`. */
function namesCreation({ document }: SchemaReader, { pointer, operationId }: Route): boolean {
  const { summary = '' } = toNode(getNode(document, pointer));
  return [String(summary), operationId].some((text) => CREATION.test(joinWords(text)));
}

/** Returns whether a path is directly below that of a list: `/messages/send` for `/messages`. */
function isBelow({ path }: Route, { mounts }: Resource): boolean {
  return getParentPath(path) === toTemplate(mounts[0]?.collection ?? '');
}

function planCreation(reader: SchemaReader, resource: Resource, route: Route): Plan | undefined {
  const overrides = getOverrides(reader.document, route);
  const located = locateResponse(reader, { resource, action: 'create' }, route, overrides);
  if (typeof located === 'string' || overrides.off) return undefined;
  const { schema, id, mounts } = resource;
  // The entry belongs to the user who sends the request if those of its list do.
  const senders = mounts[0]?.parents ?? [];
  const inPath = findParents(reader, { schema, collectionPath: route.path, route, id });
  return {
    ...{ route, action: 'create', resource, entryPath: [], responsePath: omitOtherUser(resource, located) },
    mount: { collection: route.path, item: undefined, parents: [...senders, ...inPath], id },
    requestPath: omitOtherUser(resource, locateRequest(reader, resource, route, overrides.entry)),
  };
}
