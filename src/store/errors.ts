import type { State } from './state.ts';

/** Thrown if a change can't be stored, or if a shared state can't be read. The state is unchanged, both in memory and in the backend. */
export class StoreUnavailableError extends Error {
  override readonly name = 'StoreUnavailableError';
}

/**
 * Thrown if the stored state was lost and replaced by a different state. The store uses the new state from now on. Pending changes are not applied, because
 * they can contain parts of the lost state.
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
