import { cpSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { State } from '../../../src/shop/state.ts';
import { openTestState } from './open-store.ts';
import { tempFolder } from './temp-folder.ts';

/** Returns the state that a server would have if the server of a data file were killed now. Reads a copy of the folder. Does not validate the state. */
export async function readStoredState(dataFile: string): Promise<State> {
  const folder = join(await tempFolder(), 'copy');
  // In one turn of the event loop, so that the store calls nothing meanwhile.
  cpSync(dirname(dataFile), folder, { recursive: true });
  const { store } = await openTestState({ data: join(folder, basename(dataFile)), check: () => [] });
  const { state } = store.read();
  await store.close();
  return state;
}
