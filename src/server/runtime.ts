import { setMaxListeners } from 'node:events';
import { resolve } from 'node:path';
import type { Application } from '../application.ts';
import { clampTime } from '../sandbox/clock.ts';
import { getFileSignature, type WatchedFile } from './file-watcher.ts';
import { createLogger } from './logger.ts';
import type { ServerOptions } from './options.ts';

/** What all parts of a server use: the options, the machine's clock, the log, and the signal that ends what waits once the server stops. */
export type Runtime = ReturnType<typeof createRuntime>;

/** Creates what all parts of a server use. */
export function createRuntime(application: Application, options: ServerOptions) {
  const stopping = new AbortController();
  // Each client that follows a journal or waits for a verification listens to it.
  setMaxListeners(0, stopping.signal);
  return {
    application,
    options,
    nowMs: () => clampTime((options.nowMs ?? Date.now)()),
    log: createLogger(options.log ?? 'off', options.logTo),
    files: findFiles(application, options),
    stopping,
  };
}

/** Finds the files that are reloaded when they are saved, with their present signatures. There is no file of handlers that are in the options. */
function findFiles(application: Application, { contract, handlers, strict = false }: ServerOptions) {
  const watched = (file: string): WatchedFile => ({ path: resolve(file), signature: getFileSignature(resolve(file)) });
  return {
    contract: { ...watched(contract ?? application.contractFile), strict },
    handlers: typeof handlers === 'string' ? watched(handlers) : undefined,
  };
}
