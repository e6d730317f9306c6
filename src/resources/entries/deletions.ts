import { type Context, DomainError, type HandlerResponse, type Input } from '../../application.ts';
import { pickKeys, toNode } from '../../openapi/document.ts';
import { EntryList, hasSameList } from '../../store/entry-list.ts';
import type { Entry, State } from '../../store/state.ts';
import { normalizeName } from '../../util/names.ts';
import { applyEffect } from '../actions/actions.ts';
import { describeEffect } from '../actions/describe-actions.ts';
import { findReferences } from '../inference/references.ts';
import { DELETED_NAMES } from '../lists/view-words.ts';
import { PATH_VALUES, type Plan, type Resource } from '../resource.ts';
import type { ResourceModel } from '../resource-model.ts';
import { getStatus, respond } from '../respond.ts';
import { findUsedLogin } from '../users/accounts.ts';
import { requireSenderPassword } from '../users/deletion-passwords.ts';
import { deleteEntries } from '../users/user-links.ts';
import { findEqual, getEntries, getEntryList, listChildrenOf, removeParts, setEntries } from './entries.ts';
import { appendEntry, findByKeys, withoutEntries } from './entry-lists.ts';
import { getKeyValue, getOwn, getPathValues } from './entry-values.ts';
import { isForced } from './refused-deletions.ts';
import { createNotFound, findEntry, requireParents } from './require-entries.ts';
import { findUsedName } from './unique-values.ts';
import { requireUnused } from './unlink-entries.ts';
import { requireVersion } from './versions.ts';

/** The hidden value of a deleted entry with what its restoration needs. */
const TRASHED = 'trashed';

/**
 * What the restoration of an entry needs.
 * `earlier`: the properties that the deletion has changed, as they were before.
 * `below`: the entries that were deleted with it, by the names of their resources.
 */
interface Trashed {
  readonly earlier: Entry;
  readonly below: State;
}

/** Handles the action `delete`: deletes an entry, or moves it to the trash. */
export async function remove(
  model: ResourceModel,
  plan: Plan,
  input: Input,
  context: Context,
): Promise<HandlerResponse> {
  const { path } = input;
  const removed = await context.update((state, nowMs) => {
    requireParents(model, state, plan, path);
    const stored = findEntry(plan, state, path);
    const { trash, mount } = plan;
    const trashed = trash && plan.isPermanent ? findEntry({ resource: trash, mount }, state, path) : undefined;
    if (trashed && trash && !stored) return { next: deleteEntries(model, trash, state, [trashed]), result: trashed };
    const entry = stored ?? model.getInitialSingleton(plan.resource, mount, path);
    if (!entry) throw createNotFound(plan, path);
    requireVersion(model, plan, input, { state, current: entry });
    requireSenderPassword(model, plan, input, { state, entry });
    if (!isForced(plan, input.query)) requireUnused(model, plan, state, [entry]);
    const rest = stored ? deleteEntries(model, plan.resource, state, [stored]) : state;
    const isWhole = plan.resource.kind === 'singleton';
    const next = isWhole ? removeParts(model.inference, rest, mount, path) : rest;
    if (trash && !isForGood(plan, input))
      return keepDeleted(model, trash, { before: state, after: next, entry, nowMs });
    return { next, result: setDeleted(model, plan, entry, nowMs) };
  });
  return respond(model, plan, input, { status: getStatus(plan, 204), state: context.read(), entry: removed });
}

/** Returns whether a deletion can't be taken back: `DELETE /documents/7?permanent=true`. */
function isForGood({ resource, trash, isPermanent, permanentQuery = '' }: Plan, { query }: Input): boolean {
  return isPermanent === true || resource === trash || [query[permanentQuery]].flat().map(String).includes('true');
}

/** Returns a deleted entry as the response shows it: with the time of the deletion, such as `deletedAt`. */
function setDeleted(model: ResourceModel, { resource }: Plan, entry: Entry, nowMs: number): Entry {
  if (resource.schema === '') return entry;
  const names = [...model.reader.getProperties(resource.schema).keys()];
  const property = names.find((name) => DELETED_NAMES.includes(normalizeName(name)));
  const time = model.formatTime(resource, property, nowMs);
  return property === undefined || time === undefined ? entry : { ...entry, [property]: time };
}

/** Handles the action `clear`: deletes all entries of a list. */
export async function clear(
  model: ResourceModel,
  plan: Plan,
  input: Input,
  context: Context,
): Promise<HandlerResponse> {
  const { path } = input;
  const { resource, mount } = plan;
  await context.update((state) => {
    requireParents(model, state, plan, path);
    const entries = listChildrenOf(getEntryList(state, resource), mount, path);
    if (!isForced(plan, input.query)) requireUnused(model, plan, state, entries);
    return { next: deleteEntries(model, resource, state, entries), result: undefined };
  });
  return respond(model, plan, input, { status: getStatus(plan, 204), state: context.read(), entry: undefined });
}

