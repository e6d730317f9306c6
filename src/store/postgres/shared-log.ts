import { Turns } from '../../util/slices.ts';
import { createConflictError, getFailure, StoreUnavailableError } from '../backend.ts';
import {
  ChangeReader,
  type NewChanges,
  type SandboxVersion,
  type StoredChange,
  toChange,
  type Version,
} from './change-reader.ts';
import type { Database, Query, Transaction } from './database.ts';
import type { CompletedKey } from './key-table.ts';
import { createId, ListTable } from './list-table.ts';

/**
 * A stored sandbox.
 * `base`: the content of the sandbox at some revision, as JSON.
 * `changes`: all changes after this revision.
 */
export interface StoredSandbox {
  readonly generation: string;
  readonly base: StoredChange;
  readonly changes: readonly StoredChange[];
}

/**
 * What the database stores about a sandbox id.
 * `expiredAtMs`: when the sandbox expired, in ms since 1970; undefined if it did not expire.
 */
interface FoundSandbox {
  readonly stored: StoredSandbox | undefined;
  readonly expiredAtMs: number | undefined;
}

/**
 * Content to store, as JSON.
 * `lists`: the collections to which the content refers, by hash.
 */
export interface NewContent {
  readonly content: string;
  readonly lists: ReadonlyMap<string, unknown>;
}

/**
 * A change to store, and the idempotency keys of its requests.
 * `clearsKeys`: the change deletes all keys of the sandbox, and `keys` is empty.
 */
interface NewChange extends NewContent {
  readonly keys: readonly CompletedKey[];
  readonly clearsKeys: boolean;
}

/** The end of the message if the connection was lost during a commit. */
const OUTCOME_UNKNOWN =
  'It is unknown whether the change was stored, because the connection was lost during the commit. A request with an Idempotency-Key can be repeated safely; before you repeat any other request, read the data';

/**
 * How long the database remembers that a sandbox expired (an SQL interval), and the maximum number of sandboxes for
 * which it does so.
 */
const EXPIRY_STORED = "interval '1 day'";
const MAX_EXPIRED = 10_000;

/**
 * The maximum number of sandboxes that are locked at the same time.
 * Each needs a connection, and the others are left for statements without a lock.
 */
const MAX_EXCLUSIVE = 4;

/** The SQLSTATE code of a conflict with another transaction. */
const SERIALIZATION_FAILURE = '40001';

/** Part of the SQL statement that stores a change: makes this change the last one of the sandbox. */
const MOVE =
  'moved AS (UPDATE sandboxes SET revision = revision + 1, head = $3, used_at = now() WHERE id = $1 AND head = $2';
const INSERT = `INSERT INTO changes (sandbox, revision, head, previous, content)
  SELECT id, revision, $3, $2, $4 FROM moved RETURNING revision`;

/** Part of the SQL statement that stores a change: stores the references to collections. */
const REFER = `referred AS (
    INSERT INTO list_references (sandbox, revision, hash)
    SELECT id, revision, hash FROM moved, unnest($5::text[]) AS listed (hash)
  )`;

/**
 * The parts of the SQL statement for a change with idempotency keys.
 * The change is stored only if its requests still have the claims of all keys.
 * The statement also stores the responses.
 * It locks the keys, because another request could claim them.
 * It locks the sandbox before the keys, as a deletion does, so that the two can't cause a deadlock.
 */
const COMPLETED =
  'completed AS (SELECT * FROM unnest($6::text[], $7::text[], $8::text[]) AS completed (key, claim, response))';
const CLAIMED = `current AS (SELECT id FROM sandboxes WHERE id = $1 AND head = $2 FOR NO KEY UPDATE), claimed AS (
    SELECT key.claim FROM current JOIN idempotency_keys AS key ON key.sandbox = current.id
      JOIN completed ON completed.key = key.key AND completed.claim = key.claim
    WHERE key.response IS NULL FOR UPDATE OF key
  )`;
