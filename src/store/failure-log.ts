/** Where the user is told what becomes of the data. */
export interface Tell {
  info(message: string): void;
  warn(message: string): void;
  /** Logs an error with its stack. */
  error(message: string, error: unknown): void;
}

/** Logs a failure that may come again with each request: once when it begins, once when it changes, and once when it is over. */
export interface FailureLog {
  failed(message: string, error: unknown): void;
  /** Logs the message where something has failed before. */
  worked(message: string): void;
}

export function failureLog(tell: Tell): FailureLog {
  let last: string | undefined;
  return {
    failed(message, error) {
      if (message !== last) tell.error(message, error);
      last = message;
    },
    worked(message) {
      if (last !== undefined) tell.info(message);
      last = undefined;
    },
  };
}
