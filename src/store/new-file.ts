import type { BigIntStats } from 'node:fs';
import { StateTooLargeError } from './backend.ts';
import {
  createFileExclusively,
  type Disk,
  describeDiskError,
  getSignature,
  type Signature,
  tryOrUndefined,
  writeAll,
} from './disk.ts';
import type { Place } from './replaced-file.ts';

/** What an acknowledged change survives: `disk` a power cut, `os`, with which nothing is synced, the end of the process alone. */
export type FileDurability = 'disk' | 'os';

/** What a file holds. */
export interface Content {
  readonly bytes: Buffer;
  readonly signature: Signature;
}

/** The most that a data file may hold, in bytes: it is read whole at the start, and written whole with each change. */
export const LARGEST_FILE_BYTES = 90_000_000;

const TOO_LARGE = `the data file would be larger than ${LARGEST_FILE_BYTES / 1e6} MB. Delete something, restore the default data with POST /api/reset, or make the file smaller by hand`;

/** Read and write for the owner, read for others, less the umask: the mode of a file that wasn't there before. */
const NEW_FILE_MODE = 0o644;

/** The part of a file's mode that says who may do what with it. */
const PERMISSIONS = 0o7777n;

/** Writes a file under the given name that is to be renamed over the one at `path`, whose mode and owner it gets. Leaves nothing where it fails. */
export async function written(
  { path, disk, durability }: Place & { readonly durability: FileDurability },
  name: string,
  bytes: Buffer,
): Promise<Content> {
  if (bytes.length > LARGEST_FILE_BYTES) throw new StateTooLargeError(TOO_LARGE);
  try {
    const old = disk.stats(path);
    const file = created(disk, name, old);
    try {
      if (old) keepOwnerAndMode(disk, file, old);
      writeAll(disk, file, bytes);
      // After a failed sync the descriptor is worth nothing, and so is the file: the next change writes another.
      if (durability === 'disk') await disk.sync(file);
    } finally {
      disk.close(file);
    }
    return { bytes, signature: getSignature(disk, name) };
  } catch (error) {
    tryOrUndefined(() => disk.remove(name));
    throw error;
  }
}

/** Begins to replace the file at `path`, under the given name, to say at once what would be in the way. */
export function tryOut({ path, disk, warn }: Place, name: string): void {
  try {
    const old = disk.stats(path);
    if (!old) return;
    if (old.isFile() && old.nlink > 1n)
      warn(`${path} has ${old.nlink} names (hard links): a change leaves the others what it holds now`);
    const file = created(disk, name, old);
    try {
      if (!keepOwnerAndMode(disk, file, old)) {
        warn(
          `${path} belongs to user ${old.uid} and group ${old.gid}, mode ${modeOf(old)}: a change can't keep all of that`,
        );
      }
    } finally {
      disk.close(file);
    }
  } catch (error) {
    warn(`${path} can't be written now (${describeDiskError(error)}): changes are answered 503 until it can`);
  }
  tryOrUndefined(() => disk.remove(name));
}

/**
 * Whether the file at `path` is a mount of its own, as with `docker run -v ./db.json:/app/db.json`: no file can be renamed over it. A hard link to
 * it is what tells, since the kernel refuses that before anything else; it is made under the given name and removed.
 */
export function isMount({ path, disk }: Place, name: string): boolean {
  try {
    disk.link(path, name);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EXDEV';
  }
  tryOrUndefined(() => disk.remove(name));
  return false;
}

function created(disk: Disk, name: string, old: BigIntStats | undefined): number {
  return createFileExclusively(disk, name, () =>
    disk.create(name, old ? Number(old.mode & PERMISSIONS) : NEW_FILE_MODE),
  );
}

/** Whether an open file has, or could be given, the owner and the mode of the one that it is to replace. */
function keepOwnerAndMode(disk: Disk, file: number, old: BigIntStats): boolean {
  const own = disk.statsOfOpen(file);
  const isOwned = own.uid === old.uid && own.gid === old.gid;
  const isGiven = isOwned || done(() => disk.setOwner(file, Number(old.uid), Number(old.gid)));
  // The umask takes bits away from a new file's mode, and so does a change of its owner.
  if (isOwned && (own.mode & PERMISSIONS) === (old.mode & PERMISSIONS)) return true;
  return done(() => disk.setMode(file, Number(old.mode & PERMISSIONS))) && isGiven;
}

function done(step: () => void): boolean {
  const isDone = tryOrUndefined(() => {
    step();
    return true;
  });
  return isDone === true;
}

function modeOf({ mode }: BigIntStats): string {
  return (mode & PERMISSIONS).toString(8);
}
