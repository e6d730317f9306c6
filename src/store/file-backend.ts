import { type Adapter, Low } from 'lowdb';
import { type Backend, StateTooLargeError } from './backend.ts';
import { BackgroundWriter } from './background-writer.ts';
import { DataFileError, MAX_FILE_BYTES, type StateFile } from './data-file.ts';
import { describeDiskError, type FileDurability } from './disk.ts';
import type { DurableFile } from './durable-file.ts';
import { createEditReader, type Edit, type EditReaderOptions } from './edits.ts';
import { createFailureLog, type Logger } from './failure-log.ts';
import type { Lock } from './lock.ts';
import type { State } from './state.ts';
import { compareStates } from './state-change.ts';
import type { StateTexts } from './state-text.ts';
import { getLogPath, type WriteAheadLog } from './write-ahead-log.ts';

/** Options of a file backend. `path` contains no symbolic links, and its folder exists. */
export interface FileBackendOptions extends EditReaderOptions, StateFile {
  /** The lock of this process on the file. `close` releases the lock. */
  readonly lock: Lock;
  readonly durability: FileDurability;
  /** The content of a new file. */
  readonly defaults: State;
  readonly texts: StateTexts;
  /** The path of the contract, for the repair command in messages; undefined for the default contract. */
  readonly contract?: string | undefined;
  readonly log: Logger;
  /** Computes data that is derived from a state, such as search indexes, before requests use the state. */
  readonly prepare?: (state: State) => Promise<void>;
}

/** The open files of a backend, and the state at the start. */
interface OpenFiles {
  readonly file: DurableFile;
  readonly wal: WriteAheadLog;
  readonly state: State;
  /** An upper limit of the size of the text of the state, in bytes. */
  readonly maxBytes: number;
}

/** The maximum size of the write-ahead log, in bytes. The commit that exceeds it writes the data file. */
const MAX_LOG_BYTES = 16_000_000;

/** How long a commit may wait for the changes of other active clients, in ms. An fsync of a fast disk takes a third of it. */
const MAX_GATHER_MS = 1;

/**
 * Stores a state in a data file. A commit appends its change to the write-ahead log. Afterwards the data file is written in the background. A commit writes
 * the data file itself if it restores the default data, or if another program has changed or deleted the data file or the log.
 */
export class FileBackend implements Backend {
  readonly maxGatherMs = MAX_GATHER_MS;
  readonly #options: FileBackendOptions;
  readonly #file: DurableFile;
  readonly #wal: WriteAheadLog;
  readonly #database: Low<State>;
  readonly #writer: BackgroundWriter;
  readonly #readEdit: ReturnType<typeof createEditReader>;
  readonly #commitFailures: ReturnType<typeof createFailureLog>;
  readonly #writeFailures: ReturnType<typeof createFailureLog>;
  #maxBytes: number;

  constructor({ file, wal, state, maxBytes }: OpenFiles, options: FileBackendOptions) {
    this.#options = options;
    this.#file = file;
    this.#wal = wal;
    this.#maxBytes = maxBytes;
    this.#database = new Low(this.#createAdapter(), state);
    this.#writer = new BackgroundWriter({
      write: () => this.#writeFile(),
      countChanges: () => wal.changes,
      onError: (error) => this.#logWriteFailure(error),
    });
    this.#readEdit = createEditReader(options);
    this.#commitFailures = createFailureLog(options.log);
    this.#writeFailures = createFailureLog(options.log);
    this.#writer.schedule();
  }

  /** Creates the data file with the state at the start. */
  createFile(): Promise<void> {
    return this.#commitFile(this.#database.data);
  }

  async commit(next: State): Promise<void> {
    const { path, lock } = this.#options;
    try {
      await lock.renew();
      if (!(await this.#append(next))) await this.#writer.runExclusively(() => this.#commitFile(next));
      this.#commitFailures.logRecovery(`${path} can be written again.`);
    } catch (cause) {
      if (cause instanceof StateTooLargeError) throw cause;
      const reason = cause instanceof DataFileError ? cause : new Error(describeDiskError(cause), { cause });
      this.#commitFailures.logFailure(
        `${path} can't be written (${reason.message}). Changes return 503 until it can be written.`,
        reason,
      );
      throw reason;
    } finally {
      this.#writer.schedule();
    }
  }

  async findEdit(): Promise<State | undefined> {
    try {
      if (this.#file.hasFailedChange || this.#wal.hasFailed) await this.#writer.runExclusively(() => this.#writeFile());
      // The next write of the data file saves an edit beside it, because the edit does not contain the changes in the log.
      if (this.#wal.changes > 0 || !this.#file.isEdited()) return undefined;
      const edit = await this.#readEdit(this.#file.known);
      return edit && (await this.#loadEdit(edit));
    } catch (error) {
      // A disk error needs no warning: `findEdit` is called again before each commit, and the commit reports the error.
      const isDiskError = typeof (error as NodeJS.ErrnoException).code === 'string';
      if (!isDiskError)
        this.#options.log.warn(`${this.#options.path} can't be checked for edits: ${(error as Error).stack}`);
      return undefined;
    }
  }

  async flush(): Promise<void> {
    await this.#writer.flush().catch((cause) => {
      throw new Error(describeDiskError(cause), { cause });
    });
  }

  async close(): Promise<void> {
    await this.#writer.flush().catch((error) => this.#logWriteFailure(error));
    // Without the lock, the file can belong to another server.
    await this.#writer.stop();
    await this.#options.lock.release();
  }

  /** Appends the change to the write-ahead log. Resolves to false if the data file must be written instead. */
  async #append(next: State): Promise<boolean> {
    const { texts } = this.#options;
    const isPossible =
      !texts.getSource(next) &&
      this.#wal.bytes < MAX_LOG_BYTES &&
      !this.#file.hasFailedChange &&
      !this.#file.isEdited() &&
      this.#wal.canAppend();
    if (!isPossible) return false;
    const change = compareStates(this.#database.data, next);
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
      this.#maxBytes = this.#options.texts.getSource(next)?.printedBytes ?? this.#file.known.bytes;
    } catch (cause) {
      // lowdb does not restore its data if a write fails.
      this.#database.data = previous;
      throw cause;
    }
  }

  async #writeFile(): Promise<void> {
    const { path } = this.#options;
    const maxBytes = this.#maxBytes;
    await this.#database.write();
    // Commits during the write have increased the size.
    this.#maxBytes += this.#file.known.bytes - maxBytes;
    this.#writeFailures.logRecovery(`${path} can be written again.`);
  }

  /** Creates the lowdb adapter of the data file. Only `write` is used, because the file was read before. */
  #createAdapter(): Adapter<State> {
    const { texts } = this.#options;
    return {
      read: async () => null,
      write: (state) => this.#file.replace(texts.getPieces(state)),
    };
  }

  #logWriteFailure(error: unknown): void {
    const { path } = this.#options;
    const reason = error instanceof StateTooLargeError ? error.message : describeDiskError(error);
    this.#writeFailures.logFailure(
      `${path} can't be written (${reason}). Changes are stored in ${getLogPath(path)} until it can be written.`,
    );
  }

  /** Calls fsync for an edited file. Then replaces the state in memory by the state in the file, and returns it. */
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
