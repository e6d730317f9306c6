import type { Context } from '../../application.ts';
import type { StateChange } from '../../sandbox/journal/change-history.ts';
import type { Sandbox } from '../../sandbox/sandbox.ts';
import type { Change } from '../../store/change.ts';
import type { Store } from '../../store/store.ts';
import type { ServedContract, ServerParts } from '../parts.ts';

type Parts = Pick<ServerParts, 'application'> & Pick<ServedContract, 'collections'>;

/**
 * Creates the context of a handler, and records how the handler uses it. `getChanges` returns the state changes by the handler; undefined if there are none.
 * `getRevision` returns the revision of the state that the handler has read. It returns undefined if the response can't be cached, because the handler used the
 * clock or the id generator, or changed the state.
 */
export function createTrackedContext(
  { application, collections }: Parts,
  { clock, idGenerator, idempotencyKeys }: Sandbox,
  store: Store,
) {
  const { extendContext = (context) => context } = application;
  let revision: number | undefined;
  let usesMore = false;
  let changes: StateChange[] | undefined;
  const addChange = (change: StateChange) => {
    changes ??= [];
    changes.push(change);
  };
  const trackUse = <Result>(result: Result): Result => {
    usesMore = true;
    return result;
  };
  const newId = createIdSource(collections, idGenerator, store);
  const context: Context = {
    read() {
      const committed = store.read();
      if (revision !== undefined && revision !== committed.revision) usesMore = true;
      revision = committed.revision;
      return committed.state;
    },
    update: (change) => trackUse(recordChange(store, change, addChange)),
    reset: () => trackUse(idempotencyKeys.clearWith((onApply) => recordReset(store, addChange, onApply))),
    nowMs: () => trackUse(clock.nowMs()),
    newId: () => trackUse(newId()),
  };
  return {
    context: extendContext(context),
    getRevision: () => (usesMore ? undefined : revision),
    getChanges: () => changes,
  };
}

/** Commits a change. Then calls `add` with the states before and after the change. Does not call `add` if the change returned no new state. */
function recordChange<Result>(
  store: Store,
  change: Change<Result>,
  add: (change: StateChange) => void,
): Promise<Result> {
  let states: StateChange | undefined;
  const updated = store.update<Result>((state, nowMs) => {
    const changed = change(state, nowMs);
    // The change of a user's handler can return any value.
    const after = (changed as Partial<typeof changed> | undefined)?.next;
    if (after) states = { before: state, after };
    return changed;
  });
  return updated.then((result) => {
    if (states) add(states);
    return result;
  });
}

/** Restores the default data. Then calls `add` with the states before and after the reset. `onApply`: called when the reset takes effect. */
async function recordReset(store: Store, add: (change: StateChange) => void, onApply: () => void): Promise<void> {
  const before = store.read().state;
  await store.reset(onApply);
  // The difference can include the changes of other requests, which the store commits together with the reset.
  add({ before, after: store.read().state });
}

/**
 * Creates a function that returns an id for a new entry. If the id generator has a seed, the function skips ids that entries already have. Setting the same
 * seed again repeats the same ids.
 */
function createIdSource(
  collections: Parts['collections'],
  idGenerator: Sandbox['idGenerator'],
  store: Store,
): () => string {
  const isUsed = (id: string) =>
    Object.entries(store.read().state).some(([name, entries]) => {
      const key = collections[name]?.key;
      return key !== undefined && entries.some((entry) => entry[key] === id);
    });
  return () => {
    let id = idGenerator.next();
    while (idGenerator.seed !== undefined && isUsed(id)) id = idGenerator.next();
    return id;
  };
}
