/** Logs what happens to the data. pino has this shape. */
export interface Logger {
  info(message: string): void;
  warn(message: string): void;
  error(fields: { readonly err: unknown }, message: string): void;
}

/** Logs a failure that can recur with each request: when it starts, when it changes and when it ends. */
interface FailureLog {
  failed(message: string, error: unknown): void;
  /** Logs the message if the last attempt failed. */
  worked(message: string): void;
}

/** Creates a failure log. */
export function createFailureLog(log: Logger): FailureLog {
  let lastMessage: string | undefined;
  return {
    failed(message, err) {
      if (message !== lastMessage) log.error({ err }, message);
      lastMessage = message;
    },
    worked(message) {
      if (lastMessage !== undefined) log.info(message);
      lastMessage = undefined;
    },
  };
}
