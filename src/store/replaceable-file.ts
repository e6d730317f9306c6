import { tryOrUndefined } from '../util/try-or-undefined.ts';
import { DataFileError } from './data-file.ts';
import { copyOwnerAndMode, createWithMode, describeDiskError, PERMISSIONS } from './disk.ts';
import type { FileContext } from './edit-conflicts.ts';

const SINGLE_FILE_MOUNT =
  'is a mount of a single file, so changes could not be stored. Mount its folder instead (docker run -v ./data:/app/data, with --data data/db.json), or keep the state in memory with --durability memory.';

/**
 * Throws `DataFileError` if the file at `path` is a mount, as with `docker run -v ./db.json:/app/db.json`: no file can be renamed over a mount. Tries to
 * create a hard link with the name `temporaryName`, because that fails with EXDEV for a mount. Removes the link.
 */
export function refuseMountedFile({ path, disk }: FileContext, temporaryName: string): void {
  try {
    disk.link(path, temporaryName);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EXDEV') return;
    throw new DataFileError(`${path} ${SINGLE_FILE_MOUNT}`);
  }
  tryOrUndefined(() => disk.remove(temporaryName));
}

/**
 * Logs a warning if the file at `path` can't be replaced now, or if a replacement changes its owner, mode or hard links. Creates a file with the name
 * `temporaryName` as a test, and removes it.
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
          `${path} has the owner ${current.uid}, the group ${current.gid} and the mode ${mode}. A change can't preserve all of them.`,
        );
      }
    } finally {
      disk.close(file);
    }
  } catch (error) {
    log.warn(`${path} can't be written now (${describeDiskError(error)}). Changes return 503 until it can be written.`);
  }
  tryOrUndefined(() => disk.remove(temporaryName));
}
