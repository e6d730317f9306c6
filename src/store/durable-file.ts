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
  type SiblingNames,
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

/** A file that is replaced atomically and as a whole, without losing what others write to it. */
export interface DurableFile {
  /** Returns the content that this process last wrote or loaded. */
  known(): Content;
  /** Marks an edit as loaded. */
  setKnown(content: Content): void;
  /** Whether the file contains a change that failed and could not be rolled back. It must be replaced again. */
  isAhead(): boolean;
  /**
   * Replaces the content. If it rejects, the file has its previous content, and the next call starts from scratch. If the replaced content was not
   * known, it is saved beside the file as `NAME.conflict-TIME`, with a warning.
   */
  replace(bytes: Buffer): Promise<void>;
  /** Resolves when the current content is durable, whoever wrote it. */
  sync(): Promise<void>;
}

/** The state of an open durable file. */
interface OpenFile {
  readonly options: DurableFileOptions;
  readonly names: SiblingNames;
  known: Content;
  isAhead: boolean;
}

/**
 * Opens the file at `path` for replacement, with its mode and owner preserved. Removes leftovers of killed processes and warns about what would
 * prevent a replacement. Throws `DataFileError`, without any change, if the file can never be replaced.
 *
 * A replacement writes a new file beside the current one and calls fsync, keeps a link to the current file, renames the new file over it, and calls
 * fsync for the folder, without which a power cut can undo the rename. If that fails, the old file is renamed back. At last the old file is unlinked,
 * unless its content is not the known one: then someone edited it meanwhile.
 */
export function openDurableFile(options: DurableFileOptions): DurableFile {
  const file: OpenFile = {
    options,
    // Not the process id: two containers that share a folder can both be process 1.
    names: createSiblingNames(options.path, randomBytes(6).toString('hex')),
    known: options.content ?? { bytes: Buffer.alloc(0), signature: '' },
    isAhead: false,
  };
  if (isMountedFile(options, file.names.new)) throw new DataFileError(`${options.path} ${SINGLE_FILE_MOUNT}`);
  removeLeftovers(options);
  warnIfNotReplaceable(options, file.names.new);
  return {
    known: () => file.known,
    setKnown(content) {
      file.known = content;
    },
    isAhead: () => file.isAhead,
    replace: (bytes) => replace(file, bytes),
    sync: () => syncFile(options),
  };
}

async function replace(file: OpenFile, bytes: Buffer): Promise<void> {
  const { options, names, known } = file;
  const next = await writeNewFile(options, names.new, bytes);
  const old = renameOver(file, { from: names.new, next, current: known });
  try {
    await syncDirectory(options);
  } catch (error) {
    await rollBack(file, next, old).catch(() => {
      // The file has a change that was never acknowledged. Until it is replaced again, that is not an edit.
      file.known = next;
      file.isAhead = true;
      options.warn(`${options.path} contains a change that failed with an error and could not be rolled back yet.`);
    });
    throw error;
  }
  file.known = next;
  if (old) unlinkReplacedFile(options, old, known.bytes);
  // A failed rollback left its old file behind.
  if (file.isAhead) removeLeftovers(options);
  file.isAhead = false;
}

/** Contents of a rename: the file `from` contains `next` and replaces the one that is known to contain `current`. */
interface Rename {
  readonly from: string;
  readonly next: Content;
  readonly current: Content;
}

/** Renames a file over the current one and returns a reference to the replaced file; undefined if there was none. */
function renameOver({ options, names }: OpenFile, { from, next, current }: Rename): ReplacedFile | undefined {
  const { path, disk } = options;
  let old: ReplacedFile | undefined;
  try {
    old = linkCurrentFile(options, names.old(current.signature));
    // Nothing may happen between these two steps: a file that someone renames to `path` in between is lost.
    disk.rename(from, path);
  } catch (error) {
    // A network file system can report an error for a rename that succeeded.
    if (tryOrUndefined(() => getSignature(disk, path)) === next.signature) return old;
    if (old) releaseFile(disk, old);
    tryOrUndefined(() => disk.remove(names.new));
    throw error;
  }
  return old;
}

async function syncDirectory({ path, disk, durability }: DurableFileOptions): Promise<void> {
  if (durability === 'disk') await syncFolder(disk, dirname(path));
}

async function syncFile(options: DurableFileOptions): Promise<void> {
  const { path, disk, durability } = options;
  if (durability !== 'disk' || !disk.stats(path)?.isFile()) return;
  await syncPath(disk, path);
  await syncDirectory(options);
}

/** Restores the old file, unless someone has replaced the new one meanwhile. Throws if that fails. */
async function rollBack(file: OpenFile, next: Content, old: ReplacedFile | undefined): Promise<void> {
  const { options, known } = file;
  const signature = tryOrUndefined(() => getSignature(options.disk, options.path));
  if (signature !== undefined && signature !== next.signature) {
    if (old) unlinkReplacedFile(options, old, known.bytes);
    return;
  }
  const replaced = old ? await restore(file, next, old) : moveAside(file, next);
  if (replaced) unlinkReplacedFile(options, replaced, next.bytes);
  await syncDirectory(options).catch(() => {
    // The fsync that caused the rollback failed too. Either file can survive a power cut, but neither is torn.
  });
}

/** Renames the old file over the one that replaced it; writes it again if it has no name any more. */
async function restore(file: OpenFile, next: Content, old: ReplacedFile): Promise<ReplacedFile | undefined> {
  if ('name' in old) return renameOver(file, { from: old.name, next: file.known, current: next });
  try {
    file.known = await writeNewFile(file.options, file.names.new, file.known.bytes);
    return renameOver(file, { from: file.names.new, next: file.known, current: next });
  } finally {
    unlinkReplacedFile(file.options, old, file.known.bytes);
  }
}

/** Renames a file that was created where none was. */
function moveAside({ options, names }: OpenFile, { signature }: Content): ReplacedFile {
  const name = names.old(signature);
  options.disk.rename(options.path, name);
  return { name };
}
