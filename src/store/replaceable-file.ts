import { tryOrError, tryOrUndefined } from '../util/try-or-undefined.ts';
import { copyOwnerAndMode, createWithMode, describeDiskError, PERMISSIONS } from './disk.ts';
import type { FileContext } from './edit-conflicts.ts';
import { getLogPath } from './write-ahead-log.ts';

/**
 * Returns whether the file at `path` is a mount point, as with `docker run -v ./db.json:/app/db.json`.
 * A mount point can't be replaced by a rename.
 * To find out, creates a hard link with the name `temporaryName`, which fails with EXDEV for a mount point.
 * Deletes the hard link.
 */
export function isMountedFile({ path, disk }: FileContext, temporaryName: string): boolean {
  const error = tryOrError(Error, () => disk.link(path, temporaryName));
  if (error) return (error as NodeJS.ErrnoException).code === 'EXDEV';
  tryOrUndefined(() => disk.remove(temporaryName));
  return false;
}

/**
 * Logs a warning if the file at `path` can't be replaced now, or if a replacement would change its owner, mode or hard
 * links.
 * As a test, creates a file with the name `temporaryName` and deletes it.
 */
export function warnIfNotReplaceable({ path, disk, log }: FileContext, temporaryName: string): void {
  try {
    const current = disk.stats(path);
    if (!current) return;
    if (current.isFile() && current.nlink > 1n)
      log.warn(
        `${path} has ${current.nlink} hard links. A change creates a new file with this name. The other names keep the current content.`,
      );
    const file = createWithMode(disk, temporaryName, current);
    try {
      if (!copyOwnerAndMode(disk, file, current)) {
        const mode = (current.mode & PERMISSIONS).toString(8);
        log.warn(
          `${path} has the owner ${current.uid}, the group ${current.gid} and the mode ${mode}. When the server replaces the file, it can't preserve all of them.`,
        );
      }
    } finally {
      disk.close(file);
    }
  } catch (error) {
    log.warn(
      `${path} can't be written now (${describeDiskError(error)}). Requests that change data get 503 until it can be written.`,
    );
  }
  tryOrUndefined(() => disk.remove(temporaryName));
}

/**
 * Logs a warning if the write-ahead log of the data file at `path` can't be created now.
 * Used if the data file is a mount point.
 * As a test, creates a file with the name `temporaryName` and deletes it.
 */
export function warnIfLogNotCreatable({ path, disk, log }: FileContext, temporaryName: string): void {
  try {
    disk.close(createWithMode(disk, temporaryName, undefined));
  } catch (error) {
    log.warn(
      `${getLogPath(path)} can't be created now (${describeDiskError(error)}). Requests that change data get 503 until it can be created.`,
    );
  }
  tryOrUndefined(() => disk.remove(temporaryName));
}
