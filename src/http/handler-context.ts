import type { Application, Context } from '../application.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import type { Store } from '../store/store.ts';

/** The context of a request, and what its response depends on. */
export interface TrackedContext {
  readonly context: Context;
  /** Returns the revision of the state if the response depends on nothing else; undefined if it depends on the clock or ids, or if it changed the state. */
  revision(): number | undefined;
}

/** Creates the context of a request in a sandbox, and tracks which parts of it the handler uses. `store`: the store of the sandbox, as the handler may use it. */
export function createTrackedContext(
  { collections, extendContext = (context) => context }: Pick<Application, 'collections' | 'extendContext'>,
  { clock, ids }: Pick<Sandbox, 'clock' | 'ids'>,
  store: Store,
): TrackedContext {
  let revision: number | undefined;
  let dependsOnMore = false;
  const noteMore = () => {
    dependsOnMore = true;
  };
  const newId = createIdSource(collections, ids, store);
  const context: Context = {
    read() {
      const committed = store.read();
      if (revision !== undefined && revision !== committed.revision) noteMore();
      revision = committed.revision;
      return committed.state;
    },
    update(change) {
      noteMore();
      return store.update(change);
    },
    reset() {
      noteMore();
      return store.reset();
    },
    nowMs() {
      noteMore();
      return clock.nowMs();
    },
    newId() {
      noteMore();
      return newId();
    },
  };
  return { context: extendContext(context), revision: () => (dependsOnMore ? undefined : revision) };
}

/** Creates a source of ids that no entry of the state has: a seed generates the same ids again when it is set again. */
function createIdSource(collections: Application['collections'], ids: Sandbox['ids'], store: Store): () => string {
  const isUsed = (id: string) =>
    Object.entries(store.read().state).some(([name, entries]) => {
      const key = collections[name]?.key ?? '';
      return entries.some((entry) => entry[key] === id);
    });
  return () => {
    for (;;) {
      const id = ids.next();
      if (ids.seed === undefined || !isUsed(id)) return id;
    }
  };
}
