import type { State } from './state.ts';

/**
 * Thrown if a change would make a state larger than the size limit of the data file or of the sandbox. The state does not change. `message` contains the
 * limit and how to reduce the size.
 */
export class StateTooLargeError extends Error {
  override readonly name = 'StateTooLargeError';
}

/**
 * Thrown by `commit` of a shared backend if another server has changed the stored state since this server loaded it. The store then loads the stored state
 * and repeats its changes on it.
 */
export class CommitConflictError extends Error {
  override readonly name = 'CommitConflictError';
}

/** Durable storage for a state, for example a file or a database. The store calls one method at a time. */
export interface Backend<S extends State = State> {
  /** Additional functions of a backend whose state other servers can also change. Undefined for a backend that only this server uses. */
  readonly shared?: SharedBackend | undefined;
  /** How long a commit can be delayed to include the changes of other active clients, in ms. Default: 0. */
  readonly maxGatherMs?: number;
  /**
   * Stores a state. If the promise rejects, the previous state is still stored. Rejects with `StateTooLargeError` if the state is too large, and the store
   * then commits fewer changes at once. A shared backend rejects with `CommitConflictError` if another server has changed the stored state.
   */
  commit(next: S): Promise<void>;
  /**
   * Returns the new state if another program has changed the stored state since the last call. Returns undefined if nothing has changed, or if the new
   * content is invalid. Only a shared backend rejects: with `StoreUnavailableError` if the stored state can't be read, and with `StateReplacedError` if the stored
   * state was lost and another state was stored in its place.
   */
  findEdit(): Promise<S | undefined>;
  /** Writes all committed changes to the files that other programs can read, such as the data file. Rejects if a file can't be written. */
  flush(): Promise<void>;
  /** Calls `flush`, and then releases the storage, for example the lock on the data file. Never rejects. */
  close(): Promise<void>;
}

/** Additional functions of a backend whose state is shared by several servers. */
export interface SharedBackend {
  /** Returns the revision of the state. All servers that share the state have the same revision for the same state. */
  getRevision(): number;
  /** Returns whether changes outside of the state must be committed, such as new settings of a sandbox. */
  hasOtherChanges(): boolean;
  /** Restores the last committed values outside of the state, such as the settings of a sandbox, after a failed commit. */
  discardOtherChanges(): void;
}

/** Creates a backend without durable storage: the state is lost when the process ends. */
export function createMemoryBackend<S extends State>(): Backend<S> {
  return {
    async commit() {},
    findEdit: async () => undefined,
    async flush() {},
    async close() {},
  };
}
