import { randomBytes } from 'node:crypto';
import { dirname } from 'node:path';
import { tryOrUndefined } from '../util/try-or-undefined.ts';
import { StateTooLargeError } from './backend.ts';
import { MAX_FILE_BYTES } from './data-file.ts';
import {
  createFileExclusively,
  type Disk,
  getSignature,
  type Signature,
  syncFolder,
  syncPath,
  writeNewFile,
} from './disk.ts';
import {
  createTemporaryNames,
  type FileContext,
  removeLeftovers,
  saveEditedContent,
  saveEditedFile,
  saveReplacedLink,
} from './edit-conflicts.ts';
import { refuseMountedFile, warnIfNotReplaceable } from './replaceable-file.ts';

/**
 * Whether a commit calls fsync. `disk`: a commit calls fsync, so committed changes survive a power cut. `os`: a commit does not call fsync. Committed
 * changes survive the end of the process, but not a power cut.
 */
export type FileDurability = 'disk' | 'os';

/** The content of a file and its signature. */
export interface Content {
  readonly bytes: Buffer;
  readonly signature: Signature;
}

/** Options of a durable file. */
interface DurableFileOptions extends FileContext {
  readonly durability: FileDurability;
  /** The current content; undefined if the file does not exist. */
  readonly content: Content | undefined;
}

/**
 * A reference to a replaced file. `name`: the name of a hard link to the file. `descriptor`: a file descriptor, on file systems without hard links.
 * `target`: the target of a symbolic link, if another program had replaced the data file by a symbolic link.
 */
type ReplacedFile = { readonly name: string } | { readonly descriptor: number } | { readonly target: string };

/** The error codes of file systems without hard links, and of a file with the maximum number of hard links. */
const NO_HARD_LINKS: readonly unknown[] = ['EPERM', 'EACCES', 'EMLINK', 'ENOSYS', 'ENOTSUP', 'EOPNOTSUPP'];

const TOO_LARGE = `the data file would be larger than ${MAX_FILE_BYTES / 1e6} MB. Delete data, restore the default data with POST /_control/sandboxes/default/reset, or edit the file`;

/**
 * A file whose content is always replaced as a whole. The file contains either the old or the new content at any time, even after a crash or a power
 * cut. A replacement does not change the owner and the mode of the file. The steps of a replacement:
 *
 * 1. Write the new content to a temporary file in the same folder, and call fsync for it.
 * 2. Create a hard link to the current file, so that its content can be read after step 3.
 * 3. Rename the temporary file over the current file.
 * 4. Call fsync for the folder: without it, a power cut can undo the rename. If this fails, rename the old file back.
 * 5. Read the old file. If another program has edited it, save it as `NAME.conflict-TIME` and log a warning. Otherwise delete it.
 */
export class DurableFile {
  /** The content that this process last wrote or loaded. If the file has another content, another program has edited it. */
  known: Content;
  readonly #options: DurableFileOptions;
  readonly #names: ReturnType<typeof createTemporaryNames>;
  #hasFailedChange = false;

