import { setTimeout as wait } from 'node:timers/promises';

/** The interval between two attempts to reach a database that does not respond, in ms. */
const RETRY_MS = 500;

/** The message of an error for a statement that was sent to a database that does not respond. */
export const NO_RESPONSE = 'it does not respond';

/** The message of an error for a statement that was not sent, because the database does not respond. */
export const NOT_SENT = 'it does not respond, so the statement was not sent';

/** Matches the messages of pg for a statement or a connection attempt that reached its time limit. */
export const TIMEOUT = /^(?:Query read timeout|Connection terminated due to connection timeout)$/;

/**
 * Detects that a database hangs: it accepts statements, but does not respond, for example because a network drops all
 * packets.
 * If one statement reaches its time limit and the database does not respond to a new connection either, all waiting
 * statements fail.
 * Later statements fail at once, until the database responds again.
 * Without this, each request would wait for the time limits of several statements.
 */
export class HangDetector {
  readonly #waiting = new Set<(error: Error) => void>();
  #isHanging = false;
  #isProbing = false;
  #isStopped = false;

  /** `probe`: rejects if the database does not respond to a new connection within a short time. */
  constructor(private readonly probe: () => Promise<unknown>) {}

  /** Sends a statement, except if the database hangs. */
  run<Result>(send: () => Promise<Result>): Promise<Result> {
    if (this.#isHanging) return Promise.reject(new Error(NOT_SENT));
    return new Promise((resolve, reject) => {
      this.#waiting.add(reject);
      send()
        .then(resolve, (error: Error) => {
          if (TIMEOUT.test(error.message)) void this.#probeUntilResponse();
          reject(error);
        })
        .finally(() => this.#waiting.delete(reject));
    });
  }

  /** Ends the attempts to reach the database, because the connections are being closed. */
  stop(): void {
    this.#isStopped = true;
  }

  async #probeUntilResponse(): Promise<void> {
    if (this.#isProbing) return;
    this.#isProbing = true;
    while (!this.#isStopped && !(await this.#responds())) {
      this.#isHanging = true;
      for (const reject of this.#waiting) reject(new Error(NO_RESPONSE));
      await wait(RETRY_MS, undefined, { ref: false });
    }
    this.#isHanging = false;
    this.#isProbing = false;
  }

  async #responds(): Promise<boolean> {
    try {
      await this.probe();
      return true;
    } catch {
      return false;
    }
  }
}
