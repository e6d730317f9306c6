import { setImmediate } from 'node:timers/promises';
import { type Backend, StateTooLargeError } from './backend.ts';
import type { CommittedState, State } from './state.ts';

/** The outcome of a change: the next state, if it changes, and the result for the caller. */
export interface Changed<Result, S extends State = State> {
  readonly next?: S;
  readonly result: Result;
}

/** A pure function of the state and the time (ms since 1970). If it throws, nothing changes and only its caller gets the error. */
export type Change<Result, S extends State = State> = (state: S, nowMs: number) => Changed<Result, S>;

/** Stores a state: the only place where it changes. */
export interface Store<S extends State = State> {
  /** Returns the committed state, without changes that are not committed yet. */
  read(): CommittedState<S>;
  /**
   * Applies a change and resolves to its result once it is committed. Changes are applied one after the other in the order of the calls. Rejects with
   * `StoreUnavailableError` if nothing can be stored at present, with `StateTooLargeError` if the change exceeds the size limit.
   */
  update<Result>(change: Change<Result, S>): Promise<Result>;
  /** Replaces the state by the default state, in order with the changes. */
  reset(): Promise<void>;
  /** Loads an external edit of the stored state if it is valid. Later changes apply to it. */
  loadEdits(): Promise<void>;
  /** Resolves when pending changes are committed; later ones reject with `StoreUnavailableError`. Can be called more than once. */
  close(): Promise<void>;
}

/** Options of a store. */
export interface StoreOptions<S extends State = State> {
  readonly backend: Backend<S>;
  /** The state that the backend has stored at the start. */
  readonly initial: S;
  /** Returns the default state. Called for each reset, since its file can change. If it throws, the reset rejects. */
  readonly defaults: () => S;
  /** Returns the time, in ms since 1970. */
  readonly nowMs: () => number;
}

/** Thrown if a change can't be stored. Neither the memory nor the backend has changed. */
export class StoreUnavailableError extends Error {
  override readonly name = 'StoreUnavailableError';
}

/** A change that is not committed yet. */
interface PendingChange<S extends State> {
  readonly change: Change<unknown, S>;
  readonly resolve: (result: never) => void;
  readonly reject: (reason: unknown) => void;
}

/**
 * Creates a store with group commit: all pending changes are applied to the committed state and committed together, and only then their callers get
 * their results. So the memory is never ahead of the backend, and 50 concurrent callers cost one commit.
 */
export function createStore<S extends State>({ backend, initial, defaults, nowMs }: StoreOptions<S>): Store<S> {
  let committed: CommittedState<S> = { state: initial, revision: 0 };
  let pending: PendingChange<S>[] = [];
  let draining: Promise<void> | undefined;
  let closing: Promise<void> | undefined;

  /** Commits the pending changes until there are none. */
  async function drain(): Promise<void> {
    do {
      // Requests that arrive in one turn of the event loop are handled one by one. Without this, a commit that does not wait for the disk would be
      // complete before the second request is read.
      await setImmediate();
      const edited = await backend.findEdit();
      if (edited) setCommitted(edited);
      const batch = pending;
      pending = [];
      if (batch.length > 0) await commitOrReject(batch);
    } while (pending.length > 0);
    draining = undefined;
  }

  /** Commits a batch. If the state gets too large, commits each half separately, so that only the changes that cause it are rejected. */
  async function commitOrReject(batch: readonly PendingChange<S>[]): Promise<void> {
    try {
      await commit(batch);
    } catch (reason) {
      if (reason instanceof StateTooLargeError && batch.length > 1) {
        const middle = Math.ceil(batch.length / 2);
        await commitOrReject(batch.slice(0, middle));
        await commitOrReject(batch.slice(middle));
      } else for (const { reject } of batch) reject(reason);
    }
  }

  async function commit(batch: readonly PendingChange<S>[]): Promise<void> {
    const { state: next, settleAll } = applyChanges(committed.state, batch, nowMs());
    if (next !== committed.state) {
      await backend.commit(next).catch((cause) => {
        if (cause instanceof StateTooLargeError) throw cause;
        throw new StoreUnavailableError(`the change could not be stored (${cause.message}), so nothing was changed`, {
          cause,
        });
      });
      setCommitted(next);
    }
    for (const settle of settleAll) settle();
  }

  function setCommitted(state: S): void {
    committed = { state, revision: committed.revision + 1 };
  }

  function update<Result>(change: Change<Result, S>): Promise<Result> {
    if (closing) return Promise.reject(new StoreUnavailableError('the server is stopping, so nothing was changed'));
    return new Promise((resolve, reject) => {
      pending.push({ change, resolve, reject });
      draining ??= drain();
    });
  }

  return {
    read: () => committed,
    update,
    reset: () => update(() => ({ next: defaults(), result: undefined })),
    loadEdits() {
      if (!closing) draining ??= drain();
      return Promise.resolve(draining);
    },
    close() {
      closing ??= Promise.resolve(draining).then(() => backend.close());
      return closing;
    },
  };
}

/** Returns the state after all changes of a batch, and functions that settle the callers' promises once it is committed. */
function applyChanges<S extends State>(state: S, batch: readonly PendingChange<S>[], nowMs: number) {
  let next = state;
  const settleAll = batch.map(({ change, resolve, reject }) => {
    try {
      const changed = change(next, nowMs);
      next = changed.next ?? next;
      return () => resolve(changed.result as never);
    } catch (reason) {
      return () => reject(reason);
    }
  });
  return { state: next, settleAll };
}
