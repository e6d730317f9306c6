import { setImmediate as nextTurn } from 'node:timers/promises';
import type { HttpRequest } from './request.ts';

/**
 * How long after a connection reset an identical request counts as an automatic retry, in ms. Chromium retries after a few ms on an idle machine, and after 1
 * to 87 ms on a busy machine (two cores, load 13).
 */
const WINDOW_MS = 250;

/** The maximum number of connection resets that are recorded. */
const MAX_RESETS = 1_000;

/**
 * Matches user agents that retry a request automatically, even a POST request, if a reused connection is reset before the first byte of the response. Chromium
 * and curl retry, because they assume that the server has closed an idle connection. Other clients report the first reset to their caller.
 */
const RETRYING_USER_AGENT = /^curl\/|Chrome\//;

/** Matches user agents of clients in Node that contain the name of a browser. These clients do not retry. */
const NODE_USER_AGENT = /jsdom|HappyDOM|\bnode\b/i;

/**
 * The minimum age of a preconnected connection when its first request arrives, in ms. Chromium opens a preconnected connection before it has a request, and
 * treats it like a reused connection.
 */
const PRECONNECT_MS = 50;

/** When each connection was opened, in ms of `performance.now()`, and how many requests the process had received before. */
const openings = new WeakMap<object, { readonly openedMs: number; readonly requestCount: number }>();

/** The number of requests that all servers of this process have received. */
let requestCount = 0;

/** Records the time at which a connection was opened. */
export function recordConnection(socket: object): void {
  openings.set(socket, { openedMs: performance.now(), requestCount });
}

/** Increments the number of received requests. */
export function countRequest(): void {
  requestCount++;
}

/**
 * Waits until the server has accepted all connections that clients have opened. Call this function before a reset. After the reset, a client can retry on each
 * connection that it opened before the reset, so the server must know these connections.
 */
export async function acceptPendingConnections(): Promise<void> {
  // The event loop accepts connections between two turns.
  await nextTurn();
  await nextTurn();
}

/**
 * Detects automatic retries after a fault has reset a connection. The server resets the retry too: for the user of the client, the request and its retry are
 * one request.
 */
export class RetryDetector {
  /** The times of connection resets, in ms of `performance.now()`, in ascending order. The key identifies the request that was reset. */
  readonly #resetsMs = new Map<string, readonly number[]>();
  /** The time of the reset that caused a retry, in ms of `performance.now()`, by the retried request. */
  readonly #resetOfRetryMs = new WeakMap<HttpRequest, number>();

  /**
   * Records that the server resets the connection of a request. Records nothing if the client does not retry automatically. Call this function before the
   * reset.
   */
  recordReset(request: HttpRequest): void {
    const { socket } = request;
    const isReused = socket.bytesWritten > 0 || isPreconnected(request, this.#resetOfRetryMs.get(request));
    if (!isReused || !isRetrying(request.headers['user-agent'])) return;
    const nowMs = performance.now();
    for (const [key, resetsMs] of this.#resetsMs)
      if (resetsMs.every((resetMs) => nowMs - resetMs > WINDOW_MS) || this.#resetsMs.size >= MAX_RESETS)
        this.#resetsMs.delete(key);
    const key = getKey(request);
    this.#resetsMs.set(key, [...(this.#resetsMs.get(key) ?? []).slice(1 - MAX_RESETS), nowMs]);
  }

  /** Returns whether a request is an automatic retry after a reset. Returns true at most once for each reset. */
  detectRetry(request: HttpRequest): boolean {
    if (this.#resetsMs.size === 0) return false;
    const { startMs } = request;
    const key = getKey(request);
    const resetsMs = this.#resetsMs.get(key) ?? [];
    // A request that arrived before the reset is not a retry.
    const resetMs = resetsMs.find((earlierMs) => startMs >= earlierMs && startMs - earlierMs <= WINDOW_MS);
    if (resetMs === undefined) return false;
    const others = resetsMs.filter((earlierMs) => earlierMs !== resetMs);
    if (others.length > 0) this.#resetsMs.set(key, others);
    else this.#resetsMs.delete(key);
    this.#resetOfRetryMs.set(request, resetMs);
    return true;
  }
}

function isRetrying(userAgent = ''): boolean {
  return RETRYING_USER_AGENT.test(userAgent) && !NODE_USER_AGENT.test(userAgent);
}

/** Returns whether the client opened the connection of a request before it had the request. `resetMs`: the time of the reset, if the request is a retry. */
function isPreconnected({ socket, startMs }: HttpRequest, resetMs: number | undefined): boolean {
  const opening = openings.get(socket);
  if (!opening) return false;
  if (resetMs !== undefined) return opening.openedMs < resetMs;
  // On a slow machine, a connection that was opened for this request can have the same age. In this case, no other request arrived in the meantime.
  return startMs - opening.openedMs > PRECONNECT_MS && requestCount - opening.requestCount > 1;
}

function getKey({ socket, method, target, rawHeaders, body }: HttpRequest): string {
  return JSON.stringify([socket.remoteAddress, method, target, rawHeaders, body.text]);
}
