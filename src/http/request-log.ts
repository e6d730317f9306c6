import type { IncomingMessage, ServerResponse } from 'node:http';
import { IMAGES_PATH } from '../util/request-target.ts';

/** Where the server tells what it does; pino has this shape. */
export interface Log {
  isLevelEnabled(level: 'info'): boolean;
  debug(fields: object): void;
  info(fields: object, message?: string): void;
  warn(fields: object, message?: string): void;
  error(fields: object, message?: string): void;
}

/** What a log line says of a request beside what HTTP says. */
interface RequestDetails {
  readonly operation?: string | undefined;
  /** The sandbox that was named. */
  readonly sandbox?: string | undefined;
  /** What was wrong with it or ignored in it, a sentence each. */
  readonly notes?: readonly string[];
  /** Whether it was to end before all was out. */
  readonly isTruncated?: boolean;
}

/** The images, also those in a sandbox: a page loads dozens of them. */
const IMAGE = new RegExp(`^(/_sandbox/[^/?]*)?${IMAGES_PATH}/`);

/** The status from which a response is an error. */
const FIRST_ERROR = 400;

/** Writes one line for a request once its response is out or its client is gone, at level debug for an image that was served. `getDetails` is called then. */
export function logRequest(
  log: Log,
  req: IncomingMessage,
  res: ServerResponse,
  getDetails: () => RequestDetails,
): void {
  if (!log.isLevelEnabled('info')) return;
  const startMs = performance.now();
  // As it was sent: the prefix that names a sandbox is removed on the way.
  const { method, url } = req;
  res.once('close', () => {
    const { operation, sandbox, notes = [], isTruncated = false } = getDetails();
    const allNotes = res.writableFinished || isTruncated ? notes : [...notes, 'the client closed the connection'];
    const isServedImage = IMAGE.test(url ?? '') && res.statusCode < FIRST_ERROR && allNotes.length === 0;
    log[isServedImage ? 'debug' : 'info']({
      method,
      path: url,
      operation,
      sandbox,
      status: res.writableFinished ? res.statusCode : undefined,
      ms: Math.round((performance.now() - startMs) * 10) / 10,
      notes: allNotes.length > 0 ? allNotes : undefined,
    });
  });
}
