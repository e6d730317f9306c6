import { type Context, DomainError, type HandlerResponse, type Input } from '../../application.ts';
import { isNode } from '../../openapi/document.ts';
import type { Entry, State } from '../../store/state.ts';
import { formatPointer } from '../../util/json-pointer.ts';
import { keepDeleted, restoreEntry } from '../entries/deletions.ts';
import { getEntryList, listChildrenOf, setEntries } from '../entries/entries.ts';
import { replaceEntry } from '../entries/entry-lists.ts';
import { getInner, getKeyValue } from '../entries/entry-values.ts';
import { requireParents } from '../entries/require-entries.ts';
import { requireUnused } from '../entries/unlink-entries.ts';
import type { BulkAction, Effect, Plan, Resource } from '../resource.ts';
import type { ResourceModel } from '../resource-model.ts';
import { respond } from '../respond.ts';
import { deleteEntries } from '../users/user-links.ts';
import { applyEffect } from './actions.ts';
import { findChangedNumber } from './bulk-actions.ts';

/** Handles an action on several entries of a list. An unknown id is an error only if the operation documents 404. */
export async function actOnSeveral(
  model: ResourceModel,
  plan: Plan,
  bulk: BulkAction,
  input: Input,
  context: Context,
): Promise<HandlerResponse> {
  const { changed, entries } = await context.update((state, nowMs) => {
    requireParents(model, state, plan, input.path);
    const list = (resource: Resource) => listChildrenOf(getEntryList(state, resource), plan.mount, input.path);
    if (plan.action === 'restore') {
      const deleted = plan.trash ? list(plan.trash) : [];
      const chosen = listChosen(plan, bulk, input, [...deleted, ...list(plan.resource)]);
      const isDeleted = new Set(deleted);
      return restoreEntries(model, plan, { state, nowMs, entries: chosen.filter((entry) => isDeleted.has(entry)) });
    }
    const chosen = listChosen(plan, bulk, input, list(plan.resource));
    return plan.effect
      ? changeEntries(model, plan, plan.effect, { state, nowMs, entries: chosen })
      : removeEntries(model, plan, { state, nowMs, entries: chosen });
  });
  const response = respond(model, plan, input, {
    status: plan.route.successStatus,
    state: context.read(),
    entry: undefined,
    entries,
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

/** The entries that a request has chosen. */
interface Chosen {
  readonly state: State;
  readonly nowMs: number;
  readonly entries: readonly Entry[];
}

/** The next state, the chosen entries as they are then, and how many of them have changed. */
interface Changed {
  readonly next: State;
  readonly result: { readonly changed: number; readonly entries: readonly Entry[] };
}

/** Applies an effect to entries. */
function changeEntries(model: ResourceModel, plan: Plan, effect: Effect, { state, nowMs, entries }: Chosen): Changed {
  const { resource } = plan;
  const time = model.formatTime(resource, effect.time?.property, nowMs);
  let list = getEntryList(state, resource);
  let changed = 0;
  const shown = entries.map((entry) => {
    const changes = applyEffect(effect, model.derived.complete(resource, entry), time);
    if (Object.keys(changes).length === 0) return entry;
    const updated = model.updateEntry(plan, entry, (old) => old, {}, nowMs);
    const next = model.setOrRemove(resource, updated, changes);
    list = replaceEntry(list, entry, next);
    changed++;
    return next;
  });
  return { next: setEntries(state, resource, list), result: { changed, entries: shown } };
}

/** Deletes entries, or moves them to the trash as their `DELETE` does. */
function removeEntries(model: ResourceModel, plan: Plan, { state, nowMs, entries }: Chosen): Changed {
  const { resource, trash } = plan;
  requireUnused(model, plan, state, entries);
  const result = { changed: entries.length, entries };
  if (!trash) return { next: deleteEntries(model, resource, state, entries), result };
  const next = entries.reduce<State>((before, entry) => {
    const after = deleteEntries(model, resource, before, [entry]);
    return keepDeleted(model, trash, { before, after, entry, nowMs }).next;
  }, state);
  return { next, result };
}

/** Moves entries from the trash back to their list. */
function restoreEntries(model: ResourceModel, plan: Plan, { state, nowMs, entries }: Chosen): Changed {
  let next = state;
  const restored = entries.map((entry) => {
    const { next: after, result } = restoreEntry(model, plan, next, entry, nowMs);
    next = after;
    return result;
  });
  return { next, result: { changed: restored.length, entries: restored } };
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
