import { HttpProblemError, unavailable } from '../util/problem.ts';
import type { State } from './state.ts';

/**
 * Thrown if a change can't be stored, or if a shared state can't be read.
 * The state is unchanged, unless the message says that the outcome is unknown.
 */
export class StoreUnavailableError extends HttpProblemError {
  override readonly name: string = 'StoreUnavailableError';

  constructor(detail: string, options?: ErrorOptions) {
    super(unavailable(detail), options);
  }
}

/** Thrown if another request has claimed the idempotency key of a change. Nothing is stored. */
export class ClaimLostError extends StoreUnavailableError {
  override readonly name = 'ClaimLostError';

  constructor() {
    super('another request has claimed the Idempotency-Key, so nothing was changed');
  }
}

/**
 * Thrown if the stored state was lost and replaced by a different state.
 * The store uses the new state from now on.
 * Pending changes are not applied, because they can contain parts of the lost state.
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

/** A log for events of the data file. pino implements this interface. */
export interface Logger {
  info(message: string): void;
  warn(message: string): void;
  error(fields: { readonly err?: unknown }, message: string): void;
}

/**
 * Creates a log for an action that is repeated often and can fail each time, such as a commit.
 * If consecutive failures have the same message, logs it only once.
 * Also logs the first success after a failure.
 */
export function createFailureLog(log: Logger) {
  let lastMessage: string | undefined;
  return {
    /** Logs a failure, with the stack of `err`. Logs nothing if the last failure had the same message. */
    logFailure(message: string, err?: unknown): void {
      if (message !== lastMessage) log.error(err === undefined ? {} : { err }, message);
      lastMessage = message;
    },
    /** Logs the message if the last attempt failed. */
    logRecovery(message: string): void {
      if (lastMessage !== undefined) log.info(message);
      lastMessage = undefined;
    },
  };
}
