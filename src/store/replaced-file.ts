import { basename, dirname, join } from 'node:path';
import { tryOrUndefined } from '../util/try-or-undefined.ts';
import { createFileExclusively, type Disk, getSignature, isSymbolicLink, type Signature, writeAll } from './disk.ts';
import type { Logger } from './failure-log.ts';

/** The data file and what is needed to replace it. */
export interface FileContext {
  readonly path: string;
  readonly disk: Disk;
  readonly log: Pick<Logger, 'warn'>;
}

/**
 * A reference to a replaced file, which keeps it until it is examined: its second name or, on file systems without hard links, a file descriptor. For
 * a symbolic link that someone put in place of the file: its target.
 */
export type ReplacedFile = { readonly name: string } | { readonly descriptor: number } | { readonly target: string };

/** The mode of a file that only its owner can read and write. */
const PRIVATE_MODE = 0o600;

/** Error codes of file systems that do not support hard links, or no more of them for this file or user. */
const NO_LINKS: readonly unknown[] = ['EPERM', 'EACCES', 'EMLINK', 'ENOSYS', 'ENOTSUP', 'EOPNOTSUPP'];

/** Returns the temporary names beside the file at `path`. `processMark` distinguishes those of one process from those of others. */
export function createSiblingNames(path: string, processMark: string) {
  const start = join(dirname(path), getPrefix(path));
  return {
    /** The name of the new file. */
    new: `${start}new-${processMark}`,
    /** Returns the name of the old file, which contains the signature of its known content. */
    old: (signature: Signature) => `${start}old-${processMark}-${signature}`,
  };
}

function getPrefix(path: string): string {
  return `.${basename(path)}.storefront-`;
}

/** Keeps the current file, if there is one, as a hard link with the given name if possible. */
export function linkCurrentFile({ path, disk }: FileContext, name: string): ReplacedFile | undefined {
  try {
    // Some systems would link the target of the symbolic link.
    if (isSymbolicLink(disk, path)) return { target: disk.readLink(path) };
    createFileExclusively(disk, name, () => disk.link(path, name));
    return { name };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return undefined;
    if (NO_LINKS.includes(code)) return { descriptor: disk.open(path) };
    throw error;
  }
}

/** Releases the reference to a file without examining its content. */
export function releaseFile(disk: Disk, file: ReplacedFile): void {
  tryOrUndefined(() => {
    if ('name' in file) disk.remove(file.name);
    if ('descriptor' in file) disk.close(file.descriptor);
  });
}

/** Releases a replaced file. If its content is not the known content, someone edited it: the edit is saved beside the data file. */
export function unlinkReplacedFile(context: FileContext, file: ReplacedFile, known: Buffer): void {
  const { disk } = context;
  if ('target' in file) {
    saveLink(context, file.target);
    return;
  }
  const bytes = tryOrUndefined(() => readReplacedFile(disk, file));
  // If it can't be read now, the next start examines it.
  if (bytes === undefined && 'name' in file) return;
  const isEdited = bytes !== undefined && !(bytes instanceof Buffer && bytes.equals(known));
  if (isEdited && 'name' in file) saveByRename(context, file.name);
  else {
    if (isEdited) saveCopy(context, bytes);
    releaseFile(disk, file);
  }
}

/** Returns the content of a replaced file; `other` if it is not a regular file, since reading a pipe could block. */
function readReplacedFile(disk: Disk, file: Exclude<ReplacedFile, { target: string }>): Buffer | 'other' {
  if ('descriptor' in file) return disk.read(file.descriptor);
  return disk.linkStats(file.name)?.isFile() ? disk.read(file.name) : 'other';
}

/** Removes the temporary files of killed processes, but saves a replaced file that was edited and not examined. */
export function removeLeftovers(context: FileContext): void {
  const { path, disk } = context;
  const prefix = getPrefix(path);
  const names = tryOrUndefined(() => disk.list(dirname(path))) ?? [];
  for (const name of names.filter((name) => name.startsWith(prefix))) {
    const leftover = join(dirname(path), name);
    const knownSignature = /^old-[^-]*-(.*)$/.exec(name.slice(prefix.length))?.[1];
    tryOrUndefined(() => {
      if (knownSignature !== undefined && isEdited(disk, path, leftover, knownSignature))
        saveByRename(context, leftover);
      else disk.remove(leftover);
    });
  }
}

function isEdited(disk: Disk, path: string, leftover: string, knownSignature: Signature): boolean {
  const signature = getSignature(disk, leftover);
  // It can be a second name of the current file.
  return signature !== knownSignature && signature !== getSignature(disk, path);
}

function saveByRename(context: FileContext, oldName: string): void {
  const savedName = save(context, oldName, (name) => context.disk.rename(oldName, name));
  warnOfEdit(context, `is saved in ${savedName ?? oldName}`);
}

/** Writes an edit to a new file if the edited file has no name any more. */
function saveCopy(context: FileContext, bytes: Buffer | 'other'): void {
  const { path, disk } = context;
  const savedName = save(context, path, (name) => {
    const file = disk.create(name, PRIVATE_MODE);
    try {
      if (bytes !== 'other') writeAll(disk, file, bytes);
    } finally {
      disk.close(file);
    }
  });
  warnOfEdit(context, savedName === undefined ? 'is lost, since it could not be written' : `is saved in ${savedName}`);
}

function warnOfEdit({ path, log }: FileContext, result: string): void {
  log.warn(`${path} had an edit that was not loaded before it was replaced. The edit ${result}.`);
}

function saveLink(context: FileContext, target: string): void {
  const { path, disk, log } = context;
  const savedName = save(context, path, (name) => disk.makeLink(target, name));
  const saved = savedName === undefined ? '' : ` The link is saved in ${savedName}.`;
  log.warn(`${path} was a symbolic link to ${target} and was replaced by a file.${saved}`);
}

/** Calls `create` with an unused name that has the time of the file `timeOf`. Returns the name; undefined if that fails. */
function save({ path, disk }: FileContext, timeOf: string, create: (name: string) => void): string | undefined {
  return tryOrUndefined(() => {
    const name = createConflictName(disk, { path, label: 'conflict', timeOf });
    create(name);
    return name;
  });
}

/** Returns an unused name `PATH.LABEL-TIME`, where TIME is the modification time of the file `timeOf`, in seconds. */
export function createConflictName(
  disk: Disk,
  { path, label, timeOf }: { readonly path: string; readonly label: string; readonly timeOf: string },
): string {
  const time = disk.linkStats(timeOf)?.mtime.toISOString().slice(0, 19).replaceAll(':', '-');
  for (let number = 1; ; number++) {
    const name = `${path}.${label}-${time}${number === 1 ? '' : `-${number}`}`;
    if (!disk.linkStats(name)) return name;
  }
}
