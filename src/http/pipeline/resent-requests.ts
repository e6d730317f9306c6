import type { IncomingMessage } from 'node:http';
import type { Context } from 'koa';
import { leave } from './delay.ts';
import { getExchange } from './response.ts';

/**
 * How long after a reset an identical request counts as the same one, in ms. Chromium sends it again after 1 to 87 ms (measured on two cores under a
 * load of 13), on an idle machine within a few ms.
 */
const WINDOW_MS = 250;

/** How many resets are remembered. */
const MOST = 1_000;

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

/** The resets that a client answers by sending the same request again, which is to be reset too: to its user it is one request. */
export class ResentRequests {
  /** When each request was reset, in ms of the machine's running; once for each reset, the earliest first. */
  readonly #resetsMs = new Map<string, readonly number[]>();
  /** The same for requests that were sent again. */
  readonly #firstResetMs = new WeakMap<IncomingMessage, number>();

  /** Remembers a request whose connection is about to be reset, where its client sends it again. */
  remember(ctx: Context): void {
    const { req } = ctx;
    const { begunMs, sent } = getExchange(ctx);
    const isReused = req.socket.bytesWritten > 0 || isInAdvance(req, begunMs, this.#firstResetMs.get(req));
    if (!isReused || !isResending(req.headers['user-agent'])) return;
    const nowMs = performance.now();
    for (const [key, resetsMs] of this.#resetsMs)
      if (resetsMs.every((resetMs) => nowMs - resetMs > WINDOW_MS) || this.#resetsMs.size >= MOST)
        this.#resetsMs.delete(key);
    const key = keyOf(req, sent);
    this.#resetsMs.set(key, [...(this.#resetsMs.get(key) ?? []).slice(1 - MOST), nowMs]);
  }

  /** Whether a request is one that was reset, sent again by its client. Each reset is answered by one at most. */
  take(ctx: Context): boolean {
    if (this.#resetsMs.size === 0) return false;
    const { begunMs, sent } = getExchange(ctx);
    const key = keyOf(ctx.req, sent);
    const resetsMs = this.#resetsMs.get(key) ?? [];
    // A request that began before the reset is another one.
    const resetMs = resetsMs.find((oneMs) => begunMs >= oneMs && begunMs - oneMs <= WINDOW_MS);
    if (resetMs === undefined) return false;
    const others = resetsMs.filter((oneMs) => oneMs !== resetMs);
    if (others.length > 0) this.#resetsMs.set(key, others);
    else this.#resetsMs.delete(key);
    this.#firstResetMs.set(ctx.req, resetMs);
    return true;
  }
}

/** Resets a request that its client sends again by itself. Returns whether it is one. It was counted and recorded the first time. */
export function resetResentRequest(ctx: Context, resends: ResentRequests): boolean {
  if (!resends.take(ctx)) return false;
  const exchange = getExchange(ctx);
  exchange.isOfShop = false;
  exchange.wire = { connection: { kind: 'reset', phase: 'before' } };
  leave(ctx);
  return true;
}

function isResending(userAgent = ''): boolean {
  return RESENDING.test(userAgent) && !IN_NODE.test(userAgent);
}

/** Whether a connection was opened before its client needed it for its first request, or for sending that again after a reset. */
function isInAdvance({ socket }: IncomingMessage, begunMs: number, resetMs: number | undefined): boolean {
  const opening = openings.get(socket);
  if (!opening) return false;
  if (resetMs !== undefined) return opening.openedMs < resetMs;
  // On a slow machine it is open for long before its first request, but then no other request comes in between.
  return begunMs - opening.openedMs > OPENED_IN_ADVANCE_MS && requests - opening.requests > 1;
}

function keyOf({ socket, method, url, rawHeaders }: IncomingMessage, sent: string | undefined): string {
  return JSON.stringify([socket.remoteAddress, method, url, rawHeaders, sent]);
}
