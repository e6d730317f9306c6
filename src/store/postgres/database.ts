import type { Pool, PoolClient } from 'pg';
import { UserError } from '../../util/issue.ts';
import { loadPackage } from '../../util/load-package.ts';
import type { Turns } from '../../util/slices.ts';
import { getFailure, type Logger, StoreUnavailableError } from '../backend.ts';
import { HangDetector, NO_RESPONSE, NOT_SENT, TIMEOUT } from './hang-detector.ts';

/** A row of a query result. */
type Row = Readonly<Record<string, unknown>>;

/**
 * Runs an SQL statement with the values of its parameters `$1`, `$2` and so on.
 * Resolves to the rows.
 * Rejects with a `StoreUnavailableError` that has the failure of the database.
 */
export type Query = (statement: string, values?: readonly unknown[]) => Promise<readonly Row[]>;

/**
 * The numbers of connections in the pool.
 * `total`: all open connections.
 * `idle`: the open connections that execute no statement.
 */
export interface PoolCounts {
  readonly total: number;
  readonly idle: number;
  /** The number of SQL statements that wait for a connection. */
  readonly waiting: number;
}

/** An open transaction, which uses a connection of its own. Its caller must call `commit` or `rollback`. */
export interface Transaction {
  readonly query: Query;
  commit(): Promise<void>;
  /** Undoes the transaction by closing its connection. Does nothing after `commit`, and if it was called before. */
  rollback(): void;
}

/** A PostgreSQL database with a pool of connections. */
export interface Database {
  readonly query: Query;
  /** Runs several SQL statements in one transaction. If `run` rejects, the transaction is rolled back. */
  transaction<Result>(run: (query: Query) => Promise<Result>): Promise<Result>;
  /**
   * Begins a transaction in a turn of `turns`, which ends with the transaction.
   * If it waits for this server for more than two seconds, PostgreSQL undoes it.
   */
  begin(turns: Turns): Promise<Transaction>;
  countConnections(): PoolCounts;
  /**
   * Starts to log when the database becomes unavailable, and when it is available again.
   * Before that, a server starts, and reports an error itself.
   */
  logAvailability(): void;
  /** Closes all connections. A second call has no effect. */
  close(): Promise<void>;
}

/** Options of a database. */
export interface DatabaseOptions {
  /** The URL of the database: `postgres://user:password@host:5432/database`. */
  readonly url: string;
  /** The schema of the database that contains the tables. */
  readonly schema: string;
}

/** The PostgreSQL error code for a table that does not exist. */
export const NO_TABLE = '42P01';

/** The PostgreSQL error code for a reference to a row that does not exist, or for the deletion of a referenced row. */
export const MISSING_REFERENCE = '23503';

/**
 * The maximum number of connections of one server.
 * PostgreSQL allows 100 connections by default, for all servers together.
 */
const MAX_CONNECTIONS = 8;

/** The maximum time for opening a connection, in ms. */
const CONNECT_TIMEOUT_MS = 4_000;

/**
 * The maximum time until the response to an SQL statement, in ms.
 * Without a limit, a network that drops all packets would block the server for many minutes.
 * PostgreSQL itself cancels a statement after `CANCEL_MS`, in case the server no longer waits for it.
 */
const STATEMENT_TIMEOUT_MS = 4_000;
const CANCEL_MS = 30_000;

/**
 * The maximum time for which a transaction waits for its server, in ms.
 * Then PostgreSQL undoes it, so that a server that hangs does not stop the commits of other servers.
 */
const MAX_IDLE_MS = 2_000;

/** The additional time for each million characters in the parameters of an SQL statement, in ms. */
const TIMEOUT_MS_PER_MILLION = 1_000;

/**
 * The maximum time for opening a connection that only tests whether the database responds, and for its statement, in ms
 * each.
 */
const PROBE_TIMEOUT_MS = 1_000;

/** The default name of the schema that contains the tables. */
export const DEFAULT_SCHEMA = 'storefront';

/** Matches the names of schemas that need no quotes in SQL. */
const SCHEMA_NAME = /^[a-z_][a-z0-9_]{0,62}$/;

/**
 * Returns the name of a database for messages, without the password: `PostgreSQL (HOST:PORT/DATABASE, schema SCHEMA)`.
 */
export function describeDatabase(url: string, schema: string): string {
  const { host, pathname } = new URL(url);
  return `PostgreSQL (${host}${pathname}, schema ${schema})`;
}

/**
 * Opens a database.
 * The first SQL statement opens the first connection.
 * Throws a `UserError` if the package pg is not installed, or if the URL or the schema is invalid.
 */
