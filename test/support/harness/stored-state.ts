import { cpSync, readdirSync, rmSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { State } from '../../../src/shop/state.ts';
import { openTestState } from './open-store.ts';
import { tempFolder } from './temp-folder.ts';

/**
 * Returns the state that a server would load if the server that uses a data file were killed now. Loads the state from a copy of the folder. Does not
 * validate the state.
 */
export async function readStoredState(dataFile: string): Promise<State> {
  const folder = join(await tempFolder(), 'copy');
  copyAtOneMoment(dirname(dataFile), folder);
  const { store } = await openTestState({ data: join(folder, basename(dataFile)), check: () => [] });
  const { state } = store.read();
  await store.close();
  return state;
}

/** Copies a folder with a few files. Repeats the copy if a file has changed during the copy, so that the copy shows one moment. */
function copyAtOneMoment(folder: string, copy: string): void {
  for (;;) {
    const before = describeFiles(folder);
    rmSync(copy, { recursive: true, force: true });
    try {
      cpSync(folder, copy, { recursive: true });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
      continue;
    }
    if (describeFiles(folder) === before) return;
  }
}

/** Returns a text that changes if a file in a folder changes: the name, inode, size and change time of each file. */
function describeFiles(folder: string): string {
  const files = readdirSync(folder).map((name) => {
    const stats = statSync(join(folder, name), { bigint: true, throwIfNoEntry: false });
    return stats && [name, stats.ino, stats.size, stats.ctimeNs].join(' ');
  });
  return files.join('\n');
}