const HAVE_CLAIMS = 'AND (SELECT count(*) FROM claimed) = cardinality($6)';
const COMPLETE = `complete AS (
    UPDATE idempotency_keys AS key SET response = completed.response, changed_at = now()
    FROM completed, moved WHERE key.sandbox = $1 AND key.key = completed.key AND key.claim = completed.claim
  )`;

/** Part of the SQL statement that stores a change: deletes all idempotency keys of the sandbox. */
const CLEAR = 'cleared AS (DELETE FROM idempotency_keys AS key USING moved WHERE key.sandbox = moved.id)';

/**
 * The SQL statement that stores a change without idempotency keys.
 * `APPEND_COMPLETED` also stores responses for keys; `APPEND_CLEARED` deletes all keys.
 */
const APPEND = `WITH ${MOVE} RETURNING id, revision), ${REFER} ${INSERT}`;
const APPEND_COMPLETED = `WITH ${COMPLETED}, ${CLAIMED}, ${MOVE} ${HAVE_CLAIMS} RETURNING id, revision), ${REFER}, ${COMPLETE} ${INSERT}`;
const APPEND_CLEARED = `WITH ${MOVE} RETURNING id, revision), ${REFER}, ${CLEAR} ${INSERT}`;

/**
 * The histories of sandboxes in a database.
 * A change is stored only if it was computed from the last stored change (compare-and-set).
 * Each change has a random id, so that a server notices if the database has lost changes.
 */
export class SharedLog {
  /** The collections to which the stored content refers. */
  readonly lists: ListTable;
  private readonly reader: ChangeReader;
  private readonly turns = new Turns(MAX_EXCLUSIVE);

  constructor(private readonly database: Database) {
    this.lists = new ListTable(database);
    this.reader = new ChangeReader(database);
  }

