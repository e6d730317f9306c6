import type { Route } from '../../openapi/routes.ts';
import { isIdName, normalizeName } from '../../util/names.ts';
import { readActionBody, toEntryProperty } from '../actions/action-bodies.ts';
import { COPIES, splitActionPath } from '../actions/actions.ts';
import { listEntryProperties } from '../document/entry-properties.ts';
import { locateRequest, locateResponse } from '../document/locate.ts';
import { hasEntryResponse } from '../document/path-keys.ts';
import { findPlaceOfForm, renameParameters } from '../document/places.ts';
import type { SchemaReader } from '../document/schema-reader.ts';
import type { Plan, Resource } from '../resource.ts';

/**
 * Returns the plan of an operation that copies an entry, such as `POST /articles/{articleId}/duplicate`, whose response
 * is an entry. The body can have other values for properties of the copy.
 * Returns undefined if the body requires something else, such as where to put the copy, or if the server can't create
 * another id.
 */
export function planCopy(
  reader: SchemaReader,
  resources: readonly Resource[],
  users: Resource | undefined,
  route: Route,
): Plan | undefined {
  const { item, verb } = splitActionPath(route.path) ?? {};
  if (item === undefined || verb === undefined || route.method !== 'POST') return undefined;
  if (!COPIES.test(normalizeName(verb)) || ![200, 201].includes(route.successStatus)) return undefined;
  const place = findPlaceOfForm(resources, item);
  if (!place?.isItem) return undefined;
  const { resource } = place;
  if (!canBeCopied(resource, users) || !hasEntryResponse(reader, resource, route)) return undefined;
  const body = readActionBody(reader, resource, route);
  const known = listEntryProperties(reader, resource.schema);
  if (body?.required.some((name) => !known.has(toEntryProperty(body, name)))) return undefined;
  const responsePath = locateResponse(reader, { resource, action: 'read' }, route, {});
  if (typeof responsePath === 'string') return undefined;
  const entryPath = body?.entryPath ?? [];
  const requestPath =
    body && entryPath.length > 0 ? body.requestPath : locateRequest(reader, resource, route, undefined);
  const mount = renameParameters(place.mount, item);
  return { route, action: 'copy', resource, mount, requestPath, entryPath, responsePath };
}

/** Returns whether the server can create the id of a copy. Copies of users would have the same login. */
function canBeCopied(resource: Resource, users: Resource | undefined): boolean {
  const { property } = resource.id;
  const isFree = property === undefined || isIdName(property) || normalizeName(property) === 'slug';
  return resource !== users && resource.kind === 'collection' && resource.memberOf === undefined && isFree;
}
