/** Creates a function that runs a task as soon as fewer than `maxRunning` tasks are running. Waiting tasks start in the order of the calls. */
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
      // A waiting task that starts now replaces this task, so the number of running tasks stays the same.
      if (next) next();
      else running--;
    }
  };
}
