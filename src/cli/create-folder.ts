import { existsSync, mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Creates a folder and its parents, if they do not exist. Throws the error of the file system.
 * `mkdirSync` with `recursive` does not return in a folder such as /proc, where a new folder is refused with ENOENT.
 */
export function createFolder(folder: string, mode?: number): void {
  const parent = dirname(folder);
  if (!existsSync(parent)) createFolder(parent, mode);
  try {
    mkdirSync(folder, { mode });
  } catch (error) {
    const isFolder = statSync(folder, { throwIfNoEntry: false })?.isDirectory() ?? false;
    if (!isFolder) throw error;
  }
}
