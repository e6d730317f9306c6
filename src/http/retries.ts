import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { setImmediate as nextTurn } from 'node:timers/promises';

/**
 * The maximum time between a connection reset and the client's automatic retry, in ms.
 * Chromium retries after a few ms on an idle machine, and after 1 to 87 ms on a busy machine (two cores, load 13).
 */
const WINDOW_MS = 250;

/** The maximum number of recorded connection resets. */
const MAX_RESETS = 1_000;

/**
 * Matches user agents that retry a request automatically, even a POST request, after the connection was reset.
 * Chromium and curl do this if the connection was already used and no byte of the response has arrived: they assume
 * that the server closed an idle connection.
 * Other clients report the first reset to their caller.
 */
const RETRYING_USER_AGENT = /^curl\/|Chrome\//;

/** Matches user agents of clients in Node that name a browser, such as jsdom. These clients do not retry. */
const NODE_USER_AGENT = /jsdom|HappyDOM|\bnode\b/i;

/**
 * The minimum age in ms of a preconnected connection when the first request arrives.
 * Chromium opens such a connection before it has a request, and treats it like a used connection.
 */
const PRECONNECT_MS = 50;

/**
 * By connection: the time when it was opened, in ms of `performance.now()`, and the number of requests that the process
 * had received before.
 */
const openings = new WeakMap<object, { readonly openedMs: number; readonly requestCount: number }>();

/** The number of requests that all servers of this process have received. */
let requestCount = 0;

/** Counts a request that a server of this process has received. */
export function countRequest(): void {
  requestCount++;
}

/** Records the time at which a connection was opened. */
export function recordConnection(socket: object): void {
  openings.set(socket, { openedMs: performance.now(), requestCount });
}

/**
 * Waits until the server has accepted all connections that clients have opened.
 * Call this function before a reset: the client can retry on any connection that it has already opened, so the server
 * must know these connections.
 */
export async function acceptPendingConnections(): Promise<void> {
  // The event loop accepts connections between two turns.
  await nextTurn();
  await nextTurn();
}

/** The properties of a request by which a retry is detected. */
interface DetectedRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<IncomingHttpHeaders>;
  readonly rawHeaders: readonly string[];
  readonly bodyText: string | undefined;
  readonly socket: ServerResponse['req']['socket'];
  readonly startMs: number;
}

/**
 * Detects automatic retries after a fault has reset a connection.
 * The server resets the retry too, because the user of the client has sent only one request.
 */
export class RetryDetector {
  /**
   * By request (its properties as JSON): the times when its connections were reset, in ms of `performance.now()`, in
   * ascending order.
   */
  readonly resetsMs = new Map<string, readonly number[]>();
  /** By retry: the time of the reset that caused it, in ms of `performance.now()`. */
  readonly #resetOfRetryMs = new WeakMap<DetectedRequest, number>();

  /**
   * Records that the server is about to reset the connection of a request.
   * Records nothing if the client does not retry automatically.
   */
  recordReset(request: DetectedRequest): void {
    const { socket } = request;
    const isReused = socket.bytesWritten > 0 || isPreconnected(request, this.#resetOfRetryMs.get(request));
    if (!isReused || !isRetrying(request.headers['user-agent'])) return;
    const nowMs = performance.now();
    for (const [key, resetsMs] of this.resetsMs)
      if (resetsMs.every((resetMs) => nowMs - resetMs > WINDOW_MS) || this.resetsMs.size >= MAX_RESETS)
        this.resetsMs.delete(key);
    const key = getKey(request);
    this.resetsMs.set(key, [...(this.resetsMs.get(key) ?? []).slice(1 - MAX_RESETS), nowMs]);
  }

  /** Returns whether a request is an automatic retry after a reset. Returns true at most once for each reset. */
  detectRetry(request: DetectedRequest): boolean {
    const { startMs } = request;
    const key = getKey(request);
    const resetsMs = this.resetsMs.get(key) ?? [];
    // A request that arrived before the reset is not a retry.
    const resetMs = resetsMs.find((earlierMs) => startMs >= earlierMs && startMs - earlierMs <= WINDOW_MS);
    if (resetMs === undefined) return false;
    const others = resetsMs.filter((earlierMs) => earlierMs !== resetMs);
    if (others.length > 0) this.resetsMs.set(key, others);
    else this.resetsMs.delete(key);
    this.#resetOfRetryMs.set(request, resetMs);
    return true;
  }
}

function isRetrying(userAgent = ''): boolean {
  return RETRYING_USER_AGENT.test(userAgent) && !NODE_USER_AGENT.test(userAgent);
}

/**
 * Returns whether the connection of a request is preconnected: the client opened it before it had a request.
 * `resetMs`: the time of the reset, if the request is a retry.
 */
function isPreconnected({ socket, startMs }: DetectedRequest, resetMs: number | undefined): boolean {
  const opening = openings.get(socket);
  if (!opening) return false;
  if (resetMs !== undefined) return opening.openedMs < resetMs;
  // On a slow machine, a connection that was opened for this request can have the same age.
  // In this case, no other request arrived in the meantime.
  return startMs - opening.openedMs > PRECONNECT_MS && requestCount - opening.requestCount > 1;
}

function getKey({ socket, method, url, rawHeaders, bodyText }: DetectedRequest): string {
  return JSON.stringify([socket.remoteAddress, method, url, rawHeaders, bodyText]);
}
