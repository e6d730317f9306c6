import { randomBytes } from 'node:crypto';
import { dirname } from 'node:path';
import { tryOrUndefined } from '../util/try-or-undefined.ts';
import { DataFileError } from './data-file.ts';
import { getSignature, syncFolder, syncPath } from './disk.ts';
import { type Content, type FileDurability, isMountedFile, warnIfNotReplaceable, writeNewFile } from './new-file.ts';
import {
  createSiblingNames,
  type FileContext,
  linkCurrentFile,
  type ReplacedFile,
  releaseFile,
  removeLeftovers,
  unlinkReplacedFile,
} from './replaced-file.ts';

const SINGLE_FILE_MOUNT =
  'is a mount of a single file, so changes could not be stored. Mount its folder instead (docker run -v ./data:/app/data, with --data data/db.json), or keep the state in memory with --durability memory.';

/** Options of a durable file. */
interface DurableFileOptions extends FileContext {
  readonly durability: FileDurability;
  /** The current content; undefined if the file does not exist. */
  readonly content: Content | undefined;
}

/**
 * A file that is replaced atomically and as a whole, without losing what others write to it. Its mode and owner are preserved.
 *
 * A replacement writes a new file beside the current one and calls fsync, keeps a link to the current file, renames the new file over it, and calls
 * fsync for the folder, without which a power cut can undo the rename. If that fails, the old file is renamed back. At last the old file is unlinked,
 * unless its content is not the known one: then someone edited it meanwhile.
 */
export class DurableFile {
  /** The content that this process last wrote or loaded. */
  known: Content;
  readonly #options: DurableFileOptions;
  readonly #names: ReturnType<typeof createSiblingNames>;
  #isAhead = false;

  /**
   * Opens the file at `path`. Removes leftovers of killed processes and warns about what would prevent a replacement. Throws `DataFileError`, without
   * any change, if the file can never be replaced.
   */
  constructor(options: DurableFileOptions) {
    this.#options = options;
    // Not the process id: two containers that share a folder can both be process 1.
    this.#names = createSiblingNames(options.path, randomBytes(6).toString('hex'));
    this.known = options.content ?? { bytes: Buffer.alloc(0), signature: '' };
    if (isMountedFile(options, this.#names.new)) throw new DataFileError(`${options.path} ${SINGLE_FILE_MOUNT}`);
    removeLeftovers(options);
    warnIfNotReplaceable(options, this.#names.new);
  }

  /** Whether the file contains a change that failed and could not be rolled back. It must be replaced again. */
  get isAhead(): boolean {
    return this.#isAhead;
  }

  /**
   * Replaces the content. If it rejects, the file has its previous content, and the next call starts from scratch. If the replaced content was not
   * known, it is saved beside the file as `NAME.conflict-TIME`, with a warning.
   */
  async replace(bytes: Buffer): Promise<void> {
    const { known } = this;
    const options = this.#options;
    const next = await writeNewFile(options, this.#names.new, bytes);
    const old = this.#renameOver(this.#names.new, next, known);
    try {
      await this.#syncFolder();
    } catch (error) {
      await this.#rollBack(next, old).catch(() => {
        // The file has a change that was never acknowledged. Until it is replaced again, that is not an edit.
        this.known = next;
        this.#isAhead = true;
        options.log.warn(
          `${options.path} contains a change that failed with an error and could not be rolled back yet.`,
        );
      });
      throw error;
    }
    this.known = next;
    if (old) unlinkReplacedFile(options, old, known.bytes);
    // A failed rollback left its old file behind.
    if (this.#isAhead) removeLeftovers(options);
    this.#isAhead = false;
  }

  /** Resolves when the current content is durable, whoever wrote it. */
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

  /**
   * Renames the file `from`, which contains `next`, over the one that is known to contain `current`. Returns a reference to the replaced file;
   * undefined if there was none.
   */
  #renameOver(from: string, next: Content, current: Content): ReplacedFile | undefined {
    const { path, disk } = this.#options;
    let old: ReplacedFile | undefined;
    try {
      old = linkCurrentFile(this.#options, this.#names.old(current.signature));
      // Nothing may happen between these two steps: a file that someone renames to `path` in between is lost.
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

  /** Restores the old file, unless someone has replaced the new one meanwhile. Throws if that fails. */
  async #rollBack(next: Content, old: ReplacedFile | undefined): Promise<void> {
    const { path, disk } = this.#options;
    const signature = tryOrUndefined(() => getSignature(disk, path));
    if (signature !== undefined && signature !== next.signature) {
      if (old) unlinkReplacedFile(this.#options, old, this.known.bytes);
      return;
    }
    const replaced = old ? await this.#restore(next, old) : this.#moveAside(next);
    if (replaced) unlinkReplacedFile(this.#options, replaced, next.bytes);
    await this.#syncFolder().catch(() => {
      // The fsync that caused the rollback failed too. Either file can survive a power cut, but neither is torn.
    });
  }

  /** Renames the old file over the one that replaced it; writes it again if it has no name any more. */
  async #restore(next: Content, old: ReplacedFile): Promise<ReplacedFile | undefined> {
    if ('name' in old) return this.#renameOver(old.name, this.known, next);
    try {
      this.known = await writeNewFile(this.#options, this.#names.new, this.known.bytes);
      return this.#renameOver(this.#names.new, this.known, next);
    } finally {
      unlinkReplacedFile(this.#options, old, this.known.bytes);
    }
  }

  /** Renames a file that was created where none was. */
  #moveAside({ signature }: Content): ReplacedFile {
    const name = this.#names.old(signature);
    this.#options.disk.rename(this.#options.path, name);
    return { name };
  }
}
