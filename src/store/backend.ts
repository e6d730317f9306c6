import type { State } from './state.ts';

/** Thrown if a change would make a state exceed its size limit. The state stays as it was. `message` contains the limit and how to reduce the size. */
export class StateTooLargeError extends Error {
  override readonly name = 'StateTooLargeError';
}

/**
 * Thrown by `commit` if another server has changed the stored state since this server read it. The store then loads the new state, and repeats the changes of
 * this server.
 */
export class CommitConflictError extends Error {
  override readonly name = 'CommitConflictError';
}

/** Durable storage for a state, for example a file or a database. The store calls one method at a time. */
export interface Backend<S extends State = State> {
  /** Additional functions of a backend that several servers share, such as a database. Undefined for a backend that only this server uses. */
  readonly shared?: SharedBackend | undefined;
  /** The maximum delay of a commit, in ms. During the delay, other clients can add their changes to the commit. Default: 0. */
  readonly maxGatherMs?: number;
  /**
   * Stores the state `next`. If the promise rejects, the previous state is still stored. Rejects with `StateTooLargeError` if the state is too large. A shared
   * backend rejects with `CommitConflictError` if another server has changed the stored state.
   */
  commit(next: S): Promise<void>;
  /**
   * Returns the stored state if another program has changed it since the last call. Returns undefined if the stored state is unchanged or invalid. Only a
   * shared backend rejects. `StoreUnavailableError`: the stored state can't be read. `StateReplacedError`: it was lost and replaced by a different state.
   */
  findEdit(): Promise<S | undefined>;
  /** Writes all committed changes to the data file, if there is one, so that other programs can read them. Rejects if the file can't be written. */
  flush(): Promise<void>;
  /** Calls `flush`, and then releases the storage: for example, the lock on the data file. Never rejects. */
  close(): Promise<void>;
}

/** Additional functions of a backend whose state is shared by several servers. */
export interface SharedBackend {
  /** Returns the revision number of the state. Servers with the same state return the same number. */
  getRevision(): number;
  /** Returns whether there are uncommitted changes besides the state, such as new settings of a sandbox. */
  hasOtherChanges(): boolean;
  /** Undoes the uncommitted changes besides the state, such as new settings of a sandbox. Called after a failed commit. */
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