export function openDatabase({ url, schema }: DatabaseOptions, log: Logger): Database {
  if (!/^postgres(?:ql)?:\/\//.test(url) || !URL.canParse(url))
    throw new UserError('--database is not a URL of PostgreSQL: use postgres://USER:PASSWORD@HOST:5432/DATABASE.');
  if (!SCHEMA_NAME.test(schema))
    throw new UserError(
      `--database-schema ${JSON.stringify(schema)} is invalid: use lowercase letters, digits and underscores.`,
    );
  const pool = createPool({ url, schema });
  const availability = new AvailabilityLog(describeDatabase(url, schema), log);
  const hangs = new HangDetector(() => probe(url));
  // Ignores the failure of an idle connection.
  // The pool has removed the connection, and the next statement opens a new connection.
  pool.on('error', () => {});
  let closing: Promise<void> | undefined;
  const close = () => {
    availability.stop();
    hangs.stop();
    closing ??= pool.end();
    return closing;
  };
  return {
    query: (statement, values) => availability.observe(statement, run(guard(pool, hangs), statement, values)),
    begin: async (turns) => {
      const endTurn = await turns.start();
      return availability.observe('transaction', begin(pool, hangs, endTurn));
    },
    transaction: (runAll) => availability.observe('transaction', runTransaction(pool, hangs, runAll)),
    logAvailability: () => availability.start(),
    countConnections: () => ({ total: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount }),
    close,
  };
}

/**
 * Logs when a database becomes unavailable, and when it is available again. Logs each of these events once.
 * Ignores the results of statements that began before the last event: when a network is cut, for example, results that
 * were on their way still arrive.
 */
class AvailabilityLog {
  /**
   * The last event. `failed`: the first SQL statement that failed; undefined while the database is available.
   * `isConnected`: whether the connection still works, although the statement failed.
   */
  #event: { readonly failed?: { readonly statement: string; readonly isConnected: boolean } } = {};
  #isRunning = false;

  constructor(
    private readonly place: string,
    private readonly log: Logger,
  ) {}

  observe<Result>(statement: string, running: Promise<Result>): Promise<Result> {
    const last = this.#event;
    running.then(
      () => last === this.#event && this.#recordSuccess(statement),
      (error) => last === this.#event && this.#recordFailure(statement, error),
    );
    return running;
  }

  start(): void {
    this.#isRunning = true;
  }

  /** Stops logging, because the connections are being closed. */
  stop(): void {
    this.#isRunning = false;
  }

  #recordFailure(statement: string, error: unknown): void {
    if (!this.#isRunning || this.#event.failed) return;
    // A conflict with another server does not mean that the database is unavailable.
    const { database } = getFailure(error);
    if (!database || CONFLICTS.includes(database.code ?? '')) return;
    const { cause } = error as { cause: { severity?: string } };
    this.#event = { failed: { statement, isConnected: cause.severity === UNDONE } };
    this.log.error(
      {},
      `${this.place} is not available (${database.reason}). Requests return 503 until it is available.`,
    );
  }

  #recordSuccess(statement: string): void {
    const { failed } = this.#event;
    // If the disk of the database is full, for example, other statements still succeed.
    // So only a success of the same statement counts.
    if (!failed || (failed.isConnected && failed.statement !== statement)) return;
    this.#event = {};
    this.log.info(`${this.place} can be used again.`);
  }
}

function createPool({ url, schema }: DatabaseOptions): Pool {
  return new (loadPg().Pool)({
    connectionString: url,
    max: MAX_CONNECTIONS,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    query_timeout: STATEMENT_TIMEOUT_MS,
    statement_timeout: CANCEL_MS,
    keepAlive: true,
    application_name: 'storefront',
    options: `-c search_path=${schema} -c idle_in_transaction_session_timeout=${MAX_IDLE_MS}`,
  });
}

/**
 * Opens a connection, and runs a statement.
 * Rejects if the database does not respond.
 * Resolves if it refuses the connection, because it responds then.
 */
async function probe(url: string): Promise<void> {
  const client = new (loadPg().Client)({
    connectionString: url,
    connectionTimeoutMillis: PROBE_TIMEOUT_MS,
    query_timeout: PROBE_TIMEOUT_MS,
  });
  client.on('error', () => {});
  try {
    await client.connect();
    await client.query('SELECT 1');
  } catch (error) {
    if ((error as { code?: string }).code === undefined) throw error;
  } finally {
    client.end().catch(() => {});
  }
}

function loadPg(): typeof import('pg') {
  try {
    return loadPackage('pg');
  } catch (cause) {
    throw new UserError('--database needs the package pg, which is not installed: run npm install pg.', { cause });
  }
}

async function run(
  client: Pick<Pool | PoolClient, 'query'>,
  statement: string,
  values: readonly unknown[] = [],
): Promise<readonly Row[]> {
  try {
    const query = {
      name: getName(statement),
      text: statement,
      values: [...values],
      query_timeout: getTimeoutMs(values),
    };
    const { rows } = await client.query<Row>(query);
    return rows;
  } catch (error) {
    throw toDatabaseError(error);
  }
}

