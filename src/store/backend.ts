import { HttpProblemError, unavailable } from '../util/problem.ts';
import type { CommittedState, State } from './state.ts';

/**
 * Durable storage for a state, for example a file or a database.
 * The store calls one method at a time, except that it calls `findEdit` of a shared backend during a commit.
 */
export interface Backend<S extends State = State> {
  /**
   * Additional functions of a backend that several servers share, such as a database.
   * Undefined for a backend that only this server uses.
   */
  readonly shared?: SharedBackend<S> | undefined;
  /**
   * The maximum delay of a commit, in ms.
   * During the delay, other clients can add their changes to the commit.
   * Default: 0.
   */
  readonly maxGatherMs?: number;
  /**
   * Stores the state `next`, which was computed from the state `base`.
   * If the promise rejects, the previous state is still stored.
   * Rejects with an `insufficient-storage` problem if the state is too large.
   * A shared backend rejects with the reason `conflict` if another server has changed the stored state.
   */
  commit(next: S, base: S): Promise<void>;
  /**
   * Returns the stored state if another program has changed it since the last call.
   * Returns undefined if the stored state is unchanged or invalid.
   * Only a shared backend rejects, with a `StoreUnavailableError`.
   * The error has a `replacement` if the stored state was lost and replaced by a different state.
   */
  findEdit(): Promise<S | undefined>;
  /**
   * Writes all committed changes to the data file, if there is one, so that other programs can read them.
   * Rejects if the file can't be written.
   */
  flush(): Promise<void>;
  /** Calls `flush`, and then releases the storage: for example, the lock on the data file. Never rejects. */
  close(): Promise<void>;
}

/** Additional functions of a backend whose state is shared by several servers. */
export interface SharedBackend<S extends State = State> {
  /**
   * Returns the last committed state that this server knows, and its revision number.
   * Servers with the same state have the same revision number.
   */
  getCommitted(): CommittedState<S>;
  /**
   * Returns the states that this server has committed or loaded since the last call, in their order.
   * Some are missing if the database has merged their changes before this server has loaded them.
   */
  takeCommitted(): readonly CommittedState<S>[];
  /**
   * Loads the states of all stored commits from a revision on, in their order.
   * Resolves to undefined if the database has merged their changes.
   */
  loadHistory(revision: number): Promise<readonly CommittedState<S>[] | undefined>;
  /**
   * Waits until the other servers have committed, and then makes them wait until the next commit of this server, or
   * until `endTurn`.
   * Without it, a server whose commits take longer would have to repeat its changes again and again.
   */
  takeTurn(): Promise<void>;
  /** Lets other servers commit. Does nothing if it is not the turn of this server. */
  endTurn(): void;
  /** Returns whether there are uncommitted changes besides the state, such as new settings of a sandbox. */
  hasOtherChanges(): boolean;
  /**
   * Undoes the uncommitted changes besides the state, such as new settings of a sandbox.
   * Called after a failed commit.
   */
  discardOtherChanges(): void;
}

/** Creates a backend without durable storage: the state is lost when the process ends. */
export function createMemoryBackend<S extends State>(): Backend<S> {
  return {
    async commit() {},
    findEdit: async () => undefined,
    async flush() {},
    async close() {},
  };
}

/**
 * The result of a change.
 * `next`: the next state, or undefined if the state stays the same.
 * `result`: the value that the caller of the change gets.
 */
export interface ChangeResult<Result, S extends State = State> {
  readonly next?: S;
  readonly result: Result;
}

/**
 * A pure function that computes the next state from the current state and the time (ms since 1970).
 * If the function throws, the state does not change.
 */
export type Change<Result, S extends State = State> = (state: S, nowMs: number) => ChangeResult<Result, S>;

/**
 * A change that takes a moment, for example until a handler has returned.
 * The next changes wait for it, so it must not wait for anything slow.
 */
export type AsyncChange<Result, S extends State = State> = (
  state: S,
  nowMs: number,
) => Promise<ChangeResult<Result, S>>;

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
interface DatabaseFailure {
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
 * A log for an action that is repeated often and can fail each time, such as a commit.
 * If consecutive failures have the same message, logs it only once.
 * Also logs the first success after a failure.
 */
export class FailureLog {
  /** The message of the last attempt; undefined if it has not failed. */
  lastMessage: string | undefined;
  readonly #log: Logger;

  constructor(log: Logger) {
    this.#log = log;
  }

  /** Logs a failure, with the stack of `err`. Logs nothing if the last failure had the same message. */
  logFailure(message: string, err?: unknown): void {
    if (message !== this.lastMessage) this.#log.error(err === undefined ? {} : { err }, message);
    this.lastMessage = message;
  }

  /** Logs the message if the last attempt failed. */
  logRecovery(message: string): void {
    if (this.lastMessage !== undefined) this.#log.info(message);
    this.lastMessage = undefined;
  }
}
