import type { BigIntStats } from 'node:fs';
import { lstat, readlink, realpath } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { DataFileError } from './data-file.ts';
import { type Disk, describeDiskError, syncFolder, tryOrUndefined } from './disk.ts';

/**
 * The file itself, where the path leads to it over symbolic links, which a rename onto them would replace; absolute. It needs not be there yet,
 * but its folder is once this resolves. Throws `DataFileError`.
 */
export async function resolveDataPath(disk: Disk, path: string): Promise<string> {
  try {
    return await settled(disk, resolve(path));
  } catch (cause) {
    throw new DataFileError(
      `${path} can't be used (${describeDiskError(cause)}): choose another place with --data FILE`,
      {
        cause,
      },
    );
  }
}

async function settled(disk: Disk, path: string): Promise<string> {
  try {
    return listedPath(disk, await realpath(path));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  const stats = await lstat(path).catch(() => undefined);
  if (stats?.isSymbolicLink()) return settled(disk, resolve(await realpath(dirname(path)), await readlink(path)));
  await makeFolders(disk, dirname(path));
  return join(await realpath(dirname(path)), basename(path));
}

/**
 * The path of a file by the name that its folder lists: a file system that ignores case opens `db.json` as `DB.JSON` too, and the lock is named by
 * one of them. The path as it is where the folder lists that name, or no other name of this file.
 */
export function listedPath(disk: Disk, path: string): string {
  const folder = dirname(path);
  const names = tryOrUndefined(() => disk.list(folder)) ?? [];
  const file = names.includes(basename(path)) ? undefined : tryOrUndefined(() => disk.stats(path));
  const name =
    file &&
    names.find((each) =>
      isSameFile(
        file,
        tryOrUndefined(() => disk.linkStats(join(folder, each))),
      ),
    );
  return name === undefined ? path : join(folder, name);
}

function isSameFile(one: BigIntStats, other: BigIntStats | undefined): boolean {
  return other !== undefined && one.ino === other.ino && one.dev === other.dev;
}

/** Makes a folder that isn't there, and those that it is to be in, each on the disk. Node's own way of doing so never ends below /proc. */
async function makeFolders(disk: Disk, folder: string): Promise<void> {
  if (disk.stats(folder)) return;
  await makeFolders(disk, dirname(folder));
  disk.makeFolder(folder);
  await syncFolder(disk, dirname(folder));
}
