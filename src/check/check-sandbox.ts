import { loadContract } from '../openapi/contract.ts';
import { reachServer } from './check.ts';
import { CheckError } from './check-error.ts';
import { Client } from './client.ts';
import type { CheckEnvironment } from './command.ts';
import type { CheckCommand } from './options.ts';
import { createNotCheckedError } from './stop-signal.ts';
import { NoResponseError } from './transport.ts';

/** The header that selects a sandbox of a storefront server. */
const SANDBOX_HEADER = 'x-sandbox';

/** What the choice of a sandbox needs besides the command. */
interface SandboxParts extends Pick<CheckEnvironment, 'model' | 'contract' | 'seed' | 'print' | 'signal'> {
  /** Called with a line of progress. */
  readonly printProgress: (text: string) => void;
}

/** The number of sandboxes in which parts of a check run concurrently. */
const SANDBOX_COUNT = 8;

/**
 * Returns the command of a check that runs in new sandboxes and does not change the default sandbox if its URL is a storefront server; otherwise the
 * command as it is. A storefront server returns the sandbox that it used in a header, and creates it on the first request. Throws a `CheckError` if the
 * server can't be reached, does not respond, or the signal stops the check.
 */
export async function selectSandboxes(
  command: CheckCommand,
  { model, seed, print, printProgress, signal, ...own }: SandboxParts,
): Promise<CheckCommand> {
  const { url, headers, wait } = command;
  if (url === undefined || headers[SANDBOX_HEADER] !== undefined) return command;
  const contract = await loadContract({ path: command.contract ?? own.contract, strict: false });
  if (!model.applies(contract)) return command;
  const { probePath } = model;
  const client = new Client(url, headers, signal);
  try {
    if (wait > 0) printProgress(`Waiting for ${url}, at most ${wait} s …\n`);
    await reachServer(client, wait, signal);
    const [id, ...others] = await findSandboxes(client, probePath, `check-${seed}`);
    if (id === undefined) return command;
    print(describeSandboxes(url, id, others.length));
    const sandboxHeaders = others.map((one) => ({ ...headers, [SANDBOX_HEADER]: one }));
    const ownHeaders = { ...headers, [SANDBOX_HEADER]: id };
    return { ...command, headers: ownHeaders, sandboxHeaders, allowWrites: true, isFresh: true };
  } catch (error) {
    if (signal?.aborted) throw createNotCheckedError(client.url, signal);
    if (!(error instanceof NoResponseError)) throw error;
    const message = `${client.url} was not checked: no response to GET ${probePath}: ${error.message}`;
    throw new CheckError(message, { cause: error });
  } finally {
    client.close();
  }
}

/** Returns the ids of the sandboxes that the check can use; none if the server is not a storefront server. */
async function findSandboxes(client: Client, probePath: string, id: string): Promise<readonly string[]> {
  if (!(await canUseSandbox(client, probePath, id))) return [];
  const others = Array.from({ length: SANDBOX_COUNT - 1 }, (_, at) => `${id}-${at + 2}`);
  const known = await Promise.all(others.map((one) => canUseSandbox(client, probePath, one)));
  return [id, ...others.filter((_, at) => known[at])];
}

function describeSandboxes(url: string, id: string, others: number): string {
  const where = others > 0 ? `${others + 1} new sandboxes (${id} and ${others} more)` : `the new sandbox ${id}`;
  return `${url} is a storefront server: the check runs in ${where} and does not change the default sandbox.\n`;
}

/** Whether the server confirms that it used a sandbox. */
async function canUseSandbox(client: Client, target: string, id: string): Promise<boolean> {
  const { status, headers } = await client.send({ method: 'GET', target, headers: { [SANDBOX_HEADER]: id } });
  return status < 400 && headers[SANDBOX_HEADER] === id;
}
