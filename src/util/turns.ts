/** Limits how many tasks run at the same time. Waiting tasks start in the order of the calls. */
export class Turns {
  #running = 0;
  readonly #waiting: (() => void)[] = [];

  constructor(private readonly max: number) {}

  /** Waits for a turn. Resolves to a function that ends the turn. */
  async start(): Promise<() => void> {
    if (this.#running < this.max) this.#running++;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    return () => {
      const next = this.#waiting.shift();
      // A waiting task takes the place of this one, so the number of running tasks stays the same.
      if (next) next();
      else this.#running--;
    };
  }
}

/**
 * Adds a task to a queue that runs one task in each turn of the event loop.
 * The server handles requests between two tasks.
 */
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
