import { tryOrUndefined } from '../util/try-or-undefined.ts';
import { createDataFileError, isDataFileError, print, readState, type StateFile } from './data-file.ts';
import { resolveDataPath } from './data-path.ts';
import { createDefaultDataReader, type DefaultDataSource } from './default-data.ts';
import { type Disk, describeDiskError, getMode, getSignature, machineDisk, writeAll } from './disk.ts';
import { DurableFile } from './durable-file.ts';
import { createConflictName, type FileContext } from './edit-conflicts.ts';
import { hashBytes } from './file-content.ts';
import { lockFile } from './lock.ts';
import { getLogPath, WriteAheadLog } from './write-ahead-log.ts';

/** Options for repairing a data file. */
interface RepairOptions extends DefaultDataSource, Pick<StateFile, 'check'>, Pick<FileContext, 'log'> {
  /** The path of the data file. */
  readonly data: string;
  /** The file system calls. Default: the calls for the disk of this machine. */
  readonly disk?: Disk;
}

/**
 * Replaces an invalid data file with the default data.
 * Saves the invalid content beside it as `NAME.broken-TIME`.
 * Does not change a valid file.
 * Returns a message for the user.
 * Throws a `UserError` if the repair fails; the content of the file is not lost.
 */
export async function repairDataFile(options: RepairOptions): Promise<string> {
  const { data, check, log, disk = machineDisk } = options;
  const { state, text = print(state) } = createDefaultDataReader({ ...options, disk, keepsText: true }).read();
  const path = await resolveDataPath(disk, data);
  const lock = await lockFile(path, () => undefined);
  try {
    if (isValid({ path, disk, check })) return `${path} is valid. Nothing was changed.`;
    const wal = new WriteAheadLog({ path, disk, log });
    const file = new DurableFile({ path, disk, content: undefined, log, wal });
    const backup = createBackup(disk, path);
    if (backup?.content) file.known = backup.content;
    await file.replace([Buffer.from(text)]).catch((cause) => {
      throw undoBackup(disk, path, backup, cause);
    });
    const subject = backup ? path : `${path} did not exist. It`;
    return `${subject} contains the default data now.${describeBackup(backup)}${moveLog(disk, path)}`;
  } catch (cause) {
    if (isDataFileError(cause)) throw cause;
    throw createDataFileError(`${path} can't be repaired (${describeDiskError(cause)}).`, { cause });
  } finally {
    await lock.release();
  }
}

/**
 * Renames the write-ahead log of an invalid data file to `NAME.wal.broken-TIME`.
 * Returns a sentence with the new name, or an empty string if there is no log.
 */
function moveLog(disk: Disk, path: string): string {
  const logPath = getLogPath(path);
  if (!disk.linkStats(logPath)) return '';
  const name = createConflictName(disk, { path: logPath, label: 'broken', timeSource: logPath });
  disk.rename(logPath, name);
  return ` The write-ahead log was renamed to ${name}.`;
}

/**
 * Returns whether a file contains a valid state.
 * Throws a `UserError` if the file contains a valid state of another contract.
 */
function isValid(file: StateFile): boolean {
  const otherContractRemedy =
    'Nothing was changed. Name the contract of this data with --contract FILE, or move the file to another folder';
  try {
    return readState({ ...file, remedy: '', otherContractRemedy }) !== undefined;
  } catch (error) {
    // The data of another contract is not damaged, so it must not be replaced.
    if (!isDataFileError(error) || error.reason === 'other-contract') throw error;
    return false;
  }
}

type Backup = ReturnType<typeof createBackup>;

/**
 * Undoes the backup after a failed repair.
 * If the data file is unchanged, deletes the backup.
 * If the data file is missing, renames the backup back.
 * Returns an error with the reason of the failed repair, and with the name of the backup if it still exists.
 */
function undoBackup(disk: Disk, path: string, backup: Backup, cause: unknown): Error {
  const signature = tryOrUndefined(() => getSignature(disk, path));
  if (backup?.content && signature === backup.content.signature) tryOrUndefined(() => disk.remove(backup.name));
  else if (backup && signature === '') tryOrUndefined(() => disk.rename(backup.name, path));
  const hasBackup = backup && tryOrUndefined(() => disk.stats(backup.name));
  const reason = `${path} can't be repaired (${describeDiskError(cause)}).`;
  return createDataFileError(`${reason}${describeBackup(hasBackup && backup)}`, { cause });
}

function describeBackup(backup: Backup): string {
  return backup ? ` Its previous content is in ${backup.name}.` : '';
}

/**
 * Creates a backup of the file or folder at `path`.
 * Returns undefined if `path` does not exist.
 * The backup of a readable file is a hard link, or else a copy.
 * So the file stays where it is and can be replaced atomically.
 * A folder or an unreadable file is renamed instead, and `content` is undefined.
 * Throws a `UserError` for a device or a pipe.
 */
function createBackup(disk: Disk, path: string) {
  const stats = disk.stats(path);
  if (!stats) return undefined;
  if (!stats.isFile() && !stats.isDirectory())
    throw createDataFileError(`${path} is not a regular file. Choose another file with --data FILE.`);
  const name = createConflictName(disk, { path, label: 'broken', timeSource: path });
  const content = tryOrUndefined(() => {
    const bytes = disk.read(path);
    const current = { hash: hashBytes(bytes), bytes: bytes.length, signature: getSignature(disk, path) };
    linkOrCopy(disk, path, { name, bytes });
    return current;
  });
  if (!content) disk.rename(path, name);
  return { name, content };
}

function linkOrCopy(
  disk: Disk,
  path: string,
  { name, bytes }: { readonly name: string; readonly bytes: Buffer },
): void {
  if (tryOrUndefined(() => disk.link(path, name) ?? true)) return;
  const file = disk.create(name, getMode(disk.stats(path)));
  try {
    writeAll(disk, file, bytes);
  } finally {
    disk.close(file);
  }
}
