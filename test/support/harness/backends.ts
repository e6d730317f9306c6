import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { memoryBackend } from '../../../src/store/backend.ts';
import type { FileDurability } from '../../../src/store/new-file.ts';
import type { State } from '../../../src/store/state.ts';
import { createStore, type Store } from '../../../src/store/store.ts';
import { defaults } from '../fixtures/default-data.ts';
import { faultyDisk } from './faulty-disk.ts';
import { openTestState } from './open-store.ts';
import { NOW_MS } from './start-storefront.ts';
import { tempFolder } from './temp-folder.ts';

/** A store over a backend that begins with the default data, for one test. */
export interface OpenedStore {
  readonly store: Store;
  /** What the backend keeps. */
  kept(): Promise<State>;
  /** Has every commit fail from now on, or none. */
  failCommits(isFailing: boolean): void;
}

/** A kind of backend, all of which keep to the same laws. */
export interface BackendKind {
  readonly kind: string;
  /** How many random cases are worth their time. */
  readonly runs: number;
  open(): Promise<OpenedStore>;
}

/** Every kind of backend that a shop may have: a new one gets an entry here, and is held to all that the others are. */
export const backends: readonly BackendKind[] = [
  { kind: 'memory', runs: 100, open: openMemory },
  { kind: 'a file, durability disk', runs: 25, open: () => openFile('disk') },
  { kind: 'a file, durability os', runs: 25, open: () => openFile('os') },
];

async function openMemory(): Promise<OpenedStore> {
  const memory = memoryBackend();
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
  const disk = faultyDisk();
  const { store } = await openTestState({ data, durability, disk });
  return {
    store,
    kept: async () => JSON.parse(await readFile(data, 'utf8')),
    failCommits(isFailing) {
      disk.begin(({ name }) => (isFailing && name === 'write' ? { code: 'ENOSPC' } : undefined));
    },
  };
}
