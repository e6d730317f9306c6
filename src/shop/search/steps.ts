import type { Steps } from '../../util/slices.ts';

/** Calls a function for each value, and returns the results. Yields after each value. */
export function* mapInSteps<Value, Result>(
  values: readonly Value[],
  toResult: (value: Value) => Steps<Result>,
): Steps<readonly Result[]> {
  const results: Result[] = [];
  for (const value of values) {
    results.push(yield* toResult(value));
    yield;
  }
  return results;
}
