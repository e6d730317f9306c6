import { StoreUnavailableError } from '../store/store.ts';

/** The sandbox does not exist, and a request that selects it does not create it. */
export class UnknownSandboxError extends Error {
  override readonly name = 'UnknownSandboxError';
}

/** There are as many sandboxes as possible, and none of them can be removed now. */
export class TooManySandboxesError extends StoreUnavailableError {
  /** `retryAfterSeconds`: after how many seconds the next sandbox expires. */
  constructor(
    most: number,
    readonly retryAfterSeconds: number,
  ) {
    super(
      `There are ${most} sandboxes already, which clients changed within the hour: remove some with DELETE /_control/sandboxes/ID`,
    );
  }
}
