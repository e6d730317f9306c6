/** Creates a function that runs tasks, at most `most` of them at once. Further ones wait, and start in the order in which they came. */
export function createConcurrencyLimit(most: number) {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async <Result>(task: () => Promise<Result>): Promise<Result> => {
    if (running < most) running++;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await task();
    } finally {
      const next = waiting.shift();
      // The next task takes the place of this one.
      if (next) next();
      else running--;
    }
  };
}
