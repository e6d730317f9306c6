import type { Contract } from '../openapi/contract.ts';
import type { Issue } from '../util/issue.ts';
import { runInSlices, type Steps } from '../util/slices.ts';

/** The maximum number of invalid examples that are named in the log. */
const MAX_NAMED = 10;

/**
 * Logs a warning for each example of a contract that violates its schema: for the first ten, and the number of the
 * others.
 * Validates the examples in slices, because the schemas of a large document take seconds to compile.
 * `stopping`: ends the validation when the server is closed.
 */
export async function logInvalidExamples(
  { locate, findInvalidExamples }: Contract,
  warn: (message: string) => void,
  stopping: AbortSignal,
): Promise<void> {
  const issues = await runInSlices(stopWith(stopping, findInvalidExamples()));
  for (const message of formatInvalidExamples(locate, issues)) warn(message);
}

/** Returns a message for each of the first ten invalid examples, and a message with the number of the others. */
function formatInvalidExamples(locate: Contract['locate'], issues: readonly Issue[]): readonly string[] {
  const rest = issues.length - MAX_NAMED;
  const named = issues
    .slice(0, MAX_NAMED)
    .map(({ pointer, message }) => `${locate(pointer)} ${message}. The server uses the example as it is written`);
  if (rest <= 0) return named;
  return [...named, `${rest} more ${rest === 1 ? 'example violates its schema' : 'examples violate their schemas'}`];
}

/** Runs a generator step by step. Returns an empty list when `signal` is aborted. */
function* stopWith<Item>(signal: AbortSignal, steps: Steps<readonly Item[]>): Steps<readonly Item[]> {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
    if (signal.aborted) return [];
    yield;
  }
}
