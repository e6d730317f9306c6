import { loadContract } from '../openapi/contract.ts';
import { DEFAULT_SCHEMA, describeDatabase } from '../store/postgres/database.ts';
import { openMigratedDatabase } from '../store/postgres/schema.ts';
import { repairDataFile } from '../store/repair.ts';
import { createStateValidator } from '../store/validate-state.ts';
import { chooseApplication, resolveContract } from './choose-application.ts';
import { createLogger } from './logger.ts';
import { getDefaultData } from './open-server-state.ts';
import type { RepairOptions } from './options.ts';

/**
 * Replaces an invalid data file with the default data, and saves a copy of the invalid file.
 * Resolves to a message for the user.
 * Rejects with a `UserError` if the repair fails.
 */
export async function repair({ data, ...options }: RepairOptions): Promise<string> {
  const application = await chooseApplication(options);
  const path = resolveContract(options.contract ?? application.contractFile);
  const contract = await loadContract({ path, strict: false, allowRefs: options.allowRefs });
  const { validate } = createStateValidator(application.implementContract(contract).stateRules);
  const source = getDefaultData(application, options, () => contract);
  return repairDataFile({ data, ...source, check: validate, log: createLogger('off') });
}

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
