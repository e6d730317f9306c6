import type { Storefront } from '../server/storefront.ts';

/** How unhandled errors are reported. */
export interface UnhandledErrorParts {
  /** Resolves once the server runs. */
  readonly starting: Promise<Storefront>;
  readonly logError: (error: unknown, message: string) => void;
  /** Reports a failure and ends the process. */
  readonly fail: (message: string) => void;
}

/**
 * Handles errors that no code catches, such as those of custom handlers. Decision: a running server logs an unhandled rejection and continues; after an
 * uncaught exception it stops gracefully, because the state of the process is unknown. During the start both are failures.
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

function toError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown));
}
