import type { Route } from '../../openapi/routes.ts';
import { normalizeName } from '../../util/names.ts';
import { normalizeProperty } from '../document/entry-properties.ts';
import { getLastSegment, getParameterName, getParentPath } from '../document/names.ts';
import { findPlaceOfForm, renameParameters } from '../document/places.ts';
import type { SchemaReader } from '../document/schema-reader.ts';
import { DELETED_NAMES } from '../lists/view-words.ts';
import type { BulkAction, Effect, Plan, Resource } from '../resource.ts';
import { findEffect } from './actions.ts';

/** Matches a segment that stands for several entries of a list, as in `/tasks/batch/complete`. */
const SEVERAL = /^(?:-|all|bulk|batch|multiple|many|selected)$/i;

/** Matches the same word in a segment such as `read-all` or `bulkComplete`. */
const SEVERAL_IN_VERB =
  /(?:^|[_-])(?:all|bulk|batch|many|multiple|selected)(?=$|[_-])|(?<=[a-z])(?:All|Many|Multiple)(?=$|[A-Z])|^(?:bulk|batch)(?=[A-Z])/i;

type BulkPlan = Plan & { readonly bulk: BulkAction };

const DELETES = /^(?:delete|remove|destroy)$/i;

/** Splits the path of an action on several entries into the path of their list and a verb. */
function splitBulkPath({ method, path }: Route): { readonly collection: string; readonly verb: string } | undefined {
  const [last, above] = [getLastSegment(path), getParentPath(path)];
  if (getParameterName(last) !== undefined) return undefined;
  if (method === 'DELETE') return { collection: SEVERAL.test(last) ? above : path, verb: 'delete' };
  if (SEVERAL.test(getLastSegment(above))) return { collection: getParentPath(above), verb: last };
  const verb = last.replace(SEVERAL_IN_VERB, '').replace(/^[_-]+/, '');
  return verb === '' ? undefined : { collection: above, verb: verb.charAt(0).toLowerCase() + verb.slice(1) };
}

/**
 * Finds an action on several entries of a list: on all of them, as in `POST /notifications/read-all`, or on those with
 * the ids in the body, as in `POST /tasks/complete` with `{ "ids": [1, 2] }`.
 * Returns its plan without the effect.
 */
export function findBulk(reader: SchemaReader, resources: readonly Resource[], route: Route): BulkPlan | undefined {
  const path = ['POST', 'PUT', 'PATCH', 'DELETE'].includes(route.method) ? splitBulkPath(route) : undefined;
  const place = path && findPlaceOfForm(resources, path.collection);
  if (!path || !place || place.isItem || place.resource.kind !== 'collection') return undefined;
  const { collection, verb } = path;
  const { resource, mount } = place;
  const request = reader.getRequestSchema(route);
  const ids = request === undefined ? undefined : findIds(reader, request, resource);
  const isAll = /(?:^|[/_-])all(?:$|[/_-])|[a-z]All(?:$|[A-Z])/.test(route.path.slice(collection.length));
  if (ids === undefined && (!isAll || route.method === 'DELETE')) return undefined;
  const sent = request === undefined ? [] : reader.getRequired(request);
  const known = request === undefined ? [] : [...reader.getProperties(request).keys()];
  if ((ids === undefined ? sent : known).some((name) => name !== ids?.[0])) return undefined;
  const own = { ...mount, parents: renameParameters(mount, `${collection}/{}`).parents };
  const list = findShownList(reader, resource, route);
  const base = { route, action: 'act', resource, mount: own, requestPath: [], entryPath: [] } as const;
  return { ...base, responsePath: list ?? [], bulk: { verb, ids }, ...(list ? {} : { hidesEntry: true }) };
}

/** Returns the plan of an action that changes or deletes several entries. */
export function planBulk(reader: SchemaReader, resources: readonly Resource[], route: Route): Plan | undefined {
  const plan = findBulk(reader, resources, route);
  if (!plan || deletesSeveral(plan)) return plan;
  const effect = findEffect(reader, plan.resource, route, plan.bulk.verb);
  // The body has only the ids of the entries.
  return effect && isSameForAll(effect) ? { ...plan, effect: { ...effect, ignored: [], copies: [] } } : undefined;
}

/** Returns whether an action on several entries deletes them. */
export function deletesSeveral({ bulk }: BulkPlan): boolean {
  return DELETES.test(bulk.verb);
}

/** Returns the path of a list with the changed entries in a response; undefined if there is none. */
function findShownList(reader: SchemaReader, { schema, name }: Resource, route: Route): readonly string[] | undefined {
  const response = reader.getResponseSchema(route, route.successStatus);
  const list = response === undefined ? undefined : reader.findList(response, name);
  return list && schema !== '' && reader.isSame(list.schema, schema) ? list.path : undefined;
}

/**
 * Returns whether an action changes the same properties of each entry, without values from the request.
 * Deleted entries are in no list, so that a list of ids can't restore them.
 */
function isSameForAll(effect: Effect): boolean {
  if (effect.setsBody || effect.counter || effect.toggles !== undefined) return false;
  if (effect.time && DELETED_NAMES.includes(normalizeProperty(effect.time.property))) return false;
  return effect.values.length > 0 || effect.time !== undefined;
}

/** Returns the path of the list of ids in a request body; undefined if there is none. */
function findIds(reader: SchemaReader, request: string, { singular, id }: Resource): readonly string[] | undefined {
  const isList = (schema: string) => {
    const items = reader.getItems(schema);
    return items !== undefined && reader.isScalar(items);
  };
  if (isList(request)) return [];
  const names = ['ids', `${normalizeName(singular)}ids`, `${normalizeName(id.property ?? 'id')}s`];
  const found = [...reader.getProperties(request)].filter(
    ([name, schema]) => names.includes(normalizeName(name)) && isList(schema),
  );
  return found.length === 1 ? found[0]?.slice(0, 1) : undefined;
}

/** Matches the normalized name of a property with the number of changed entries, such as `updatedCount`. */
const CHANGED_NUMBER =
  /^(?:num|total)?(?:updated|modified|affected|changed|marked|deleted|removed|archived|restored|processed|read)(?:count|items|rows|total)?$|^count$/;

/** Returns the property of a response with the number of changed entries. `names`: those with numbers. */
export function findChangedNumber(names: readonly string[]): string | undefined {
  const found = names.filter((name) => CHANGED_NUMBER.test(normalizeName(name)));
  return found.length === 1 ? found[0] : undefined;
}