/**
 * Returns the state after the deletion of an entry, with the entry and those below it in the trash, and the entry as it
 * is there: with a `deletedAt`, an `isDeleted` or a `status`.
 * `before`, `after`: the states before and after the deletion.
 */
export function keepDeleted(
  model: ResourceModel,
  trash: Resource,
  { before, after, entry, nowMs }: { before: State; after: State; entry: Entry; nowMs: number },
): { readonly next: State; readonly result: Entry } {
  const { marks } = trash.trashOf ?? {};
  const changes = marks ? applyEffect(marks, entry, model.formatTime(trash, marks.time?.property, nowMs)) : {};
  const trashed: Trashed = {
    earlier: pickKeys(entry, Object.keys(changes)),
    below: listBelow(model, trash, before, after),
  };
  const kept: Entry = { ...entry, ...changes, [PATH_VALUES]: { ...getPathValues(entry), [TRASHED]: trashed } };
  return { next: setEntries(after, trash, appendEntry(getEntryList(after, trash), kept)), result: kept };
}

/** Returns the entries of other resources that only the first of two states has. */
function listBelow(model: ResourceModel, trash: Resource, before: State, after: State): State {
  const changed = model.inference.resources.filter(
    (resource) => resource.name !== trash.trashOf?.name && !hasSameList(before, after, resource.name),
  );
  const lists = changed.map((resource) => {
    const list = getEntryList(after, resource);
    return [
      resource.name,
      getEntries(before, resource).filter((entry) => findEqual(list, resource, entry) === undefined),
    ] as const;
  });
  return Object.fromEntries(lists.filter(([, entries]) => entries.length > 0));
}

/** Returns a copy of a state in which the entries are in the trash that say that they are deleted. */
export function moveDeleted({ inference }: ResourceModel, state: State): State {
  return inference.trashes.reduce((next, trash) => {
    const { name = '', marks } = trash.trashOf ?? {};
    const { values = [], time } = marks ?? {};
    const states = (entry: Entry) => values.filter(({ property }) => Object.hasOwn(entry, property));
    const isDeleted = (entry: Entry) =>
      states(entry).length > 0
        ? states(entry).some(({ property, value }) => entry[property] === value)
        : time !== undefined && (entry[time.property] ?? null) !== null;
    const [list, own] = [getEntries(next, { name }), getEntries(next, trash)];
    const deleted = list.filter(isDeleted);
    if (deleted.length === 0) return next;
    const kept = list.filter((entry) => !isDeleted(entry));
    const rest = setEntries(next, { name }, EntryList.of(kept));
    return setEntries(rest, trash, EntryList.of([...own, ...deleted]));
  }, state);
}

/** Handles the action `restore`: moves an entry from the trash back to its list, such as `POST /notes/{id}/restore`. */
export async function restore(
  model: ResourceModel,
  plan: Plan,
  input: Input,
  context: Context,
): Promise<HandlerResponse> {
  const { path } = input;
  const { resource, mount, trash = resource, route } = plan;
  const entry = await context.update((state, nowMs) => {
    requireParents(model, state, plan, path);
    const stored = findEntry({ resource: trash, mount }, state, path);
    const current = findEntry(plan, state, path);
    if (stored) return restoreEntry(model, plan, state, stored, nowMs);
    if (!current) throw createNotFound(plan, path);
    if (!route.responses.some(({ name }) => name === '409')) return { next: state, result: current };
    throw new DomainError('conflict', `the ${resource.singular} is not deleted: nothing is left to restore`);
  });
  return respond(model, plan, input, { status: route.successStatus, state: context.read(), entry });
}

/** Returns the state after the restoration of an entry of the trash, and the entry. */
export function restoreEntry(model: ResourceModel, plan: Plan, state: State, stored: Entry, nowMs: number) {
  const { resource, trash = resource } = plan;
  const { below = {} } = readTrashed(stored);
  const entry = unlinkMissing(model, resource, state, takeBack(model, plan, stored, nowMs));
  const list = getEntryList(state, resource);
  const text = `another ${resource.singular} now has the`;
  if (findEqual(list, resource, entry))
    throw new DomainError(
      'entry-exists',
      `${text} ${resource.id.property ?? resource.id.parameter} ${getKeyValue(entry, resource.id)}: delete it first`,
    );
  const create = [...model.inference.plans.values()].find(
    (one) => one.resource === resource && one.action === 'create',
  );
  const used =
    (create && findUsedName(model, create, state, { entry, current: undefined, sent: entry })) ??
    findUsedLogin(model.inference, resource, state, entry);
  if (used !== undefined)
    throw new DomainError('entry-exists', `${text} ${used} ${JSON.stringify(entry[used])}: change or delete it first`);
  const emptied = setEntries(state, trash, withoutEntries(getEntryList(state, trash), new Set([stored])));
  const restored = setEntries(emptied, resource, appendEntry(list, entry));
  const others = model.inference.resources.filter(({ name }) => Object.hasOwn(below, name));
  const next = others.reduce((rest, other) => {
    const own = getEntryList(rest, other);
    const missing = (below[other.name] ?? []).filter((one) => findEqual(own, other, one) === undefined);
    return setEntries(
      rest,
      other,
      missing.reduce((result, one) => appendEntry(result, one), own),
    );
  }, restored);
  return { next, result: entry };
}

