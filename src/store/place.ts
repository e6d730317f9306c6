import { lstat, readlink, realpath } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { DataFault } from './data-file.ts';
import { type Disk, syncFolder, troubleOf } from './disk.ts';

/**
 * The file itself, where the path leads to it over symbolic links, which a rename onto them would replace; absolute. It needs not be there yet,
 * but its folder is once this resolves. Throws `DataFault`.
 */
export async function settledPath(disk: Disk, path: string): Promise<string> {
  try {
    return await settled(disk, resolve(path));
  } catch (cause) {
    throw new DataFault(`${path} can't be used (${troubleOf(cause)}): choose another place with --data FILE`, {
      cause,
    });
  }
}

async function settled(disk: Disk, path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  const stats = await lstat(path).catch(() => undefined);
  if (stats?.isSymbolicLink()) return settled(disk, resolve(await realpath(dirname(path)), await readlink(path)));
  await makeFolders(disk, dirname(path));
  return join(await realpath(dirname(path)), basename(path));
}

/** Makes a folder that isn't there, and those that it is to be in, each on the disk. Node's own way of doing so never ends below /proc. */
async function makeFolders(disk: Disk, folder: string): Promise<void> {
  if (disk.stats(folder)) return;
  await makeFolders(disk, dirname(folder));
  disk.makeFolder(folder);
  await syncFolder(disk, dirname(folder));
}
