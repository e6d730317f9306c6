import { setTimeout as sleep } from 'node:timers/promises';

/** The wait after a 429 without a valid Retry-After, and the maximum wait, in ms. */
const DEFAULT_WAIT_MS = 1_000;
export const MAX_WAIT_MS = 60_000;

/** The initial and the maximum time between two requests after a 429, in ms. */
const INITIAL_GAP_MS = 20;
const MAX_GAP_MS = 1_000;

/** The factor of the time between requests after each other response; a time below the minimum becomes 0. */
const DECAY = 0.9;
const MIN_GAP_MS = 2;

/** Delays requests while a server limits their rate. */
export class Throttle {
  readonly #signal: AbortSignal | undefined;
  #nextMs = 0;
  #gapMs = 0;
  #limitedMs = -1;

  constructor(signal: AbortSignal | undefined) {
    this.#signal = signal;
  }

  /** Waits for the turn of the next request. Returns its time, in ms. Rejects when the signal is aborted. */
  async waitForTurn(): Promise<number> {
    const nowMs = performance.now();
    const turnMs = Math.max(nowMs, this.#nextMs);
    this.#nextMs = turnMs + this.#gapMs;
    if (turnMs > nowMs) await sleep(turnMs - nowMs, undefined, this.#signal ? { signal: this.#signal } : {});
    return turnMs;
  }

  /** Records a response other than 429. */
  speedUp(): void {
    this.#gapMs = this.#gapMs * DECAY < MIN_GAP_MS ? 0 : this.#gapMs * DECAY;
  }

  /** Records a 429 to a request that was sent at `sentMs`. Returns whether a retry makes sense. */
  slowDown(sentMs: number, headers: Readonly<Record<string, string>>): boolean {
    const waitMs = parseRetryAfter(headers['retry-after'], headers.date);
    // Of concurrent requests only the first 429 has new information.
    if (sentMs > this.#limitedMs) {
      this.#limitedMs = performance.now();
      this.#gapMs = Math.min(MAX_GAP_MS, Math.max(INITIAL_GAP_MS, this.#gapMs * 2));
    }
    if (waitMs > MAX_WAIT_MS) return false;
    this.#nextMs = Math.max(this.#nextMs, performance.now() + waitMs);
    return true;
  }
}

/** Returns the time in a Retry-After, in ms: seconds, or a date relative to that of the response (RFC 9110, section 10.2.3). */
function parseRetryAfter(retryAfter = '', date = ''): number {
  if (/^\d+$/.test(retryAfter.trim())) return Number(retryAfter) * 1_000;
  const waitMs = Date.parse(retryAfter) - Date.parse(date);
  return Number.isNaN(waitMs) ? DEFAULT_WAIT_MS : Math.max(0, waitMs);
}
