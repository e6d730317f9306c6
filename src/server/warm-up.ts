import type { Binding } from './binding.ts';

/** The number of operations that are warmed up before the first request: of hundreds few are used, and all would take seconds. */
const MAX_ROUTES = 40;

/** Returns steps that compile the schemas of the first operations of a binding. A step throws a `ContractError` if a schema can't be compiled. */
export function listWarmUps({ contract, registry }: Binding): readonly (() => void)[] {
  const routes = contract.routes.slice(0, MAX_ROUTES);
  return routes.map((route) => () => contract.warmUp(route, { closed: registry.isImplemented(route) }));
}

/** Warms up a binding at once if it has few operations. Throws a `ContractError` if a schema can't be compiled. */
export function warmUpIfSmall(binding: Binding): void {
  if (binding.contract.routes.length <= MAX_ROUTES) for (const warmUp of listWarmUps(binding)) warmUp();
}

/** Runs steps one by one, each in a turn of the event loop of its own so that requests go first, until one fails. Returns a function that stops it. */
export function runInTurns(steps: readonly (() => void)[]): () => void {
  const pending = [...steps];
  let turn: NodeJS.Immediate | undefined;
  const runNext = () => {
    try {
      pending.shift()?.();
      if (pending.length > 0) turn = setImmediate(runNext);
    } catch {
      // The request that needs the step reports the error.
    }
  };
  turn = setImmediate(runNext);
  return () => clearImmediate(turn);
}
