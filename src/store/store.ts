import { setImmediate } from 'node:timers/promises';
import {
  type AsyncChange,
  type Backend,
  type Change,
  getExceededLimit,
  getFailure,
  StoreUnavailableError,
} from './backend.ts';
import type { CommittedState, State } from './state.ts';

/**
 * Contains the current state of an application, and stores changes durably.
 * The state changes only through this interface.
 */
export interface Store<S extends State = State> {
  /** Returns the last committed state. Pending changes are not part of it. */
  read(): CommittedState<S>;
  /**
   * Applies a change, commits it, and then resolves to the result of the change.
   * Changes are applied in the order of the calls.
   * Rejects with the error that the change throws.
   * Rejects with `StoreUnavailableError` if the commit fails, and with an `insufficient-storage` problem if the next
   * state exceeds the size limit.
   */
  update<Result>(change: Change<Result, S>): Promise<Result>;
  /**
   * Does the same as `update` with an asynchronous change.
   * The change runs again if another server has changed the state in the meantime.
   */
  transact<Result>(change: AsyncChange<Result, S>): Promise<Result>;
  /**
   * Replaces the state with the default state, after all pending changes.
   * Calls `onApply` when the reset is applied, before its commit.
   */
  reset(onApply?: () => void): Promise<void>;
  /**
   * Returns the default state.
   * Throws a `UserError` if the file with the default data can't be read or is invalid.
   */
  getDefaults(): S;
  /**
   * Calls a function with the states before and after each committed change, also of another program or server.
   * The revisions say whether there were other commits between them, which are no longer stored.
   * Returns a function that ends this.
   */
  follow(listener: ChangeListener<S>): () => void;
  /**
   * Loads the states of all stored commits from a revision on, in their order.
   * Resolves to undefined if they are not stored, or if only one server has the state.
   */
  loadHistory(revision: number): Promise<readonly CommittedState<S>[] | undefined>;
  /** Returns the time of the store's clock, in ms since 1970. */
  nowMs(): number;
  /**
   * Loads the stored state if another program has changed it.
   * Ignores an invalid state.
   * Never rejects, with one exception: if several servers share the state and it can't be read, rejects with
   * `StoreUnavailableError`.
   */
  loadEdits(): Promise<void>;
  /**
   * Commits all pending changes and writes them to the data file.
   * If the data file can't be written, rejects with `StoreUnavailableError`; the changes are still in the write-ahead
   * log.
   */
  flush(): Promise<void>;
  /**
   * Checks whether changes can be stored.
   * Rejects with `StoreUnavailableError` if not.
   * After a failed commit, commits the current state again as a test.
   * Otherwise only reads the stored state, if several servers share it.
   */
  check(): Promise<void>;
  /**
   * Commits all pending changes and closes the backend.
   * Later changes reject with `StoreUnavailableError`.
   * A second call has no effect.
   */
  close(): Promise<void>;
}

/** Options of a store. */
export interface StoreOptions<S extends State = State> {
  readonly backend: Backend<S>;
  /** The initial state, which the backend already contains. */
  readonly initial: S;
  /**
   * Returns the default state.
   * Called for each reset, because the file with the default data can change.
   * If the function throws, the reset rejects with the error.
   */
  readonly defaults: () => S;
  /**
   * Prepares the default state before a reset, so that `defaults` returns fast.
   * Returns undefined if there is nothing to do.
   */
  readonly prepareDefaults?: (() => Promise<void> | undefined) | undefined;
  /**
   * Returns the state to commit: `next` plus the lists of `current` that no change may remove.
   * Called if `next` lacks a list of `current`.
   * Default: `next`.
   */
  readonly keepLists?: ((current: S, next: S) => S) | undefined;
  /** Returns the time, in ms since 1970. */
  readonly nowMs: () => number;
  /** Called after each commit, whether it succeeded or failed. */
  readonly onCommit?: CommitListener | undefined;
}

/** A commit that has succeeded or failed. */
export interface EndedCommit {
  readonly hasFailed: boolean;
  /** The number of changes in the commit. */
  readonly changes: number;
  /** The duration of the commit in the backend, in ms. */
  readonly durationMs: number;
}

/** Called with the states before and after a committed change. Must not throw. */
export type ChangeListener<S extends State = State> = (before: CommittedState<S>, after: CommittedState<S>) => void;

/** Called after each commit, whether it succeeded or failed. */
export type CommitListener = (commit: EndedCommit) => void;

/** Creates a store that commits all pending changes together. */
export function createStore<S extends State>(options: StoreOptions<S>): Store<S> {
  return new GroupCommitStore(options);
}

/**
 * A store with group commit.
 * It applies all pending changes, commits the resulting state once, and then resolves the promises of all callers.
 * So 50 concurrent changes need only one commit.
 * `read` never returns a change that the backend has not stored.
 */
