import { StoreUnavailableError } from '../store/errors.ts';

/** The error for a request to a sandbox that does not exist. Occurs only with `--sandboxes declared`. With `any`, the request creates the sandbox. */
export class UnknownSandboxError extends Error {
  override readonly name = 'UnknownSandboxError';
}

/**
 * The error if the maximum number of sandboxes is reached, and no sandbox can be removed to make room. The server keeps each sandbox that is in use. It also
 * keeps each sandbox that a client has changed, until nobody has used the sandbox for an hour.
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
