import { UserError } from '../../util/issue.ts';
import { getFailure, type Logger, StoreUnavailableError } from '../backend.ts';
import { type Database, type DatabaseOptions, describeDatabase, openDatabase, type Query } from './database.ts';

/**
 * The SQL statements that create the tables.
 * Each list is a version of the database schema, and runs once in each database.
 * A list must not be changed after it was published.
 */
const VERSIONS: readonly (readonly string[])[] = [
  [
    // The sandboxes.
    // `generation`: a random id; a sandbox that is deleted and created again gets a new one.
    // `head`: the id of the last change.
    // A change is stored only if `head` is the id of the change on which it is based.
    `CREATE TABLE sandboxes (
      id text PRIMARY KEY,
      generation text NOT NULL,
      revision bigint NOT NULL,
      head text NOT NULL,
      used_at timestamptz NOT NULL DEFAULT now()
    )`,
    // The content of a sandbox at a revision. The table `changes` contains the later changes.
    `CREATE TABLE bases (
      sandbox text PRIMARY KEY REFERENCES sandboxes (id) ON DELETE CASCADE,
      revision bigint NOT NULL,
      head text NOT NULL,
      content text NOT NULL
    )`,
    `CREATE TABLE changes (
      sandbox text NOT NULL REFERENCES sandboxes (id) ON DELETE CASCADE,
      revision bigint NOT NULL,
      head text NOT NULL,
      previous text NOT NULL,
      content text NOT NULL,
      PRIMARY KEY (sandbox, revision)
    )`,
    // Collections of the default data. Several sandboxes can refer to the same row.
    'CREATE TABLE lists (hash text PRIMARY KEY, content text NOT NULL)',
    // The request journals.
    // `first_id`: the id of the first entry that was not cleared.
    // `last_id`: the id of the last entry.
    `CREATE TABLE journals (
      sandbox text PRIMARY KEY REFERENCES sandboxes (id) ON DELETE CASCADE,
      generation text NOT NULL,
      first_id bigint NOT NULL DEFAULT 1,
      last_id bigint NOT NULL DEFAULT 0
    )`,
    `CREATE TABLE journal_entries (
      sandbox text NOT NULL REFERENCES journals (sandbox) ON DELETE CASCADE,
      id bigint NOT NULL,
      content text NOT NULL,
      PRIMARY KEY (sandbox, id)
    )`,
    // The running servers.
    // `flushed`: the number of the last request to write the journals that the server has fulfilled.
    `CREATE TABLE servers (
      id text PRIMARY KEY,
      seen_at timestamptz NOT NULL DEFAULT now(),
      flushed bigint NOT NULL DEFAULT 0
    )`,
    // The idempotency keys.
    // `claim`: the id of the claim of the request that uses the key.
    // `response`: the response to this request; null while the request is in progress.
    `CREATE TABLE idempotency_keys (
      sandbox text NOT NULL REFERENCES sandboxes (id) ON DELETE CASCADE,
      key text NOT NULL,
      fingerprint text NOT NULL,
      claim text NOT NULL,
      response text,
      changed_at timestamptz NOT NULL DEFAULT now(),
      PRIMARY KEY (sandbox, key)
    )`,
    // The last request to all servers to write their journals: one row.
    'CREATE TABLE flushes (id int PRIMARY KEY, requested bigint NOT NULL)',
    // The sandboxes that were deleted because they were not used, until they are created again.
    'CREATE TABLE expired_sandboxes (id text PRIMARY KEY, expired_at timestamptz NOT NULL)',
  ],
  [
    // The references of bases and changes to the table `lists`. `revision`: that of the base or of the change.
    `CREATE TABLE list_references (
      sandbox text NOT NULL REFERENCES sandboxes (id) ON DELETE CASCADE,
      revision bigint NOT NULL,
      hash text NOT NULL REFERENCES lists (hash),
      PRIMARY KEY (sandbox, revision, hash)
    )`,
    'CREATE INDEX list_references_by_hash ON list_references (hash)',
    `INSERT INTO list_references (sandbox, revision, hash)
      SELECT DISTINCT sandbox, revision, lists.hash
      FROM (SELECT sandbox, revision, content FROM bases UNION ALL SELECT sandbox, revision, content FROM changes)
        AS stored, LATERAL regexp_matches(stored.content, '"list":"([^"]*)"', 'g') AS found (groups)
      JOIN lists ON lists.hash = found.groups[1]`,
  ],
  [
    // How often each part of the contract was used. `unforced` and `forced`: by the origin of the response.
    `CREATE TABLE coverage (
      operation text NOT NULL,
      key text NOT NULL,
      unforced bigint NOT NULL,
      forced bigint NOT NULL,
      refused bigint NOT NULL,
      PRIMARY KEY (operation, key)
    )`,
  ],
];

