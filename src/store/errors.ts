import type { State } from './state.ts';

/** Thrown if a change can't be stored, or if a shared state can't be read. The state is unchanged, except for an `OutcomeUnknownError`. */
export class StoreUnavailableError extends Error {
  override readonly name = 'StoreUnavailableError';
}

/** Thrown if the connection to the database was lost during a commit, so that the database may have stored the change. */
export class OutcomeUnknownError extends StoreUnavailableError {
  /** `reason`: the cause of the failure. */
  constructor(reason: string, options: ErrorOptions) {
    super(
      `the database is not available (${reason}). It is unknown whether the change was stored, because the connection was lost during the commit. A request with an Idempotency-Key can be repeated safely; before you repeat any other request, read the data`,
      options,
    );
  }
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
