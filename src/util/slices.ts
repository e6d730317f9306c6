import { createTurnQueue } from './turn-queue.ts';

/** The minimum number of entries of a list that is processed in slices. It takes about a millisecond to process a shorter list. */
const LONG_LIST = 1_000;

/** The duration of a slice, in ms: how long other requests wait for work on large data. */
const SLICE_MS = 4;

/** Work in many small steps. Each `yield` ends a step. Returns the result of the work. */
export type Steps<Result> = Generator<unknown, Result, void>;

/** All work in slices shares the queue: however much of it there is, each turn of the event loop has one slice. */
const queue = createTurnQueue();

function waitForTurn(): Promise<void> {
  return new Promise((resolve) => queue(resolve));
}

/** Does work in slices of a few milliseconds. The server handles other requests between two slices. */
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

/** Does work at once. */
export function runAtOnce<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}

/** Returns whether a value is a list that is processed in slices. */
export function isLongList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value) && value.length >= LONG_LIST;
}

/** The number of entries in a part of a list. */
const PART_ENTRIES = 32;

/** Yields the consecutive parts of a list, each with the index of its first entry. */
export function* splitList<Entry>(list: readonly Entry[]): Generator<readonly [part: readonly Entry[], start: number]> {
  for (let start = 0; start < list.length; start += PART_ENTRIES)
    yield [list.slice(start, start + PART_ENTRIES), start];
}
