import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';

/** A file that is only ever replaced whole. */
export interface DurableFile {
  /**
   * Puts `text` in the place of what the file holds, all of it or nothing: a temporary file beside it is written and synced, then renamed over
   * it, then the folder is synced, without which a power cut can undo the rename. On an error before the rename the file is what it was.
   */
  replace(text: string): Promise<void>;
  close(): Promise<void>;
}

/** Read and write for the owner, read for others, less the umask: the mode of a file that wasn't there before. */
const NEW_FILE_MODE = 0o644;

/**
 * The file at `path`, ready to be replaced; its mode is kept. Sweeps away what a program that was killed in the middle of replacing it has left.
 * The folder's handle stays open, and the mode is looked at but once: each operation of the file system costs some 30 µs of CPU beside its own.
 */
export async function openDurableFile(path: string): Promise<DurableFile> {
  const temporary = `${path}.tmp`;
  await rm(temporary, { force: true });
  const mode = await modeOf(path);
  const folder = await open(dirname(path), 'r');
  return {
    async replace(text) {
      try {
        await writeSynced(temporary, text, mode);
        await rename(temporary, path);
      } catch (error) {
        await rm(temporary, { force: true });
        throw error;
      }
      await folder.sync();
    },
    close: () => folder.close(),
  };
}

async function modeOf(path: string): Promise<number | undefined> {
  let file: FileHandle;
  try {
    file = await open(path, 'r');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  try {
    return (await file.stat()).mode & 0o7777;
  } finally {
    await file.close();
  }
}

async function writeSynced(path: string, text: string, mode: number | undefined): Promise<void> {
  const file = await open(path, 'w', mode ?? NEW_FILE_MODE);
  try {
    // The umask takes its part of the mode that a file is opened with.
    if (mode !== undefined) await file.chmod(mode);
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
}
