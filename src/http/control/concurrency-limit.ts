/** Creates a function that runs tasks, at most `maxRunning` of them concurrently. Further tasks wait, and start in the order of the calls. */
export function createConcurrencyLimit(maxRunning: number) {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async <Result>(task: () => Promise<Result>): Promise<Result> => {
    if (running < maxRunning) running++;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await task();
    } finally {
      const next = waiting.shift();
      // If a waiting task starts, it replaces this task, so the number of running tasks does not change.
      if (next) next();
      else running--;
    }
  };
}