  /**
   * Stores a new sandbox.
   * Resolves to the version of the sandbox.
   * Resolves to undefined if the sandbox exists already.
   * `defaultGeneration`: if the sandbox `default` no longer has this generation, nothing is stored, and the result is
   * undefined.
   */
  async create(id: string, content: NewContent, defaultGeneration?: string): Promise<SandboxVersion | undefined> {
    const [generation, head] = [createId(), createId()];
    const rows = await this.#queryWithLists(
      content.lists,
      `WITH created AS (
        INSERT INTO sandboxes (id, revision, head, generation)
        SELECT $1::text, 0, $2::text, $4::text
        WHERE $5::text IS NULL OR EXISTS (SELECT 1 FROM sandboxes WHERE id = 'default' AND generation = $5::text)
        ON CONFLICT DO NOTHING RETURNING id
      ), journal AS (
        INSERT INTO journals (sandbox, generation) SELECT id, $4::text FROM created
      ), forgotten AS (
        DELETE FROM expired_sandboxes USING created WHERE expired_sandboxes.id = created.id
      ), referred AS (
        INSERT INTO list_references (sandbox, revision, hash)
        SELECT id, 0, hash FROM created, unnest($6::text[]) AS listed (hash)
      )
      INSERT INTO bases (sandbox, revision, head, content) SELECT id, 0, $2::text, $3 FROM created RETURNING sandbox`,
      [id, head, content.content, generation, defaultGeneration ?? null, [...content.lists.keys()]],
    );
    return rows.length === 0 ? undefined : { generation, revision: 0, head };
  }

  /** Returns a stored sandbox, or undefined if it does not exist. */
  async load(id: string): Promise<StoredSandbox | undefined> {
    return (await this.find(id)).stored;
  }

  /** Returns a sandbox, or the time when it expired. */
  async find(id: string): Promise<FoundSandbox> {
    const [first, ...others] = await this.database.query(
      `SELECT generation, bases.revision, bases.head, bases.content, NULL::timestamptz AS expired_at
      FROM bases JOIN sandboxes ON sandboxes.id = bases.sandbox
      WHERE sandbox = $1
      UNION ALL
      SELECT NULL, changes.revision, changes.head, changes.content, NULL
      FROM changes JOIN bases USING (sandbox)
      WHERE sandbox = $1 AND changes.revision > bases.revision
      UNION ALL
      SELECT NULL, NULL, NULL, NULL, expired_at
      FROM expired_sandboxes
      WHERE id = $1 AND expired_at > now() - ${EXPIRY_STORED} AND NOT EXISTS (SELECT 1 FROM sandboxes WHERE id = $1)
      ORDER BY revision`,
      [id],
    );
    if (!first) return { stored: undefined, expiredAtMs: undefined };
    if (first.expired_at instanceof Date) return { stored: undefined, expiredAtMs: first.expired_at.getTime() };
    const stored = { generation: String(first.generation), base: toChange(first), changes: others.map(toChange) };
    return { stored, expiredAtMs: undefined };
  }

  /** Returns the changes of a sandbox since the version `known`. */
  readChanges(id: string, known: SandboxVersion): Promise<NewChanges> {
    return this.reader.read(id, known);
  }

  /**
   * Waits until the current commits of a sandbox have ended, and then makes all other servers wait with their commits.
   * The result ends this: pass it to `append`, or call its `rollback`.
   */
  async takeTurn(id: string): Promise<Transaction> {
    const transaction = await this.database.begin(this.turns);
    try {
      await transaction.query('SELECT 1 FROM sandboxes WHERE id = $1 FOR NO KEY UPDATE', [id]);
      return transaction;
    } catch (error) {
      transaction.rollback();
      throw error;
    }
  }

  /**
   * Stores a change that was computed from the version `known`.
   * Rejects with the reason `conflict` if the sandbox has another version.
   * `turn`: the result of `takeTurn`, if it was called before.
   */
  async append(
    id: string,
    known: Version,
    { content, lists, keys, clearsKeys }: NewChange,
    turn?: Transaction,
  ): Promise<Version> {
    const head = createId();
    const values = [id, known.head, head, content, [...lists.keys()]];
    const keyValues = [
      keys.map(({ key }) => key),
      keys.map(({ claim }) => claim),
      keys.map(({ response }) => response),
    ];
    try {
      const { query } = turn ?? this.database;
      const rows = await (keys.length === 0
        ? query(clearsKeys ? APPEND_CLEARED : APPEND, values)
        : query(APPEND_COMPLETED, [...values, ...keyValues]));
      if (rows.length === 0) await this.#refuseCommit(id, keys);
      await turn?.commit();
    } catch (error) {
      await this.#refuseUnlessStored(id, { head, lists }, error);
    }
    return { revision: known.revision + 1, head };
  }

  /**
   * Shortens the history of a sandbox: stores its content at a version as the new base, and deletes all changes up to
   * this version.
   * Does nothing if the sandbox has no change with this version.
   */
  async compact(id: string, { revision, head }: Version, { content, lists }: NewContent): Promise<void> {
    await this.#queryWithLists(
      lists,
      `WITH moved AS (
        UPDATE bases SET revision = $2, head = $3, content = $4
        WHERE sandbox = $1 AND revision < $2
          AND EXISTS (SELECT 1 FROM changes WHERE sandbox = $1 AND revision = $2 AND head = $3)
        RETURNING sandbox
      ), released AS (
        DELETE FROM list_references USING moved
        WHERE list_references.sandbox = moved.sandbox AND list_references.revision < $2
      ), referred AS (
        INSERT INTO list_references (sandbox, revision, hash)
        SELECT sandbox, $2, hash FROM moved, unnest($5::text[]) AS listed (hash)
        ON CONFLICT DO NOTHING
      )
      DELETE FROM changes USING moved WHERE changes.sandbox = moved.sandbox AND changes.revision <= $2`,
      [id, revision, head, content, [...lists.keys()]],
    );
  }

  /** Deletes a sandbox. Resolves to true if it existed. */
  async remove(id: string): Promise<boolean> {
    const rows = await this.database.query('DELETE FROM sandboxes WHERE id = $1 RETURNING id', [id]);
    // The sandbox is deleted. `removeUnused` tries to delete its collections again.
    await this.lists.removeUnused().catch(() => {});
    return rows.length > 0;
  }

  /**
   * Records that the sandboxes in `used` were used now.
   * Deletes the sandboxes that were not used for an hour and have no changes, and those that were not used for
   * `idleMs`. Stores the time when they expired.
   */
  async removeUnused(used: readonly string[], idleMs: number): Promise<void> {
    await this.database.query('UPDATE sandboxes SET used_at = now() WHERE id = ANY($1)', [used]);
    await this.database.query(
      `WITH expired AS (
        DELETE FROM sandboxes WHERE id <> 'default' AND used_at < now() - interval '1 hour' AND (
          used_at <= now() - $1 * interval '1 millisecond' OR NOT (
            EXISTS (SELECT 1 FROM changes WHERE sandbox = id)
            OR EXISTS (SELECT 1 FROM bases WHERE sandbox = id AND revision > 0)
          )
        ) RETURNING id
      )
      INSERT INTO expired_sandboxes (id, expired_at) SELECT id, now() FROM expired
      ON CONFLICT (id) DO UPDATE SET expired_at = excluded.expired_at`,
      [idleMs],
    );
    await this.database.query(
      `DELETE FROM expired_sandboxes
      WHERE expired_at < now() - ${EXPIRY_STORED} OR id IN (SELECT id FROM sandboxes)
        OR id IN (SELECT id FROM expired_sandboxes ORDER BY expired_at DESC, id OFFSET ${MAX_EXPIRED})`,
    );
    await this.database.query("DELETE FROM idempotency_keys WHERE changed_at < now() - interval '1 hour'");
    await this.lists.removeUnused();
  }

  /** Returns the ids of all sandboxes, in alphabetical order. */
  async listIds(): Promise<readonly string[]> {
    const rows = await this.database.query('SELECT id FROM sandboxes ORDER BY id');
    return rows.map(({ id }) => String(id));
  }

  /**
   * Runs a statement that stores references to collections.
   * If another server has deleted one of them, stores them and runs the statement again.
   */
  async #queryWithLists(lists: NewContent['lists'], ...statement: Parameters<Query>): ReturnType<Query> {
    for (;;) {
      try {
        return await this.database.query(...statement);
      } catch (error) {
        await this.lists.storeAgain(lists.values(), error);
      }
    }
  }

  /**
   * Throws the reason why a change was not stored: a conflict with another change, or with another claim of an
   * idempotency key.
   */
  async #refuseCommit(id: string, keys: readonly CompletedKey[]): Promise<never> {
    const statement =
      'SELECT 1 FROM idempotency_keys WHERE sandbox = $1 AND key = ANY($2) AND claim = ANY($3) AND response IS NULL';
    const values = [id, keys.map(({ key }) => key), keys.map(({ claim }) => claim)];
    if (keys.length > 0 && (await this.database.query(statement, values)).length < keys.length)
      throw new StoreUnavailableError('another request has claimed the Idempotency-Key, so nothing was changed', {
        reason: 'claim-lost',
      });
    throw createConflictError();
  }

  /**
   * Called if the SQL statement that stores a change has failed.
   * Returns normally if the change was stored nevertheless, and only the connection was lost.
   * Rejects with the reason `conflict` if the error is a conflict or a lost collection, which is stored again, and with
   * a `StoreUnavailableError` that says so if it is unknown whether the change was stored.
   * Otherwise rejects with `error`.
   */
  async #refuseUnlessStored(
    id: string,
    { head, lists }: Pick<Version, 'head'> & Pick<NewContent, 'lists'>,
    error: unknown,
  ): Promise<void> {
    const { database } = getFailure(error);
    if (!database) throw error;
    if (database.code === SERIALIZATION_FAILURE) throw createConflictError();
    if (!database.isInDoubt) {
      await this.lists.storeAgain(lists.values(), error);
      throw createConflictError();
    }
    const statement = `SELECT 1 FROM sandboxes WHERE id = $1 AND head = $2
      UNION ALL SELECT 1 FROM changes WHERE sandbox = $1 AND head = $2`;
    const rows = await this.database.query(statement, [id, head]).catch(() => []);
    if (rows.length > 0) return;
    throw new StoreUnavailableError(`${(error as Error).message}. ${OUTCOME_UNKNOWN}`, { cause: error });
  }
}
