/** Adds a task to a queue that runs one task in each turn of the event loop. The server handles requests between two tasks. */
type TurnQueue = (task: () => void) => void;

/** Creates an empty queue that runs one task in each turn of the event loop. */
export function createTurnQueue(): TurnQueue {
  const tasks: (() => void)[] = [];
  const runNext = () => {
    const task = tasks.shift();
    if (tasks.length > 0) setImmediate(runNext);
    task?.();
  };
  return (task) => {
    tasks.push(task);
    if (tasks.length === 1) setImmediate(runNext);
  };
}
