import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { describeDecision } from '../util/describe-decision.ts';
import { getTraceId } from '../util/ids.ts';
import {
  type CredentialNames,
  listPathSecrets,
  NO_NAMES,
  redactNamedProperties,
  redactText,
  redactTexts,
  redactUrl,
} from '../util/redact-secrets.ts';
import { getPathname, IMAGES_PATH, isPackagePage } from '../util/request-target.ts';
import { isControlPath, isMonitored } from './access-policy.ts';
import { getOriginNotes } from './cors.ts';
import type { Exchange } from './exchange.ts';
import type { Log } from './served.ts';

/** Values for the log line of a request that are not in Node's request and response objects. */
interface RequestDetails {
  readonly operation?: string | undefined;
  /** What determined the response to an operation of the contract. */
  readonly decision?: Exchange['decision'];
  /** The id of the sandbox, if the request names one. */
  readonly sandbox?: string | undefined;
  /** Sentences about errors in the request, and about parts of the request that were ignored. */
  readonly notes?: readonly string[];
  /** The names of the parameters whose values are secret by the contract. */
  readonly credentialNames?: CredentialNames | undefined;
  /** Whether an injected fault closes the connection before the end of the response. */
  readonly isTruncated?: boolean;
}

/** Matches the path of an image, with or without the prefix that names a sandbox. */
const IMAGE = new RegExp(`^(/_sandbox/[^/?]*)?${IMAGES_PATH}/`);

/** The lowest status of an error response. */
const FIRST_ERROR = 400;

/**
 * Logs a request when its response is sent or its connection is closed.
 * Calls `getDetails` at that time.
 * The log level is `info`.
 * It is `debug` for successful requests that no user starts: requests for images, and the repeated requests of the
 * console and of monitoring systems.
 */
export function logRequest(log: Log, res: ServerResponse, getDetails: () => RequestDetails): void {
  if (!log.isLevelEnabled('info')) return;
  const startMs = performance.now();
  // The app later removes the prefix that names a sandbox from `req.url`.
  const { method, url = '', headers } = res.req;
  res.once('close', () => {
    const { operation, decision, sandbox, notes = [], isTruncated = false, credentialNames = NO_NAMES } = getDetails();
    const allNotes = res.writableFinished || isTruncated ? notes : [...notes, 'the client closed the connection'];
    // The console often closes an event stream and opens another one.
    // So the note about a closed connection is not important.
    const isLoaded = IMAGE.test(url) ? allNotes.length === 0 : isReadAgain(method, url, headers) && notes.length === 0;
    log[isLoaded && res.statusCode < FIRST_ERROR ? 'debug' : 'info']({
      method,
      path: url.includes('?') || credentialNames.paths.length > 0 ? redactUrl(url, credentialNames) : url,
      operation,
      decision: decision && describeDecision(decision),
      sandbox,
      status: res.writableFinished ? res.statusCode : undefined,
      ms: Math.round((performance.now() - startMs) * 10) / 10,
      traceId: getTraceId(headers.traceparent),
      notes: allNotes.length > 0 ? allNotes.map((note) => redactNote(note, url, credentialNames)) : undefined,
    });
  });
}

/** Replaces secrets in a note, which can contain a part of the path or of the body. */
function redactNote(note: string, url: string, { properties, paths }: CredentialNames): string {
  const secrets = listPathSecrets(getPathname(url), paths);
  return redactText(String(redactNamedProperties(redactTexts(secrets, note), properties)));
}

/**
 * Returns whether a request comes from monitoring, the console or the API reference, which repeat their requests.
 * A request counts as one of the console if it reads the control API and comes from a page of this server
 * (`Sec-Fetch-Site: same-origin`).
 * A front end on the same server has no reason to read the control API.
 */
function isReadAgain(method: string | undefined, url: string, headers: IncomingHttpHeaders): boolean {
  const path = getPathname(url);
  if (isPackagePage(path) || isMonitored(path)) return true;
  const isRead = method === 'GET' || method === 'HEAD';
  return isRead && headers['sec-fetch-site'] === 'same-origin' && isControlPath(url);
}

/** Returns the values of an exchange for the log line. */
export function getLogDetails(exchange: Exchange): RequestDetails {
  const { app, api, ctx, route, decision, sandbox, isNamed, effects, transport, notes } = exchange;
  const all = [...notes, ...getOriginNotes(app.access, ctx.req)];
  return {
    operation: route?.operationId,
    decision: api === 'contract' ? decision : undefined,
    sandbox: isNamed ? sandbox.id : undefined,
    notes: effects?.faults ? [...all, `faults applied: ${effects.faults.join(', ')}`] : all,
    credentialNames: api && exchange.contract.credentialNames,
    isTruncated: transport?.connection !== undefined,
  };
}
