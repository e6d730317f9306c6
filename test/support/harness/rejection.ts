import { expect } from 'vitest';

/** Waits for a promise to reject, and returns the error. Fails the test if the error is not an instance of `kind`. */
export async function getRejection<Fault extends Error>(
  promise: Promise<unknown>,
  kind: new (...parts: never) => Fault,
): Promise<Fault> {
  const error = await promise.then(
    () => undefined,
    (reason) => reason,
  );
  expect(error).toBeInstanceOf(kind);
  return error;
}
