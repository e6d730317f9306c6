import { setImmediate as nextTurn } from 'node:timers/promises';
import type { HttpRequest } from './request.ts';

/**
 * The time after a reset in which an identical request is assumed to be an automatic retry, in ms. On an idle machine, Chromium retries after a few ms. On a busy
 * machine (two cores, load 13), it retries after 1 to 87 ms.
 */
const WINDOW_MS = 250;

/** The maximum number of recorded resets. */
const MAX_RESETS = 1_000;

/**
 * Matches user agents that retry a request, even a POST, if a reused connection is reset before the first byte of the response. Chromium and curl do this, because
 * they assume that the server has closed an idle connection. Other clients report the first reset to their caller.
 */
const RETRYING = /^curl\/|Chrome\//;

/** Matches user agents of clients in Node that contain the name of a browser. These clients do not retry. */
const IN_NODE = /jsdom|HappyDOM|\bnode\b/i;

/**
 * The minimum age of a preconnected connection at its first request, in ms. A client opens such a connection before it has a request. Chromium treats it like a
 * reused connection.
 */
const PRECONNECT_MS = 50;

/** For each connection: the time when it was opened, in ms of `performance.now()`, and the number of requests before that time. */
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
 * Waits until the server has accepted all connections that clients have opened. Call this function before a reset: a client retries once on each connection that
 * it opened before the reset.
 */
export async function acceptPendingConnections(): Promise<void> {
  // The event loop accepts connections between two turns.
  await nextTurn();
  await nextTurn();
}

/** Detects automatic retries after a reset. The server resets a retry too, because the user of the client sent only one request. */
export class RetryDetector {
  /** The times of the resets of each request, in ms of `performance.now()`, in ascending order. */
  readonly #resetsMs = new Map<string, readonly number[]>();
  /** For each retry: the time of the reset before it, in ms of `performance.now()`. */
  readonly #resetOfRetryMs = new WeakMap<HttpRequest, number>();

  /** Records that the connection of a request is about to be reset, if the client will retry the request. */
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

  /** Returns whether a request is the retry of a request that was reset. Each reset has at most one retry. */
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
  return RETRYING.test(userAgent) && !IN_NODE.test(userAgent);
}

/** Returns whether the client opened the connection of a request in advance. `resetMs`: the time of the reset, if the request is a retry. */
function isPreconnected({ socket, startMs }: HttpRequest, resetMs: number | undefined): boolean {
  const opening = openings.get(socket);
  if (!opening) return false;
  if (resetMs !== undefined) return opening.openedMs < resetMs;
  // On a slow machine, a new connection can also have this age. But then no other request arrived in the meantime.
  return startMs - opening.openedMs > PRECONNECT_MS && requestCount - opening.requestCount > 1;
}

function getKey({ socket, method, target, rawHeaders, body }: HttpRequest): string {
  return JSON.stringify([socket.remoteAddress, method, target, rawHeaders, body.text]);
}
