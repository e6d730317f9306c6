import * as fs from 'node:fs';
import { platform } from 'node:process';
import { promisify } from 'node:util';
import { tryOrError } from '../util/try-or-undefined.ts';

/**
 * File system calls on the disk of this machine.
 * All calls except `sync` are synchronous: they only use the page cache, so a thread switch would take longer than the
 * call.
 * With 50 clients, synchronous calls doubled the number of requests per second.
 */
export const machineDisk = {
  /** Creates a file and opens it for appending. Throws EEXIST if the file exists. */
  create: (path: string, mode: number): number => fs.openSync(path, 'ax', mode),
  /** Opens an existing file for appending. */
  openToAppend: (path: string): number => fs.openSync(path, fs.constants.O_WRONLY | fs.constants.O_APPEND),
  /** Opens an existing file for writing from its start. */
  openToWrite: (path: string): number => fs.openSync(path, 'r+'),
  /** Opens a file for reading, or a folder for fsync. */
  open: (path: string): number => fs.openSync(path, 'r'),
  /**
   * Writes `bytes`, starting at the offset `from` in `bytes`.
   * Returns the number of written bytes, which can be less than the number of remaining bytes.
   */
  write: (file: number, bytes: Uint8Array, from: number): number => fs.writeSync(file, bytes, from),
  setMode: (file: number, mode: number): void => fs.fchmodSync(file, mode),
  setOwner: (file: number, userId: number, groupId: number): void => fs.fchownSync(file, userId, groupId),
  statsOfOpen: (file: number): fs.BigIntStats => fs.fstatSync(file, { bigint: true }),
  /**
   * Calls fsync.
   * Resolves when the content is on the disk.
   * It is the only call that waits for the disk, so it runs on another thread.
   */
  sync: promisify(fs.fsync),
  close: (file: number): void => fs.closeSync(file),
  truncate: (file: string | number, bytes: number): void =>
    typeof file === 'number' ? fs.ftruncateSync(file, bytes) : fs.truncateSync(file, bytes),
  /** Creates a hard link at `name` to the file at `path`. Throws EEXIST if `name` exists. */
  link: (path: string, name: string): void => fs.linkSync(path, name),
  rename: (path: string, to: string): void => fs.renameSync(path, to),
  /** Deletes a file. Does nothing if the file does not exist. */
  remove: (path: string): void => fs.rmSync(path, { force: true }),
  makeFolder: (path: string): void => void fs.mkdirSync(path),
  /**
   * Returns the stats of a file; for a symbolic link, the stats of its target.
   * Returns undefined if the file does not exist.
   */
  stats: (path: string) => fs.statSync(path, { bigint: true, throwIfNoEntry: false }),
  /**
   * Returns the stats of a file; for a symbolic link, the stats of the link itself.
   * Returns undefined if the path does not exist.
   */
  linkStats: (path: string) => fs.lstatSync(path, { bigint: true, throwIfNoEntry: false }),
  readLink: (path: string): string => fs.readlinkSync(path),
  /** Creates a symbolic link at `name`. Throws EEXIST if `name` exists. */
  makeLink: (target: string, name: string): void => fs.symlinkSync(target, name),
  /** Reads the whole file. */
  read: (file: string | number): Buffer => fs.readFileSync(file),
  /**
   * Reads bytes of an open file, starting at `position`.
   * Returns the number of bytes; 0 at the end of the file.
   * Does not move the position from which `read` reads.
   */
  readAt: (file: number, buffer: Buffer, position: number): number =>
    fs.readSync(file, buffer, 0, buffer.length, position),
  list: (folder: string): readonly string[] => fs.readdirSync(folder),
};

/**
 * The file system calls that the store uses.
 * They throw the errors of `node:fs`.
 * Tests replace them with calls that fail, or that end the process before or after a selected call.
 */
export type Disk = Readonly<typeof machineDisk>;

/**
 * A text that changes when the content of a file changes: `INODE-SIZE-MODIFICATION_TIME`.
 * It is empty if the file does not exist.
 */
export type Signature = string;

/** Returns the signature of the file at `path`. For a symbolic link, returns the signature of the link itself. */
export function getSignature(disk: Disk, path: string): Signature {
  return toSignature(disk.linkStats(path));
}

/**
 * Converts the stats of a file to its signature: `INODE-SIZE-MODIFICATION_TIME`.
 * Returns an empty text for undefined.
 */
