import type { Route } from '../../openapi/routes.ts';
import { normalizeName } from '../../util/names.ts';
import { getLastSegment, getPathForm } from '../document/names.ts';
import type { SchemaReader } from '../document/schema-reader.ts';
import { isTopLevel, type Plan, type Resource, type Taken } from '../resource.ts';
import { findChildren } from '../values/derived.ts';

/** Words in a path for the action that takes the entries of a list. */
const VERBS = ['checkout', 'purchase', 'placeorder', 'fromcart', 'frombasket'];

/**
 * Returns the list that a POST takes from the only basket of a document: for `POST /basket/checkout` that responds with
 * an invoice, the items of the basket.
 * The new entry must have a list with the name and at least two properties of these items, one of which is an id, and
 * the request must not have this list.
 */
export function findTaken(
  reader: SchemaReader,
  resources: readonly Resource[],
  { schema }: Resource,
  route: Route,
): Taken | undefined {
  if (route.method !== 'POST' || schema === '') return undefined;
  const found = resources.flatMap((owner): readonly Taken[] => {
    const [mount] = owner.mounts;
    if (owner.kind !== 'singleton' || owner.schema === '' || !isTopLevel(mount)) return [];
    return findChildren(reader, resources, owner).flatMap(({ resource: from }): readonly Taken[] => {
      const own = normalizeName(getLastSegment(from.mounts[0]?.collection ?? ''));
      const property = [...reader.getProperties(schema).keys()].find((name) => normalizeName(name) === own);
      const items =
        property === undefined ? undefined : reader.getItems(reader.getProperties(schema).get(property) ?? '');
      if (property === undefined || items === undefined || from.schema === '' || !from.canCreate) return [];
      const names = [...reader.getProperties(items).keys()];
      const shared = names.filter((name) => reader.getProperties(from.schema).has(name));
      const hasId = shared.some((name) => /.id$/.test(normalizeName(name)));
      return hasId && shared.length > 1 ? [{ property, from, names }] : [];
    });
  });
  const [only, ...others] = found;
  const request = reader.getRequestSchema(route);
  const isSent = request !== undefined && only !== undefined && reader.getProperties(request).has(only.property);
  return only && others.length === 0 && !isSent ? only : undefined;
}

/** Returns the plan of a path such as `/basket/checkout`, which creates an entry with the entries of a basket. */
export function planCheckout(reader: SchemaReader, resources: readonly Resource[], route: Route): Plan | undefined {
  if (route.method !== 'POST' || !VERBS.includes(normalizeName(getLastSegment(route.path)))) return undefined;
  const shown = reader.getResponseSchema(route, route.successStatus);
  if (shown === undefined) return undefined;
  const plans = resources.flatMap((resource): readonly Plan[] => {
    const [mount] = resource.mounts;
    if (resource.kind !== 'collection' || resource.schema === '' || !mount || !isTopLevel(mount)) return [];
    const { path, schema } = reader.findEntry(shown, resource.singular, resource.schema);
    const takes = reader.contains(schema, resource.schema) ? findTaken(reader, resources, resource, route) : undefined;
    const base = {
      route,
      action: 'create',
      resource,
      mount,
      requestPath: [],
      entryPath: [],
      responsePath: path,
    } as const;
    return takes && !getPathForm(route.path).includes('{') ? [{ ...base, takes }] : [];
  });
  return plans.length === 1 ? plans[0] : undefined;
}

/** Returns the names of the properties that the requests of operations can have in the objects of a list. */
export function listSentInside(reader: SchemaReader, plans: readonly Plan[], property: string): readonly string[] {
  return plans.flatMap(({ route, requestPath }) => {
    const list = reader.getRequestInner(route, [...requestPath, property]);
    const items = list === undefined ? undefined : reader.getItems(list);
    return items === undefined ? [] : [...reader.getProperties(items).keys()];
  });
}
