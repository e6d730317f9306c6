import type { Context, HandlerResponse, Input } from '../../application.ts';
import { isNode, omitKeys, pickKeys } from '../../openapi/document.ts';
import type { Entry } from '../../store/state.ts';
import { addNotes } from '../document/broken-limits.ts';
import { requiresProperty } from '../document/entry-properties.ts';
import { getBody } from '../document/request-bodies.ts';
import { addEntry } from '../entries/add-entry.ts';
import { getPathValues, omitInner, removePathValues } from '../entries/entry-values.ts';
import { applyMergePatch } from '../entries/json-patch.ts';
import { createNotFound, findEntry, requireParents } from '../entries/require-entries.ts';
import { findUniqueNames } from '../entries/unique-values.ts';
import { PATH_VALUES, type Plan } from '../resource.ts';
import type { ResourceModel } from '../resource-model.ts';
import { respond } from '../respond.ts';
import { addActors, addSender, listSigned } from '../users/ownership.ts';

/** Handles the action `copy`: adds an entry with the properties of the one in the path, and those in the body. */
export async function copy(model: ResourceModel, plan: Plan, input: Input, context: Context): Promise<HandlerResponse> {
  const { resource, route, mount } = plan;
  const sent = getBody(model, plan, input);
  const entry = await context.update((state, nowMs) => {
    requireParents(model, state, plan, input.path);
    const current = findEntry(plan, state, input.path);
    if (!current) throw createNotFound(plan, input.path);
    const own = model.removeReadOnly(resource, sent);
    const copied = applyMergePatch(createCopy(model, plan, current), own) as Entry;
    const signed = { ...copied, ...addSender(model, plan, state, input, omitKeys(copied, listSigned(model, plan))) };
    const body = addActors(model, plan, state, input, { current: undefined, sent, entry: signed });
    const { [mount.id.parameter]: _id, ...path } = input.path;
    return addEntry(model, plan, { state, nowMs, body, path, newId: context.newId });
  });
  const response = respond(model, plan, input, { status: route.successStatus, state: context.read(), entry });
  return addNotes(model, plan, response, [sent]);
}

/**
 * Returns the values of an entry that its copy has, with the ids of its parents. The copy starts in the state in which
 * entries start, has its own id and times, and no optional value that must be unique.
 */
function createCopy(model: ResourceModel, plan: Plan, current: Entry): Entry {
  const { resource } = plan;
  const { id, schema, mounts } = resource;
  const visible = removePathValues(model.removeReadOnly(resource, current));
  const withoutId = id.property === undefined ? visible : omitInner(visible, id.property.split('.'));
  const plans = [...model.inference.plans.values()].filter((one) => one.resource === resource);
  const unique = plans.flatMap((one) => findUniqueNames(model)(one).keys.map(({ name }) => name));
  const free = unique.filter((name) => !requiresProperty(model.reader, schema, name));
  const times = plans.flatMap(({ effect }) => effect?.time?.property ?? []);
  const initial = model.getInitialValues(resource);
  const reset = Object.keys(initial).filter((name) => !isNode(initial[name]));
  const values = omitKeys(withoutId, [...model.getTimeNames(plan), ...free, ...times, ...reset]);
  const objects = Object.entries(initial).flatMap(([name, value]) =>
    isNode(value) && isNode(values[name]) ? [[name, { ...values[name], ...value }] as const] : [],
  );
  const names = mounts.flatMap(({ parents }) => parents.map(({ name }) => name));
  const hidden = pickKeys(getPathValues(current), names);
  const own = { ...values, ...Object.fromEntries(objects) };
  return Object.keys(hidden).length === 0 ? own : { ...own, [PATH_VALUES]: hidden };
}
