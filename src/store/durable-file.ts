import { randomBytes } from 'node:crypto';
import { dirname } from 'node:path';
import { tryOrUndefined } from '../util/try-or-undefined.ts';
import { createTooLargeError } from './backend.ts';
import { MAX_FILE_BYTES } from './data-file.ts';
import { createFileExclusively, type Disk, getSignature, syncFolder, syncPath, toSignature } from './disk.ts';
import {
  createTemporaryNames,
  type FileContext,
  removeLeftovers,
  saveEditedContent,
  saveEditedFile,
  saveReplacedLink,
} from './edit-conflicts.ts';
import {
  type Content,
  hashBytes,
  hashFile,
  isMountedFile,
  overwriteFile,
  warnIfLogNotCreatable,
  warnIfNotReplaceable,
  writeNewFile,
} from './file-content.ts';
import type { WriteAheadLog } from './write-ahead-log.ts';

/** Options of a durable file. */
interface DurableFileOptions extends FileContext {
  /** The current content; undefined if the file does not exist. */
  readonly content: Content | undefined;
  /** The write-ahead log: the changes that the file does not contain yet. */
  readonly wal: WriteAheadLog;
}

/**
 * Yields `pieces` unchanged.
 * Throws an `insufficient-storage` problem as soon as their total size exceeds the limit for a data file.
 */
function* limitSize(pieces: Iterable<Buffer>): Generator<Buffer> {
  let bytes = 0;
  for (const piece of pieces) {
    bytes += piece.length;
    if (bytes > MAX_FILE_BYTES) throw createTooLargeError(TOO_LARGE);
    yield piece;
  }
}

/** The content of a missing file. */
const NO_CONTENT: Content = { hash: '', bytes: 0, signature: '' };

const TOO_LARGE = `the data file would be larger than ${MAX_FILE_BYTES / 1e6} MB. Delete data, restore the default data with POST /_control/sandboxes/default/reset, or edit the file`;

/**
 * A file whose content is always replaced as a whole.
 * Even after a crash or a power cut, the file contains either the old or the new content.
 * A replacement keeps the owner and the mode of the file.
 * The steps of a replacement:
 *
 * 1. Write the new content to a temporary file in the same folder, and call fsync for it.
 * 2. Append the hash of the new content to the write-ahead log.
 *    After a crash, the hash shows whether the file contains the changes above this line of the log.
 * 3. Create a hard link to the current file, so that its content can be read after step 4.
 * 4. Rename the temporary file over the current file.
 * 5. Call fsync for the folder, because without it a power cut can undo the rename.
 *    If the call fails, rename the old file back.
 * 6. Delete the write-ahead log if the file contains all changes in the log.
 * 7. Read the old content through the hard link.
 *    If the server did not write this content, another program has edited the file: rename the hard link to
 *    `NAME.conflict-TIME` and log a warning.
 *    Otherwise delete the hard link.
 *
 * A file that is a mount point, as with `docker run -v ./db.json:/app/db.json`, can't be replaced by a rename.
 * The server first writes the new content to the write-ahead log, and then overwrites the file (`overwriteFile`).
 */
export class DurableFile {
  /**
   * The content that this process last wrote or loaded.
   * If the file has other content, another program has edited it.
   */
  known: Content;
  readonly #options: DurableFileOptions;
  readonly #names: ReturnType<typeof createTemporaryNames>;
  readonly #isMount: boolean;
  /** The content that a running replacement writes; undefined if no replacement is running. */
  #next: Content | undefined;
  /**
   * Whether a `replace` call has failed and its change could not be rolled back.
   * The file then contains this change, and the caller must call `replace` again.
   */
  hasFailedChange = false;

