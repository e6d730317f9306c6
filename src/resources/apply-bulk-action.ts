import { type Context, DomainError, type HandlerResponse, type Input } from '../application.ts';
import { isNode } from '../openapi/document.ts';
import type { Entry, State } from '../store/state.ts';
import { formatPointer } from '../util/json-pointer.ts';
import { applyEffect } from './actions.ts';
import { findChangedNumber } from './bulk-actions.ts';
import { keepDeleted } from './deletions.ts';
import { getEntryList, listChildrenOf, setEntries } from './entries.ts';
import { replaceEntry } from './entry-lists.ts';
import { getInner, getKeyValue } from './entry-values.ts';
import { requireParents } from './require-entries.ts';
import type { BulkAction, Effect, Plan } from './resource.ts';
import type { ResourceModel } from './resource-model.ts';
import { respond } from './respond.ts';
import { requireUnused } from './unlink-entries.ts';
import { deleteEntries } from './user-links.ts';

/** Handles an action on several entries of a list. An unknown id is an error only if the operation documents 404. */
export async function actOnSeveral(
  model: ResourceModel,
  plan: Plan,
  bulk: BulkAction,
  input: Input,
  context: Context,
): Promise<HandlerResponse> {
  const changed = await context.update((state, nowMs) => {
    requireParents(model, state, plan, input.path);
    const entries = listChosen(
      plan,
      bulk,
      input,
      listChildrenOf(getEntryList(state, plan.resource), plan.mount, input.path),
    );
    return plan.effect
      ? changeEntries(model, plan, plan.effect, { state, nowMs, entries })
      : { next: removeEntries(model, plan, { state, nowMs, entries }), result: entries.length };
  });
  const response = respond(model, plan, input, {
    status: plan.route.successStatus,
    state: context.read(),
    entry: undefined,
  });
  return showNumber(response, changed);
}

function listChosen(
  { resource, route }: Plan,
  { ids }: BulkAction,
  { body }: Input,
  entries: readonly Entry[],
): readonly Entry[] {
  if (ids === undefined) return entries;
  const sent = getInner(body, ids);
  const wanted = new Set(Array.isArray(sent) ? sent.map(String) : []);
  const chosen = entries.filter((entry) => wanted.has(getKeyValue(entry, resource.id) ?? ''));
  for (const entry of chosen) wanted.delete(getKeyValue(entry, resource.id) ?? '');
  const [unknown] = wanted;
  if (unknown !== undefined && route.responses.some(({ name }) => name === '404'))
    throw new DomainError(
      'entry-not-found',
      `no ${resource.singular} has the ${resource.id.property ?? 'id'} ${unknown}`,
    );
  return chosen;
}

/** Applies an effect to entries. `result`: the number of entries that it has changed. */
function changeEntries(
  model: ResourceModel,
  plan: Plan,
  effect: Effect,
  { state, nowMs, entries }: { readonly state: State; readonly nowMs: number; readonly entries: readonly Entry[] },
): { readonly next: State; readonly result: number } {
  const { resource } = plan;
  const time = model.formatTime(resource, effect.time?.property, nowMs);
  let list = getEntryList(state, resource);
  let result = 0;
  for (const entry of entries) {
    const shown = model.derived.complete(resource, entry);
    const changes = applyEffect(effect, shown, time);
    if (Object.keys(changes).length === 0) continue;
    const updated = model.updateEntry(plan, entry, (old) => old, {}, nowMs);
    list = replaceEntry(list, entry, model.setOrRemove(resource, updated, changes));
    result++;
  }
  return { next: setEntries(state, resource, list), result };
}

/** Deletes entries, or moves them to the trash as their `DELETE` does. */
function removeEntries(
  model: ResourceModel,
  plan: Plan,
  { state, nowMs, entries }: { readonly state: State; readonly nowMs: number; readonly entries: readonly Entry[] },
): State {
  const { resource } = plan;
  requireUnused(model, plan, state, entries);
  const trash = model.inference.trashes.find(({ trashOf }) => trashOf?.name === resource.name);
  if (!trash) return deleteEntries(model, resource, state, entries);
  return entries.reduce<State>((before, entry) => {
    const after = deleteEntries(model, resource, before, [entry]);
    return keepDeleted(model, trash, { before, after, entry, nowMs }).next;
  }, state);
}

/** Returns a response whose body shows the number of changed entries, if it has a property for it. */
function showNumber(response: HandlerResponse, changed: number): HandlerResponse {
  const { body, generated = [] } = response;
  if (!isNode(body)) return response;
  const name = findChangedNumber(Object.keys(body).filter((key) => typeof body[key] === 'number'));
  if (name === undefined) return response;
  const place = formatPointer(name);
  return {
    ...response,
    body: { ...body, [name]: changed },
    generated: generated.filter((pointer) => pointer !== place),
  };
}
