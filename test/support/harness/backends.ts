import { join } from 'node:path';
import { inject } from 'vitest';
import type { State } from '../../../src/shop/state.ts';
import { createMemoryBackend } from '../../../src/store/backend.ts';
import { createStore, type Store } from '../../../src/store/store.ts';
import { defaults } from '../fixtures/default-data.ts';
import { createOpener } from '../postgres/database-store.ts';
import { createFaultyDisk } from './faulty-disk.ts';
import { openTestState } from './open-store.ts';
import { NOW_MS } from './start-storefront.ts';
import { readStoredState } from './stored-state.ts';
import { tempFolder } from './temp-folder.ts';

/** A store for one test that has the default data and uses a backend. */
export interface OpenedStore {
  readonly store: Store<State>;
  /** Returns the state that the backend has stored. */
  kept(): Promise<State>;
  /** Makes all later commits fail, or makes them succeed again. */
  failCommits(isFailing: boolean): void;
}

/** A kind of backend. The same tests run for every kind. */
export interface BackendKind {
  readonly kind: string;
  /** The number of random cases in a property test. It is smaller for a slower backend. */
  readonly runs: number;
  open(): Promise<OpenedStore>;
}

/** The URL of a PostgreSQL database. Only `npm run test:postgres` sets it. */
const databaseUrl = inject('databaseUrl') as string | undefined;

/** All kinds of backend. The same tests run for each of them, so a new kind of backend must be added here. */
export const backends: readonly BackendKind[] = [
  { kind: 'memory', runs: 100, open: openMemory },
  { kind: 'a file', runs: 25, open: openFile },
  ...(databaseUrl === undefined ? [] : [{ kind: 'PostgreSQL', runs: 25, open: createOpener(databaseUrl) }]),
];

async function openMemory(): Promise<OpenedStore> {
  const memory = createMemoryBackend<State>();
  let kept = defaults;
  let isFailing = false;
  const backend = {
    ...memory,
    async commit(next: State, base: State) {
      if (isFailing) throw new Error('made to fail');
      await memory.commit(next, base);
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

async function openFile(): Promise<OpenedStore> {
  const data = join(await tempFolder(), 'db.json');
  const disk = createFaultyDisk();
  const { store } = await openTestState({ data, disk });
  return {
    store,
    kept: () => readStoredState(data),
    failCommits(isFailing) {
      disk.begin(({ name }) => (isFailing && name === 'write' ? { code: 'ENOSPC' } : undefined));
    },
  };
}
