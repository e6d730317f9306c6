import type { ControlResponse } from '../../control/operation.ts';
import type { Console } from './console.ts';

type Sandbox = ControlResponse<'listSandboxes'>[number];

/** The interval at which the page checks the sandboxes for new requests, in ms. */
const INTERVAL_MS = 1000;

/** The maximum number of sandboxes whose requests are loaded at each check. If more have new requests, only the most recently used sandboxes are loaded. */
const MAX_SANDBOXES = 50;

/** The tolerance when two times of the last use of a sandbox are compared, in ms. */
const TOLERANCE_MS = 5;

/** What the page knows about the journal of a sandbox: the id of the last request, and the number of requests. */
interface Known {
  readonly lastId: number;
  readonly requests: number;
  /** The time when the journal was last read, by the clock of the page. */
  readonly readMs: number;
}

/**
 * Adds the recorded requests of all sandboxes, except the sandbox `except`, to the list of requests. Polls the journals, because a stream for each sandbox
 * would need more connections than a browser opens. Returns a function that ends the polling.
 */
export function followOtherSandboxes({ api, requests, notices }: Console, except: string): () => void {
  const known = new Map<string, Known>();
  const abort = new AbortController();
  const read = async ({ id, requests: count }: Sandbox): Promise<void> => {
    const before = known.get(id);
    // If a journal has fewer requests than before, it was cleared, or the sandbox was replaced. It must be read from the start.
    const after = before === undefined || count < before.requests ? 0 : before.lastId;
    const entries = await api.send('listRequests', { path: { id }, query: { after } });
    if (abort.signal.aborted) return;
    known.set(id, { lastId: entries.at(-1)?.id ?? after, requests: count, readMs: performance.now() });
    if (entries.length > 0) {
      const texts = entries.map((entry) => JSON.stringify(entry));
      requests.add(texts, id);
    }
  };
  const checkSandboxes = async (): Promise<void> => {
    const sandboxes = await api.send('listSandboxes', {});
    const nowMs = performance.now();
    const changed = sandboxes.filter((one) => one.id !== except && hasNewRequests(one, known.get(one.id), nowMs));
    // If a sandbox is deleted in the meantime, its request fails, and the other journals are still read.
    await Promise.allSettled(changed.slice(-MAX_SANDBOXES).map(read));
  };
  const run = async (): Promise<void> => {
    // An error is ignored here, because the banner shows a lost connection.
    while (!abort.signal.aborted) {
      await checkSandboxes().catch(() => undefined);
      await new Promise((resolve) => setTimeout(resolve, INTERVAL_MS));
    }
  };
  run().catch((error) => notices.showError(error));
  return () => abort.abort();
}

/**
 * Returns whether the journal of a sandbox may have requests that the page has not read. A full journal always has the same number of requests, so the time of
 * the last use is also compared.
 */
function hasNewRequests({ requests, idleMs }: Sandbox, known: Known | undefined, nowMs: number): boolean {
  if (requests === 0) return false;
  if (known === undefined || requests !== known.requests) return true;
  return nowMs - idleMs > known.readMs + TOLERANCE_MS;
}
