/** Adds a task to a queue. The queue runs one task in each turn of the event loop, so that the server handles requests between two tasks. */
type TurnQueue = (task: () => void) => void;

/** Creates an empty queue. */
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
