/** The minimum pause after a write, in ms. */
const MIN_PAUSE_MS = 20;

/** The smallest number of changes in one write that counts as load. */
const LOAD_CHANGES = 100;

/** The minimum pause under load, in ms. With the shorter one, writes would take a tenth of the CPU time of small changes. */
const LOAD_PAUSE_MS = 500;

/** The minimum pause after a failed write, in ms. */
const RETRY_MS = 1_000;

/** The length of the pause after a write, as a multiple of the duration of the write: writing a small file takes a tenth of the time at most. */
const PAUSE_FACTOR = 10;

/** The maximum length of the pause, in ms: a large file contains a change within a few seconds. */
const MAX_PAUSE_MS = 2_000;

/** Options of a background writer. */
interface BackgroundWriterOptions {
  /** Writes all changes that are known when it is called. */
  readonly write: () => Promise<void>;
  /** Returns the number of changes that are not written yet. */
  readonly countChanges: () => number;
  /** Called after a failed write. The writer tries again later. */
  readonly onError: (error: unknown) => void;
}

/** Writes in the background, one write at a time, with pauses. */
export class BackgroundWriter {
  readonly #options: BackgroundWriterOptions;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<unknown> = Promise.resolve();
  #nextStartMs = 0;
  #isStopped = false;

  constructor(options: BackgroundWriterOptions) {
    this.#options = options;
  }

  /** Starts a write if one is needed: immediately, or when the pause after the last write ends. */
  schedule(): void {
    if (this.#isStopped || this.#timer || this.#options.countChanges() === 0) return;
    this.#timer = setTimeout(() => this.#write(), Math.max(0, this.#nextStartMs - performance.now())).unref();
  }

  /** Calls a function while nothing else is running here. */
  runExclusively<Result>(run: () => Promise<Result>): Promise<Result> {
    const result = this.#running.then(run);
    this.#running = result.catch(() => {});
    return result;
  }

  /** Writes now, without a pause. Resolves when all changes that were known at the call are written. Rejects with the error of a failed write. */
  flush(): Promise<void> {
    return this.runExclusively(async () => {
      if (this.#options.countChanges() > 0) await this.#options.write();
    });
  }

  /** Ends the writes in the background. Resolves when nothing is running here. */
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
