import { setTimeout as sleep } from 'node:timers/promises';

/** The time to wait after a response with status 429 but without a valid Retry-After header, in ms. */
const DEFAULT_WAIT_MS = 1_000;

/** The maximum time to wait after status 429, in ms. */
export const MAX_WAIT_MS = 60_000;

/** The time between two requests after the first response with status 429, in ms. */
const INITIAL_GAP_MS = 20;

/** The maximum time between two requests after status 429, in ms. */
const MAX_GAP_MS = 1_000;

/** Each response other than 429 multiplies the time between two requests by this factor. */
const DECAY = 0.9;

/** The minimum time between two requests, in ms. A shorter time becomes 0. */
const MIN_GAP_MS = 2;

/**
 * Delays requests to an operation that has limited the request rate, for example with status 429 (Too Many Requests).
 */
export class Throttle {
  readonly #signal: AbortSignal | undefined;
  #nextMs = 0;
  #gapMs = 0;
  #limitedMs = -1;

  constructor(signal: AbortSignal | undefined) {
    this.#signal = signal;
  }

  /**
   * The time until the next request may be sent, in ms.
   * It can be longer than the maximum for which the check waits.
   */
  get waitMs(): number {
    return Math.max(0, this.#nextMs - performance.now());
  }

  /**
   * Waits until the next request may be sent.
   * Returns the value of `performance.now()` at this time, in ms.
   * Rejects when the signal is aborted.
   */
  async waitForTurn(): Promise<number> {
    const nowMs = performance.now();
    const turnMs = Math.max(nowMs, this.#nextMs);
    this.#nextMs = turnMs + this.#gapMs;
    if (turnMs > nowMs) await sleep(turnMs - nowMs, undefined, this.#signal ? { signal: this.#signal } : {});
    return turnMs;
  }

  /** Shortens the time between requests. Call this method after each response other than 429. */
  speedUp(): void {
    this.#gapMs = this.#gapMs * DECAY < MIN_GAP_MS ? 0 : this.#gapMs * DECAY;
  }

  /**
   * Lengthens the time between requests.
   * Call this method after each response with a rate limit.
   * `sentMs`: the time at which the request was sent.
   */
  slowDown(sentMs: number, headers: Readonly<Record<string, string>>): void {
    const waitMs = parseRetryAfter(headers['retry-after'], headers.date);
    // A request that was sent before the last 429 response exceeded the same limit, so its 429 response does not
    // lengthen the time again.
    if (sentMs > this.#limitedMs) {
      this.#limitedMs = performance.now();
      this.#gapMs = Math.min(MAX_GAP_MS, Math.max(INITIAL_GAP_MS, this.#gapMs * 2));
    }
    this.#nextMs = Math.max(this.#nextMs, performance.now() + waitMs);
  }
}

/**
 * Parses a `Retry-After` header, which contains seconds or a date.
 * Returns the time to wait, in ms; for an invalid header, the default.
 * A date is compared with the `Date` header, and not with the local clock (RFC 9110, section 10.2.3).
 */
function parseRetryAfter(retryAfter = '', date = ''): number {
  if (/^\d+$/.test(retryAfter.trim())) return Number(retryAfter) * 1_000;
  const waitMs = Date.parse(retryAfter) - Date.parse(date);
  return Number.isNaN(waitMs) ? DEFAULT_WAIT_MS : Math.max(0, waitMs);
}
