import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import type { Journal } from '../sandbox/journal/journal.ts';
import { type RecordedResponse, truncateText } from '../sandbox/journal/recorded-request.ts';
import { redactText } from '../util/redact-secrets.ts';
import { getPathname, IMAGES_PATH } from '../util/request-target.ts';
import { getTraceId } from '../util/trace-id.ts';
import { isControlPath, isMonitored } from './access-policy.ts';
import { isPackagePage } from './package-pages.ts';
import type { ResponseData } from './pipeline/outcome.ts';
import type { Exchange } from './pipeline/values.ts';

/** The part of a pino logger that the HTTP layer uses. */
export interface Log {
  isLevelEnabled(level: 'info'): boolean;
  debug(fields: object): void;
  info(fields: object, message?: string): void;
  warn(fields: object, message?: string): void;
  error(fields: object, message?: string): void;
}

/** Values for the log line of a request that are not in Node's request and response objects. */
interface RequestDetails {
  readonly operation?: string | undefined;
  /** The id of the sandbox, if the request names one. */
  readonly sandbox?: string | undefined;
  /** Sentences about errors in the request, and about parts of the request that were ignored. */
  readonly notes?: readonly string[];
  /** Whether an injected fault closes the connection before the end of the response. */
  readonly isTruncated?: boolean;
}

/** Matches the path of an image, with or without the prefix that names a sandbox. */
const IMAGE = new RegExp(`^(/_sandbox/[^/?]*)?${IMAGES_PATH}/`);

/** The lowest status of an error response. */
const FIRST_ERROR = 400;

/**
 * Logs a request when its response is sent or its connection is closed. Calls `getDetails` at that time. The log level is `info`. It is `debug` for successful
 * requests that no user starts: requests for images, and the repeated requests of the console and of monitoring systems.
 */
export function logRequest(log: Log, res: ServerResponse, getDetails: () => RequestDetails): void {
  if (!log.isLevelEnabled('info')) return;
  const startMs = performance.now();
  // The app later removes the prefix that names a sandbox from `req.url`.
  const { method, url = '', headers } = res.req;
  res.once('close', () => {
    const { operation, sandbox, notes = [], isTruncated = false } = getDetails();
    const allNotes = res.writableFinished || isTruncated ? notes : [...notes, 'the client closed the connection'];
    // The console often closes an event stream and opens another one. So the note about a closed connection is not important.
    const isLoaded = IMAGE.test(url) ? allNotes.length === 0 : isReadAgain(method, url, headers) && notes.length === 0;
    log[isLoaded && res.statusCode < FIRST_ERROR ? 'debug' : 'info']({
      method,
      path: url.includes('?') ? redactText(url) : url,
      operation,
      sandbox,
      status: res.writableFinished ? res.statusCode : undefined,
      ms: Math.round((performance.now() - startMs) * 10) / 10,
      traceId: getTraceId(headers.traceparent),
      notes: allNotes.length > 0 ? allNotes : undefined,
    });
  });
}

/**
 * Returns whether a request comes from monitoring, the console or the API reference, which repeat their requests. A request counts as one of the console if it
 * reads the control API and comes from a page of this server (`Sec-Fetch-Site: same-origin`). A front end on the same server has no reason to read the control
 * API.
 */
function isReadAgain(method: string | undefined, url: string, headers: IncomingHttpHeaders): boolean {
  const path = getPathname(url);
  if (isPackagePage(path) || isMonitored(path)) return true;
  const isRead = method === 'GET' || method === 'HEAD';
  return isRead && headers['sec-fetch-site'] === 'same-origin' && isControlPath(url);
}

/** A response that was sent, and its body. */
export interface SentResponse {
  readonly response: ResponseData;
  /** The text of the body, or the start of a long list. For a HEAD request, this is the text that a GET request would receive. */
  readonly text: string;
  /** The length of the whole body, in bytes. */
  readonly bytes: number;
}

/**
 * Adds a request and its response to the journal of a sandbox. If a fault sends the body slowly, first waits until the response is complete or the connection
 * is closed. `sent`: the response; undefined if no response was sent.
 */
export function recordRequest(
  journal: Journal,
  exchange: Exchange,
  sent: SentResponse | undefined,
  res: ServerResponse,
): void {
  const isSlow = exchange.outcome.transport?.bodyDurationMs !== undefined;
  if (!isSlow || sent === undefined) addToJournal(journal, exchange, sent);
  else res.once('close', () => addToJournal(journal, exchange, res.writableFinished ? sent : undefined));
}

function addToJournal(journal: Journal, exchange: Exchange, sent: SentResponse | undefined): void {
  const { request, target, outcome } = exchange;
  const { notes, violations, responseViolations, effects, decision, changes } = outcome;
  const hasRemarks = notes.length > 0 || violations || responseViolations || effects;
  journal.add({
    method: request.method,
    url: request.target,
    prefix: target?.location.prefix ?? '',
    basePath: target?.location.basePath,
    rawHeaders: request.rawHeaders,
    bodyText: request.body.text,
    response: sent && toRecordedResponse(sent),
    durationMs: performance.now() - request.startMs,
    operationId: target?.route?.operationId,
    decision,
    changes,
    credentialNames: target?.api.contract.credentialNames,
    remarks: hasRemarks ? { notes, violations, responseViolations, forced: effects } : undefined,
  });
}

/** Converts a response to the format of the journal. */
export function toRecordedResponse({ response: { status, headers }, text, bytes }: SentResponse): RecordedResponse {
  return { status, headers, bytes, text: truncateText(text) };
}
