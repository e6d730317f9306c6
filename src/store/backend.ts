import type { State } from './state.ts';

/** Thrown if a state exceeds the size limit of its backend or its sandbox. Nothing was changed. `message` names the limit and the remedy. */
export class StateTooLargeError extends Error {
  override readonly name = 'StateTooLargeError';
}

/** Stores the committed state. */
export interface Backend<S extends State = State> {
  /**
   * Resolves when the state is stored; if it rejects, the previous state is still stored. The store never calls it twice at once. Throws
   * `StateTooLargeError` if a smaller state could still be committed.
   */
  commit(next: S): Promise<void>;
  /**
   * Returns an external edit of the stored state once; undefined if there is none or if it is not a valid state. The store never calls it during a
   * commit. It never rejects.
   */
  findEdit(): Promise<S | undefined>;
  close(): Promise<void>;
}

/** Creates a backend that stores nothing: the state is lost when the process ends. */
export function createMemoryBackend<S extends State>(): Backend<S> {
  return {
    async commit() {},
    findEdit: async () => undefined,
    async close() {},
  };
}
