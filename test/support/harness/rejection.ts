import { expect } from 'vitest';

/** What a promise rejects with, which is to be of a class. */
export async function rejection<Fault extends Error>(
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
