import { expect } from 'vitest';

/** Returns the error with which a promise rejects, which must be an instance of the class. */
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
