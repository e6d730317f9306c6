import type { Storefront } from '../server/storefront.ts';

/** What unhandled errors are reported to. */
export interface UnhandledErrorParts {
  /** Resolves once the server runs. */
  readonly starting: Promise<Storefront>;
  readonly logError: (error: unknown, message: string) => void;
  /** Reports a failure and ends the process. */
  readonly fail: (message: string) => void;
}

/**
 * Handles errors that no code catches, as a module of handlers may cause them. Decision: a server that runs logs an unhandled rejection and goes on
 * serving; after an uncaught exception it stops in order, since the state of the program is unknown then. During the start both are failures.
 */
export function handleUnhandledErrors(
  program: Pick<NodeJS.Process, 'on'>,
  { starting, logError, fail }: UnhandledErrorParts,
): void {
  let storefront: Storefront | undefined;
  starting.then(
    (running) => {
      storefront = running;
    },
    () => {},
  );
  program.on('unhandledRejection', (reason) => {
    if (storefront) logError(toError(reason), 'a promise was rejected and nothing handled it; the server goes on');
    else fail(`the start failed: a promise was rejected and nothing handled it: ${toError(reason).stack}`);
  });
  program.on('uncaughtException', (error, origin) => {
    if (origin === 'unhandledRejection') return;
    if (!storefront) return fail(`the start failed: an exception was not caught: ${toError(error).stack}`);
    logError(toError(error), 'an exception was not caught; the server stops');
    const end = () => fail('stopped after an exception that was not caught');
    storefront.close().then(end, end);
    storefront = undefined;
  });
}

function toError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown));
}
