import { type Adapter, Low } from 'lowdb';
import { type Backend, FailureLog, getExceededLimit, type Logger } from './backend.ts';
import { isDataFileError, MAX_FILE_BYTES, type StateFile } from './data-file.ts';
import { describeDiskError } from './disk.ts';
import type { DurableFile } from './durable-file.ts';
import { createEditReader, type Edit, type EditReaderOptions } from './file-content.ts';
import type { Lock } from './lock.ts';
import type { State } from './state.ts';
import { compareStates, countInserted, countNew, type StateTexts } from './state-change.ts';
import { getLogPath, type WriteAheadLog } from './write-ahead-log.ts';

/** Options of a file backend. `path` contains no symbolic links, and its folder exists. */
export interface FileBackendOptions extends EditReaderOptions, StateFile {
  /** The lock of this process on the data file. `close` releases it. */
  readonly lock: Lock;
  /** The state for a new data file. */
  readonly defaults: State;
  readonly texts: StateTexts;
  /**
   * The path of the contract file, for the command `storefront repair` in error messages.
   * Undefined for the contract that ships with the package.
   */
  readonly contract?: string | undefined;
  readonly log: Logger;
  /**
   * Computes data derived from a state, such as a search index.
   * Called after an edit of the data file, before requests use the new state.
   */
  readonly prepare?: (state: State) => Promise<void>;
}

/** The data file, the write-ahead log, and the state that the two contain when the server starts. */
interface OpenFiles {
  readonly file: DurableFile;
  readonly wal: WriteAheadLog;
  readonly state: State;
  /** An upper limit for the size of the state as JSON, in bytes. */
  readonly maxBytes: number;
}

/** The maximum size of the write-ahead log, in bytes. A commit writes the data file if the log is larger. */
const MAX_LOG_BYTES = 16_000_000;

/**
 * The maximum number of new entries that a commit appends to the log.
 * `MAX_LOGGED`: the maximum number of entries from the first to the last changed entry.
 * Converting so many entries to one line takes a few ms.
 * A commit that exceeds a limit writes the data file in pieces instead.
 */
const MAX_LOGGED_NEW = 1_000;
const MAX_LOGGED = 10_000;

/**
 * The maximum time for which a commit waits for the changes of other active clients, in ms.
 * It is about three times the duration of an fsync on a fast disk.
 */
const MAX_GATHER_MS = 1;

/**
 * Stores a state in a data file.
 * A commit appends its change to the write-ahead log, and the data file is written later in the background.
 * A commit writes the data file immediately if it restores the default data or has many new entries.
 * It also does so if the log is full, or if another program has changed the data file or the log.
 */
export class FileBackend implements Backend {
  readonly maxGatherMs = MAX_GATHER_MS;
  readonly #options: FileBackendOptions;
  readonly #file: DurableFile;
  readonly #wal: WriteAheadLog;
  readonly #database: Low<State>;
  readonly #writer: BackgroundWriter;
  readonly #readEdit: ReturnType<typeof createEditReader>;
  readonly #commitFailures: FailureLog;
  readonly #writeFailures: FailureLog;
  #maxBytes: number;