  /**
   * Opens the file at `path`.
   * Deletes the temporary files of processes that were killed.
   * Logs a warning if the file can't be replaced at the moment.
   */
  constructor(options: DurableFileOptions) {
    this.#options = options;
    // Uses random bytes and not the process id, because two containers that share a folder can both be process 1.
    this.#names = createTemporaryNames(options.path, randomBytes(6).toString('hex'));
    this.known = options.content ?? NO_CONTENT;
    this.#isMount = isMountedFile(options, this.#names.new);
    removeLeftovers(options);
    const warn = this.#isMount ? warnIfLogNotCreatable : warnIfNotReplaceable;
    warn(options, this.#names.new);
  }

  /** Returns whether another program has changed the file since this process last wrote or loaded it. */
  isEdited(): boolean {
    const signature = toSignature(this.#options.disk.linkStats(this.#options.path));
    return signature !== this.known.signature && signature !== this.#next?.signature;
  }

  /**
   * Replaces the content of the file.
   * If the promise rejects, the file has its old content, or `hasFailedChange` is true.
   * The caller can then call `replace` again.
   */
  async replace(pieces: Iterable<Buffer>): Promise<void> {
    const { wal } = this.#options;
    const { changes } = wal;
    const replaced = this.#isMount ? await this.#overwrite(pieces, changes) : await this.#rename(pieces, changes);
    wal.clear(changes);
    await replaced?.deleteOrSave();
    // After a failed rollback, the old file is still in the folder under a temporary name.
    if (this.hasFailedChange) removeLeftovers(this.#options);
    this.hasFailedChange = false;
  }

  /**
   * Replaces the file by a rename.
   * `changes`: how many changes of the write-ahead log the new content contains.
   * Call `deleteOrSave` of the result afterwards: it deletes the old file, or saves it if another program has edited
   * it.
   */
  async #rename(pieces: Iterable<Buffer>, changes: number): Promise<{ deleteOrSave(): Promise<void> }> {
    const { known } = this;
    const next = await this.#writeTemporaryFile(pieces);
    await this.#options.wal.addCheckpoint({ file: next.hash, changes }, known.hash).catch((error) => {
      tryOrUndefined(() => this.#options.disk.remove(this.#names.new));
      throw error;
    });
    this.#next = next;
    try {
      const old = this.#renameOver(this.#names.new, next, known);
      await this.#syncFolder().catch((error) => this.#rollBackAndThrow(next, old, error));
      this.known = next;
      return { deleteOrSave: async () => old && deleteOrSave(this.#options, old, known) };
    } catch (error) {
      if (this.known !== next) await this.#options.wal.removeCheckpoint();
      throw error;
    } finally {
      this.#next = undefined;
    }
  }

  async #rollBackAndThrow(next: Content, old: ReplacedFile | undefined, error: unknown): Promise<never> {
    await this.#rollBack(next, old).catch(() => {
      // The client gets an error, but the file contains the change.
      // If `known` kept its old value, the change would look like an edit by another program.
      this.known = next;
      this.hasFailedChange = true;
      const { path, log } = this.#options;
      log.warn(
        `A request failed, but its change is stored in ${path}. The change could not be rolled back yet. The server will try again.`,
      );
    });
    throw error;
  }

  /**
   * Overwrites a file that can't be replaced by a rename.
   * After a crash during the write, the next start restores the new content from the write-ahead log.
   */
  async #overwrite(pieces: Iterable<Buffer>, changes: number): Promise<undefined> {
    const { path, disk, wal } = this.#options;
    const bytes = Buffer.concat([...limitSize(pieces)]);
    await wal.addCheckpoint({ file: hashBytes(bytes), changes, text: bytes.toString() }, this.known.hash);
    if (this.isEdited()) saveEditedContent(this.#options, disk.read(path));
    // If the write fails, the file can contain a part of the new content, so the caller must write it again.
    this.hasFailedChange = true;
    this.known = await overwriteFile(disk, path, bytes);
  }

  /**
   * Calls fsync for the file and its folder, so that the current content is durable even if another program wrote it.
   */
  async sync(): Promise<void> {
    const { path, disk } = this.#options;
    if (!disk.stats(path)?.isFile()) return;
    await syncPath(disk, path);
    await this.#syncFolder();
  }

