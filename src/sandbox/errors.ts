import { StoreUnavailableError } from '../store/store.ts';

/** Thrown if a request selects a sandbox that does not exist, on a server where only the control API creates sandboxes. */
export class UnknownSandboxError extends Error {
  override readonly name = 'UnknownSandboxError';
}

/** Thrown if the maximum number of sandboxes is reached and none of them can be removed, because all are in use or were changed within the last hour. */
export class TooManySandboxesError extends StoreUnavailableError {
  /** `retryAfterSeconds`: the time until the next sandbox expires, in seconds. */
  constructor(
    maxSandboxes: number,
    readonly retryAfterSeconds: number,
  ) {
    super(
      `The limit of ${maxSandboxes} sandboxes is reached, and all of them were used within the last hour: remove some with DELETE /_control/sandboxes/ID`,
    );
  }
}
