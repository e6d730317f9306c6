import type { ServedContract } from '../http/served.ts';
import type { Durability } from '../store/open-state.ts';
import { countOperations, formatOperations, summarizeOperations } from './explain.ts';
import type { createLogger } from './logger.ts';
import type { Storefront } from './options.ts';
import { version } from './version.ts';

const SURVIVAL: Readonly<Record<Durability, string>> = {
  disk: 'a committed change survives a crash and a power cut',
  memory: 'changes are lost when the process ends',
};

/** The maximum number of operationIds in the start message. */
const MAX_LISTED = 12;

/** The properties of a server that the start message contains. */
type StartedServer = Omit<Storefront, 'port' | 'close' | 'flush'>;

/**
 * Returns the start message, one line: the URL, the number of operations, the mocked operations, where the state is
 * stored, and what committed changes survive.
 */
export function formatStartMessage({ url, dataFile, database, durability, operations, mocked }: StartedServer): string {
  const data = `data in ${database ?? dataFile ?? 'memory'}: ${SURVIVAL[durability]}`;
  return `storefront ${version} listening at ${url}, ${countOperations(operations)}${describeMocked(mocked, operations)}, ${data}`;
}

/**
 * The properties of a server that `formatFirstSteps` uses.
 * `consolePath`: the path of the console page.
 * `hasControl`: whether the control API accepts requests without a token.
 */
interface FirstSteps extends Pick<Storefront, 'url'> {
  readonly consolePath: string;
  readonly hasControl: boolean;
}

/**
 * Returns a line for the log with the first steps of a user: the page to open, and the command that restores the
 * default data.
 */
export function formatFirstSteps({ url, consolePath, hasControl }: FirstSteps): string {
  const address = url.endsWith(':3000') ? '' : ` --url ${url}`;
  const reset = hasControl ? ` Restore the default data with: npx storefront reset${address}` : '';
  return `Open ${url}${consolePath} in a browser to see the requests, the data and the contract.${reset}`;
}

/** The maximum number of operations that the log lists at the start. */
const MAX_TABLE = 30;

/**
 * Logs which operations have a handler, and which operations are mocked and why.
 * If the contract has more than 30 operations, logs only the numbers and the command that lists the operations.
 * Logs nothing if the application does not explain its operations.
 */
export function logOperations(log: Pick<ReturnType<typeof createLogger>, 'info'>, served: ServedContract): void {
  const { contract, isExplained } = served;
  if (!isExplained) return;
  const counts = summarizeOperations(served);
  if (contract.routes.length <= MAX_TABLE) log.info({ notes: formatOperations(served) }, counts);
  else log.info(`${counts} List them with: npx storefront explain ${contract.path}`);
}

function describeMocked(mocked: readonly string[], operations: number): string {
  if (mocked.length === 0) return '';
  if (mocked.length === operations) return ' (all mocked)';
  return mocked.length > MAX_LISTED ? ` (${mocked.length} mocked)` : ` (${mocked.length} mocked: ${mocked.join(', ')})`;
}