/**
 * The SQLSTATE codes of errors that occur if two servers create the same schema or table at the same time.
 * The server that gets the error ignores it, because the schema or table now exists.
 */
const ALREADY_CREATED = ['23505', '42710', '42P06', '42P07'];

/** The PostgreSQL error code of a statement for which the user lacks a right. */
const PERMISSION_DENIED = '42501';

/** PostgreSQL error codes: the user may not create tables, or may not use the schema. */
const NO_PERMISSION = [PERMISSION_DENIED, '3F000'];

/** An open database. `applied`: the number of schema versions that were applied when it was opened. */
interface MigratedDatabase {
  readonly database: Database;
  readonly applied: number;
}

/** Opens a database, and creates or updates its tables. Rejects with a `UserError` if the database can't be used. */
export async function openMigratedDatabase(options: DatabaseOptions, log: Logger): Promise<MigratedDatabase> {
  const database = openDatabase(options, log);
  try {
    return { database, applied: await migrate(database, options) };
  } catch (error) {
    await database.close();
    throw toStartError(error, options);
  }
}

const RIGHTS =
  'Give the user the rights to use the schema, and to read, insert, update and delete rows in its tables, or use another user.';
const AVAILABILITY = 'Check that the database runs, and that the URL of --database is correct.';

/**
 * Converts an error of the database during the start of a server to a `UserError` that says what to do.
 * Returns other errors unchanged.
 */
export function toStartError(error: unknown, { url, schema }: DatabaseOptions): unknown {
  if (!(error instanceof StoreUnavailableError)) return error;
  const { code, reason = error.message } = error.details.database ?? {};
  const remedy = code === PERMISSION_DENIED ? RIGHTS : AVAILABILITY;
  return new UserError(`${describeDatabase(url, schema)} can't be used: ${reason}. ${remedy}`, { cause: error });
}

/**
 * Creates or updates the tables.
 * Several servers can call this at the same time: a row in the table `versions` is the lock.
 * Resolves to the number of schema versions that were applied.
 * Rejects with a `UserError` if the user may not create tables, or if only some of the tables exist.
 */
export async function migrate(database: Database, options: DatabaseOptions): Promise<number> {
  const { query, transaction } = database;
  // A user who may not create schemas and tables can use existing ones.
  if (isCurrent(await readTables(query))) return 0;
  const place = describeDatabase(options.url, options.schema);
  try {
    await createSchema(query, options.schema);
    await createOnce(query, 'CREATE TABLE IF NOT EXISTS versions (version int PRIMARY KEY)');
    return await transaction((run) => applyVersions(run, place));
  } catch (error) {
    const { database } = getFailure(error);
    if (!database || !NO_PERMISSION.includes(database.code ?? '')) throw error;
    const message = `${place} does not have all tables, and the user may not create them (${database.reason}): run storefront migrate with a user who may.`;
    throw new UserError(message, { cause: error });
  }
}

/**
 * The names of the existing tables, without `versions`, and the version of the tables.
 * The version is 0 if it is not recorded.
 */
