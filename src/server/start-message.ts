import { countOperations, formatOperations } from '../http/operation-table.ts';
import type { Durability } from '../store/open-state.ts';
import type { createLogger } from './logger.ts';
import type { Storefront } from './options.ts';
import type { ContractSetup } from './served-contract.ts';
import { version } from './version.ts';

const SURVIVAL: Readonly<Record<Durability, string>> = {
  disk: 'a committed change survives a crash and a power cut',
  os: 'a committed change survives a crash, but not a power cut',
  memory: 'changes are lost when the process ends',
};

/** The maximum number of operationIds in the start message. */
const MAX_LISTED = 12;

/** The properties of a server that are part of the start message. */
type StartedServer = Omit<Storefront, 'port' | 'close' | 'flush'>;

/** Returns the start message: a line with the URL, the number of operations, the mocked operations, the data file, and the durability of changes. */
export function formatStartMessage({ url, dataFile, durability, operations, mocked }: StartedServer): string {
  const data = `data in ${dataFile ?? 'memory'}: ${SURVIVAL[durability]}`;
  return `storefront ${version} listening at ${url}, ${operations} operations${describeMocked(mocked, operations)}, ${data}`;
}

/** Returns a line that tells a user what to do first. `hasControl`: whether the control API accepts requests without a token. */
export function formatFirstSteps({ url }: Pick<Storefront, 'url'>, hasControl: boolean): string {
  const address = url.endsWith(':3000') ? '' : ` --url ${url}`;
  const reset = hasControl ? ` Restore the default data with: npx storefront reset${address}` : '';
  return `Open ${url} in a browser for the contract, the data and examples.${reset}`;
}

/** The maximum number of operations in the table of the start. */
const MAX_TABLE = 30;

/**
 * Logs which operations are real, and which are mocked and why, if the application explains it. If the contract has more than 30 operations, logs their numbers
 * and the command that explains them.
 */
export function logOperations(log: Pick<ReturnType<typeof createLogger>, 'info'>, setup: ContractSetup): void {
  const { contract, isExplained } = setup;
  if (!isExplained) return;
  const counts = countOperations(setup);
  if (contract.routes.length <= MAX_TABLE) log.info({ notes: formatOperations(setup) }, counts);
  else log.info(`${counts} List them with: npx storefront explain ${contract.path}`);
}

function describeMocked(mocked: readonly string[], operations: number): string {
  if (mocked.length === 0) return '';
  if (mocked.length === operations) return ' (all mocked)';
  return mocked.length > MAX_LISTED ? ` (${mocked.length} mocked)` : ` (${mocked.length} mocked: ${mocked.join(', ')})`;
}
