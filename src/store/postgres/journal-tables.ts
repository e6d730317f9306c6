import type { Database } from './database.ts';
import { createId } from './list-table.ts';

/** New records for the request journal of a sandbox. */
export interface NewRows {
  readonly sandbox: string;
  /** The generation of the sandbox: its random id, which changes if the sandbox is deleted and created again. */
  readonly generation: string;
  /** The maximum number of records in the journal. */
  readonly maxRecords: number;
  /**
   * The number of older records that are not stored, because the journal would exceed its maximum size.
   * They have ids too.
   */
  readonly skipped: number;
  /** The new records, each as JSON. */
  readonly contents: readonly string[];
}

/** The part of a journal that a server has already read. `lastId`: the id of the last record in this part. */
interface KnownJournal {
  readonly generation: string;
  readonly lastId: number;
}

/**
 * The records of a journal after the last known record.
 * The oldest record in the journal that was not cleared has the id `firstId`.
 * The newest record has the id `lastId`.
 */
export interface NewRecords {
  readonly firstId: number;
  readonly lastId: number;
  readonly records: readonly { readonly id: number; readonly content: string }[];
}

/** An SQL interval. A server counts as stopped if it has not renewed its registration for this long. */
export const GONE = "interval '5 seconds'";

/**
 * An SQL expression for the number of the last flush request: a request to all servers to store their new journal
 * records.
 */
const REQUESTED = 'coalesce((SELECT requested FROM flushes WHERE id = 1), 0)';

/** The request journals of all servers with the same database, and the servers that write them. */
export class JournalTables {
  readonly server = createId();
  #offsetMs = 0;

  /**
   * `clock.systemMs`: returns the time of this machine, in ms since 1970.
   * `clock.onOffset`: called with the difference to the clock of the database, in ms.
   * All servers use the clock of the database, because they share the times of sandboxes.
   */
  constructor(
    private readonly database: Pick<Database, 'query'>,
    private readonly clock: { readonly systemMs: () => number; readonly onOffset: (ms: number) => void },
  ) {}

  /** Appends records to journals. Records for a deleted sandbox are dropped. */
  async add(rows: readonly NewRows[]): Promise<void> {
    const journals = rows.map(({ sandbox, generation, skipped, contents }) => {
      return { sandbox, generation, entries: skipped + contents.length };
    });
    const entries = rows.flatMap(({ sandbox, contents }) =>
      contents.map((content, index) => ({ sandbox, back: contents.length - 1 - index, content })),
    );
    await this.database.query(
      `WITH added AS (
        SELECT * FROM json_to_recordset($1::json) AS added (sandbox text, generation text, entries int)
      ), moved AS (
        UPDATE journals SET last_id = last_id + entries FROM added
        WHERE journals.sandbox = added.sandbox AND journals.generation = added.generation
        RETURNING journals.sandbox, last_id
      )
      INSERT INTO journal_entries (sandbox, id, content)
      SELECT sandbox, last_id - back, content
      FROM json_to_recordset($2::json) AS contents (sandbox text, back int, content text) JOIN moved USING (sandbox)`,
      [JSON.stringify(journals), JSON.stringify(entries)],
    );
  }

  /**
   * Deletes the oldest records of journals that exceed their maximum number of records.
   */
  async trim(rows: readonly NewRows[]): Promise<void> {
    await this.database.query(
      `DELETE FROM journal_entries USING journals, unnest($1::text[], $2::int[]) AS kept (sandbox, entries)
      WHERE journals.sandbox = kept.sandbox AND journal_entries.sandbox = kept.sandbox
        AND journal_entries.id <= greatest(journals.last_id - kept.entries, journals.first_id - 1)`,
      [rows.map(({ sandbox }) => sandbox), rows.map(({ maxRecords }) => maxRecords)],
    );
  }