  /**
   * Opens the file at `path`. Deletes temporary files of processes that were killed. Logs a warning if a replacement would fail now. Throws
   * `DataFileError`, and changes nothing, if a replacement would always fail.
   */
  constructor(options: DurableFileOptions) {
    this.#options = options;
    // Uses random bytes and not the process id, because two containers that share a folder can both be process 1.
    this.#names = createTemporaryNames(options.path, randomBytes(6).toString('hex'));
    this.known = options.content ?? { bytes: Buffer.alloc(0), signature: '' };
    refuseMountedFile(options, this.#names.new);
    removeLeftovers(options);
    warnIfNotReplaceable(options, this.#names.new);
  }

  /** Whether the file contains a change whose `replace` call failed and could not be rolled back. If true, the caller must call `replace` again. */
  get hasFailedChange(): boolean {
    return this.#hasFailedChange;
  }

  /** Whether another program has changed the file since this process last wrote or loaded it. */
  isEdited(): boolean {
    return getSignature(this.#options.disk, this.#options.path) !== this.known.signature;
  }

  /** Replaces the content. If the promise rejects, the file has its old content, except if `hasFailedChange` is true. A new call repeats all steps. */
  async replace(bytes: Buffer): Promise<void> {
    const { known } = this;
    const next = await this.#writeTemporaryFile(bytes);
    const old = this.#renameOver(this.#names.new, next, known);
    try {
      await this.#syncFolder();
    } catch (error) {
      await this.#rollBack(next, old).catch(() => {
        // The client gets an error, but the file contains the change. Without the new value of `known`, the change would count as an edit.
        this.known = next;
        this.#hasFailedChange = true;
        const { path, log } = this.#options;
        log.warn(
          `${path} contains a change whose request failed with an error. The change could not be rolled back yet. The server will try again.`,
        );
      });
      throw error;
    }
    this.known = next;
    if (old) deleteOrSave(this.#options, old, known.bytes);
    // A failed rollback has left its old file in the folder.
    if (this.#hasFailedChange) removeLeftovers(this.#options);
    this.#hasFailedChange = false;
  }

  /** Makes the current content durable, even if another program wrote it: calls fsync for the file and its folder. Does nothing with the durability `os`. */
  async sync(): Promise<void> {
    const { path, disk, durability } = this.#options;
    if (durability !== 'disk' || !disk.stats(path)?.isFile()) return;
    await syncPath(disk, path);
    await this.#syncFolder();
  }

  async #syncFolder(): Promise<void> {
    const { path, disk, durability } = this.#options;
    if (durability === 'disk') await syncFolder(disk, dirname(path));
  }

  /** Step 1. Throws `StateTooLargeError` if the content exceeds the size limit. */
  async #writeTemporaryFile(bytes: Buffer): Promise<Content> {
    if (bytes.length > MAX_FILE_BYTES) throw new StateTooLargeError(TOO_LARGE);
    const { path, disk, durability } = this.#options;
    const name = this.#names.new;
    return { bytes, signature: await writeNewFile(disk, { path, name, bytes, isSynced: durability === 'disk' }) };
  }

  /**
   * Steps 2 and 3: renames the file `from` over the current file. `next` and `current` are the expected contents of these two files. Returns a reference
   * to the replaced file; undefined if there was no file.
   */
  #renameOver(from: string, next: Content, current: Content): ReplacedFile | undefined {
    const { path, disk } = this.#options;
    let old: ReplacedFile | undefined;
    try {
      old = linkFile(this.#options, this.#names.old(current.signature));
      // No `await` between these two calls: if another program renames a file to `path` between them, that file is lost.
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

  /** Restores the old file after a failed step 4, unless another program has already replaced the new file. Rejects if a file system call fails. */
  async #rollBack(next: Content, old: ReplacedFile | undefined): Promise<void> {
    const { path, disk } = this.#options;
    const signature = tryOrUndefined(() => getSignature(disk, path));
    if (signature !== undefined && signature !== next.signature) {
      if (old) deleteOrSave(this.#options, old, this.known.bytes);
      return;
    }
    const replaced = old ? await this.#restore(next, old) : this.#renameNewFile(next);
    if (replaced) deleteOrSave(this.#options, replaced, next.bytes);
    await this.#syncFolder().catch(() => {
      // The fsync of the folder failed again. A power cut can leave either the old or the new file, but each of them is complete.
    });
  }

  /** Renames the old file over the new file. If the reference to the old file is not a hard link, first writes the old content to a temporary file. */
  async #restore(next: Content, old: ReplacedFile): Promise<ReplacedFile | undefined> {
    if ('name' in old) return this.#renameOver(old.name, this.known, next);
    try {
      this.known = await this.#writeTemporaryFile(this.known.bytes);
      return this.#renameOver(this.#names.new, this.known, next);
    } finally {
      deleteOrSave(this.#options, old, this.known.bytes);
    }
  }

  /** Renames the new file to a temporary name. Used if there was no old file. */
  #renameNewFile({ signature }: Content): ReplacedFile {
    const name = this.#names.old(signature);
    this.#options.disk.rename(this.#options.path, name);
    return { name };
  }
}

/** Step 2: creates a hard link to the file at `path`, or another reference if a hard link is not possible. Returns undefined if the file does not exist. */
function linkFile({ path, disk }: FileContext, name: string): ReplacedFile | undefined {
  try {
    // On some systems, `link` creates a hard link to the target of a symbolic link.
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

/** Step 5: deletes a replaced file if it has the expected content. Otherwise saves the file, because another program has edited it. */
function deleteOrSave(context: FileContext, file: ReplacedFile, expected: Buffer): void {
  const { disk } = context;
  if ('target' in file) saveReplacedLink(context, file.target);
  else if ('descriptor' in file) {
    const bytes = tryOrUndefined(() => disk.read(file.descriptor));
    if (bytes && !bytes.equals(expected)) saveEditedContent(context, bytes);
    releaseFile(disk, file);
  } else {
    const isExpected = tryOrUndefined(() => hasContent(disk, file.name, expected));
    if (isExpected === true) releaseFile(disk, file);
    else if (isExpected === false) saveEditedFile(context, file.name);
    // If `isExpected` is undefined, the file can't be read now. The next start reads it.
  }
}

function hasContent(disk: Disk, name: string, expected: Buffer): boolean {
  // Reading a pipe could block.
  return disk.linkStats(name)?.isFile() === true && disk.read(name).equals(expected);
}

/** Deletes the hard link to a replaced file, or closes its descriptor. Ignores errors. */
function releaseFile(disk: Disk, file: ReplacedFile): void {
  tryOrUndefined(() => {
    if ('name' in file) disk.remove(file.name);
    if ('descriptor' in file) disk.close(file.descriptor);
  });
}
