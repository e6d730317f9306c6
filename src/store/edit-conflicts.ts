import { basename, dirname, join } from 'node:path';
import { tryOrUndefined } from '../util/try-or-undefined.ts';
import { type Disk, getSignature, type Signature, writeAll } from './disk.ts';

/** A data file, the disk that contains it, and the log for warnings about the file. */
export interface FileContext {
  readonly path: string;
  readonly disk: Disk;
  readonly log: { warn(message: string): void };
}

/** The mode of a file that only its owner can read and write. */
const PRIVATE_MODE = 0o600;

/**
 * Returns the names of the temporary files in the folder of a data file.
 * `path`: the path of the data file.
 * `processId`: a text that no other process uses.
 */
export function createTemporaryNames(path: string, processId: string) {
  const start = join(dirname(path), getPrefix(path));
  return {
    /** The name of the file with the new content. */
    new: `${start}new-${processId}`,
    /**
     * Returns the name for a hard link to a data file that is about to be replaced.
     * `signature`: the signature of the content that this process last wrote or loaded.
     * If the file has another signature, another program has edited it.
     */
    old: (signature: Signature) => `${start}old-${processId}-${signature}`,
  };
}

function getPrefix(path: string): string {
  return `.${basename(path)}.storefront-`;
}

/**
 * Deletes the temporary files of processes that were killed.
 * Keeps an old data file that another program had edited: renames it to `NAME.conflict-TIME`.
 */
export function removeLeftovers(context: FileContext): void {
  const { path, disk } = context;
  const prefix = getPrefix(path);
  const names = tryOrUndefined(() => disk.list(dirname(path))) ?? [];
  for (const name of names.filter((name) => name.startsWith(prefix))) {
    const leftover = join(dirname(path), name);
    const knownSignature = /^old-[^-]*-(.*)$/.exec(name.slice(prefix.length))?.[1];
    tryOrUndefined(() => {
      if (knownSignature !== undefined && isEdited(disk, path, leftover, knownSignature))
        saveEditedFile(context, leftover);
      else disk.remove(leftover);
    });
  }
}

function isEdited(disk: Disk, path: string, leftover: string, knownSignature: Signature): boolean {
  const signature = getSignature(disk, leftover);
  // A temporary file with the signature of the data file is a second hard link to the data file.
  return signature !== knownSignature && signature !== getSignature(disk, path);
}

/**
 * Saves an old data file that contains an edit by another program: renames it to `NAME.conflict-TIME`, and logs a
 * warning.
 */
export function saveEditedFile(context: FileContext, oldName: string): void {
  const savedName = createConflictFile(context, oldName, (name) => context.disk.rename(oldName, name));
  warnOfEdit(context, `is saved in ${savedName ?? oldName}`);
}

/**
 * Saves an edit of the data file by another program: writes the edited content to `NAME.conflict-TIME`, and logs a
 * warning.
 * Used if there is no hard link to the edited file that could be renamed.
 */
export function saveEditedContent(context: FileContext, bytes: Buffer): void {
  const savedName = createConflictFile(context, context.path, (name) => writeFile(context.disk, name, bytes));
  warnOfEdit(context, savedName === undefined ? 'is lost, since it could not be written' : `is saved in ${savedName}`);
}

function writeFile(disk: Disk, name: string, bytes: Buffer): void {
  const file = disk.create(name, PRIVATE_MODE);
  try {
    writeAll(disk, file, bytes);
  } finally {
    disk.close(file);
  }
}

/**
 * Saves an unusable write-ahead log: writes its content to `NAME.wal.conflict-TIME`.
 * Returns the name of the new file.
 * Throws if the file can't be written.
 */
export function saveLog(disk: Disk, path: string, bytes: Buffer): string {
  const name = createConflictName(disk, { path, label: 'conflict', timeSource: path });
  writeFile(disk, name, bytes);
  return name;
}

function warnOfEdit({ path, log }: FileContext, result: string): void {
  log.warn(`Another program edited ${path} just before the server replaced it. The edit ${result}.`);
}

/**
 * Saves a symbolic link that a data file has replaced.
 * Creates the symbolic link `NAME.conflict-TIME` with the same target, and logs a warning.
 */
export function saveReplacedLink(context: FileContext, target: string): void {
  const { path, disk, log } = context;
  const savedName = createConflictFile(context, path, (name) => disk.makeLink(target, name));
  const saved = savedName === undefined ? '' : ` The link is saved in ${savedName}.`;
  log.warn(`${path} was a symbolic link to ${target} and was replaced by a file.${saved}`);
}

/**
 * Calls `create` with an unused name `PATH.conflict-TIME`.
 * TIME is the modification time of the file `timeSource`.
 * Returns the name, or undefined if `create` throws.
 */
function createConflictFile(
  { path, disk }: FileContext,
  timeSource: string,
  create: (name: string) => void,
): string | undefined {
  return tryOrUndefined(() => {
    const name = createConflictName(disk, { path, label: 'conflict', timeSource });
    create(name);
    return name;
  });
}

/**
 * Returns an unused name `PATH.LABEL-TIME`, for example `db.json.conflict-2026-01-31T12-00-00`.
 * TIME is the modification time of the file `timeSource`.
 */
export function createConflictName(
  disk: Disk,
  { path, label, timeSource }: { readonly path: string; readonly label: string; readonly timeSource: string },
): string {
  const time = disk.linkStats(timeSource)?.mtime.toISOString().slice(0, 19).replaceAll(':', '-');
  for (let number = 1; ; number++) {
    const name = `${path}.${label}-${time}${number === 1 ? '' : `-${number}`}`;
    if (!disk.linkStats(name)) return name;
  }
}
