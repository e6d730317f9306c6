import type { HandlerResponse, Input } from '../application.ts';
import type { Entry, State } from '../store/state.ts';
import { getKeyValue } from './entries/entry-values.ts';
import { addParentIds } from './entries/named-ids.ts';
import { findEntry } from './entries/require-entries.ts';
import { getRouteKey, type Plan, type Resource } from './resource.ts';
import type { ResourceModel } from './resource-model.ts';
import { createHeaders } from './response-headers.ts';
import { showsOtherFlags } from './users/sender-flags.ts';

/**
 * The content of a response.
 * `state`: the state from which derived values are computed, such as `taskCount`.
 * `entry`: the entry in the body, if there is one.
 * `entries`: all entries, if the body can be a list.
 */
interface ResponseContent {
  readonly status: number;
  readonly state: State;
  readonly entry: Entry | undefined;
  readonly entries?: readonly Entry[];
}

/** Returns `status` if the contract documents it for the operation, and otherwise the operation's success status. */
export function getStatus({ route }: Plan, status: number): number {
  return route.responses.some(({ name }) => name === String(status)) ? status : route.successStatus;
}

/**
 * Returns the first documented 2xx status except `status`.
 * If there is none, returns the operation's success status.
 */
export function getOtherStatus({ route }: Plan, status: number): number {
  const others = route.responses.map(({ name }) => Number(name)).filter((name) => name >= 200 && name < 300);
  return others.find((name) => name !== status) ?? route.successStatus;
}

/** Creates a response with an entry or a list of entries, and with the documented headers. */
export function respond(
  model: ResourceModel,
  plan: Plan,
  input: Input,
  { status, state, entry, entries = entry ? [entry] : [] }: ResponseContent,
): HandlerResponse {
  const { resource, owner } = plan;
  if (owner) {
    const path = { ...getParentValues(resource, entries[0]), ...input.path };
    const found = findEntry(owner, state, path) ?? model.getInitialSingleton(owner.resource, owner.mount, path);
    return respond(model, owner, input, { status, state, entry: found });
  }
  const { reader, contract } = model;
  const body = reader.getResponseSchema(plan.route, plan.route.successStatus);
  const schema = (body && reader.getInner(body, plan.responsePath)) ?? '';
  const sender = model.derived.getSender(resource, state, input);
  const derived = model.derived.add(state, resource, entries, {
    sender,
    getNow: input.getNow,
    schema: showsOtherFlags(reader, plan, schema) ? schema : model.getShownSchema(plan),
  });
  const headers = createHeaders(model, plan, {
    status,
    input,
    entry: plan.hidesEntry || plan.bulk ? undefined : derived[0],
  });
  const shown = derived.map((one) => addParentIds(reader, contract.isValid, plan, { schema, entry: one }));
  return addHeaders(model.responses.createEntryResponse(plan, status, shown), headers);
}

/** Returns the path parameters of the list to which an entry belongs, which its own path can lack. */
function getParentValues({ mounts: [mount] }: Resource, entry: Entry | undefined): Input['path'] {
  const parents = entry ? (mount?.parents ?? []) : [];
  return Object.fromEntries(parents.map((parent) => [parent.parameter, getKeyValue(entry ?? {}, parent) ?? '']));
}

/** Returns a response with more headers. */
function addHeaders(response: HandlerResponse, headers: Readonly<Record<string, string>>): HandlerResponse {
  return { ...response, headers: { ...response.headers, ...headers } };
}

/**
 * Returns whether a request that adds an entry responds with the whole list: with a body like that of the list at its
 * path, or with a list of the members of a list such as a wish list.
 */
export function returnsList({ inference, reader }: ResourceModel, { route, reference, responsePath }: Plan): boolean {
  if (reference !== undefined) return true;
  const list = inference.plans.get(getRouteKey({ method: 'GET', path: route.path }));
  if (list?.action !== 'list') return false;
  const [body, other] = [route, list.route].map((one) => reader.getResponseSchema(one, one.successStatus));
  const inner = body === undefined ? undefined : reader.getInner(body, responsePath);
  if (body === undefined || other === undefined || inner === undefined || reader.getItems(inner) === undefined)
    return false;
  const [names, otherNames] = [body, other].map((schema) => [...reader.getProperties(schema).keys()].join());
  return responsePath.length > 0 && names === otherNames;
}
