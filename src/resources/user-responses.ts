import type { HandlerResponse } from '../application.ts';
import { isNode } from '../openapi/document.ts';
import type { Route } from '../openapi/routes.ts';
import { formatPointer } from '../util/json-pointer.ts';
import { toSeed } from '../util/random.ts';
import { removePathValues } from './entries.ts';
import type { ResourceModel } from './resource-model.ts';

/**
 * Adds the properties that the contract requires and the body lacks to the response of a user's handler, because entries of the state can lack them. Changes nothing
 * else: an invalid value stays. Removes the values of entries that are never sent.
 */
export function completeUserResponse(model: ResourceModel, route: Route, response: HandlerResponse): HandlerResponse {
  const { status = route.successStatus, body } = response;
  const schema = body === undefined ? undefined : model.reader.getResponseSchema(route, status);
  if (schema === undefined) return response;
  const value = Array.isArray(body) ? body.map(toVisible) : toVisible(body);
  const completed = model.completeValue(schema, value, toSeed(route.operationId));
  const added = new Set<string>();
  return { ...response, body: overlay(value, completed.value, '', added), generated: [...added] };
}

function toVisible(value: unknown): unknown {
  return isNode(value) ? removePathValues(value) : value;
}

/** Returns a value with the properties that only the completed value has. Adds their JSON Pointers to `added`, with `*` for all entries of an array. */
function overlay(value: unknown, completed: unknown, pointer: string, added: Set<string>): unknown {
  if (Array.isArray(value) && Array.isArray(completed) && value.length === completed.length)
    return value.map((entry, index) => overlay(entry, completed[index], `${pointer}/*`, added));
  if (!isNode(value) || !isNode(completed)) return value;
  const entries = Object.entries(completed).map(([name, own]) => {
    const place = pointer + formatPointer(name);
    if (Object.hasOwn(value, name)) return [name, overlay(value[name], own, place, added)];
    added.add(place);
    return [name, own];
  });
  return { ...value, ...Object.fromEntries(entries) };
}
