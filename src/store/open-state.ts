import { realpathSync } from 'node:fs';
import { resolve } from 'node:path';
import { tryOrUndefined } from '../util/try-or-undefined.ts';
import { createMemoryBackend } from './backend.ts';
import { createDefaultDataReader, DataFileError, type StateText } from './data-file.ts';
import { getListedPath, isSameFile, resolveDataPath } from './data-path.ts';
import { type Disk, machineDisk } from './disk.ts';
import type { FileDurability } from './durable-file.ts';
import { createFailureLog, createTextCache, type FileBackendOptions, openFileBackend } from './file-backend.ts';
import { lockFile } from './lock.ts';
import type { State } from './state.ts';
import { createStore, type Store } from './store.ts';

/** What an acknowledged change survives; with `memory` there is no file, and it ends with the program. */
export type Durability = FileDurability | 'memory';

/** Where the state comes from and where it is stored. */
export interface StatePlaces extends Pick<FileBackendOptions, 'check' | 'checkedBy' | 'log' | 'prepare'> {
  /** The data file; undefined for a state in memory. */
  readonly data: string | undefined;
  readonly durability: Durability;
  /** The file with the default data. */
  readonly defaultData: string;
  /** The names of the collections, in the order in which a data file has them. */
  readonly collections: readonly string[];
  /** The time, in ms since 1970. */
  readonly nowMs: () => number;
  /** Returns the address of this server once it listens. Processes that need the same data file report it. */
  readonly address: () => string | undefined;
  /** By default the disk of this machine. */
  readonly disk?: Disk;
}

/** An opened state. */
export interface OpenedState<S extends State = State> {
  readonly store: Store<S>;
  /** The data file, by its absolute path without symbolic links; undefined for memory. */
  readonly path: string | undefined;
  /** Returns the default data, as its file contains it now. Throws `DataFileError`. */
  readonly defaults: () => S;
}

/** The polling interval for edits of the data file, in ms. */
const POLL_MS = 200;

/** Opens a store with the data file, or in memory with the default data if there is none. Throws `DataFileError`. */
export async function openState<S extends State = State>(places: StatePlaces): Promise<OpenedState<S>> {
  const { data, durability, defaultData, check, nowMs, disk = machineDisk } = places;
  const texts = createTextCache(places.collections);
  const read = createDefaultDataReader({ path: defaultData, disk, check });
  const readLogged = logFailures(read, places);
  // A copy each time: a reset is committed even if the state is the default one already, since the data file may contain another.
  const toState = ({ state: source, text }: StateText) => {
    const state = { ...source };
    texts.set(state, text);
    return state;
  };
  // The caller reports why the first start fails.
  const createInitial = () => toState(read());
  const { path, backend, initial } =
    data === undefined || durability === 'memory'
      ? { path: undefined, backend: createMemoryBackend(), initial: createInitial() }
      : await openFile({ ...places, data, durability, disk, texts }, createInitial);
  const store = createStore({ backend, initial, defaults: () => toState(readLogged()), nowMs });
  const opened = {
    path,
    store: data === undefined || path === undefined ? store : watchEdits(store, createLinkCheck(data, path, places)),
    defaults: () => readLogged().state,
  };
  // What is read satisfies `check`, which knows the application's state.
  return opened as unknown as OpenedState<S>;
}

/** Opens the data file; `createDefaults` returns the content of a new one. */
async function openFile(
  options: StatePlaces & Pick<FileBackendOptions, 'durability' | 'disk' | 'texts'> & { readonly data: string },
  createDefaults: () => State,
) {
  const { data, defaultData, disk, log } = options;
  const path = await resolveDataPath(disk, data);
  refuseDefaultData(disk, path, defaultData);
  const lock = await lockFile(path, options.address);
  try {
    const opened = await openFileBackend({ ...options, path, lock, defaults: createDefaults() });
    if (isNewer(disk, defaultData, path)) log.warn(`${defaultData} is newer than ${path}. A reset loads it.`);
    return { path, ...opened };
  } catch (error) {
    await lock.release();
    throw error;
  }
}

/** Returns a function that reads the default data and logs when that starts to fail, without a stack, and when it works again. */
function logFailures(read: () => StateText, { defaultData, log }: StatePlaces): () => StateText {
  const failures = createFailureLog(log);
  return () => {
    try {
      const content = read();
      failures.end(`${defaultData} can be read again.`);
      return content;
    } catch (error) {
      if (error instanceof DataFileError) failures.begin(error.message);
      throw error;
    }
  };
}

/** Returns a function that warns once if `data`, a link to the data file, leads elsewhere: an editor may have replaced it by a file. */
function createLinkCheck(data: string, path: string, { disk = machineDisk, log }: StatePlaces): () => void {
  if (resolve(data) === path) return () => {};
  let isLogged = false;
  return () => {
    const target = tryOrUndefined(() => getListedPath(disk, realpathSync(data)));
    if (target !== undefined && target !== path && !isLogged) {
      log.warn(`${data} no longer leads to ${path}, which stays in use. Restart the server to use ${target}.`);
    }
    isLogged = target !== path;
  };
}

/** Returns a store that loads edits by itself until it is closed, and calls `checkLink` at the same interval. */
function watchEdits(store: Store, checkLink: () => void): Store {
  const timer = setInterval(() => {
    checkLink();
    void store.loadEdits();
  }, POLL_MS).unref();
  return {
    ...store,
    close() {
      clearInterval(timer);
      return store.close();
    },
  };
}

function refuseDefaultData(disk: Disk, path: string, defaultData: string): void {
  const [data, defaults] = [path, defaultData].map((file) => tryOrUndefined(() => disk.stats(file)));
  if (!isSameFile(data, defaults)) return;
  throw new DataFileError(
    `${path} is also the file with the default data, which a reset restores. Choose another file with --data FILE.`,
  );
}

function isNewer(disk: Disk, path: string, than: string): boolean {
  const [one, other] = [path, than].map((each) => tryOrUndefined(() => disk.stats(each)?.mtimeNs));
  return one !== undefined && other !== undefined && one > other;
}