  constructor({ file, wal, state, maxBytes }: OpenFiles, options: FileBackendOptions) {
    this.#options = options;
    this.#file = file;
    this.#wal = wal;
    this.#maxBytes = maxBytes;
    this.#database = new Low(this.#createAdapter(), state);
    this.#writer = new BackgroundWriter({
      write: () => this.#writeFile(),
      log: wal,
      onError: (error) => this.#logWriteFailure(error),
    });
    this.#readEdit = createEditReader(options);
    this.#commitFailures = new FailureLog(options.log);
    this.#writeFailures = new FailureLog(options.log);
    this.#writer.schedule();
  }

  /** Creates the data file with the initial state. */
  createFile(): Promise<void> {
    return this.#commitFile(this.#database.data);
  }

  async commit(next: State): Promise<void> {
    const { path, lock } = this.#options;
    try {
      await lock.renew();
      if (!(await this.#append(next))) await this.#writer.runExclusively(() => this.#commitFile(next));
      if (this.#commitFailures.lastMessage !== undefined)
        this.#commitFailures.logRecovery(`${path} can be written again.`);
    } catch (cause) {
      if (getExceededLimit(cause) !== undefined) throw cause;
      const reason = isDataFileError(cause) ? cause : new Error(describeDiskError(cause), { cause });
      this.#commitFailures.logFailure(
        `${path} can't be written (${reason.message}). Requests that change data get 503 until it can be written.`,
        reason,
      );
      throw reason;
    } finally {
      this.#writer.schedule();
    }
  }

  async findEdit(): Promise<State | undefined> {
    try {
      if (this.#needsWrite) await this.#writer.runExclusively(() => this.#repeatFailedWrite());
      // An edit does not contain the changes in the log, so it can't be loaded.
      // The next write of the data file saves the edit as `NAME.conflict-TIME`.
      if (this.#wal.changes > 0 || !this.#file.isEdited()) return undefined;
      const edit = await this.#readEdit(this.#file.known);
      return edit && (await this.#loadEdit(edit));
    } catch (error) {
      // A disk error needs no warning here. A commit calls `findEdit` first, and then reports the same error itself.
      const isDiskError = typeof (error as NodeJS.ErrnoException).code === 'string';
      if (!isDiskError)
        this.#options.log.warn(`${this.#options.path} can't be checked for edits: ${(error as Error).stack}`);
      return undefined;
    }
  }

  /** Whether a write has failed. Also true during a write that overwrites the file. */
  get #needsWrite(): boolean {
    return this.#file.hasFailedChange || this.#wal.hasFailed;
  }

  /** Writes the file if a write has failed, and no later one has succeeded. */
  async #repeatFailedWrite(): Promise<void> {
    if (this.#needsWrite) await this.#writeFile();
  }

  async flush(): Promise<void> {
    await this.#writer.flush().catch((cause) => {
      throw new Error(describeDiskError(cause), { cause });
    });
  }

  async close(): Promise<void> {
    await this.#writer.flush().catch((error) => this.#logWriteFailure(error));
    // When the lock is released, another server can open the file, so all writes must have ended.
    await this.#writer.stop();
    await this.#options.lock.release();
  }

  /**
   * Appends the change from the current state to `next` to the write-ahead log.
   * Resolves to false if the data file must be written instead.
   */
  async #append(next: State): Promise<boolean> {
    const { texts } = this.#options;
    const isPossible =
      !texts.sources.has(next) &&
      this.#wal.bytes < MAX_LOG_BYTES &&
      !this.#file.hasFailedChange &&
      !this.#file.isEdited() &&
      this.#wal.canAppend();
    if (!isPossible) return false;
    const change = compareStates(this.#database.data, next);
    const inserted = countInserted(change);
    if (inserted > MAX_LOGGED) return false;
    if (inserted > MAX_LOGGED_NEW && countNew(this.#database.data, change) > MAX_LOGGED_NEW) return false;
    const maxBytes = this.#maxBytes + texts.measureChange(change);
    if (maxBytes > MAX_FILE_BYTES) return false;
    await this.#wal.append(change, this.#file.known.hash, () => {
      this.#database.data = next;
      this.#maxBytes = maxBytes;
    });
    return true;
  }

  async #commitFile(next: State): Promise<void> {
    const previous = this.#database.data;
    this.#database.data = next;
    try {
      await this.#database.write();
      this.#maxBytes = this.#options.texts.sources.get(next)?.printedBytes ?? this.#file.known.bytes;
    } catch (cause) {
      // After a failed write, lowdb still has the new data.
      this.#database.data = previous;
      throw cause;
    }
  }

  async #writeFile(): Promise<void> {
    const { path } = this.#options;
    const maxBytes = this.#maxBytes;
    await this.#database.write();
    // The size can have increased during the write, because of other commits.
    this.#maxBytes += this.#file.known.bytes - maxBytes;
    this.#writeFailures.logRecovery(`${path} can be written again.`);
  }

  /** Creates the lowdb adapter for the data file. Its `read` is not used, because the file has already been read. */
  #createAdapter(): Adapter<State> {
    const { texts } = this.#options;
    return {
      read: async () => null,
      write: (state) => this.#file.replace(texts.getPieces(state)),
    };
  }

  #logWriteFailure(error: unknown): void {
    const { path } = this.#options;
    const reason = getExceededLimit(error) ?? describeDiskError(error);
    this.#writeFailures.logFailure(
      `${path} can't be written (${reason}). Changes are stored in ${getLogPath(path)} until it can be written.`,
    );
  }

  /**
   * Loads an edited data file: calls fsync for the file, and replaces the state in memory with the state in the file.
   * Returns the new state, or undefined if the state has not changed.
   */
  async #loadEdit({ content, printedBytes, state }: Edit): Promise<State | undefined> {
    const { path, log, prepare } = this.#options;
    if (state) {
      await this.#file.sync();
      await prepare?.(state);
      this.#database.data = state;
      log.info(`${path} was edited: the server uses the new content.`);
    }
    this.#file.known = content;
    this.#maxBytes = printedBytes;
    return state;
  }
}

