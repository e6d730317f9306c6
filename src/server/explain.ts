import { type DescribedWebhook, describeWebhooks, formatWebhooks } from '../deliveries/webhooks.ts';
import type { ServedContract } from '../http/served.ts';
import { loadContract } from '../openapi/contract.ts';
import type { ServerOptions } from '../options.ts';
import type { Durability } from '../store/open-state.ts';
import { describeHandling, YOUR_HANDLER } from '../util/describe-decision.ts';
import { isServerHeader } from '../util/headers.ts';
import { limitList } from '../util/text.ts';
import { chooseApplication, resolveContract } from './choose-application.ts';
import { loadHandlers } from './handler-registry.ts';
import type { createLogger } from './logger.ts';
import type { Storefront } from './options.ts';
import { createServedContractFactory } from './served-contract.ts';
import { version } from './version.ts';

/** Options of `explain`. */
export type ExplainOptions = Pick<ServerOptions, 'contract' | 'mock' | 'handlers' | 'strict' | 'allowRefs'>;

/** The operations of a contract, as data and as a table. */
export interface Explanation {
  readonly operations: readonly ExplainedOperation[];
  /** The webhooks, and the callbacks of operations. */
  readonly webhooks: readonly DescribedWebhook[];
  /** The warnings of the contract. The table has them, too. */
  readonly warnings: readonly string[];
  readonly text: string;
}

/**
 * Returns the operations of a contract.
 * Says which operations have a handler, which operations are mocked, and why.
 * Rejects with a `UserError` if the contract or the handlers can't be loaded.
 */
export async function explain(options: ExplainOptions): Promise<Explanation> {
  const application = await chooseApplication(options);
  const path = resolveContract(options.contract ?? application.contractFile);
  const contract = await loadContract({ path, strict: options.strict ?? false, allowRefs: options.allowRefs });
  const handlers = await loadHandlers(options.handlers, undefined);
  const served = await createServedContractFactory(application, options)(contract, handlers);
  const { overlay, warning } = contract;
  const notes = [
    overlay && `The contract is changed by the overlay ${overlay}`,
    warning && `Warning: ${warning}`,
    describeServerHeaders(served),
  ].filter(Boolean);
  const webhooks = formatTable(formatWebhooks(served.webhooks));
  const lines = [...formatOperations(served), ...(webhooks.length > 0 ? ['', ...webhooks] : [])];
  return {
    operations: explainOperations(served),
    webhooks: describeWebhooks(served.webhooks),
    warnings: warning ? [warning] : [],
    text: `${[...lines, '', summarizeOperations(served), ...notes].join('\n')}\n`,
  };
}

/** The contract in use, and functions that say which handler an operation has and what the handler does. */
type Operations = Pick<ServedContract, 'contract' | 'explain' | 'implementations'>;

/** An operation of a contract, and how the server handles it. */
export interface ExplainedOperation {
  readonly method: string;
  readonly path: string;
  readonly operationId: string;
  readonly mocked: boolean;
  /** What the handler does, such as `lists pets`, or why the operation has no handler and is mocked. */
  readonly explanation: string;
}

/** Returns the operations of the contract. Says for each operation whether it is mocked, and what its handler does. */
function explainOperations({
  contract,
  explain: explainRoute,
  implementations,
}: Operations): readonly ExplainedOperation[] {
  return contract.routes.map((route) => ({
    method: route.method,
    path: route.path,
    operationId: route.operationId,
    mocked: !implementations.has(route),
    explanation: explainRoute(route),
  }));
}

/** Formats the operations as a text table, and returns its lines: `GET  /pets  listPets  real: lists pets`. */
function formatOperations(operations: Operations): readonly string[] {
  const rows = explainOperations(operations).map(({ method, path, operationId, mocked, explanation }) => [
    method,
    path,
    operationId,
    describeHandling(mocked, explanation),
  ]);
  return formatTable(rows);
}

/** Aligns all columns of a table but the last one. */
function formatTable(rows: readonly (readonly string[])[]): readonly string[] {
  const getWidth = (column: number) => Math.max(...rows.map((row) => row[column]?.length ?? 0));
  const widths = [0, 1, 2].map(getWidth);
  return rows.map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  '));
}

/**
 * Returns a sentence about the documented response headers that the mock leaves out, because only the server sets them.
 * Returns undefined if there are none.
 */
function describeServerHeaders({ contract: { routes } }: Pick<Operations, 'contract'>): string | undefined {
  const places = new Map<string, Set<string>>();
  for (const { operationId, responses } of routes) {
    for (const { name } of responses.flatMap(({ headers }) => headers)) {
      if (!isServerHeader(name)) continue;
      const key = [...places.keys()].find((other) => other.toLowerCase() === name.toLowerCase()) ?? name;
      places.set(key, (places.get(key) ?? new Set()).add(operationId));
    }
  }
  if (places.size === 0) return undefined;
  const names = [...places].map(([name, ids]) => `${name} (${limitList([...ids], MAX_LISTED).join(', ')})`);
  return `The server sets these headers itself, and leaves out the documented values: ${names.join('; ')}.`;
}

/** Returns a text such as `12 operations`. */
function countOperations(count: number): string {
  return count === 1 ? '1 operation' : `${count} operations`;
}

/** The maximum number of operations that are listed for one header. */
const MAX_LISTED = 3;

/** Returns a sentence such as `12 operations: 9 real, 1 your handler, 2 mocked.` */
function summarizeOperations({ contract: { routes }, implementations }: Operations): string {
  const sources = routes.map((route) => implementations.get(route)?.source);
  const count = (source: string | undefined) => sources.filter((one) => one === source).length;
  const own = count('user');
  const parts = [
    `${count('application')} real`,
    ...(own > 0 ? [`${own} ${YOUR_HANDLER}`] : []),
    `${count(undefined)} mocked`,
  ];
  return `${countOperations(routes.length)}: ${parts.join(', ')}.`;
}

const SURVIVAL: Readonly<Record<Durability, string>> = {
  disk: 'a committed change survives a crash and a power cut',
  memory: 'changes are lost when the process ends',
};

/** The maximum number of operationIds in the start message. */
const MAX_NAMED = 12;

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
 * `control`: whether the control API accepts requests, only those with the token, or none.
 */
interface FirstSteps extends Pick<Storefront, 'url'> {
  readonly consolePath: string;
  readonly control: 'open' | 'token' | 'disabled';
}

/**
 * Returns a line for the log with the first steps of a user: the page to open, and the command that restores the
 * default data.
 */
export function formatFirstSteps({ url, consolePath, control }: FirstSteps): string {
  if (control === 'disabled') return `Open ${url}/_docs in a browser to see the contract.`;
  const address = url.endsWith(':3000') ? '' : ` --url ${url}`;
  const reset = control === 'open' ? ` Restore the default data with: npx storefront reset${address}` : '';
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
  return mocked.length > MAX_NAMED ? ` (${mocked.length} mocked)` : ` (${mocked.length} mocked: ${mocked.join(', ')})`;
}
