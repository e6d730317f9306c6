/** A log for events of the data file. pino implements this interface. */
export interface Logger {
  info(message: string): void;
  warn(message: string): void;
  error(fields: { readonly err?: unknown }, message: string): void;
}

/** Creates a log for a step that can fail in each request. Failures with the same message are logged once. The first success after a failure is logged, too. */
export function createFailureLog(log: Logger) {
  let lastMessage: string | undefined;
  return {
    /** Logs the message of a failure, with the stack of `err`, unless the last failure had the same message. */
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
