import type { Database } from './database.ts';

/** How often a point of an operation was used. `real` and `forced`: the counts of requests by their response. */
interface CountRow {
  readonly operation: string;
  readonly key: string;
  readonly real: number;
  readonly forced: number;
  readonly refused: number;
}

/** The coverage of the contract by the requests to all servers with the same database. */
export class CoverageTable {
  constructor(private readonly database: Pick<Database, 'query'>) {}

  /** Adds counts. The rows are locked in their order, so that two servers can't cause a deadlock. */
  async add(rows: readonly CountRow[]): Promise<void> {
    await this.database.query(
      `INSERT INTO coverage AS stored (operation, key, unforced, forced, refused)
      SELECT operation, key, "real", forced, refused
      FROM json_to_recordset($1::json) AS added (operation text, key text, "real" bigint, forced bigint, refused bigint)
      ORDER BY operation, key
      ON CONFLICT (operation, key) DO UPDATE SET unforced = stored.unforced + excluded.unforced,
        forced = stored.forced + excluded.forced, refused = stored.refused + excluded.refused`,
      [JSON.stringify(rows)],
    );
  }

  async read(): Promise<readonly CountRow[]> {
    const rows = await this.database.query('SELECT operation, key, unforced, forced, refused FROM coverage', []);
    return rows.map(({ operation, key, unforced, forced, refused }) => ({
      operation: String(operation),
      key: String(key),
      real: Number(unforced),
      forced: Number(forced),
      refused: Number(refused),
    }));
  }

  async clear(): Promise<void> {
    await this.database.query('DELETE FROM coverage', []);
  }
}