class GroupCommitStore<S extends State> implements Store<S> {
  private committed: CommittedState<S>;
  private pending: PendingChange<S>[] = [];
  private draining: Promise<void> | undefined;
  private closing: Promise<void> | undefined;
  private hasFailed = false;
  /** The current load of a shared state; it never rejects. `nextLoad`: the load that starts after it. */
  private loading: Promise<void> = Promise.resolve();
  private nextLoad: Promise<void> | undefined;
  /** The error if a shared state was lost and replaced. */
  private replacement: unknown;
  /**
   * The number of changes for which the next commit waits: those in the last commit, plus those that arrived during the
   * last commit.
   */
  private expectedChanges = 0;
  /** Ends the current wait for changes; undefined if there is none. */
  private endWait: (() => void) | undefined;
  private readonly listeners = new Set<ChangeListener<S>>();

  constructor(private readonly options: StoreOptions<S>) {
    this.committed = options.backend.shared?.getCommitted() ?? { state: options.initial, revision: 0 };
  }

  // Arrow functions, because callers copy them into other objects: `{ ...store, update }`.
  readonly read = (): CommittedState<S> => this.committed;

  readonly update = <Result>(change: Change<Result, S> | AsyncChange<Result, S>): Promise<Result> => {
    if (this.closing) return refuseClosing();
    return new Promise((resolve, reject) => {
      this.pending.push({ change, resolve, reject });
      this.draining ??= this.drain();
      if (this.pending.length >= this.expectedChanges) this.endWait?.();
    });
  };

  readonly transact: Store<S>['transact'] = this.update;

  readonly reset = (onApply?: () => void): Promise<void> => {
    const change = () => {
      const next = this.options.defaults();
      onApply?.();
      return { next, result: undefined };
    };
    return this.options.prepareDefaults?.()?.then(() => this.update(change)) ?? this.update(change);
  };

  readonly getDefaults = (): S => this.options.defaults();

  readonly follow = (listener: ChangeListener<S>): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  readonly loadHistory: Store<S>['loadHistory'] = async (revision) =>
    this.options.backend.shared?.loadHistory(revision);

  readonly nowMs = (): number => this.options.nowMs();

  readonly loadEdits = (): Promise<void> => {
    if (this.options.backend.shared) return this.closing ? refuseClosing() : this.load();
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

  readonly check = async (): Promise<void> => {
    if (this.closing || this.hasFailed) await this.update((state) => ({ next: { ...state }, result: undefined }));
    else if (this.options.backend.shared) await this.loadEdits();
  };

  readonly close = (): Promise<void> => {
    this.closing ??= Promise.resolve(this.draining).then(() => this.options.backend.close());
    return this.closing;
  };

  /** Commits pending changes until there are none left. */
  private async drain(): Promise<void> {
    const { maxGatherMs = 0 } = this.options.backend;
    do {
      // Waits until the server has read all requests that have arrived.
      // Otherwise a fast commit could be complete before the server reads the second request.
      await setImmediate();
      if (this.pending.length < this.expectedChanges) await this.waitForChanges(maxGatherMs);
      // The commit of a shared backend finds the changes of other servers itself.
      const edited = this.options.backend.shared ? undefined : await this.options.backend.findEdit();
      if (edited) this.setCommitted(edited);
      const batch = this.pending;
      this.pending = [];
      if (batch.length > 0) await this.commitOrReject(batch);
      this.expectedChanges =
        maxGatherMs > 0 && batch.length >= MIN_COMMIT_SIZE ? batch.length + this.pending.length : 0;
    } while (this.pending.length > 0);
    this.draining = undefined;
  }

  /**
   * Waits for a moment, so that a commit includes the changes of all active clients.
   * PostgreSQL does the same with `commit_delay` and `commit_siblings`.
   * Without the wait, two groups of clients alternate: one group sends changes while the changes of the other group are
   * committed.
   * There is no wait after a small commit, so a single client never waits.
   */
  private async waitForChanges(maxMs: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, maxMs);
      this.endWait = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    this.endWait = undefined;
  }

  /**
   * Commits a batch of changes, or rejects the promises of their callers.
   * If the state becomes too large, or a request has lost its idempotency key, commits each half of the batch
   * separately.
   * So only the changes that can't be stored are rejected.
   */
  private async commitOrReject(batch: readonly PendingChange<S>[]): Promise<void> {
    try {
      await this.commit(batch);
    } catch (reason) {
      if (isOfSomeChanges(reason) && batch.length > 1) {
        const middle = Math.ceil(batch.length / 2);
        await this.commitOrReject(batch.slice(0, middle));
        await this.commitOrReject(batch.slice(middle));
      } else for (const { reject } of batch) reject(reason);
    } finally {
      this.options.backend.shared?.endTurn();
    }
  }

