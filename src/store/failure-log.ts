/** A log for events of the data file. pino implements this interface. */
export interface Logger {
  info(message: string): void;
  warn(message: string): void;
  error(fields: { readonly err?: unknown }, message: string): void;
}

/**
 * Creates a log for an action that is repeated often and can fail each time, such as a commit.
 * If consecutive failures have the same message, logs it only once.
 * Also logs the first success after a failure.
 */
export function createFailureLog(log: Logger) {
  let lastMessage: string | undefined;
  return {
    /** Logs a failure, with the stack of `err`. Logs nothing if the last failure had the same message. */
    logFailure(message: string, err?: unknown): void {
      if (message !== lastMessage) log.error(err === undefined ? {} : { err }, message);
      lastMessage = message;
    },
    /** Logs the message if the last attempt failed. */
    logRecovery(message: string): void {
      if (lastMessage !== undefined) log.info(message);
      lastMessage = undefined;
    },
  };
}
