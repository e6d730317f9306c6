import type { ServedContract } from '../http/served.ts';
import type { Contract } from '../openapi/contract.ts';
import type { Issue } from '../util/issue.ts';
import { runInSlices, type Steps } from '../util/slices.ts';

/**
 * The maximum number of operations of a contract whose schemas are compiled at the start.
 * For a larger contract, this would take seconds and tens of megabytes, and clients use only a few of the operations.
 */
const MAX_ROUTES = 40;

/**
 * Returns one function for each operation of a contract.
 * Each function compiles the schemas of its operation.
 * It throws a `UserError` if a schema can't be compiled.
 * Returns an empty array if the contract has more than 40 operations: the first request for an operation compiles its
 * schemas.
 */
export function listWarmUps({ contract, closedRoutes }: ServedContract): readonly (() => void)[] {
  const { routes } = contract;
  if (routes.length > MAX_ROUTES) return [];
  return routes.map((route) => () => contract.warmUp(route, { closed: closedRoutes.has(route) }));
}

/**
 * The delay between the start of the server and the first compilation, in ms.
 * A client that waits for the start gets its first response before the compilation.
 * A server for one test is usually closed by then, and compiles only the schemas that the test needs.
 */
const WARM_UP_DELAY_MS = 1_000;

/**
 * Calls each function in its own turn of the event loop, so that the server can handle requests between two calls.
 * Stops if a function throws an error.
 * Returns a function that cancels the remaining calls.
 */
export function runInTurns(tasks: readonly (() => void)[]): () => void {
  const pending = [...tasks];
  let timer: NodeJS.Timeout | undefined;
  const runNext = (delayMs: number) => {
    timer = setTimeout(() => {
      try {
        pending.shift()?.();
        if (pending.length > 0) runNext(0);
      } catch {
        // Ignores the error. The next request for the operation compiles the schemas again and reports the error.
      }
    }, delayMs);
  };
  runNext(WARM_UP_DELAY_MS);
  return () => clearTimeout(timer);
}

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
