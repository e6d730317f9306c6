import { basename, dirname, join } from 'node:path';
import { tryOrUndefined } from '../util/try-or-undefined.ts';
import { type Disk, getSignature, type Signature, writeAll } from './disk.ts';

/** A data file, its disk, and the log for warnings about the file. */
export interface FileContext {
  readonly path: string;
  readonly disk: Disk;
  readonly log: { warn(message: string): void };
}

/** The mode of a file that only its owner can read and write. */
const PRIVATE_MODE = 0o600;

/** Returns the names of the temporary files beside the data file at `path`. `processId` is unique to this process. */
export function createTemporaryNames(path: string, processId: string) {
  const start = join(dirname(path), getPrefix(path));
  return {
    /** The name of the file with the new content. */
    new: `${start}new-${processId}`,
    /**
     * Returns the name of the hard link to a replaced file. The name contains the signature of the content that this process last wrote or loaded. If
     * the file has another signature, another program has edited it.
     */
    old: (signature: Signature) => `${start}old-${processId}-${signature}`,
  };
}

function getPrefix(path: string): string {
  return `.${basename(path)}.storefront-`;
}

/**
 * Deletes the temporary files of processes that were killed. Does not delete a replaced file with an edit by another program, but renames it to a
 * conflict file.
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
  // A leftover with the signature of the data file is another hard link to the data file.
  return signature !== knownSignature && signature !== getSignature(disk, path);
}

/** Renames an edited file to the name of a conflict file. */
export function saveEditedFile(context: FileContext, oldName: string): void {
  const savedName = createConflictFile(context, oldName, (name) => context.disk.rename(oldName, name));
  warnOfEdit(context, `is saved in ${savedName ?? oldName}`);
}

/** Writes the content of an edited file to a conflict file. Used if there is no hard link to the file that could be renamed. */
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

/** Saves the content of a write-ahead log that can't be used. Returns the name of the new file. Throws if the file can't be written. */
export function saveLog(disk: Disk, path: string, bytes: Buffer): string {
  const name = createConflictName(disk, { path, label: 'conflict', timeSource: path });
  writeFile(disk, name, bytes);
  return name;
}

function warnOfEdit({ path, log }: FileContext, result: string): void {
  log.warn(`Another program edited ${path} just before the server replaced it. The edit ${result}.`);
}

/** Creates a conflict file for a symbolic link that was replaced: a link to the same target. */
export function saveReplacedLink(context: FileContext, target: string): void {
  const { path, disk, log } = context;
  const savedName = createConflictFile(context, path, (name) => disk.makeLink(target, name));
  const saved = savedName === undefined ? '' : ` The link is saved in ${savedName}.`;
  log.warn(`${path} was a symbolic link to ${target} and was replaced by a file.${saved}`);
}

/** Calls `create` with an unused name that contains the modification time of the file `timeSource`. Returns the name; undefined if `create` fails. */
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

/** Returns an unused name `PATH.LABEL-TIME`. TIME is the modification time of the file `timeSource`, to the second. */
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
