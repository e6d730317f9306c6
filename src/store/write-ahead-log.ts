import { dirname } from 'node:path';
import { crc32 } from 'node:zlib';
import { tryOrError, tryOrUndefined } from '../util/try-or-undefined.ts';
import { copyOwnerAndMode, getMode, syncFolder, writeAll } from './disk.ts';
import type { FileContext } from './edit-conflicts.ts';
import type { State } from './state.ts';
import { applyChanges, type StateChange } from './state-change.ts';

/** Returns the path of the write-ahead log of a data file. */
export function getLogPath(path: string): string {
  return `${path}.wal`;
}

/** Options of a write-ahead log. `path`: the path of the data file to which the log belongs. */
interface WriteAheadLogOptions extends FileContext {}

/** An open log file. */
interface LogFile {
  readonly descriptor: number;
  readonly inode: bigint;
}

/**
 * The position of a checkpoint line in the write-ahead log, in bytes.
 * `checksum`: the checksum of the line before the checkpoint.
 */
interface CheckpointPlace {
  readonly startBytes: number;
  readonly endBytes: number;
  readonly checksum: number;
}

/**
 * A file beside the data file, with the changes that the data file does not contain yet.
 * A commit appends its change, which takes the same time for a small and for a large data file.
 * The log exists only while there are such changes.
 * After a crash, the next start applies the changes in the log to the state.
 */
export class WriteAheadLog {
  /** The number of changes in the log. */
  changes = 0;
  /** The size of the log file, in bytes. */
  bytes = 0;
  /**
   * Whether writing or deleting the log has failed.
   * If true, no line can be appended until `clear` succeeds, and a commit must replace the data file.
   */
  hasFailed = false;
  readonly #options: WriteAheadLogOptions;
  readonly #path: string;
  #file: LogFile | undefined;
  #checksum = NO_CHECKSUM;
  #checkpoint: CheckpointPlace | undefined;
  #lastWrite: Promise<unknown> = Promise.resolve();
  #pendingWrites = 0;

  constructor(options: WriteAheadLogOptions) {
    this.#options = options;
    this.#path = getLogPath(options.path);
  }

  /**
   * Returns whether a line can be appended: no append has failed, and no other program has changed, created or deleted
   * the log.
   */
  canAppend(): boolean {
    if (this.hasFailed) return false;
    try {
      const stats = this.#options.disk.linkStats(this.#path);
      return stats?.ino === this.#file?.inode && Number(stats?.size ?? 0) === this.bytes;
    } catch {
      // The log can't be read. The commit then writes the data file, and reports the error if that fails too.
      return false;
    }
  }

