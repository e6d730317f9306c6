import type { Context, HandlerResponse } from '../../application.ts';
import { type Node, toNode } from '../../openapi/document.ts';
import type { Route } from '../../openapi/routes.ts';
import { parsePointer } from '../../util/json-pointer.ts';
import { isCreationTimeName, normalizeName } from '../../util/names.ts';
import { setInner } from '../entries/entry-values.ts';
import { formatTimes } from '../entries/server-values.ts';
import { DELETED_NAMES } from '../lists/view-words.ts';
import type { Plan } from '../resource.ts';
import type { ResourceModel } from '../resource-model.ts';
import { getMarkSegment } from './marks.ts';
import { listTimeNames } from './states.ts';

/**
 * Returns the current time for a property of a response that has the time of what the request does: `cancelledAt` for
 * `POST /bookings/{bookingId}/cancel`, and `createdAt` for a POST that creates something.
 * Returns undefined for other properties.
 * `schema`: the JSON Pointer of the schema of the property.
 */
function createRequestTime(
  { contract }: ResourceModel,
  route: Route,
  { name, schema, nowMs }: { readonly name: string; readonly schema: string; readonly nowMs: number },
): unknown {
  return isRequestTime(route, name) ? formatTimes(nowMs).find((time) => contract.isValid(schema, time)) : undefined;
}

/** Returns whether a property of a response has the time of what the request does. */
export function isRequestTime({ method, path, successStatus }: Route, name: string): boolean {
  if (['GET', 'HEAD', 'QUERY'].includes(method)) return false;
  const own = normalizeName(name);
  return (
    (method === 'DELETE' ? DELETED_NAMES : listTimeNames(getMarkSegment({ path }))).includes(own) ||
    (method === 'POST' && successStatus === 201 && isCreationTimeName(name))
  );
}

/** Returns a generated object of a mocked response, in which such times are the current one. */
export function addRequestTimes(model: ResourceModel, route: Route, schema: string, value: Node, nowMs: number): Node {
  const times = [...model.reader.getProperties(schema)].flatMap(([name, own]) => {
    const time = Object.hasOwn(value, name) ? createRequestTime(model, route, { name, schema: own, nowMs }) : undefined;
    return time === undefined ? [] : [[name, time] as const];
  });
  return times.length === 0 ? value : { ...value, ...Object.fromEntries(times) };
}

/**
 * Returns a response in which generated times are the current time, if they say when the request was handled.
 * Times of entries are set when they are stored, so only properties that entries lack are changed.
 */
export function setRequestTimes(
  model: ResourceModel,
  plan: Plan,
  response: HandlerResponse | Promise<HandlerResponse>,
  context: Pick<Context, 'nowMs'>,
): HandlerResponse | Promise<HandlerResponse> {
  // Only requests that read respond at once.
  return response instanceof Promise ? response.then((changed) => setTimes(model, plan, changed, context)) : response;
}

function setTimes(
  model: ResourceModel,
  { route, resource }: Plan,
  response: HandlerResponse,
  context: Pick<Context, 'nowMs'>,
): HandlerResponse {
  const { reader } = model;
  const { generated = [], status = route.successStatus } = response;
  const body = reader.getResponseSchema(route, status);
  if (generated.length === 0 || body === undefined) return response;
  const nowMs = context.nowMs();
  const known = resource.schema === '' ? undefined : reader.getProperties(resource.schema);
  const times = generated.flatMap((pointer) => {
    const steps = parsePointer(pointer);
    const name = steps.at(-1) ?? '';
    const schema = reader.getInner(body, steps);
    if (schema === undefined || known?.has(name)) return [];
    const time = createRequestTime(model, route, { name, schema, nowMs });
    return time === undefined ? [] : [{ pointer, steps, time }];
  });
  if (times.length === 0) return response;
  return {
    ...response,
    body: times.reduce((next, { steps, time }) => setInner(next, steps, time), toNode(response.body)),
    generated: generated.filter((pointer) => !times.some((one) => one.pointer === pointer)),
  };
}
