import { setMaxListeners } from 'node:events';
import { resolve } from 'node:path';
import type { Application } from '../application.ts';
import { clampTime } from '../sandbox/clock.ts';
import { getFileSignature } from './file-watcher.ts';
import { createLogger } from './logger.ts';
import type { ServerOptions } from './options.ts';

/** What all parts of a server use: the options, the machine's clock, the log, and the signal that ends what waits once the server stops. */
export interface Runtime {
  readonly application: Application;
  readonly options: ServerOptions;
  readonly nowMs: () => number;
  readonly log: ReturnType<typeof createLogger>;
  readonly tell: {
    info(message: string): void;
    warn(message: string): void;
    error(message: string, err: unknown): void;
  };
  readonly stopping: AbortController;
}

/** Creates what all parts of a server use. */
export function createRuntime(application: Application, options: ServerOptions): Runtime {
  const log = createLogger(options.log ?? 'off', options.logTo);
  const stopping = new AbortController();
  // Each client that follows a journal or waits for a verification listens to it.
  setMaxListeners(0, stopping.signal);
  return {
    application,
    options,
    nowMs: () => clampTime((options.nowMs ?? Date.now)()),
    log,
    tell: {
      info: (message) => log.info({}, message),
      warn: (message) => log.warn({}, message),
      error: (message, err) => log.error({ err }, message),
    },
    stopping,
  };
}

/** A file that is reloaded when it is saved, with the signature of the content that was read first. */
interface WatchedFile {
  readonly path: string;
  readonly signature: string | undefined;
}

/** The files that are reloaded. */
export interface Files {
  readonly contract: WatchedFile & { readonly strict: boolean };
  /** Undefined if the handlers are in the options. */
  readonly handlers: WatchedFile | undefined;
}

/** Finds the files that are reloaded, and their present signatures. */
export function findFiles({ application, options }: Runtime): Files {
  const watched = (file: string) => ({ path: resolve(file), signature: getFileSignature(resolve(file)) });
  const { handlers, strict = false } = options;
  return {
    contract: { ...watched(options.contract ?? application.contractFile), strict },
    handlers: typeof handlers === 'string' ? watched(handlers) : undefined,
  };
}
