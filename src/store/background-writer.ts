/** The minimum pause after a write with fewer than 100 changes, in ms. */
const MIN_PAUSE_MS = 20;

/** A write with at least this number of changes is followed by the longer pause `LOAD_PAUSE_MS`. */
const LOAD_CHANGES = 100;

/**
 * The minimum pause after a write with 100 or more changes, in ms. With a pause of 20 ms, a server under load would spend a tenth of its CPU time on writes.
 */
const LOAD_PAUSE_MS = 500;

/** The minimum pause after a failed write, in ms. */
const RETRY_MS = 1_000;

/** A pause lasts this many times as long as the write before it. So the server spends at most a tenth of its time writing a small file. */
const PAUSE_FACTOR = 10;

/** The maximum pause after a write, in ms. So even a large data file contains a change after a few seconds. */
const MAX_PAUSE_MS = 2_000;

/** Options of a background writer. */
interface BackgroundWriterOptions {
  /** Writes all changes that exist at the time of the call. */
  readonly write: () => Promise<void>;
  /** Returns the number of changes that are not written yet. */
  readonly countChanges: () => number;
  /** Called after a failed write. The writer tries again later. */
  readonly onError: (error: unknown) => void;
}

/** Writes changes to a file in the background: one write at a time, with a pause after each write. */
export class BackgroundWriter {
  readonly #options: BackgroundWriterOptions;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<unknown> = Promise.resolve();
  #nextStartMs = 0;
  #isStopped = false;

  constructor(options: BackgroundWriterOptions) {
    this.#options = options;
  }

  /** Schedules a write if there are unwritten changes. The write starts immediately, or when the pause after the last write ends. */
  schedule(): void {
    if (this.#isStopped || this.#timer || this.#options.countChanges() === 0) return;
    this.#timer = setTimeout(() => this.#write(), Math.max(0, this.#nextStartMs - performance.now())).unref();
  }

  /** Calls `run` when no write is running. Writes and other calls of this method wait until the promise of `run` settles. */
  runExclusively<Result>(run: () => Promise<Result>): Promise<Result> {
    const result = this.#running.then(run);
    this.#running = result.catch(() => {});
    return result;
  }

  /** Writes all pending changes now, even during the pause between two writes. Rejects if the write fails. */
  flush(): Promise<void> {
    return this.runExclusively(async () => {
      if (this.#options.countChanges() > 0) await this.#options.write();
    });
  }

  /** Stops the background writes. Resolves when the running write has ended. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    await this.#running;
  }

  async #write(): Promise<void> {
    const { write, countChanges, onError } = this.#options;
    await this.runExclusively(async () => {
      const changes = countChanges();
      if (this.#isStopped || changes === 0) return;
      const startMs = performance.now();
      const error = await write().catch((reason: Error) => reason);
      const endMs = performance.now();
      const pauseMs = Math.min(PAUSE_FACTOR * (endMs - startMs), MAX_PAUSE_MS);
      const minPauseMs = changes < LOAD_CHANGES ? MIN_PAUSE_MS : LOAD_PAUSE_MS;
      this.#nextStartMs = endMs + Math.max(error ? RETRY_MS : minPauseMs, pauseMs);
      if (error) onError(error);
    });
    this.#timer = undefined;
    this.schedule();
  }
}
