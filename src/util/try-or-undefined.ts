/** Calls a function and returns its result; undefined if it throws. For steps that are optional or have a fallback. */
export function tryOrUndefined<Result>(step: () => Result): Result | undefined {
  try {
    return step();
  } catch {
    return undefined;
  }
}
