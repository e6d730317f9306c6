import { StoreUnavailableError } from '../store/errors.ts';

/** The error if a request selects a sandbox that does not exist, and only the control API can create sandboxes (`--sandboxes declared`). */
export class UnknownSandboxError extends Error {
  override readonly name = 'UnknownSandboxError';
}

/**
 * The error if the maximum number of sandboxes is reached and the server can't remove a sandbox to make room. The server can't remove a sandbox that is in use,
 * or that a client has changed and used within the last hour.
 */
export class TooManySandboxesError extends StoreUnavailableError {
  /** `retryAfterSeconds`: the time until the next sandbox expires. */
  constructor(
    maxSandboxes: number,
    readonly retryAfterSeconds: number,
  ) {
    super(
      `The limit of ${maxSandboxes} sandboxes is reached, and all of them were used within the last hour: remove some with DELETE /_control/sandboxes/ID`,
    );
  }
}
