import type { State } from './state.ts';

/**
 * Thrown if a change would make a state larger than the limit of the data file or of the sandbox. The state does not change. `message` contains the
 * limit and the remedy.
 */
export class StateTooLargeError extends Error {
  override readonly name = 'StateTooLargeError';
}

/** Stores a state durably, for example in a file. The store calls one method at a time. */
export interface Backend<S extends State = State> {
  /** How long a commit may wait for the changes of other active clients, in ms. Default: 0. */
  readonly maxGatherMs?: number;
  /**
   * Stores a state. If the promise rejects, the previous state stays stored. Rejects with `StateTooLargeError` if the state is too large. The store
   * then commits fewer changes at once.
   */
  commit(next: S): Promise<void>;
  /**
   * Returns the new state if another program has changed the stored state since the last call. Returns undefined if there is no change, or if the
   * new content is invalid. Never rejects.
   */
  findEdit(): Promise<S | undefined>;
  /** Writes what other programs can read, for example the data file, if it does not contain all commits yet. Rejects if it can't be written. */
  flush(): Promise<void>;
  /** Calls `flush`, and releases the storage. Never rejects. */
  close(): Promise<void>;
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
