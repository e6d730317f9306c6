/** Logs what happens to the data. pino has this shape. */
export interface Logger {
  info(message: string): void;
  warn(message: string): void;
  error(fields: { readonly err?: unknown }, message: string): void;
}

/** Creates a log of a failure that can recur with each request. It logs when the failure starts, when it changes and when it ends. */
export function createFailureLog(log: Logger) {
  let lastMessage: string | undefined;
  return {
    /** Logs the message, with the stack of `err`, unless the last attempt failed with the same message. */
    failed(message: string, err?: unknown): void {
      if (message !== lastMessage) log.error(err === undefined ? {} : { err }, message);
      lastMessage = message;
    },
    /** Logs the message if the last attempt failed. */
    worked(message: string): void {
      if (lastMessage !== undefined) log.info(message);
      lastMessage = undefined;
    },
  };
}
