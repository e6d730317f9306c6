/** Calls a function and returns its result; undefined if it throws. For steps that are optional or have a fallback. */
export function tryOrUndefined<Result>(step: () => Result): Result | undefined {
  try {
    return step();
  } catch {
    return undefined;
  }
}

/** Calls a function and returns its result. If it throws an error of a class, returns the error. */
export function tryOrError<Result, Expected extends Error>(
  ErrorClass: abstract new (...parameters: never[]) => Expected,
  step: () => Result,
): Result | Expected {
  try {
    return step();
  } catch (error) {
    if (error instanceof ErrorClass) return error;
    throw error;
  }
}
