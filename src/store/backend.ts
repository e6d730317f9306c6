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

/** A change that is not committed yet, with the functions that settle the promise of its caller. */
export interface PendingChange<S extends State> {
  readonly change: Change<unknown, S> | AsyncChange<unknown, S>;
  readonly resolve: (result: never) => void;
  readonly reject: (reason: unknown) => void;
}

/**
 * Applies changes to a state, one after the other.
 * Returns the next state and `settleAll`, a list of functions.
 * Call all of these functions after the commit: each of them resolves or rejects the promise of one caller.
 * `nowMs`: the time, in ms since 1970.
 */
export async function runChanges<S extends State>(state: S, batch: readonly PendingChange<S>[], nowMs: number) {
  let next = state;
  const settleAll: (() => void)[] = [];
  for (const { change, resolve, reject } of batch) {
    try {
      const changing = change(next, nowMs);
      const changed = changing instanceof Promise ? await changing : changing;
      next = changed.next ?? next;
      settleAll.push(() => resolve(changed.result as never));
    } catch (reason) {
      settleAll.push(() => reject(reason));
    }
  }
  return { state: next, settleAll };
}

/**
 * A commit is delayed only if the previous commit had at least this number of changes.
 * With fewer clients, the delay would cost more time than it saves.
 */
const MIN_COMMIT_SIZE = 8;

/**
 * Delays a commit for a moment, so that it includes the changes of all active clients.
 * PostgreSQL does the same with `commit_delay` and `commit_siblings`.
 * Without the delay, two groups of clients alternate: one group sends changes while the changes of the other group are
 * committed.
 * There is no delay after a small commit, so a single client never waits.
 */
export class ChangeGatherer {
  /**
   * The number of changes for which the next commit waits: those in the last commit, plus those that arrived during the
   * last commit.
   */
  #expected = 0;
  /** Ends the current delay; undefined if there is none. */
  #finish: (() => void) | undefined;

  /** `maxMs`: the maximum delay, in ms; 0 for no delay. */
  constructor(private readonly maxMs: number) {}

  /**
   * Resolves when enough changes are pending, or after the maximum delay.
   * `pending`: the number of changes that are already pending.
   */
  async gather(pending: number): Promise<void> {
    if (pending >= this.#expected) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, this.maxMs);
      this.#finish = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    this.#finish = undefined;
  }

  /**
   * Ends the delay of `gather` if enough changes are pending.
   * Must be called for each new change.
   * `pending`: the number of pending changes, including the new change.
   */
  count(pending: number): void {
    if (pending >= this.#expected) this.#finish?.();
  }

  /**
   * Computes for how many changes the next commit waits.
   * Must be called after each commit.
   * `size`: the number of changes in the commit.
   * `pending`: the number of changes that arrived during the commit.
   */
  recordCommit(size: number, pending: number): void {
    this.#expected = this.maxMs > 0 && size >= MIN_COMMIT_SIZE ? size + pending : 0;
  }
}

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
