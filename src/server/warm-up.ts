import type { ServedContract } from '../http/parts.ts';

/** The maximum number of operations whose schemas are compiled at the start. It takes seconds to compile hundreds of operations, and most of them are not used. */
const MAX_ROUTES = 40;

/** Returns one function for each of the first 40 operations. The function compiles the schemas of the operation, and throws a `ContractError` on failure. */
export function listWarmUps({ contract, isClosed }: ServedContract): readonly (() => void)[] {
  const routes = contract.routes.slice(0, MAX_ROUTES);
  return routes.map((route) => () => contract.warmUp(route, { closed: isClosed(route) }));
}

/** Compiles the schemas of all operations if the contract has at most 40 operations. Throws a `ContractError` if a schema can't be compiled. */
export function warmUpIfSmall(served: ServedContract): void {
  if (served.contract.routes.length <= MAX_ROUTES) for (const warmUp of listWarmUps(served)) warmUp();
}

/** The time between the start and the first warm-up, in ms. A client that waits for the server gets its first response before the warm-up. */
const WARM_UP_DELAY_MS = 100;

/** Calls each function in its own turn of the event loop, so that requests are not delayed. Stops after an error. Returns a function that cancels the rest. */
export function runInTurns(tasks: readonly (() => void)[]): () => void {
  const pending = [...tasks];
  let timer: NodeJS.Timeout | undefined;
  const runNext = (delayMs: number) => {
    timer = setTimeout(() => {
      try {
        pending.shift()?.();
        if (pending.length > 0) runNext(0);
      } catch {
        // The next request for the operation compiles the schemas again and reports the error.
      }
    }, delayMs);
  };
  runNext(WARM_UP_DELAY_MS);
  return () => clearTimeout(timer);
}
