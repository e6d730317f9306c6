import type { State } from './state.ts';

/** Where a committed state is kept. */
export interface Backend {
  /** Resolves once the state is kept; on an error what was kept before is kept still. Never called twice at once. */
  commit(next: State): Promise<void>;
  /**
   * The state that somebody else has put where the last one was kept, once; undefined where nobody has, or what they put is no state. Never called
   * during a commit; never rejects.
   */
  edited(): Promise<State | undefined>;
  close(): Promise<void>;
}

/** A backend that keeps nothing: the state lives as long as the program. */
export function memoryBackend(): Backend {
  return {
    async commit() {},
    edited: async () => undefined,
    async close() {},
  };
}
