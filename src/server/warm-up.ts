import type { ServedContract } from '../http/served.ts';

/**
 * The maximum number of operations whose schemas are compiled at the start.
 * Compiling hundreds of operations would take seconds, and clients use only a few of them.
 */
const MAX_ROUTES = 40;

/**
 * Returns one function for each of the first 40 operations of a contract.
 * Each function compiles the schemas of its operation.
 * It throws a `ContractError` if a schema can't be compiled.
 */
export function listWarmUps({ contract, isClosed }: ServedContract): readonly (() => void)[] {
  const routes = contract.routes.slice(0, MAX_ROUTES);
  return routes.map((route) => () => contract.warmUp(route, { closed: isClosed(route) }));
}

/**
 * Compiles the schemas of all operations of a contract.
 * Does nothing if the contract has more than 40 operations.
 * Throws a `ContractError` if a schema can't be compiled.
 */
export function warmUpIfSmall(served: ServedContract): void {
  if (served.contract.routes.length <= MAX_ROUTES) for (const warmUp of listWarmUps(served)) warmUp();
}

/**
 * The delay between the start of the server and the first compilation, in ms.
 * A client that waits for the start gets its first response before the compilation.
 */
const WARM_UP_DELAY_MS = 100;

/**
 * Calls each function in its own turn of the event loop, so that the server can handle requests between two calls.
 * Stops if a function throws an error.
 * Returns a function that cancels the remaining calls.
 */
export function runInTurns(tasks: readonly (() => void)[]): () => void {
  const pending = [...tasks];
  let timer: NodeJS.Timeout | undefined;
  const runNext = (delayMs: number) => {
    timer = setTimeout(() => {
      try {
        pending.shift()?.();
        if (pending.length > 0) runNext(0);
      } catch {
        // Ignores the error. The next request for the operation compiles the schemas again and reports the error.
      }
    }, delayMs);
  };
  runNext(WARM_UP_DELAY_MS);
  return () => clearTimeout(timer);
}
