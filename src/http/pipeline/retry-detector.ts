import { setImmediate as nextTurn } from 'node:timers/promises';
import type { HttpRequest } from './request.ts';

/**
 * The time after a reset in which an identical request counts as an automatic retry, in ms. Chromium retries after 1 to 87 ms (measured on two cores under a
 * load of 13); on an idle machine, after a few ms.
 */
const WINDOW_MS = 250;

/** The maximum number of recorded resets. */
const MAX_RESETS = 1_000;

/**
 * User agents that automatically retry a request, even a POST, if a reused connection is reset before the first byte of the response (measured with Chromium
 * and curl). They assume that the server has closed an idle connection. Other clients report the first reset to their caller.
 */
const RETRYING = /^curl\/|Chrome\//;

/** User agents of clients in Node that name a browser. They do not retry. */
const IN_NODE = /jsdom|HappyDOM|\bnode\b/i;

/**
 * The age of a connection at its first request, in ms, from which the client is assumed to have opened it in advance. Chromium treats such a connection as a
 * reused one.
 */
const PRECONNECT_MS = 50;

/** When each connection was opened, in ms of `performance.now()`, and the number of earlier requests. */
const openings = new WeakMap<object, { readonly openedMs: number; readonly requestCount: number }>();

/** The number of requests to all servers of this process. */
let requestCount = 0;

/** Records the time at which a connection was opened. */
export function recordConnection(socket: object): void {
  openings.set(socket, { openedMs: performance.now(), requestCount });
}

/** Counts a request. */
export function countRequest(): void {
  requestCount++;
}

/**
 * Waits until the server has accepted all connections that clients have opened. Called before a reset: a client retries once on each connection that it
 * opened before the reset.
 */
export async function acceptPendingConnections(): Promise<void> {
  // The event loop accepts connections between two turns.
  await nextTurn();
  await nextTurn();
}

/** Detects requests that a client retries automatically after a reset. They are reset too, because the user of the client sent one request. */
export class RetryDetector {
  /** The times of the resets of each request, in ms of `performance.now()`, in ascending order. */
  readonly #resetsMs = new Map<string, readonly number[]>();
  /** The time of the reset that each retry follows. */
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
  // On a slow machine, a new connection can be this old too, but then no other request arrived in the meantime.
  return startMs - opening.openedMs > PRECONNECT_MS && requestCount - opening.requestCount > 1;
}

function getKey({ socket, method, target, rawHeaders, body }: HttpRequest): string {
  return JSON.stringify([socket.remoteAddress, method, target, rawHeaders, body.text]);
}
