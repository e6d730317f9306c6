import type { State } from './state.ts';

/** Where a committed state is kept. */
export interface Backend {
  /** Resolves once the state is kept; on an error what was kept before is kept still. Never called twice at once. */
  commit(next: State): Promise<void>;
  close(): Promise<void>;
}

/** A backend that keeps nothing: the state lives as long as the program. */
export function memoryBackend(): Backend {
  return {
    async commit() {},
    async close() {},
  };
}
