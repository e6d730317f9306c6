import type { State } from './state.ts';

/** A state is larger than its backend or its sandbox may hold; nothing was changed. `message` names the limit and what the user can do. */
export class StateTooLargeError extends Error {
  override readonly name = 'StateTooLargeError';
}

/** Where a committed state is kept. */
export interface Backend {
  /**
   * Resolves once the state is kept; on an error what was kept before is kept still. Never called twice at once. Throws `StateTooLargeError` where a
   * smaller state can still be committed.
   */
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
