import { createTurnQueue } from './turn-queue.ts';

/**
 * The minimum number of entries of a list that is processed in slices (a few milliseconds each, with a pause between two slices). A shorter list takes about a
 * millisecond.
 */
const LONG_LIST = 1_000;

/** The duration of a slice, in ms. Other requests wait this long for work on large data. */
const SLICE_MS = 3;

/** A generator that works in many small steps. Each `yield` ends a step. The return value is the result of the work. */
export type Steps<Result> = Generator<unknown, Result, void>;

/** All work on large data shares this queue, so that each turn of the event loop has at most one slice of work. */
const queue = createTurnQueue();

function waitForTurn(): Promise<void> {
  return new Promise((resolve) => queue(resolve));
}

/** Runs a generator in slices of a few milliseconds. The server handles other requests between two slices. Resolves to the return value of the generator. */
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

/** Runs a generator to its end without a pause, so no other request is handled meanwhile. Returns the return value of the generator. */
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

/** The number of values that are sorted or merged in a step. */
const STEP_VALUES = 1_024;

/** Returns the values in ascending order (merge sort). The order of equal values does not change. */
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
