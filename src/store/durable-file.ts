import { open, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Puts `text` in the place of the file at `path`, all of it or nothing: a temporary file beside it is written and synced, then renamed
 * over it, then the folder is synced, without which a power cut can undo the rename. The file's mode is kept.
 * On an error the file is what it was, and the temporary file is gone.
 */
export async function replaceFile(path: string, text: string): Promise<void> {
  const temporary = temporaryPath(path);
  try {
    await writeSynced(temporary, text, await modeOf(path));
    await rename(temporary, path);
  } catch (error) {
    await removeIfThere(temporary);
    throw error;
  }
  await syncFolder(dirname(path));
}

/** Removes what a program that was killed in the middle of `replaceFile` has left. */
export async function sweep(path: string): Promise<void> {
  await removeIfThere(temporaryPath(path));
}

function temporaryPath(path: string): string {
  return `${path}.tmp`;
}

/** Read and write for the owner, read for others, less the umask: what a file gets that wasn't there before. */
const NEW_FILE_MODE = 0o644;

async function modeOf(path: string): Promise<number> {
  try {
    return (await stat(path)).mode & 0o7777;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return NEW_FILE_MODE;
    throw error;
  }
}

async function writeSynced(path: string, text: string, mode: number): Promise<void> {
  const file = await open(path, 'w', mode);
  try {
    await file.chmod(mode);
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

async function removeIfThere(path: string): Promise<void> {
  await rm(path, { force: true });
}
