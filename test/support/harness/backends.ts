import { join } from 'node:path';
import type { State } from '../../../src/shop/state.ts';
import { createMemoryBackend } from '../../../src/store/backend.ts';
import type { FileDurability } from '../../../src/store/disk.ts';
import { createStore, type Store } from '../../../src/store/store.ts';
import { defaults } from '../fixtures/default-data.ts';
import { createFaultyDisk } from './faulty-disk.ts';
import { openTestState } from './open-store.ts';
import { NOW_MS } from './start-storefront.ts';
import { readStoredState } from './stored-state.ts';
import { tempFolder } from './temp-folder.ts';

/** A store with the default data over a backend, for one test. */
export interface OpenedStore {
  readonly store: Store<State>;
  /** The state that the backend has stored. */
  kept(): Promise<State>;
  /** Makes every later commit fail, or succeed again. */
  failCommits(isFailing: boolean): void;
}

/** A kind of backend. All kinds must behave the same. */
export interface BackendKind {
  readonly kind: string;
  /** The number of random cases, which depends on the cost of the backend. */
  readonly runs: number;
  open(): Promise<OpenedStore>;
}

/** Every kind of backend that a shop can have. A new backend needs an entry here, so that the same tests run for it. */
export const backends: readonly BackendKind[] = [
  { kind: 'memory', runs: 100, open: openMemory },
  { kind: 'a file, durability disk', runs: 25, open: () => openFile('disk') },
  { kind: 'a file, durability os', runs: 25, open: () => openFile('os') },
];

async function openMemory(): Promise<OpenedStore> {
  const memory = createMemoryBackend<State>();
  let kept = defaults;
  let isFailing = false;
  const backend = {
    ...memory,
    async commit(next: State) {
      if (isFailing) throw new Error('made to fail');
      await memory.commit(next);
      kept = next;
    },
  };
  return {
    store: createStore({ backend, initial: defaults, defaults: () => ({ ...defaults }), nowMs: () => NOW_MS }),
    kept: async () => kept,
    failCommits(next) {
      isFailing = next;
    },
  };
}

async function openFile(durability: FileDurability): Promise<OpenedStore> {
  const data = join(await tempFolder(), 'db.json');
  const disk = createFaultyDisk();
  const { store } = await openTestState({ data, durability, disk });
  return {
    store,
    kept: () => readStoredState(data),
    failCommits(isFailing) {
      disk.begin(({ name }) => (isFailing && name === 'write' ? { code: 'ENOSPC' } : undefined));
    },
  };
}