function readTrashed(stored: Entry): Partial<Trashed> {
  return toNode(getOwn(getPathValues(stored), TRASHED)) as Partial<Trashed>;
}

/** Returns a deleted entry without the properties that say that it is deleted. */
function takeBack(model: ResourceModel, plan: Plan, stored: Entry, nowMs: number): Entry {
  const { resource, trash } = plan;
  const { earlier } = readTrashed(stored);
  const marks = trash?.trashOf?.marks;
  const { [TRASHED]: _trashed, ...hidden } = getPathValues(stored);
  const { [PATH_VALUES]: _hidden, ...visible } = stored;
  const own: Entry = Object.keys(hidden).length > 0 ? { ...visible, [PATH_VALUES]: hidden } : visible;
  const updated = model.updateEntry(plan, own, (old) => old, {}, nowMs);
  // An entry of the default data was never deleted by a request.
  const initial = { ...model.getInitialValues(resource), ...model.getDefaults(resource) };
  const names = [
    ...(marks?.values ?? []).map(({ property }) => property),
    ...(marks?.time ? [marks.time.property] : []),
  ];
  const getEarlier = (name: string) => {
    if (earlier) return Object.hasOwn(earlier, name) ? earlier[name] : undefined;
    return stored[name] === true ? false : (initial[name] ?? null);
  };
  const values = names.map((name) => [name, getEarlier(name)] as const);
  const kept = Object.fromEntries(Object.entries(updated).filter(([name]) => !names.includes(name)));
  const present = values.filter(([, value]) => value !== undefined);
  return model.setOrRemove(resource, kept, Object.fromEntries(present));
}

/**
 * Returns a restored entry without the ids of entries that were deleted in the meantime.
 * Throws a `DomainError` if it can't lack the id of an entry to which it belongs.
 */
function unlinkMissing(model: ResourceModel, resource: Resource, state: State, entry: Entry): Entry {
  const { reader, inference, contract } = model;
  const required = reader.getRequired(resource.schema);
  const parents = resource.mounts.flatMap(({ parents: own }) => own.map(({ property }) => property));
  const references = [undefined, resource].flatMap((own) => findReferences(reader, inference, resource.schema, own));
  const missing = references.filter(({ property, target }) => {
    const id = getOwn(entry, property);
    const isKnown = findByKeys(getEntryList(state, target), [target.id], [String(id)]).length > 0;
    return property !== resource.id.property && id !== undefined && id !== null && !isKnown;
  });
  const free = missing.filter(({ property, schema }) => !required.includes(property) || contract.isValid(schema, null));
  const parent = missing.find((one) => !free.includes(one) && parents.includes(one.property));
  if (parent)
    throw new DomainError(
      'entry-not-found',
      `no ${parent.target.singular} has the id ${getOwn(entry, parent.property)}: restore or create it first`,
    );
  return model.setOrRemove(resource, entry, Object.fromEntries(free.map(({ property }) => [property, null])));
}

/** Returns which entries a list shows: those that are not deleted, those that are, or all of them. */
export function findTrashSelection({ trash, trashQuery }: Plan, query: Input['query']): 'none' | 'only' | 'all' {
  if (!trash || !trashQuery) return 'none';
  const value = [query[trashQuery.name]].flat().at(-1);
  if (value === undefined) return 'none';
  if (String(value) === trashQuery.only) return 'only';
  return String(value) === trashQuery.all ? 'all' : 'none';
}

/** Describes what an operation does with deleted entries; undefined if it does nothing with them. */
export function describeTrashed(plan: Plan, entry: string): string | undefined {
  const { action, resource, trash, isPermanent, permanentQuery } = plan;
  if (!trash) return undefined;
  const marks = trash.trashOf?.marks;
  if (action === 'restore') return `restores ${entry} that was deleted, with what was deleted with it`;
  if (resource === trash) {
    const name = trash.trashOf?.name;
    if (action === 'list') return `lists deleted ${name}`;
    if (action === 'clear') return `deletes all deleted ${name} for good`;
    return `${action === 'read' ? 'reads' : 'deletes for good'} ${entry} that was deleted`;
  }
  if (action !== 'delete') return undefined;
  if (isPermanent) return `deletes ${entry} for good`;
  const effect = marks && (marks.values.length > 0 || marks.time) ? `: ${describeEffect(marks, [])}` : '';
  const except = permanentQuery === undefined ? '' : `, or deletes it for good with ${permanentQuery}`;
  return `moves ${entry} to the trash${except}${effect}`;
}
