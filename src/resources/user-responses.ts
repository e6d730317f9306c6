import type { HandlerResponse } from '../application.ts';
import { isNode, toNode } from '../openapi/document.ts';
import type { Route } from '../openapi/routes.ts';
import type { Entry } from '../store/state.ts';
import { formatPointer } from '../util/json-pointer.ts';
import { toSeed } from '../util/random.ts';
import { removePathValues } from './entries.ts';
import { getRouteKey, type Plan } from './resource.ts';
import type { ResourceModel } from './resource-model.ts';
import { getInner, setInner } from './responses.ts';
import { removeGenerated } from './state-view.ts';

/**
 * Completes the response of a user's handler.
 * Adds required properties that are missing, because stored entries can lack them.
 * Removes the path parameters that are stored with entries.
 * Does not change other values: an invalid value stays invalid.
 */
export function completeUserResponse(model: ResourceModel, route: Route, response: HandlerResponse): HandlerResponse {
  const { status = route.successStatus } = response;
  const body = removeGenerated(response.body);
  const schema = body === undefined ? undefined : model.reader.getResponseSchema(route, status);
  // A file is not changed.
  if (schema === undefined || body instanceof Uint8Array) return response;
  const key = getRouteKey(route);
  const plan = model.inference.plans.get(key) ?? model.inference.mockedPlans.get(key)?.entry;
  const value = mapEntries(body, plan?.responsePath ?? [], removePathValues);
  const entries = plan ? completeEntries(model, plan, schema, value) : value;
  const completed = model.completeValue(schema, entries, toSeed(route.operationId));
  const added = new Set<string>();
  return { ...response, body: addMissingProperties(value, completed.value, '', added), generated: [...added] };
}

/**
 * Adds generated properties to the entries of a body.
 * Their values are the same as in other responses.
 * Returns a copy of the body.
 */
function completeEntries({ reader, responses }: ResourceModel, plan: Plan, schema: string, body: unknown): unknown {
  const inner = reader.getInner(schema, plan.responsePath);
  if (inner === undefined) return body;
  const place = reader.getItems(inner) ?? inner;
  // Completed entries are cached by object.
  // Only the objects of the state are frozen.
  // The handler can change any other object later, so a copy of it is completed.
  const copy = (entry: Entry) => (Object.isFrozen(entry) ? entry : { ...entry });
  const complete = (entry: Entry) => responses.completeEntry(plan.resource, place, copy(entry)).value as Entry;
  return mapEntries(body, plan.responsePath, complete);
}

/**
 * Applies `change` to the entry at a path in a body, or to each entry of the list at the path.
 * Returns a copy of the body.
 */
function mapEntries(body: unknown, path: readonly string[], change: (entry: Entry) => Entry): unknown {
  const changeNode = (value: unknown) => (isNode(value) ? change(value) : value);
  const inner = getInner(body, path);
  if (inner === undefined) return body;
  const changed = Array.isArray(inner) ? inner.map(changeNode) : changeNode(inner);
  return path.length === 0 ? changed : setInner(toNode(body), path, changed);
}

/**
 * Returns a copy of a value with the additional properties that `completed` has.
 * Adds the JSON Pointers of these properties to `added`, with `*` instead of array indexes.
 */
function addMissingProperties(value: unknown, completed: unknown, pointer: string, added: Set<string>): unknown {
  if (Array.isArray(value) && Array.isArray(completed) && value.length === completed.length)
    return value.map((entry, index) => addMissingProperties(entry, completed[index], `${pointer}/*`, added));
  if (!isNode(value) || !isNode(completed)) return value;
  const entries = Object.entries(completed).map(([name, own]) => {
    const place = pointer + formatPointer(name);
    if (Object.hasOwn(value, name)) return [name, addMissingProperties(value[name], own, place, added)];
    added.add(place);
    return [name, own];
  });
  return { ...value, ...Object.fromEntries(entries) };
}