  /**
   * Returns the new records of journals, by sandbox id.
   * `known`: the part of each journal that was already read.
   * The result has no journal of a deleted sandbox.
   */
  async read(known: ReadonlyMap<string, KnownJournal>): Promise<ReadonlyMap<string, NewRecords>> {
    const journals = [...known.values()];
    const rows = await this.database.query(
      `SELECT journals.sandbox, journals.first_id, journals.last_id, entry.id, entry.content
      FROM unnest($1::text[], $2::text[], $3::bigint[]) AS known (sandbox, generation, id)
      JOIN journals ON journals.sandbox = known.sandbox AND journals.generation = known.generation
      LEFT JOIN journal_entries AS entry
        ON entry.sandbox = known.sandbox AND entry.id > known.id AND entry.id >= journals.first_id
      ORDER BY entry.id`,
      [[...known.keys()], journals.map(({ generation }) => generation), journals.map(({ lastId }) => lastId)],
    );
    const found = new Map<string, NewRecords & { readonly records: { id: number; content: string }[] }>();
    for (const { sandbox, first_id: firstId, last_id: lastId, id, content } of rows) {
      const journal = found.get(String(sandbox)) ?? { firstId: Number(firstId), lastId: Number(lastId), records: [] };
      if (id !== null) journal.records.push({ id: Number(id), content: String(content) });
      found.set(String(sandbox), journal);
    }
    return found;
  }

  /** Clears a journal: readers ignore all records up to now. Later records continue with the next id. */
  async clear(sandbox: string): Promise<void> {
    await this.database.query('UPDATE journals SET first_id = last_id + 1 WHERE sandbox = $1', [sandbox]);
  }

  /**
   * Registers this server, or renews its registration.
   * Deletes the registrations of servers that were not renewed for a minute.
   */
  async register(): Promise<void> {
    const startMs = this.clock.systemMs();
    const [row] = await this.database.query(
      `INSERT INTO servers (id, flushed) VALUES ($1, ${REQUESTED})
      ON CONFLICT (id) DO UPDATE SET seen_at = now() RETURNING clock_timestamp() AS now`,
      [this.server],
    );
    this.#compareClocks(startMs, this.clock.systemMs(), row?.now);
    await this.database.query("DELETE FROM servers WHERE seen_at < now() - interval '1 minute'");
  }

  /**
   * Compares the time of the database with the times before and after the request.
   * Ignores a difference that the duration of the request can explain.
   */
  #compareClocks(startMs: number, endMs: number, now: unknown): void {
    if (!(now instanceof Date)) return;
    const offsetMs = now.getTime() - (startMs + endMs) / 2;
    if (Math.abs(offsetMs - this.#offsetMs) <= endMs - startMs + 1) return;
    this.#offsetMs = Math.round(offsetMs);
    this.clock.onOffset(this.#offsetMs);
  }

  /** Deletes the registration of this server. */
  async unregister(): Promise<void> {
    await this.database.query('DELETE FROM servers WHERE id = $1', [this.server]);
  }

  /** Returns whether another server has renewed its registration in the last 5 seconds. */
  async hasOthers(): Promise<boolean> {
    const statement = `SELECT 1 FROM servers WHERE id <> $1 AND seen_at > now() - ${GONE} LIMIT 1`;
    return (await this.database.query(statement, [this.server])).length > 0;
  }

  /**
   * Asks all servers to write their new journal records to the database.
   * Resolves to the number of this flush request.
   */
  async requestFlush(): Promise<number> {
    const [row] = await this.database.query(
      `INSERT INTO flushes AS flush (id, requested) VALUES (1, 1)
      ON CONFLICT (id) DO UPDATE SET requested = flush.requested + 1 RETURNING requested`,
    );
    return Number(row?.requested);
  }

  /**
   * Returns the number of the last flush request; 0 if there was none.
   * In a flush request, a server asks all others to store their new journal records.
   */
  async getRequestedFlush(): Promise<number> {
    const [row] = await this.database.query(`SELECT ${REQUESTED} AS requested`);
    return Number(row?.requested);
  }

  /** Records that this server has written its journal records for the flush request with this number. */
  async reportFlush(request: number): Promise<void> {
    await this.database.query('UPDATE servers SET flushed = $2, seen_at = now() WHERE id = $1', [this.server, request]);
  }

  /**
   * Returns whether all other running servers have written their journal records for the flush request with this
   * number.
   */
  async isFlushed(request: number): Promise<boolean> {
    const statement = `SELECT 1 FROM servers WHERE id <> $1 AND flushed < $2 AND seen_at > now() - ${GONE} LIMIT 1`;
    return (await this.database.query(statement, [this.server, request])).length === 0;
  }
}