  async #syncFolder(): Promise<void> {
    const { path, disk } = this.#options;
    await syncFolder(disk, dirname(path));
  }

  /**
   * Writes the new content to a temporary file, and calls fsync for this file.
   * Throws an `insufficient-storage` problem if the content exceeds the size limit.
   */
  #writeTemporaryFile(pieces: Iterable<Buffer>): Promise<Content> {
    const { path, disk } = this.#options;
    const file = { path, name: this.#names.new, pieces: limitSize(pieces) };
    return writeNewFile(disk, file);
  }

  /**
   * Creates a hard link to the current file, and renames the file `from` over the current file.
   * `next`: the content of `from`.
   * `current`: the expected content of the current file.
   * Returns a reference to the replaced file, or undefined if there was no file.
   */
  #renameOver(from: string, next: Content, current: Content): ReplacedFile | undefined {
    const { path, disk } = this.#options;
    let old: ReplacedFile | undefined;
    try {
      old = linkFile(this.#options, this.#names.old(current.signature));
      // There is no `await` between these two calls: an edit that another program renames to `path` between them would
      // be lost.
      disk.rename(from, path);
    } catch (error) {
      // A network file system can report an error for a rename that succeeded.
      if (tryOrUndefined(() => getSignature(disk, path)) === next.signature) return old;
      if (old) releaseFile(disk, old);
      tryOrUndefined(() => disk.remove(this.#names.new));
      throw error;
    }
    return old;
  }

  /**
   * Restores the old file after the fsync of the folder has failed.
   * Does not restore it if another program has already replaced the new file.
   * Rejects if a file system call fails.
   */
  async #rollBack(next: Content, old: ReplacedFile | undefined): Promise<void> {
    const { path, disk } = this.#options;
    const signature = tryOrUndefined(() => getSignature(disk, path));
    if (signature !== undefined && signature !== next.signature) {
      if (old) await deleteOrSave(this.#options, old, this.known);
      return;
    }
    const replaced = old ? await this.#restore(next, old) : this.#renameNewFile(next);
    if (replaced) await deleteOrSave(this.#options, replaced, next);
    await this.#syncFolder().catch(() => {
      // The fsync of the folder failed again.
      // After a power cut, the folder has either the old or the new file, and each of them is complete.
    });
  }

  /**
   * Renames the old file over the new file.
   * If the old file has no hard link, first writes the old content to a temporary file.
   */
  async #restore(next: Content, old: ReplacedFile): Promise<ReplacedFile | undefined> {
    if ('name' in old) return this.#renameOver(old.name, this.known, next);
    if ('target' in old) {
      this.#options.disk.makeLink(old.target, this.#names.new);
      return this.#renameOver(this.#names.new, this.known, next);
    }
    try {
      const restored = await this.#writeTemporaryFile([this.#options.disk.read(old.descriptor)]);
      // If another program has edited the old file, the restored file must count as edited, too.
      if (restored.hash === this.known.hash) this.known = restored;
      return this.#renameOver(this.#names.new, restored, next);
    } finally {
      releaseFile(this.#options.disk, old);
    }
  }

  /** Undoes the creation of the file: renames it to a temporary name. Returns a reference to the renamed file. */
  #renameNewFile({ signature }: Content): ReplacedFile {
    const name = this.#names.old(signature);
    this.#options.disk.rename(this.#options.path, name);
    return { name };
  }
}

/**
 * A reference through which the content of a replaced data file can still be read.
 * `name`: the name of a hard link to the file.
 * `descriptor`: an open file descriptor, if hard links are not possible.
 * `target`: the target of the symbolic link, if the replaced file was a symbolic link.
 */
type ReplacedFile = { readonly name: string } | { readonly descriptor: number } | { readonly target: string };

/**
 * Error codes for a hard link that is not possible: the file system supports no hard links, or the file has too many.
 */
const NO_HARD_LINKS: readonly unknown[] = ['EPERM', 'EACCES', 'EMLINK', 'ENOSYS', 'ENOTSUP', 'EOPNOTSUPP'];

/**
 * Creates a hard link with the name `name` to the file at `path`.
 * If a hard link is not possible, creates another reference to the file.
 * Returns undefined if the file does not exist.
 */
function linkFile({ path, disk }: FileContext, name: string): ReplacedFile | undefined {
  try {
    // On some systems, the hard link would lead to the target of the symbolic link.
    if (disk.linkStats(path)?.isSymbolicLink()) return { target: disk.readLink(path) };
    createFileExclusively(disk, name, () => disk.link(path, name));
    return { name };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return undefined;
    if (NO_HARD_LINKS.includes(code)) return { descriptor: disk.open(path) };
    throw error;
  }
}

/**
 * Deletes a replaced file if it has the expected content.
 * Otherwise, another program has edited the file: saves it as `NAME.conflict-TIME`.
 */
async function deleteOrSave(context: FileContext, file: ReplacedFile, expected: Content): Promise<void> {
  const { disk } = context;
  if ('target' in file) return saveReplacedLink(context, file.target);
  try {
    if ('descriptor' in file) {
      if ((await hashFile(disk, file.descriptor)) !== expected.hash)
        saveEditedContent(context, disk.read(file.descriptor));
    } else if (!(await hasContent(disk, file.name, expected))) return saveEditedFile(context, file.name);
  } catch {
    // The file can't be read now. If it has a hard link, the next start checks it again.
    if ('name' in file) return;
  }
  releaseFile(disk, file);
}

async function hasContent(disk: Disk, name: string, { hash }: Content): Promise<boolean> {
  // Reading a pipe could block.
  if (disk.linkStats(name)?.isFile() !== true) return false;
  const descriptor = disk.open(name);
  try {
    return (await hashFile(disk, descriptor)) === hash;
  } finally {
    disk.close(descriptor);
  }
}

/** Releases the reference to a replaced file: deletes its hard link, or closes its descriptor. Ignores errors. */
function releaseFile(disk: Disk, file: ReplacedFile): void {
  tryOrUndefined(() => {
    if ('name' in file) disk.remove(file.name);
    if ('descriptor' in file) disk.close(file.descriptor);
  });
}
