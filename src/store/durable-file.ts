import { closeSync, fchmodSync, fsync, openSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { kill, pid } from 'node:process';
import { promisify } from 'node:util';

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

/** The part of a file's mode that says who may do what with it. */
const PERMISSIONS = 0o7777;

/**
 * The file at `path`, ready to be replaced; its mode is kept. Sweeps away what a program that was killed in the middle of replacing it has left.
 * Only what waits for the disk is handed to another thread, the syncs and the rename; the rest touches the page cache alone, in less time than
 * handing it over takes.
 */
export function openDurableFile(path: string): DurableFile {
  sweep(path);
  const temporary = join(dirname(path), `${temporaryPrefix(path)}${pid}-${++opened}`);
  const stats = statSync(path, { throwIfNoEntry: false });
  const mode = stats && stats.mode & PERMISSIONS;
  const folder = openSync(dirname(path), 'r');
  return {
    async replace(text) {
      try {
        await writeSynced(temporary, text, mode);
        await rename(temporary, path);
      } catch (error) {
        rmSync(temporary, { force: true });
        throw error;
      }
      await sync(folder);
    },
    async close() {
      closeSync(folder);
    },
  };
}

/** How many files this process has opened: each has a temporary file of its own. */
let opened = 0;

/** The beginning of the names of temporary files. The process that writes one stands next, so that no other takes it for its own. */
function temporaryPrefix(path: string): string {
  return `.${basename(path)}.storefront-tmp-`;
}

/** Removes the temporary files of processes that are no more. */
function sweep(path: string): void {
  const prefix = temporaryPrefix(path);
  for (const name of readdirSync(dirname(path)).filter((name) => name.startsWith(prefix))) {
    if (!isRunning(Number.parseInt(name.slice(prefix.length), 10))) rmSync(join(dirname(path), name), { force: true });
  }
}

function isRunning(processId: number): boolean {
  try {
    return processId !== pid && kill(processId, 0);
  } catch (error) {
    // Somebody else's process, which there is then.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

const sync = promisify(fsync);

async function writeSynced(path: string, text: string, mode: number | undefined): Promise<void> {
  const file = openSync(path, 'w', mode ?? NEW_FILE_MODE);
  try {
    // The umask takes its part of the mode that a file is opened with; a new file's mode is meant to be less it.
    if (mode !== undefined) fchmodSync(file, mode);
    // Unlike writeSync this goes on until all is written, or fails.
    writeFileSync(file, text);
    await sync(file);
  } finally {
    closeSync(file);
  }
}
