import type { ServedContract } from '../http/parts.ts';

/** The maximum number of operations that are warmed up. Hundreds of operations would take seconds, and most of them are not used. */
const MAX_ROUTES = 40;

/** Returns functions that compile the schemas of the first operations. They throw a `ContractError` if a schema can't be compiled. */
export function listWarmUps({ contract, isImplemented }: ServedContract): readonly (() => void)[] {
  const routes = contract.routes.slice(0, MAX_ROUTES);
  return routes.map((route) => () => contract.warmUp(route, { closed: isImplemented(route) }));
}

/** Compiles the schemas of all operations, if the contract has few operations. Throws a `ContractError` if a schema can't be compiled. */
export function warmUpIfSmall(served: ServedContract): void {
  if (served.contract.routes.length <= MAX_ROUTES) for (const warmUp of listWarmUps(served)) warmUp();
}

/** Calls functions in separate turns of the event loop, so that requests are not delayed. Stops if one throws. Returns a function that cancels the rest. */
export function runInTurns(tasks: readonly (() => void)[]): () => void {
  const pending = [...tasks];
  let turn: NodeJS.Immediate | undefined;
  const runNext = () => {
    try {
      pending.shift()?.();
      if (pending.length > 0) turn = setImmediate(runNext);
    } catch {
      // A request for the operation reports the error.
    }
  };
  turn = setImmediate(runNext);
  return () => clearImmediate(turn);
}