/** The minimum pause after a write with fewer than 100 changes, in ms. */
const MIN_PAUSE_MS = 20;

/** A write with at least this number of changes is followed by the longer pause `LOAD_PAUSE_MS`. */
const LOAD_CHANGES = 100;

/**
 * The minimum pause after a write with 100 or more changes, in ms.
 * With a pause of 20 ms, a server under load would spend a tenth of its CPU time on writes.
 */
const LOAD_PAUSE_MS = 500;

/** The minimum pause after a failed write, in ms. */
const RETRY_MS = 1_000;

/**
 * A pause lasts this many times as long as the write before it.
 * So the server spends at most a tenth of its time writing a small file.
 */
const PAUSE_FACTOR = 10;

/** The maximum pause after a write, in ms. So even a large data file contains a change after a few seconds. */
const MAX_PAUSE_MS = 2_000;

/** Options of a background writer. */
interface BackgroundWriterOptions {
  /** Writes all changes that exist at the time of the call. */
  readonly write: () => Promise<void>;
  /** The log. `changes`: the number of changes that are not written yet. */
  readonly log: { readonly changes: number };
  /** Called after a failed write. The writer tries again later. */
  readonly onError: (error: unknown) => void;
}

/** Writes changes to a file in the background: one write at a time, with a pause after each write. */
class BackgroundWriter {
  readonly #options: BackgroundWriterOptions;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<unknown> = Promise.resolve();
  #nextStartMs = 0;
  #isStopped = false;

  constructor(options: BackgroundWriterOptions) {
    this.#options = options;
  }

  /**
   * Schedules a write if there are unwritten changes.
   * The write starts immediately, or when the pause after the last write ends.
   */
  schedule(): void {
    if (this.#isStopped || this.#timer || this.#options.log.changes === 0) return;
    this.#timer = setTimeout(() => this.#write(), Math.max(0, this.#nextStartMs - performance.now())).unref();
  }

  /**
   * Calls `run` when no write is running.
   * Writes and other calls of this method wait until the promise of `run` settles.
   */
  runExclusively<Result>(run: () => Promise<Result>): Promise<Result> {
    const result = this.#running.then(run);
    this.#running = result.catch(() => {});
    return result;
  }

  /** Writes all pending changes now, even during the pause between two writes. Rejects if the write fails. */
  flush(): Promise<void> {
    return this.runExclusively(async () => {
      if (this.#options.log.changes > 0) await this.#options.write();
    });
  }

  /** Stops the background writes. Resolves when the running write has ended. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    await this.#running;
  }

  async #write(): Promise<void> {
    const { write, log, onError } = this.#options;
    await this.runExclusively(async () => {
      const { changes } = log;
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
