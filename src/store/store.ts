import { setImmediate } from 'node:timers/promises';
import { type Backend, StateTooLargeError } from './backend.ts';
import { ChangeGatherer } from './change-gatherer.ts';
import type { CommittedState, State } from './state.ts';

/** The result of a change. `next`: the next state; undefined if the state does not change. `result`: the value for the caller. */
export interface ChangeResult<Result, S extends State = State> {
  readonly next?: S;
  readonly result: Result;
}

/** A pure function that computes the next state from the current state and the time (ms since 1970). If it throws, the state does not change. */
export type Change<Result, S extends State = State> = (state: S, nowMs: number) => ChangeResult<Result, S>;

/** Contains the current state. The state changes only through this interface. */
export interface Store<S extends State = State> {
  /** Returns the committed state, without pending changes. */
  read(): CommittedState<S>;
  /**
   * Applies a change, and resolves to its result after the commit. Applies changes one after the other in the order of the calls. Rejects with
   * the error of the change, with `StoreUnavailableError` if the commit fails, or with `StateTooLargeError` if the next state exceeds the size limit.
   */
  update<Result>(change: Change<Result, S>): Promise<Result>;
  /** Replaces the state by the default state. Pending changes are applied first. */
  reset(): Promise<void>;
  /** Loads the state from the backend if another program has changed it and the new state is valid. */
  loadEdits(): Promise<void>;
  /**
   * Commits pending changes, and writes the data file if it does not contain all changes yet. Rejects with `StoreUnavailableError` if it can't be written;
   * the changes stay stored.
   */
  flush(): Promise<void>;
  /** Commits pending changes and closes the backend. Later changes reject with `StoreUnavailableError`. Can be called more than once. */
  close(): Promise<void>;
}

/** Options of a store. */
export interface StoreOptions<S extends State = State> {
  readonly backend: Backend<S>;
  /** The state that the backend contains at the start. */
  readonly initial: S;
  /** Returns the default state. Called for each reset, because the file with the default data can change. If the function throws, the reset rejects. */
  readonly defaults: () => S;
  /** Returns the state that is committed instead of `next`: with the lists of the current state that no change can remove. */
  readonly keepLists?: ((current: S, next: S) => S) | undefined;
  /** Returns the time, in ms since 1970. */
  readonly nowMs: () => number;
}

/** Thrown if a change can't be stored. The state has not changed, neither in memory nor in the backend. */
export class StoreUnavailableError extends Error {
  override readonly name = 'StoreUnavailableError';
}

/** A change that is not committed yet. */
interface PendingChange<S extends State> {
  readonly change: Change<unknown, S>;
  readonly resolve: (result: never) => void;
  readonly reject: (reason: unknown) => void;
}

/** Creates a store with group commit. */
export function createStore<S extends State>(options: StoreOptions<S>): Store<S> {
  return new GroupCommitStore(options);
}

/**
 * A store with group commit: it applies all pending changes, commits the resulting state once, and then resolves the promises of all callers. `read`
 * never returns a change before the backend has stored it, and 50 concurrent changes need only one commit.
 */
class GroupCommitStore<S extends State> implements Store<S> {
  private committed: CommittedState<S>;
  private pending: PendingChange<S>[] = [];
  private draining: Promise<void> | undefined;
  private closing: Promise<void> | undefined;
  private readonly gatherer: ChangeGatherer;

  constructor(private readonly options: StoreOptions<S>) {
    this.gatherer = new ChangeGatherer(options.backend.maxGatherMs ?? 0);
    this.committed = { state: options.initial, revision: 0 };
  }

  // Arrow functions, because callers use them without the store: `{ ...store, update }`.
  readonly read = (): CommittedState<S> => this.committed;

  readonly update = <Result>(change: Change<Result, S>): Promise<Result> => {
    if (this.closing)
      return Promise.reject(new StoreUnavailableError('the server is shutting down, so nothing was changed'));
    return new Promise((resolve, reject) => {
      this.pending.push({ change, resolve, reject });
      this.draining ??= this.drain();
      this.gatherer.count(this.pending.length);
    });
  };

  readonly reset = (): Promise<void> => this.update(() => ({ next: this.options.defaults(), result: undefined }));

  readonly loadEdits = (): Promise<void> => {
    if (!this.closing) this.draining ??= this.drain();
    return Promise.resolve(this.draining);
  };

  readonly flush = async (): Promise<void> => {
    await this.draining;
    await this.options.backend.flush().catch((cause) => {
      const message = `the data file can't be written (${cause.message}); the changes are stored in its write-ahead log`;
      throw new StoreUnavailableError(message, { cause });
    });
  };

  readonly close = (): Promise<void> => {
    this.closing ??= Promise.resolve(this.draining).then(() => this.options.backend.close());
    return this.closing;
  };

  /** Commits the pending changes until there are none. */
  private async drain(): Promise<void> {
    do {
      // Lets the server read all requests that have arrived. Without this, a commit that does not wait for the disk would be complete before the
      // second request is read.
      await setImmediate();
      await this.gatherer.gather(this.pending.length);
      const edited = await this.options.backend.findEdit();
      if (edited) this.setCommitted(edited);
      const batch = this.pending;
      this.pending = [];
      if (batch.length > 0) await this.commitOrReject(batch);
      this.gatherer.recordCommit(batch.length, this.pending.length);
    } while (this.pending.length > 0);
    this.draining = undefined;
  }

  /** Commits a batch. If the state becomes too large, commits each half of the batch separately, so that only changes that exceed the limit are rejected. */
  private async commitOrReject(batch: readonly PendingChange<S>[]): Promise<void> {
    try {
      await this.commit(batch);
    } catch (reason) {
      if (reason instanceof StateTooLargeError && batch.length > 1) {
        const middle = Math.ceil(batch.length / 2);
        await this.commitOrReject(batch.slice(0, middle));
        await this.commitOrReject(batch.slice(middle));
      } else for (const { reject } of batch) reject(reason);
    }
  }

  private async commit(batch: readonly PendingChange<S>[]): Promise<void> {
    const { backend, nowMs, keepLists = (_, changed) => changed } = this.options;
    const { state: changed, settleAll } = runChanges(this.committed.state, batch, nowMs());
    const next = keepLists(this.committed.state, changed);
    if (next !== this.committed.state) {
      await backend.commit(next).catch((cause) => {
        if (cause instanceof StateTooLargeError) throw cause;
        const message = `the change could not be stored (${cause.message}), so nothing was changed`;
        throw new StoreUnavailableError(message, { cause });
      });
      this.setCommitted(next);
    }
    for (const settle of settleAll) settle();
  }

  private setCommitted(state: S): void {
    this.committed = { state, revision: this.committed.revision + 1 };
  }
}

/** Applies all changes of a batch. Returns the next state, and functions that resolve or reject the promises of the callers after the commit. */
function runChanges<S extends State>(state: S, batch: readonly PendingChange<S>[], nowMs: number) {
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