/**
 * Returns the maximum time until the response to an SQL statement, in ms.
 * `values`: the parameters of the statement.
 */
function getTimeoutMs(values: readonly unknown[]): number {
  const characters = values.reduce((sum: number, value) => sum + (typeof value === 'string' ? value.length : 0), 0);
  return STATEMENT_TIMEOUT_MS + Math.round((characters / 1e6) * TIMEOUT_MS_PER_MILLION);
}

/** The names of the prepared statements, by SQL text. A connection parses and plans a named statement only once. */
const names = new Map<string, string>();

function getName(statement: string): string {
  const name = names.get(statement) ?? `storefront_${names.size + 1}`;
  names.set(statement, name);
  return name;
}

/** Returns a connection, or a pool, whose statements fail at once while the database hangs. */
function guard(client: Pick<Pool | PoolClient, 'query'>, hangs: HangDetector): Pick<Pool, 'query'> {
  return { query: ((config: never) => hangs.run(() => client.query(config))) as Pool['query'] };
}

/** `onEnd`: called when the transaction has ended, or could not begin. */
async function begin(pool: Pool, hangs: HangDetector, onEnd: () => void): Promise<Transaction> {
  const client = await connect(pool, hangs).catch((error) => {
    onEnd();
    throw toDatabaseError(error);
  });
  // The next statement reports that the connection was lost.
  client.on('error', doNothing);
  let isOpen = true;
  const end = (isLost: boolean) => {
    if (!isOpen) return;
    isOpen = false;
    if (!isLost) client.off('error', doNothing);
    client.release(isLost);
    onEnd();
  };
  const transaction: Transaction = {
    query: (statement, values) => run(guard(client, hangs), statement, values),
    async commit() {
      await transaction.query('COMMIT');
      end(false);
    },
    // PostgreSQL rolls back the transaction of a closed connection.
    rollback: () => end(true),
  };
  await transaction.query('BEGIN').catch((error) => {
    transaction.rollback();
    throw error;
  });
  return transaction;
}

function doNothing(): void {}

async function connect(pool: Pool, hangs: HangDetector): Promise<PoolClient> {
  let hasFailed = false;
  const opening = hangs.run(async () => {
    const client = await pool.connect();
    // The database hung in the meantime, so nobody waits for the connection.
    if (hasFailed) client.release(true);
    return client;
  });
  opening.catch(() => {
    hasFailed = true;
  });
  return opening;
}

async function runTransaction<Result>(
  pool: Pool,
  hangs: HangDetector,
  runAll: (query: Query) => Promise<Result>,
): Promise<Result> {
  const transaction = await begin(pool, hangs, doNothing);
  try {
    const result = await runAll(transaction.query);
    await transaction.commit();
    return result;
  } catch (error) {
    transaction.rollback();
    throw error;
  }
}

/**
 * The SQLSTATE codes of conflicts with another server: serialization failure, deadlock, and an object that another
 * server has just created.
 */
const CONFLICTS = ['40001', '40P01', MISSING_REFERENCE, '23505', '42710', '42P06', '42P07'];

/**
 * The severity of a PostgreSQL error after which the connection still works: only the statement was rolled back.
 * After all other errors, the connection is lost.
 */
const UNDONE = 'ERROR';

/** Matches the errors that occur before a statement is sent. */
const NOT_CONNECTED = new RegExp(
  `^(?:ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|timeout exceeded when trying to connect|Connection terminated due to connection timeout|${NOT_SENT})$`,
);

function toDatabaseError(error: unknown): StoreUnavailableError {
  const { code, message, severity } = error as { code?: string; message: string; severity?: string };
  // 28: invalid password. 3D: unknown database. 53: too many connections. 57P03: PostgreSQL is starting.
  const isRefused = /^(?:28|3D|53|57P03)/.test(code ?? '');
  const isInDoubt = severity !== UNDONE && !isRefused && !NOT_CONNECTED.test(code ?? message);
  const reason = describeError(error);
  const database = { reason, isInDoubt, code };
  return new StoreUnavailableError(`the database is not available (${reason})`, { cause: error, database });
}

/**
 * Returns the message of an error.
 * For an `AggregateError`, which has no message, returns the messages of its errors.
 */
function describeError(error: unknown): string {
  const { message, code, errors } = error as { message: string; code?: string; errors?: readonly Error[] };
  if (code === NO_TABLE)
    return `${message}: the server tries to create its tables again. If it can't create them, its log says what to do`;
  if (TIMEOUT.test(message)) return NO_RESPONSE;
  return message || errors?.map((one) => one.message).join(', ') || code || 'unknown error';
}
