import type { IncomingMessage, ServerResponse } from 'node:http';

/** Where the server tells what it does; pino has this shape. */
export interface Log {
  isLevelEnabled(level: 'info'): boolean;
  info(fields: object, message?: string): void;
  warn(fields: object, message?: string): void;
  error(fields: object, message?: string): void;
}

/** What a log line says of a request beside what HTTP says. */
export interface RequestDetails {
  readonly operation?: string | undefined;
  /** The sandbox that was named. */
  readonly sandbox?: string | undefined;
  /** What was wrong with it or ignored in it, a sentence each. */
  readonly notes?: readonly string[];
  /** Whether it was to end before all was out. */
  readonly isCut?: boolean;
}

/** Writes one line for a request, once its answer is out or its client is gone; `details` is asked then. */
export function logRequest(log: Log, req: IncomingMessage, res: ServerResponse, details: () => RequestDetails): void {
  if (!log.isLevelEnabled('info')) return;
  const begunMs = performance.now();
  // As it was sent: what names a sandbox is taken off on the way.
  const { method, url } = req;
  res.once('close', () => {
    const { operation, sandbox, notes = [], isCut = false } = details();
    const said = res.writableFinished || isCut ? notes : [...notes, 'the client went away'];
    log.info({
      method,
      path: url,
      operation,
      sandbox,
      status: res.writableFinished ? res.statusCode : undefined,
      ms: Math.round((performance.now() - begunMs) * 10) / 10,
      notes: said.length > 0 ? said : undefined,
    });
  });
}
