import type { AcceptedState } from '../application.ts';
import { hasSameList } from '../store/entry-list.ts';
import type { Entry, State } from '../store/state.ts';
import { type Steps, splitList } from '../util/slices.ts';
import { moveDeleted } from './entries/deletions.ts';
import { getEntries, getEntryList, hasChildren } from './entries/entries.ts';
import { findByKeys, indexInSteps } from './entries/entry-lists.ts';
import { createPropertyKey, getKeyValue } from './entries/entry-values.ts';
import { reserveIds } from './entries/sequences.ts';
import { findReferences } from './inference/references.ts';
import type { Resource } from './resource.ts';
import type { ResourceModel } from './resource-model.ts';
import { createDefaultAccount, findLoginIssues } from './users/accounts.ts';

/**
 * Returns a state from a client of the control API or from a snapshot file as it is stored: with hashes instead of
 * passwords, and without ids for new entries that entries of removed ones still name.
 * Also returns the logins that two users have.
 * `before`: the state before the change.
 */
export function* acceptState(model: ResourceModel, next: State, before: State): Steps<AcceptedState> {
  const { users, resources } = model.inference;
  const changed = resources.filter(({ name }) => !hasSameList(next, before, name));
  let reserved = moveDeleted(model, next);
  for (const resource of changed) {
    const removed = yield* listRemoved(resource, reserved, before);
    const isNamed = createNameCheck(model, resource);
    const named: Entry[] = [];
    for (const [part] of splitList(removed)) {
      for (const entry of part) if (isNamed(reserved, entry)) named.push(entry);
      yield;
    }
    reserved = reserveIds(reserved, resource, named);
  }
  if (!users || !changed.includes(users)) return { state: reserved, issues: [] };
  const known = new Set(getEntries(before, users));
  const accounts = getEntries(reserved, users).map((user) =>
    known.has(user) ? user : createDefaultAccount(model.inference, users, user),
  );
  const issues = findLoginIssues(model.inference, users, accounts, getEntryList(before, users));
  return { state: { ...reserved, [users.name]: accounts }, issues };
}

/** Returns the entries of a resource whose ids no entry has after a change. */
function* listRemoved(resource: Resource, next: State, before: State): Steps<readonly Entry[]> {
  const { kind, id } = resource;
  if (kind !== 'collection' || id.property === undefined) return [];
  const list = getEntryList(next, resource);
  // Requests need the index later.
  yield* indexInSteps(list, [id]);
  const removed: Entry[] = [];
  for (const [part] of splitList(getEntries(before, resource))) {
    for (const entry of part) if (findByKeys(list, [id], [getKeyValue(entry, id)]).length === 0) removed.push(entry);
    yield;
  }
  return removed;
}

/**
 * Creates a function that returns whether other entries name an entry: by their paths, or by a property such as
 * `postId`.
 */
function createNameCheck({ inference, reader }: ResourceModel, resource: Resource) {
  const references = inference.resources.flatMap((other) =>
    findReferences(reader, inference, other.schema, other)
      .filter(({ target }) => target === resource)
      .map(({ property, schema }) => ({ other, key: createPropertyKey(property, schema) })),
  );
  return (state: State, entry: Entry): boolean => {
    const id = getKeyValue(entry, resource.id);
    return (
      hasChildren(inference, state, resource, entry) ||
      references.some(({ other, key }) => findByKeys(getEntryList(state, other), [key], [id]).length > 0)
    );
  };
}
