/** The duration of a slice of work, in ms. Other requests wait this long while the server processes large data. */
const SLICE_MS = 2;

/** A generator that does its work in many small steps. Each `yield` ends a step, and the return value is the result. */
export type Steps<Result> = Generator<unknown, Result, void>;

/** The queue for all slices of work on large data. It runs at most one slice in each turn of the event loop. */
const queue = createTurnQueue();

function waitForTurn(): Promise<void> {
  return new Promise((resolve) => queue(resolve));
}

/**
 * Runs a generator in slices of a few milliseconds, and returns its result.
 * The server handles other requests between two slices.
 */
export async function runInSlices<Result>(steps: Steps<Result>): Promise<Result> {
  for (;;) {
    await waitForTurn();
    const endMs = performance.now() + SLICE_MS;
    do {
      const { done, value } = steps.next();
      if (done) return value;
    } while (performance.now() < endMs);
  }
}

/** Returns a function that waits for a turn if the time since its last wait is a slice. */
export function createPause(): () => Promise<void> | undefined {
  let endMs = performance.now() + SLICE_MS;
  const wait = async () => {
    await waitForTurn();
    endMs = performance.now() + SLICE_MS;
  };
  return () => (performance.now() < endMs ? undefined : wait());
}

/**
 * Runs a generator to its end without a pause, and returns its result.
 * The server handles no other request in the meantime.
 */
export function runAtOnce<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}

/** The number of entries in each part of a list. */
const PART_ENTRIES = 32;

/** Splits a list into parts. Yields each part with the index of its first entry. */
export function* splitList<Entry>(list: readonly Entry[]): Generator<readonly [part: readonly Entry[], start: number]> {
  for (let start = 0; start < list.length; start += PART_ENTRIES)
    yield [list.slice(start, start + PART_ENTRIES), start];
}

/** The number of values that one step sorts or merges. */
const STEP_VALUES = 1_024;

/** Sorts values in ascending order, in small steps (merge sort). The order of equal values stays the same. */
export function* sortInSteps<Value>(
  values: readonly Value[],
  compare: (value: Value, other: Value) => number,
): Steps<readonly Value[]> {
  if (values.length <= STEP_VALUES) {
    yield;
    return values.toSorted(compare);
  }
  const middle = Math.ceil(values.length / 2);
  const lower = yield* sortInSteps(values.slice(0, middle), compare);
  const upper = yield* sortInSteps(values.slice(middle), compare);
  const merged: Value[] = [];
  for (let from = 0, at = 0; from < lower.length || at < upper.length; ) {
    const takesLower =
      at === upper.length || (from < lower.length && compare(lower[from] as Value, upper[at] as Value) <= 0);
    merged.push((takesLower ? lower[from++] : upper[at++]) as Value);
    if (merged.length % STEP_VALUES === 0) yield;
  }
  return merged;
}

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
