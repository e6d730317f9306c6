/** Calls a function and returns its result. Returns undefined if the function throws an error. */
export function tryOrUndefined<Result>(step: () => Result): Result | undefined {
  try {
    return step();
  } catch {
    return undefined;
  }
}

/**
 * Calls a function and returns its result.
 * If the function throws an `ErrorClass`, returns the error.
 * Throws any other error again.
 */
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
