import type { Storefront } from '../server/options.ts';

/** The dependencies of `handleUnhandledErrors`. */
interface UnhandledErrorParts {
  /** A promise that resolves to the server when it is started. */
  readonly starting: Promise<Storefront>;
  /** Writes an error with its stack to the log. */
  readonly logError: (error: unknown, message: string) => void;
  /** Prints a message and ends the process with exit code 1. */
  readonly fail: (message: string) => void;
}

/**
 * Handles unhandled promise rejections and uncaught exceptions, such as the errors of custom handlers.
 * Until the server has started, each of these errors ends the process.
 *
 * Decision: a running server logs an unhandled rejection and continues.
 * After an uncaught exception, the server stops gracefully, because the state of the process is unknown.
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
    if (storefront) logError(toError(reason), 'Unhandled promise rejection. The server continues.');
    else fail(`The start failed: unhandled promise rejection: ${toError(reason).stack}`);
  });
  program.on('uncaughtException', (error, origin) => {
    if (origin === 'unhandledRejection') return;
    if (!storefront) return fail(`The start failed: uncaught exception: ${toError(error).stack}`);
    logError(toError(error), 'Uncaught exception. The server stops.');
    const end = () => fail('Stopped after an uncaught exception');
    storefront.close().then(end, end);
    storefront = undefined;
  });
}

export function toError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown));
}
