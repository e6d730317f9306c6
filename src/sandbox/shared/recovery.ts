import { FailureLog, getFailure, type Logger } from '../../store/backend.ts';
import { type Database, NO_TABLE } from '../../store/postgres/database.ts';

/** The minimum time between two attempts to recover, in ms. */
const RETRY_MS = 1_000;

/**
 * Creates the tables and the sandbox `default` again if the database has lost them, for example because somebody has
 * dropped the schema.
 * If several servers do this at the same time, all of them use the sandbox that the first server has created.
 */
export class Recovery {
  /** Creates the missing tables and the sandbox `default`, and loads this sandbox. */
  run: () => Promise<void> = async () => {};
  /**
   * Called when this server has loaded the new sandbox `default`.
   * `generation`: the random id of the new sandbox.
   * `lostRevision`: the last known revision of the lost sandbox.
   */
  onComplete: (generation: string, lostRevision: number) => void = () => {};
  /**
   * A random id that the sandbox `default` gets when it is created.
   * No client can delete this sandbox.
   * Therefore, a new id means that the database has lost its content.
   */
  generation = '';
  readonly #failures: FailureLog;
  #isRunning = false;
  #isStopped = false;
  #endMs = Number.NEGATIVE_INFINITY;

  constructor(log: Logger) {
    this.#failures = new FailureLog(log);
  }

  /** Starts an attempt to recover, except if another attempt is running or has just ended. */
  start(): void {
    if (this.#isRunning || this.#isStopped || performance.now() - this.#endMs < RETRY_MS) return;
    this.#isRunning = true;
    this.run()
      .then(
        () => this.#failures.logRecovery('The tables exist again.'),
        (error: Error) => this.#logFailure(error),
      )
      .finally(() => {
        this.#isRunning = false;
        this.#endMs = performance.now();
      });
  }

  /** Prevents further attempts, because the server stops. */
  stop(): void {
    this.#isStopped = true;
  }

  /**
   * Records that this server has loaded the new sandbox `default`.
   * `generation`: the random id of the new sandbox.
   * `lostRevision`: the last known revision of the lost sandbox.
   */
  complete(generation: string, lostRevision: number): void {
    this.generation = generation;
    this.onComplete(generation, lostRevision);
  }

  /** Wraps a database. If an SQL statement fails because a table is missing, starts an attempt to recover. */
  watch(database: Database): Database {
    const watch = <Result>(running: Promise<Result>): Promise<Result> => {
      running.catch((error) => {
        if (getFailure(error).database?.code === NO_TABLE) this.start();
      });
      return running;
    };
    return {
      ...database,
      query: (statement, values) => watch(database.query(statement, values)),
      transaction: (runAll) => watch(database.transaction(runAll)),
    };
  }

  #logFailure({ message }: Error): void {
    if (!this.#isStopped) this.#failures.logFailure(`The content of the database can't be created again: ${message}`);
  }
}
