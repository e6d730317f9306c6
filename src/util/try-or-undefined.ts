/** Returns the result of a step that is optional or has a fallback; undefined if it throws. */
export function tryOrUndefined<Result>(step: () => Result): Result | undefined {
  try {
    return step();
  } catch {
    return undefined;
  }
}
