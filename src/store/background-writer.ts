/** The minimum pause after a write with fewer than 100 changes, in ms. */
const MIN_PAUSE_MS = 20;

/** The number of changes in one write from which the server counts as under load. */
const LOAD_CHANGES = 100;

/** The minimum pause after a write under load, in ms. With a pause of 20 ms, the writes would take a tenth of the CPU time of small changes. */
const LOAD_PAUSE_MS = 500;

/** The minimum pause after a failed write, in ms. */
const RETRY_MS = 1_000;

/** The pause after a write, as a multiple of the duration of the write. With 10, the writes of a small file take at most a tenth of the time. */
const PAUSE_FACTOR = 10;

/** The maximum pause after a write that took long, in ms. So a change is in a large data file after a few seconds. */
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

  /** Calls a function when no write is running. Writes and other calls of this method wait until the promise of the function settles. */
  runExclusively<Result>(run: () => Promise<Result>): Promise<Result> {
    const result = this.#running.then(run);
    this.#running = result.catch(() => {});
    return result;
  }

  /** Writes all changes that exist at the time of the call, without waiting for the end of a pause. Rejects with the error of a failed write. */
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