export function toSignature(stats: fs.BigIntStats | undefined): Signature {
  return stats ? `${stats.ino}-${stats.size}-${stats.mtimeNs}` : '';
}

/** Writes all bytes to an open file. Repeats the write call, because one call can write only a part of the bytes. */
export function writeAll(disk: Disk, file: number, bytes: Uint8Array): void {
  for (let offset = 0; offset < bytes.length; ) offset += disk.write(file, bytes, offset);
}

/** Calls fsync for a folder. After this, new names and renames in the folder survive a power cut. */
export async function syncFolder(disk: Disk, path: string): Promise<void> {
  // Windows can't open folders, and does not need this: NTFS records folder changes in its own journal.
  if (platform !== 'win32') await syncPath(disk, path);
}

/**
 * Calls fsync for the file or folder at `path`.
 * Opens a new descriptor for each call, because a descriptor can't be used after a failed fsync.
 */
export async function syncPath(disk: Disk, path: string): Promise<void> {
  const descriptor = disk.open(path);
  try {
    await disk.sync(descriptor);
  } finally {
    disk.close(descriptor);
  }
}

/**
 * Calls `create` to create the file `name`.
 * If a failed commit has left a file with this name, deletes that file and calls `create` again.
 */
export function createFileExclusively<Result>(disk: Disk, name: string, create: () => Result): Result {
  try {
    return create();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    disk.remove(name);
    return create();
  }
}

/** The file mode of a new data file before the umask is applied: the owner can read and write, others can read. */
const NEW_FILE_MODE = 0o644;

/** The permission bits of a file mode. */
export const PERMISSIONS = 0o7777n;

/**
 * Creates a file and opens it for appending.
 * Replaces an existing file with this name.
 * `other`: the stats of another file, whose mode the new file gets.
 * If undefined, the new file gets the default mode of a data file.
 */
export function createWithMode(disk: Disk, name: string, other: fs.BigIntStats | undefined): number {
  return createFileExclusively(disk, name, () => disk.create(name, getMode(other)));
}

/** Returns the permission bits of a file. If `file` is undefined, returns the default mode of a data file. */
export function getMode(file: fs.BigIntStats | undefined): number {
  return file ? Number(file.mode & PERMISSIONS) : NEW_FILE_MODE;
}

/** Sets the owner, group and mode of an open file to those in `other`. Returns whether the file now has all three. */
export function copyOwnerAndMode(disk: Disk, file: number, other: fs.BigIntStats): boolean {
  const stats = disk.statsOfOpen(file);
  const hasOwner = stats.uid === other.uid && stats.gid === other.gid;
  const canHaveOwner = hasOwner || succeeds(() => disk.setOwner(file, Number(other.uid), Number(other.gid)));
  // The umask clears mode bits of a new file, and so does a change of the owner.
  if (hasOwner && (stats.mode & PERMISSIONS) === (other.mode & PERMISSIONS)) return true;
  return succeeds(() => disk.setMode(file, Number(other.mode & PERMISSIONS))) && canHaveOwner;
}

/** Calls `step`, and returns whether it succeeded. Ignores the error, because the caller checks the result itself. */
function succeeds(step: () => void): boolean {
  return tryOrError(Error, step) === undefined;
}

/** Returns a description of a disk error with its error code: "the disk is full, ENOSPC". */
export function describeDiskError(error: unknown): string {
  const { code = '', errno, message } = error as NodeJS.ErrnoException;
  const words = ERROR_MESSAGES[errno === EDQUOT_NUMBER ? 'EDQUOT' : code];
  return words === undefined ? code || message : `${words}, ${code}`;
}

/** The error number of EDQUOT on Linux. Node has no name for this error. */
const EDQUOT_NUMBER = -122;

const SINGLE_FILE_MOUNT = 'it is a mount of a single file: mount its folder instead';

const ERROR_MESSAGES: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EPERM: 'operation not permitted',
  EBUSY: SINGLE_FILE_MOUNT,
  EDQUOT: 'the disk quota of the user is exceeded',
  EFBIG: 'it exceeds the file size limit of the system',
  EIO: 'disk I/O error',
  EISDIR: 'it is a folder',
  EMFILE: 'too many open files',
  ENFILE: 'too many open files',
  ENOENT: 'its folder does not exist',
  ENOSPC: 'the disk is full',
  ENOTDIR: 'a part of its path is not a folder',
  EROFS: 'the disk is read-only',
  EXDEV: SINGLE_FILE_MOUNT,
};