  /** Applies a batch of changes, and commits the state if it has changed. Applies them again after a conflict. */
  private async commit(batch: readonly PendingChange<S>[]): Promise<void> {
    const { backend, keepLists } = this.options;
    const { shared } = backend;
    const { replacement } = this;
    // Whether the stored state was loaded just now.
    let isCurrent = !shared;
    for (let conflicts = 0; ; ) {
      if (this.replacement !== replacement) throw this.replacement;
      const base = this.committed;
      const { state, settleAll } = await runChanges(base.state, batch, this.options.nowMs());
      const isListLost = Object.keys(base.state).some((name) => !Object.hasOwn(state, name));
      const next = isListLost && keepLists ? keepLists(base.state, state) : state;
      // A request may have loaded a later state in the meantime.
      let isStored = !shared || !this.isOutdated(base);
      if (isStored && (next !== base.state || shared?.hasOtherChanges()))
        isStored = await this.commitState(next, base.state, batch.length);
      else if (isStored) {
        if (!isCurrent) await this.load();
        isStored = this.committed === base;
      }
      if (isStored) {
        for (const settle of settleAll) settle();
        return;
      }
      shared?.discardOtherChanges();
      if (++conflicts >= MAX_CONFLICTS) await shared?.takeTurn();
      await this.load();
      isCurrent = true;
    }
  }

  /**
   * Commits a state, and resolves to true.
   * Resolves to false if another server has changed the stored state.
   * `changes`: the number of changes in the commit.
   */
  private async commitState(next: S, base: S, changes: number): Promise<boolean> {
    const { backend, onCommit } = this.options;
    const startMs = performance.now();
    let failure: StoreUnavailableError | undefined;
    try {
      await backend.commit(next, base);
      this.setCommitted(next);
    } catch (cause) {
      backend.shared?.discardOtherChanges();
      if (getFailure(cause).reason === 'conflict') return false;
      if (isOfSomeChanges(cause)) throw cause;
      const message = `the change could not be stored (${(cause as Error).message}), so nothing was changed`;
      failure = cause instanceof StoreUnavailableError ? cause : new StoreUnavailableError(message, { cause });
    }
    this.hasFailed = failure !== undefined;
    onCommit?.({ hasFailed: this.hasFailed, changes, durationMs: performance.now() - startMs });
    if (failure) throw failure;
    return true;
  }

  /**
   * Loads a shared state.
   * Does not wait for a commit.
   * All calls during a load share the next load, so that they get all changes before the call.
   */
  private load(): Promise<void> {
    this.nextLoad ??= this.loading.then(() => {
      this.nextLoad = undefined;
      const load = this.findEdit();
      this.loading = load.catch(() => {});
      return load;
    });
    return this.nextLoad;
  }

  /**
   * Loads the stored state if another program or server has changed it.
   * If it was lost and replaced, also rejects all pending changes.
   */
  private async findEdit(): Promise<void> {
    try {
      const edited = await this.options.backend.findEdit();
      // A commit that has just ended is not an edit.
      if (edited || this.isOutdated(this.committed)) this.setCommitted(edited ?? this.committed.state);
    } catch (error) {
      const { replacement } = getFailure(error);
      if (replacement) {
        this.setCommitted(replacement as S);
        this.replacement = error;
        for (const { reject } of this.pending.splice(0)) reject(error);
      }
      throw error;
    }
  }

  /** Returns whether the backend knows a later state. */
  private isOutdated({ revision }: CommittedState<S>): boolean {
    const { shared } = this.options.backend;
    return shared !== undefined && shared.getCommitted().revision !== revision;
  }

  private setCommitted(state: S): void {
    const { shared } = this.options.backend;
    let before = this.committed;
    this.committed = shared?.getCommitted() ?? { state, revision: before.revision + 1 };
    for (const after of shared?.takeCommitted() ?? [this.committed]) {
      for (const listener of this.listeners) listener(before, after);
      before = after;
    }
  }
}

/** The number of conflicts in a row with other servers after which a commit makes the other servers wait. */
const MAX_CONFLICTS = 2;

function refuseClosing(): Promise<never> {
  return Promise.reject(new StoreUnavailableError('the server is shutting down, so nothing was changed'));
}

/** Returns whether a commit failed because of some of its changes, so that the others can be stored. */
function isOfSomeChanges(error: unknown): boolean {
  return getExceededLimit(error) !== undefined || getFailure(error).reason === 'claim-lost';
}

/** A change that is not committed yet, with the functions that settle the promise of its caller. */
interface PendingChange<S extends State> {
  readonly change: Change<unknown, S> | AsyncChange<unknown, S>;
  readonly resolve: (result: never) => void;
  readonly reject: (reason: unknown) => void;
}

/**
 * Applies changes to a state, one after the other.
 * Returns the next state and `settleAll`, a list of functions.
 * Call all of these functions after the commit: each of them resolves or rejects the promise of one caller.
 * `nowMs`: the time, in ms since 1970.
 */
async function runChanges<S extends State>(state: S, batch: readonly PendingChange<S>[], nowMs: number) {
  let next = state;
  const settleAll: (() => void)[] = [];
  for (const { change, resolve, reject } of batch) {
    try {
      const changing = change(next, nowMs);
      const changed = changing instanceof Promise ? await changing : changing;
      next = changed.next ?? next;
      settleAll.push(() => resolve(changed.result as never));
    } catch (reason) {
      settleAll.push(() => reject(reason));
    }
  }
  return { state: next, settleAll };
}

/**
 * A commit is delayed only if the previous commit had at least this number of changes.
 * With fewer clients, the delay would cost more time than it saves.
 */
const MIN_COMMIT_SIZE = 8;
