import { DEFAULT_SCHEMA, describeDatabase } from '../store/postgres/database.ts';
import { openMigratedDatabase } from '../store/postgres/schema.ts';

/** A log that ignores all messages. The error of `migrateDatabase` says why the database can't be used. */
const NO_LOG = { info() {}, warn() {}, error() {} };

/** Options of `migrateDatabase`. */
export interface MigrateOptions {
  /** The URL of the database. */
  readonly database: string;
  /** The schema that contains the tables. Default: `storefront`. */
  readonly databaseSchema?: string | undefined;
}

/**
 * Creates or updates the tables of a database.
 * Resolves to a message for the user.
 * Rejects with a `UserError` if the database can't be used.
 */
export async function migrateDatabase(options: MigrateOptions): Promise<string> {
  const { database: url, databaseSchema: schema = DEFAULT_SCHEMA } = options;
  const { database, applied } = await openMigratedDatabase({ url, schema }, NO_LOG);
  await database.close();
  return `The tables in ${describeDatabase(url, schema)} are ${applied === 0 ? 'up to date' : 'created'}.`;
}
