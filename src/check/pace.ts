import { setTimeout as sleep } from 'node:timers/promises';

/** How long is waited where 429 comes without a usable Retry-After, and how long a wait is honoured at most, in ms. */
const DEFAULT_WAIT_MS = 1_000;
export const MAX_WAIT_MS = 60_000;

/** The time between two requests after a first 429, and at most, in ms. */
const INITIAL_GAP_MS = 20;
const MAX_GAP_MS = 1_000;

/** How much of the time between requests is left after an answer that is no 429; what is shorter than the least is none. */
const DECAY = 0.9;
const MIN_GAP_MS = 2;

/** Holds requests back while a server limits their rate. */
export class Pace {
  readonly #signal: AbortSignal | undefined;
  #nextMs = 0;
  #gapMs = 0;
  #limitedMs = -1;

  constructor(signal: AbortSignal | undefined) {
    this.#signal = signal;
  }

  /** Waits until the next request may go out; the moment at which it does, in ms. Rejects once the signal is aborted. */
  async turn(): Promise<number> {
    const nowMs = performance.now();
    const turnMs = Math.max(nowMs, this.#nextMs);
    this.#nextMs = turnMs + this.#gapMs;
    if (turnMs > nowMs) await sleep(turnMs - nowMs, undefined, this.#signal ? { signal: this.#signal } : {});
    return turnMs;
  }

  /** Takes note of an answer that is no 429. */
  speedUp(): void {
    this.#gapMs = this.#gapMs * DECAY < MIN_GAP_MS ? 0 : this.#gapMs * DECAY;
  }

  /** Takes note of a 429 to a request that was sent at a moment. Returns whether it makes sense to wait and send it again. */
  slowDown(sentMs: number, headers: Readonly<Record<string, string>>): boolean {
    const waitMs = parseRetryAfter(headers['retry-after'], headers.date);
    // Of requests that were under way together only the first one says something new.
    if (sentMs > this.#limitedMs) {
      this.#limitedMs = performance.now();
      this.#gapMs = Math.min(MAX_GAP_MS, Math.max(INITIAL_GAP_MS, this.#gapMs * 2));
    }
    if (waitMs > MAX_WAIT_MS) return false;
    this.#nextMs = Math.max(this.#nextMs, performance.now() + waitMs);
    return true;
  }
}

/** The time that a Retry-After names, in ms: seconds, or a date, which is compared with that of the answer (RFC 9110, section 10.2.3). */
function parseRetryAfter(retryAfter = '', date = ''): number {
  if (/^\d+$/.test(retryAfter.trim())) return Number(retryAfter) * 1_000;
  const waitMs = Date.parse(retryAfter) - Date.parse(date);
  return Number.isNaN(waitMs) ? DEFAULT_WAIT_MS : Math.max(0, waitMs);
}
