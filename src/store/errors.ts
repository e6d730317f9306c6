import type { State } from './state.ts';

/** Thrown if a change can't be stored, or if a state that servers share can't be read. The state has not changed, neither in memory nor in the backend. */
export class StoreUnavailableError extends Error {
  override readonly name = 'StoreUnavailableError';
}

/**
 * Thrown if the stored state was lost, and another state was stored in its place. The store uses the other state from now on. It does not apply the pending changes,
 * because they can contain parts of the lost state.
 */
export class StateReplacedError extends StoreUnavailableError {
  /** `state`: the state that is stored now. */
  constructor(
    message: string,
    readonly state: State,
  ) {
    super(message);
  }
}
