import type { BigIntStats } from 'node:fs';
import { tryOrUndefined } from '../util/try-or-undefined.ts';
import { StateTooLargeError } from './backend.ts';
import { createFileExclusively, type Disk, describeDiskError, getSignature, type Signature, writeAll } from './disk.ts';
import type { FileContext } from './replaced-file.ts';

/** What an acknowledged change survives: with `disk` a power cut; with `os`, which skips fsync, only the end of the process. */
export type FileDurability = 'disk' | 'os';

/** The content of a file and its signature. */
export interface Content {
  readonly bytes: Buffer;
  readonly signature: Signature;
}

/** The maximum size of a data file, in bytes. It is read as a whole at the start and written as a whole by each commit. */
export const MAX_FILE_BYTES = 90_000_000;

const TOO_LARGE = `the data file would be larger than ${MAX_FILE_BYTES / 1e6} MB. Delete data, restore the default data with POST /_control/sandboxes/default/reset, or edit the file`;

/** The mode of a new data file before the umask: read and write for the owner, read for others. */
const NEW_FILE_MODE = 0o644;

/** The permission bits of a file mode. */
const PERMISSIONS = 0o7777n;

/** Writes a file that can be renamed over the one at `path`, with its mode and owner. Removes the file if a step fails. */
export async function writeNewFile(
  { path, disk, durability }: FileContext & { readonly durability: FileDurability },
  name: string,
  bytes: Buffer,
): Promise<Content> {
  if (bytes.length > MAX_FILE_BYTES) throw new StateTooLargeError(TOO_LARGE);
  try {
    const current = disk.stats(path);
    const file = createWithMode(disk, name, current);
    try {
      if (current) copyOwnerAndMode(disk, file, current);
      writeAll(disk, file, bytes);
      // A failed fsync is never repeated on the same descriptor: the next commit writes another file.
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

/** Creates and removes a file with the given name, and warns about everything that would prevent a later commit or change the owner or mode. */
export function warnIfNotReplaceable({ path, disk, log }: FileContext, name: string): void {
  try {
    const current = disk.stats(path);
    if (!current) return;
    if (current.isFile() && current.nlink > 1n)
      log.warn(`${path} has ${current.nlink} hard links. A change leaves the other names with the current content.`);
    const file = createWithMode(disk, name, current);
    try {
      if (!copyOwnerAndMode(disk, file, current)) {
        const mode = (current.mode & PERMISSIONS).toString(8);
        log.warn(
          `${path} has the owner ${current.uid}, the group ${current.gid} and the mode ${mode}. A change can't preserve all of them.`,
        );
      }
    } finally {
      disk.close(file);
    }
  } catch (error) {
    log.warn(`${path} can't be written now (${describeDiskError(error)}). Changes return 503 until it can be written.`);
  }
  tryOrUndefined(() => disk.remove(name));
}

/**
 * Whether the file at `path` is a mount of its own, as with `docker run -v ./db.json:/app/db.json`: no file can be renamed over it. Creates a hard
 * link with the given name and removes it: the kernel refuses a link across mounts before it checks anything else.
 */
export function isMountedFile({ path, disk }: FileContext, name: string): boolean {
  try {
    disk.link(path, name);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EXDEV';
  }
  tryOrUndefined(() => disk.remove(name));
  return false;
}

function createWithMode(disk: Disk, name: string, current: BigIntStats | undefined): number {
  const mode = current ? Number(current.mode & PERMISSIONS) : NEW_FILE_MODE;
  return createFileExclusively(disk, name, () => disk.create(name, mode));
}

/** Gives an open file the owner and the mode of the current one; returns whether both succeeded. */
function copyOwnerAndMode(disk: Disk, file: number, current: BigIntStats): boolean {
  const stats = disk.statsOfOpen(file);
  const hasOwner = stats.uid === current.uid && stats.gid === current.gid;
  const canHaveOwner = hasOwner || succeeds(() => disk.setOwner(file, Number(current.uid), Number(current.gid)));
  // The umask clears bits of the mode of a new file, and so does a change of its owner.
  if (hasOwner && (stats.mode & PERMISSIONS) === (current.mode & PERMISSIONS)) return true;
  return succeeds(() => disk.setMode(file, Number(current.mode & PERMISSIONS))) && canHaveOwner;
}

function succeeds(step: () => void): boolean {
  const result = tryOrUndefined(() => {
    step();
    return true;
  });
  return result === true;
}
