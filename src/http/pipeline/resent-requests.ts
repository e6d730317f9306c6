import { setImmediate as nextTurn } from 'node:timers/promises';
import type { HttpRequest } from './request.ts';

/**
 * How long after a reset an identical request counts as the same one, in ms. Chromium sends it again after 1 to 87 ms (measured on two cores under a
 * load of 13), on an idle machine within a few ms.
 */
const WINDOW_MS = 250;

/** The number of requests whose resets are remembered. */
const MAX_RESETS = 1_000;

/**
 * Clients that send a request again by themselves when a reused connection is reset before any byte of the response, a POST too (measured with
 * Chromium and curl): they assume that the server has closed an idle connection. Others show the first reset to their caller.
 */
const RESENDING = /^curl\/|Chrome\//;

/** Clients in Node that name a browser in `User-Agent` and send no request again. */
const IN_NODE = /jsdom|HappyDOM|\bnode\b/i;

/**
 * How long a connection is open before its first request where its client opened it in advance, in ms: Chromium does so, and takes it for a reused
 * one. Of a request that is sent again it is known exactly: the connection was opened before the reset.
 */
const OPENED_IN_ADVANCE_MS = 50;

/** When connections were opened, in ms of the machine's running, and how many requests had begun by then. */
const openings = new WeakMap<object, { readonly openedMs: number; readonly requests: number }>();

/** How many requests have begun. */
let requests = 0;

/** Notes that a connection is opened. */
export function noteOpened(socket: object): void {
  openings.set(socket, { openedMs: performance.now(), requests });
}

/** Notes that a request has begun. */
export function noteRequest(): void {
  requests++;
}

/**
 * Waits until the connections that clients have opened by now are accepted. Called before a reset: a client sends the request again on a connection that it
 * opened before, and only then once more.
 */
export async function acceptPendingConnections(): Promise<void> {
  // The event loop accepts connections between two turns.
  await nextTurn();
  await nextTurn();
}

/** The resets after which a client sends the same request again. That is reset too: to its user it is one request. */
export class ResentRequests {
  /** When each request was reset, in ms of `performance.now()`; once for each reset, the earliest first. */
  readonly #resetsMs = new Map<string, readonly number[]>();
  /** The same for requests that were sent again. */
  readonly #firstResetMs = new WeakMap<HttpRequest, number>();

  /** Remembers a request whose connection is about to be reset, if its client sends it again. */
  remember(request: HttpRequest): void {
    const { socket } = request.client;
    const isReused = socket.bytesWritten > 0 || isOpenedInAdvance(request, this.#firstResetMs.get(request));
    if (!isReused || !isResending(request.headers['user-agent'])) return;
    const nowMs = performance.now();
    for (const [key, resetsMs] of this.#resetsMs)
      if (resetsMs.every((resetMs) => nowMs - resetMs > WINDOW_MS) || this.#resetsMs.size >= MAX_RESETS)
        this.#resetsMs.delete(key);
    const key = toKey(request);
    this.#resetsMs.set(key, [...(this.#resetsMs.get(key) ?? []).slice(1 - MAX_RESETS), nowMs]);
  }

  /** Whether a request is one that was reset, sent again by its client. Each reset has at most one such request. */
  take(request: HttpRequest): boolean {
    if (this.#resetsMs.size === 0) return false;
    const { startMs } = request;
    const key = toKey(request);
    const resetsMs = this.#resetsMs.get(key) ?? [];
    // A request that began before the reset is another one.
    const resetMs = resetsMs.find((earlierMs) => startMs >= earlierMs && startMs - earlierMs <= WINDOW_MS);
    if (resetMs === undefined) return false;
    const others = resetsMs.filter((earlierMs) => earlierMs !== resetMs);
    if (others.length > 0) this.#resetsMs.set(key, others);
    else this.#resetsMs.delete(key);
    this.#firstResetMs.set(request, resetMs);
    return true;
  }
}

function isResending(userAgent = ''): boolean {
  return RESENDING.test(userAgent) && !IN_NODE.test(userAgent);
}

/** Whether a connection was opened before its client needed it for its first request, or for sending that again after a reset. */
function isOpenedInAdvance({ client, startMs }: HttpRequest, resetMs: number | undefined): boolean {
  const opening = openings.get(client.socket);
  if (!opening) return false;
  if (resetMs !== undefined) return opening.openedMs < resetMs;
  // On a slow machine it is open for long before its first request, but then no other request comes in between.
  return startMs - opening.openedMs > OPENED_IN_ADVANCE_MS && requests - opening.requests > 1;
}

function toKey({ client, method, target, rawHeaders, body }: HttpRequest): string {
  return JSON.stringify([client.socket.remoteAddress, method, target, rawHeaders, body.text]);
}
