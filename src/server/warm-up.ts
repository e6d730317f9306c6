/** Takes one step after the other, each in a turn of its own so that requests go first, as long as they succeed. Gives back how to stop it. */
export function warmUp(steps: readonly (() => void)[]): () => void {
  const cold = [...steps];
  let turn: NodeJS.Immediate | undefined;
  const warmNext = () => {
    const step = cold.shift();
    // What can't be made ready says so to the request that needs it.
    if (step && triedTo(step)) turn = setImmediate(warmNext);
  };
  turn = setImmediate(warmNext);
  return () => clearImmediate(turn);
}

/** Whether something could be done. */
function triedTo(step: () => void): boolean {
  try {
    step();
    return true;
  } catch {
    return false;
  }
}
