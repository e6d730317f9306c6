import { loadContract } from '../contract/contract.ts';
import { reachServer } from './check.ts';
import { createClient } from './client.ts';
import type { CheckCommand } from './options.ts';
import { isShop } from './shop/shop.ts';

/** The header by which a request names a sandbox of a storefront. */
const HEADER = 'x-sandbox';

/** What a check in a sandbox is told with. */
interface SandboxParts {
  /** The contract, where the command names none. */
  readonly contract: string;
  /** Tells the sandboxes of two checks apart. */
  readonly seed: number;
  readonly print: (text: string) => void;
  /** Told what is waited for. */
  readonly tell: (text: string) => void;
}

/**
 * A command as it is where it names a server of ours: all is done in a sandbox of its own then, and the shop of others is left alone. A server that knows
 * sandboxes says back in which one it was asked; being asked makes it, and changes nothing else.
 */
export async function inOwnSandbox(
  command: CheckCommand,
  { seed, print, tell, ...own }: SandboxParts,
): Promise<CheckCommand> {
  const { url, headers, wait } = command;
  if (url === undefined || headers[HEADER] !== undefined) return command;
  const contract = await loadContract({ path: command.contract ?? own.contract, strict: false });
  if (!isShop(contract)) return command;
  const client = createClient(url, headers);
  try {
    if (wait > 0) tell(`waiting for ${url}, ${wait} s at most …\n`);
    await reachServer(client, wait);
    const id = `check-${seed}`;
    const { headers: answered } = await client.send({
      method: 'GET',
      target: '/api/products',
      headers: { [HEADER]: id },
    });
    if (answered[HEADER] !== id) return command;
    print(`${url} is a storefront: all is done in its sandbox ${id}, and its default shop is left alone\n`);
    return { ...command, headers: { ...headers, [HEADER]: id }, allowWrites: true, isFresh: true };
  } finally {
    client.close();
  }
}
