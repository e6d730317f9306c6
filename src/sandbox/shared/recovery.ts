import { createFailureLog, type Logger } from '../../store/failure-log.ts';
import { type Database, DatabaseError, NO_TABLE } from '../../store/postgres/database.ts';

/** The minimum time between two attempts, in ms. */
const RETRY_MS = 1_000;

/**
 * Creates the tables and the sandbox `default` again if the database has lost them, for example because somebody has dropped the schema. Several servers can do so at
 * the same time: the sandbox that the first one creates is the new one for all.
 */
export class Recovery {
  /** Creates what is missing in the database, and loads the sandbox `default`. */
  run: () => Promise<void> = async () => {};
  /** Called when this server has loaded the new sandbox `default`. `lostRevision`: the revision of the lost one. */
  onComplete: (generation: string, lostRevision: number) => void = () => {};
  /** The generation of the sandbox `default`. It identifies the content of the database, because no client can delete this sandbox. */
  generation = '';
  readonly #failures: ReturnType<typeof createFailureLog>;
  #isRunning = false;
  #isStopped = false;
  #endMs = Number.NEGATIVE_INFINITY;

  constructor(log: Logger) {
    this.#failures = createFailureLog(log);
  }

  /** Starts an attempt, unless another one is running or has just ended. */
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

  /** Starts no attempt from now on, because the server stops. */
  stop(): void {
    this.#isStopped = true;
  }

  /** Records that this server has loaded the new sandbox `default`. */
  complete(generation: string, lostRevision: number): void {
    this.generation = generation;
    this.onComplete(generation, lostRevision);
  }

  /** Returns a database that starts an attempt if a statement fails because a table is missing. */
  watch(database: Database): Database {
    const watch = <Result>(running: Promise<Result>): Promise<Result> => {
      running.catch((error) => {
        if (error instanceof DatabaseError && error.code === NO_TABLE) this.start();
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
