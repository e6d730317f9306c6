/** Logs what happens to the data. */
export interface Logger {
  info(message: string): void;
  warn(message: string): void;
  /** Logs an error with its stack. */
  error(message: string, error: unknown): void;
}

/** Logs a failure that can recur with each request: when it starts, when it changes and when it ends. */
interface FailureLog {
  failed(message: string, error: unknown): void;
  /** Logs the message if the last attempt failed. */
  worked(message: string): void;
}

/** Creates a failure log. */
export function createFailureLog(logger: Logger): FailureLog {
  let lastMessage: string | undefined;
  return {
    failed(message, error) {
      if (message !== lastMessage) logger.error(message, error);
      lastMessage = message;
    },
    worked(message) {
      if (lastMessage !== undefined) logger.info(message);
      lastMessage = undefined;
    },
  };
}
