/** Runs steps one by one, each in a turn of the event loop of its own so that requests go first, until one fails. Returns a function that stops it. */
export function warmUp(steps: readonly (() => void)[]): () => void {
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
