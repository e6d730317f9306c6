import { HttpProblemError, unavailable } from '../util/problem.ts';
import type { State } from './state.ts';

/** The failures that the caller of a store or a backend handles, besides an unavailable storage. */
interface FailureDetails {
  /**
   * `conflict`: another server has changed the stored state since this server read it.
   * The store then loads the new state, and repeats the changes of this server.
   * `claim-lost`: another request has claimed the idempotency key of the change.
   * `removed`: another server has deleted the sandbox during the request.
   */
  readonly reason?: 'conflict' | 'claim-lost' | 'removed';
  /**
   * The state that is stored now, if the stored state was lost and replaced by a different state.
   * The store uses it from now on.
   * Pending changes are not applied, because they can contain parts of the lost state.
   */
  readonly replacement?: State;
  /** The failure of a statement, if the state is in a database. */
  readonly database?: DatabaseFailure;
}

/**
 * The failure of a statement in a database.
 * `reason`: the cause, for messages. It contains no password.
 * `isInDoubt`: whether the connection was lost, so that the statement may have been executed.
 * `code`: the SQLSTATE code of PostgreSQL, or the code of a network error.
 */
export interface DatabaseFailure {
  readonly reason: string;
  readonly isInDoubt: boolean;
  readonly code: string | undefined;
}

/**
 * Thrown if a change can't be stored, or if a shared state can't be read.
 * The state is unchanged, unless the message says that the outcome is unknown.
 */
export class StoreUnavailableError extends HttpProblemError {
  override readonly name = 'StoreUnavailableError';
  readonly details: FailureDetails;

  constructor(detail: string, { cause, ...details }: ErrorOptions & FailureDetails = {}) {
    super(unavailable(detail), cause === undefined ? {} : { cause });
    this.details = details;
  }
}

/** Creates the error of a commit if another server has changed the stored state since this server read it. */
export function createConflictError(): StoreUnavailableError {
  return new StoreUnavailableError('another server has changed the state, so nothing was changed', {
    reason: 'conflict',
  });
}

/** Returns the details of a failure of a store or a backend. Returns an empty object for any other error. */
export function getFailure(error: unknown): FailureDetails {
  return error instanceof StoreUnavailableError ? error.details : {};
}

/**
 * Creates the error for a change that would make a state exceed its size limit.
 * The state stays as it was.
 * `limit`: the limit and how to reduce the size.
 */
export function createTooLargeError(limit: string): HttpProblemError {
  return new HttpProblemError({ code: 'insufficient-storage', detail: NOTHING_CHANGED + limit });
}

/** Returns the limit and how to reduce the size if `createTooLargeError` has created the error; else undefined. */
export function getExceededLimit(error: unknown): string | undefined {
  const isTooLarge = error instanceof HttpProblemError && error.problem.code === 'insufficient-storage';
  return isTooLarge ? error.message.slice(NOTHING_CHANGED.length) : undefined;
}

const NOTHING_CHANGED = 'nothing was changed: ';

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
