import { type BigIntStats, realpathSync } from 'node:fs';
import { lstat, readlink, realpath } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { tryOrUndefined } from '../util/try-or-undefined.ts';
import { createDataFileError } from './data-file.ts';
import { type Disk, describeDiskError, syncFolder } from './disk.ts';

/**
 * Returns the absolute path of a data file, with symbolic links resolved.
 * Otherwise, a commit would replace a symbolic link with a file.
 * Creates the folder if it does not exist.
 * The file does not have to exist.
 * Throws a `UserError` if the path can't be used.
 */
export async function resolveDataPath(disk: Disk, path: string): Promise<string> {
  try {
    return await resolveLinks(disk, resolve(path));
  } catch (cause) {
    throw createDataFileError(
      `${path} can't be used (${describeDiskError(cause)}). Choose another file with --data FILE.`,
      { cause },
    );
  }
}

async function resolveLinks(disk: Disk, path: string): Promise<string> {
  try {
    return getListedPath(disk, await realpath(path));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  const stats = await lstat(path).catch(() => undefined);
  if (stats?.isSymbolicLink()) return resolveLinks(disk, resolve(await realpath(dirname(path)), await readlink(path)));
  await makeFolders(disk, dirname(path));
  return join(await realpath(dirname(path)), basename(path));
}

/**
 * Returns `path` with the file name spelled as in the folder.
 * On a case-insensitive file system, `db.json` and `DB.JSON` are the same file, but would get different locks.
 * Returns `path` unchanged if the folder has a file with exactly this name, or if the file does not exist.
 */
export function getListedPath(disk: Disk, path: string): string {
  const folder = dirname(path);
  const names = tryOrUndefined(() => disk.list(folder)) ?? [];
  if (names.includes(basename(path))) return path;
  const file = tryOrUndefined(() => disk.stats(path));
  const linkStats = (name: string) => tryOrUndefined(() => disk.linkStats(join(folder, name)));
  const listedName = file && names.find((name) => isSameFile(file, linkStats(name)));
  return listedName === undefined ? path : join(folder, listedName);
}

/**
 * Returns whether two stats belong to the same file.
 * The stats of a missing file are undefined; the result is then false.
 */
export function isSameFile(file: BigIntStats | undefined, other: BigIntStats | undefined): boolean {
  return file !== undefined && other !== undefined && file.ino === other.ino && file.dev === other.dev;
}

/**
 * Creates a folder and its missing parent folders, and calls fsync for each.
 * Node's recursive `mkdir` is not used, because it never returns for a path in /proc.
 */
async function makeFolders(disk: Disk, folder: string): Promise<void> {
  if (disk.stats(folder)) return;
  await makeFolders(disk, dirname(folder));
  disk.makeFolder(folder);
  await syncFolder(disk, dirname(folder));
}

/**
 * Creates a function that returns whether a file of a folder is the data file, its write-ahead log or a copy that the
 * server saved beside it, such as `db.json.wal`.
 * `path`: the path of the data file, as `resolveDataPath` returns it; undefined if there is none.
 * The function follows symbolic links.
 */
export function createStateFileCheck(path: string | undefined): (folder: string, file: string) => boolean {
  if (path === undefined) return () => false;
  return (folder, file) => {
    const target = tryOrUndefined(() => realpathSync.native(join(folder, file)));
    if (target === undefined || dirname(target) !== dirname(path)) return false;
    return `${basename(target)}.`.startsWith(`${basename(path)}.`);
  };
}