interface FoundTables {
  readonly names: readonly string[];
  readonly version: number;
}

/** Returns the names of the tables in a version of the database schema. */
function getTables(version: number): readonly string[] {
  const statements = VERSIONS.slice(0, version).flat();
  return statements.flatMap((statement) => /^CREATE TABLE (\w+)/.exec(statement)?.[1] ?? []);
}

function isCurrent({ names, version }: FoundTables): boolean {
  return version === VERSIONS.length && hasAll(names, version);
}

function hasAll(names: readonly string[], version: number): boolean {
  return getTables(version).every((name) => names.includes(name));
}

/**
 * Reads which tables exist, and their version.
 * Rejects with a `UserError` if a newer program has created the tables.
 */
async function readTables(query: Query): Promise<FoundTables> {
  const statement = 'SELECT listed FROM unnest($1::text[]) AS listed WHERE to_regclass(listed) IS NOT NULL';
  const rows = await query(statement, [['versions', ...getTables(VERSIONS.length)]]);
  const [versions, names] = [rows.filter(isVersions), rows.filter((row) => !isVersions(row))];
  return {
    names: names.map(({ listed }) => String(listed)),
    version: versions.length > 0 ? await readVersion(query) : 0,
  };
}

const isVersions = ({ listed }: Readonly<Record<string, unknown>>) => listed === 'versions';

/**
 * Returns the latest version in the table `versions`.
 * Rejects with a `UserError` if this program is too old for this version.
 */
async function readVersion(query: Query): Promise<number> {
  const [row] = await query('SELECT max(version) AS version FROM versions');
  const version = Number(row?.version ?? 0);
  if (version <= VERSIONS.length) return version;
  throw new UserError(
    `The tables in the database have version ${version}, which a newer storefront has created. This storefront supports versions up to ${VERSIONS.length}: update storefront, or use another schema with --database-schema.`,
  );
}

async function createSchema(query: Query, schema: string): Promise<void> {
  const [found] = await query('SELECT to_regnamespace($1) IS NOT NULL AS exists', [schema]);
  // The statement needs a right that the owner of an existing schema may lack.
  if (!found?.exists) await createOnce(query, `CREATE SCHEMA IF NOT EXISTS ${schema}`);
}

async function createOnce(query: Query, statement: string): Promise<void> {
  await query(statement).catch((error) => {
    if (!ALREADY_CREATED.includes(getFailure(error).database?.code ?? '')) throw error;
  });
}

/**
 * Applies the missing versions of the database schema, in one transaction.
 * Resolves to the number of applied versions.
 * `place`: the name of the database in messages.
 */
async function applyVersions(run: Query, place: string): Promise<number> {
  // A second server waits here until the first one has created the tables.
  await run('INSERT INTO versions (version) VALUES (0) ON CONFLICT (version) DO UPDATE SET version = 0');
  const found = await readTables(run);
  const first = countVersions(found, place);
  for (const statement of VERSIONS.slice(first).flat()) await run(statement);
  for (let version = 1; version <= VERSIONS.length; version++)
    await run('INSERT INTO versions (version) VALUES ($1) ON CONFLICT DO NOTHING', [version]);
  return VERSIONS.length - first;
}

/**
 * Returns the version of the existing tables; 0 if there are no tables.
 * Throws a `UserError` if only some of the tables exist: they can belong to another program, or contain data.
 */
function countVersions({ names, version }: FoundTables, place: string): number {
  if (version > 0 && hasAll(names, version)) return version;
  // Somebody has emptied the table `versions`.
  if (hasAll(names, VERSIONS.length)) return VERSIONS.length;
  if (names.length === 0) return 0;
  throw new UserError(
    `${place} has only some of the tables that storefront needs: ${names.join(', ')}. Restore the missing tables, delete these tables, or use another schema with --database-schema.`,
  );
}