  /**
   * Opens the log that a killed process left, and removes an incomplete line at its end.
   * Sets `hasFailed` if a file system call fails.
   */
  reopen({ lines, bytes, checksum }: ParsedLog): void {
    const { disk } = this.#options;
    this.changes = lines.filter((line) => 'change' in line).length;
    try {
      disk.truncate(this.#path, bytes);
      this.#open(disk.openToAppend(this.#path));
      [this.bytes, this.#checksum] = [bytes, checksum];
    } catch {
      this.hasFailed = true;
    }
  }

  /**
   * Appends the change of a commit to the log, adds 1 to `changes`, and then calls `onAppended`.
   * `base`: the hash of the current data file.
   * If the promise rejects, the log does not contain the change.
   */
  async append(change: StateChange, base: string, onAppended: () => void): Promise<void> {
    await this.#write([{ change }], base);
    this.changes++;
    onAppended();
  }

  /**
   * Appends `checkpoint` to the log, before a new data file replaces the current one.
   * `base`: the hash of the current data file.
   * Appends nothing if the log has no changes and `checkpoint` has no `text`.
   * Rejects if the append fails and a recovery after a crash would need the line.
   * Ignores the failure otherwise.
   */
  async addCheckpoint(checkpoint: LogCheckpoint, base: string): Promise<void> {
    const isNecessary = checkpoint.text !== undefined || this.changes > checkpoint.changes;
    if (!isNecessary && this.changes === 0) return;
    try {
      if (!this.canAppend()) throw new Error(`${this.#path} was changed by another program`);
      await this.#write([checkpoint], base);
    } catch (error) {
      if (isNecessary) throw error;
    }
  }

  /**
   * Removes the checkpoint line of a failed replacement, if it is the last line of the log.
   * Otherwise, the next start could conclude that the replacement has succeeded: the current data file can have the
   * same hash, for example after a failed reset.
   * A checkpoint with lines after it is harmless.
   * It belongs to a write in the background, whose file contains exactly the changes before the checkpoint.
   */
  async removeCheckpoint(): Promise<void> {
    const { disk } = this.#options;
    const checkpoint = this.#checkpoint;
    this.#checkpoint = undefined;
    if (!checkpoint || !this.#file || this.#pendingWrites > 0 || this.bytes !== checkpoint.endBytes) return;
    // Another program has truncated or extended the log. To truncate a shorter file would fill it with zeros.
    if (!this.canAppend()) return;
    try {
      disk.truncate(this.#file.descriptor, checkpoint.startBytes);
      [this.bytes, this.#checksum] = [checkpoint.startBytes, checkpoint.checksum];
      await disk.sync(this.#file.descriptor);
    } catch {
      this.#close();
      this.hasFailed = true;
    }
  }

  /**
   * Deletes the log if the data file contains all changes of the log.
   * `changes`: how many changes of the log the data file contains.
   */
  clear(changes: number): void {
    const { disk } = this.#options;
    const isCurrent = this.changes <= changes && this.#pendingWrites === 0;
    if (!isCurrent || (!this.#file && !this.hasFailed)) return;
    this.#close();
    [this.changes, this.bytes, this.#checksum] = [0, 0, NO_CHECKSUM];
    this.hasFailed = tryOrError(Error, () => disk.remove(this.#path)) !== undefined;
  }

  /**
   * Appends lines to the log, after the lines of earlier calls.
   * Creates the log if it does not exist.
   * `base`: the hash of the current data file.
   */
  #write(lines: readonly LogLine[], base: string): Promise<void> {
    this.#pendingWrites++;
    const write = this.#lastWrite
      .then(() => this.#writeNow(lines, base))
      .finally(() => {
        this.#pendingWrites--;
      });
    this.#lastWrite = write.catch(() => {});
    return write;
  }

  async #writeNow(lines: readonly LogLine[], base: string): Promise<void> {
    const { disk, path } = this.#options;
    const [startBytes, checksum, isNew] = [this.bytes, this.#checksum, !this.#file];
    try {
      const { descriptor } = this.#file ?? this.#create();
      let text = '';
      for (const line of isNew ? [{ base }, ...lines] : lines) {
        const formatted = formatLine(line, this.#checksum);
        this.#checksum = formatted.checksum;
        text += formatted.text;
      }
      const bytes = Buffer.from(text);
      writeAll(disk, descriptor, bytes);
      this.bytes += bytes.length;
      if (lines.some((line) => 'file' in line)) this.#checkpoint = { startBytes, endBytes: this.bytes, checksum };
      await Promise.all([disk.sync(descriptor), isNew ? syncFolder(disk, dirname(path)) : undefined]);
    } catch (error) {
      this.#undoWrite(startBytes);
      throw error;
    }
  }

  /** Creates the log file. It gets the owner and mode of the data file. */
  #create(): LogFile {
    const { disk, path } = this.#options;
    const dataFile = disk.stats(path);
    const file = this.#open(disk.create(this.#path, getMode(dataFile)));
    if (dataFile) copyOwnerAndMode(disk, file.descriptor, dataFile);
    return file;
  }

  #open(descriptor: number): LogFile {
    // Sets the descriptor before the next call, so that `#undoWrite` closes it if that call fails.
    this.#file = { descriptor, inode: 0n };
    this.#file = { descriptor, inode: this.#options.disk.statsOfOpen(descriptor).ino };
    return this.#file;
  }

  /**
   * Removes the lines of a failed write from the log.
   * Closes the descriptor: after a failed fsync, the next fsync of the same descriptor can succeed without writing
   * anything.
   */
  #undoWrite(startBytes: number): void {
    const { disk, path, log } = this.#options;
    const isNew = startBytes === 0;
    this.bytes = startBytes;
    if (isNew && !this.#file) return;
    this.#close();
    const error = tryOrError(Error, () => (isNew ? disk.remove(this.#path) : disk.truncate(this.#path, startBytes)));
    this.hasFailed = !isNew || error !== undefined;
    if (isNew) this.#checksum = NO_CHECKSUM;
    if (error)
      log.warn(
        `A request failed, but its change is stored in ${this.#path}. The change could not be rolled back yet. The server will try again when it writes ${path}.`,
      );
  }

  #close(): void {
    const { disk } = this.#options;
    if (this.#file) tryOrUndefined(() => disk.close(this.#file?.descriptor ?? 0));
    this.#file = undefined;
  }
}

/** The first line of a write-ahead log. `base`: the hash of the data file to which the changes of the log apply. */
interface LogHeader {
  readonly base: string;
}

/** A line of a write-ahead log with the change of one commit. */
interface LogChange {
  readonly change: StateChange;
}

/**
 * A line of the write-ahead log that says: the data file is about to get new content.
 * `file`: the hash of the new content.
 * `changes`: how many changes of the log are part of the new content.
 * `text`: the new content itself, only if the server must overwrite the data file in place.
 */
interface LogCheckpoint {
  readonly file: string;
  readonly changes: number;
  readonly text?: string;
}

/** A line of a write-ahead log, as parsed from its JSON. */
type LogLine = LogHeader | LogChange | LogCheckpoint;

/**
 * A formatted line of a write-ahead log, and its checksum.
 * The checksum of the next line is computed from this checksum.
 */
interface FormattedLine {
  readonly text: string;
  readonly checksum: number;
}

/** The previous checksum for the first line of a write-ahead log, which has no previous line. */
const NO_CHECKSUM = 0;

const CHECKSUM_LENGTH = 8;

/**
 * Formats a line of a write-ahead log: a checksum in hexadecimal, a space, and the line as JSON.
 * The checksum is the CRC-32 of the JSON.
 * The CRC-32 starts from the checksum of the previous line, so that a line from another log is detected.
 */
function formatLine(line: LogLine, previousChecksum: number): FormattedLine {
  const json = JSON.stringify(line);
  const checksum = crc32(json, previousChecksum);
  return { text: `${checksum.toString(16).padStart(CHECKSUM_LENGTH, '0')} ${json}\n`, checksum };
}

/** The result of parsing a write-ahead log: the valid lines at its start. */
export interface ParsedLog {
  readonly lines: readonly LogLine[];
  /** The total size of the valid lines, in bytes. */
  readonly bytes: number;
  /** The checksum of the last valid line. */
  readonly checksum: number;
  /**
   * Whether a complete line of the log is invalid.
   * An incomplete last line is not damage, because an interrupted write leaves such a line.
   */
  readonly isDamaged: boolean;
}

/** Parses a write-ahead log up to the first invalid line. Never throws. */
export function parseLog(content: Buffer): ParsedLog {
  const lines: LogLine[] = [];
  let [bytes, checksum] = [0, NO_CHECKSUM];
  for (;;) {
    const end = content.indexOf('\n', bytes);
    const parsed = end === -1 ? undefined : parseLine(content.toString('utf8', bytes, end), checksum);
    if (!parsed) return { lines, bytes, checksum, isDamaged: end !== -1 };
    lines.push(parsed.line);
    [bytes, checksum] = [end + 1, parsed.checksum];
  }
}

function parseLine(text: string, previousChecksum: number) {
  const json = text.slice(CHECKSUM_LENGTH + 1);
  const checksum = crc32(json, previousChecksum);
  if (Number.parseInt(text.slice(0, CHECKSUM_LENGTH), 16) !== checksum) return undefined;
  const line = tryOrUndefined(() => JSON.parse(json) as LogLine);
  return line && { line, checksum };
}

/**
 * Applies the changes of a write-ahead log to the state of its data file.
 * Returns the new state, or undefined if the log belongs to another data file.
 * Skips the changes that the data file already contains.
 * `hash`: the hash of the data file.
 * `state`: the state in the data file.
 */
export function replayLog(
  lines: readonly LogLine[],
  { hash, state }: { readonly hash: string; readonly state: State },
): State | undefined {
  const contained = countContainedChanges(lines, hash);
  if (contained === undefined) return undefined;
  const changes = lines.flatMap((line) => ('change' in line ? [line.change] : []));
  return applyChanges(state, changes.slice(contained));
}

/**
 * Returns how many changes of a write-ahead log a data file already contains.
 * Returns undefined if the log belongs to another data file.
 * `hash`: the hash of the data file.
 */
function countContainedChanges(lines: readonly LogLine[], hash: string): number | undefined {
  const counts = lines.flatMap((line) => {
    if ('file' in line) return line.file === hash ? [line.changes] : [];
    return 'base' in line && line.base === hash ? [0] : [];
  });
  return counts.at(-1);
}
