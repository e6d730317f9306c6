import { realpathSync } from 'node:fs';
import { resolve } from 'node:path';
import { memoryBackend } from './backend.ts';
import { DataFileError, defaultData, type StateText } from './data-file.ts';
import { listedPath, resolveDataPath } from './data-path.ts';
import { type Disk, machineDisk, tryOrUndefined } from './disk.ts';
import { failureLog, type Tell } from './failure-log.ts';
import { openFileBackend } from './file-backend.ts';
import { lockFile } from './lock.ts';
import type { FileDurability } from './new-file.ts';
import type { State } from './state.ts';
import { createStore, type Store } from './store.ts';
import { createTextCache } from './text-cache.ts';
import type { ValidateEntry } from './validate-state.ts';

/** What an acknowledged change survives; with `memory` there is no file, and it ends with the program. */
export type Durability = FileDurability | 'memory';

/** Where the state comes from and where it is kept. */
export interface StatePlaces {
  /** The data file; undefined for a state in memory. */
  readonly data: string | undefined;
  readonly durability: Durability;
  /** The file with the default data. */
  readonly defaultData: string;
  readonly check: ValidateEntry;
  /** By what `check` checks at the moment. */
  readonly checkedBy?: (() => unknown) | undefined;
  /** The time, in ms since 1970. */
  readonly nowMs: () => number;
  /** Where this shop is to be reached, once it is; told to who wants the same data file. */
  readonly address: () => string | undefined;
  /** Told what the user should know but what doesn't stop the shop. */
  readonly tell: Tell;
  /** Has what is made of a state be ready before an edit is shown. */
  readonly prepare?: (state: State) => void;
  /** The machine's own unless given. */
  readonly disk?: Disk;
}

/** A store, and the file that it keeps its state in, by its absolute path without symbolic links; undefined for memory. */
export interface OpenedState {
  readonly store: Store;
  readonly path: string | undefined;
  /** The default data, as its file has it now. Throws `DataFileError`. */
  readonly defaults: () => State;
}

/** How often the data file is looked at for edits, in ms. */
const LOOK_MS = 200;

/** The store over the data file; over memory, with the default data, where there is none. Throws `DataFileError`. */
export async function openState(places: StatePlaces): Promise<OpenedState> {
  const { data, durability, check, nowMs, disk = machineDisk } = places;
  const texts = createTextCache();
  const readDefaults = defaultData({ path: places.defaultData, disk, check });
  const copyDefaults = ({ state: read, text }: StateText) => {
    // A state of its own each time: a reset is committed even where the state is the default one already, since the file may not be.
    const state = { ...read };
    texts.keep(state, text);
    return state;
  };
  const initialDefaults = () => copyDefaults(readDefaults());
  // A start that fails says why by itself; later a file that can't be read is logged.
  const readAgain = loggingFailures(readDefaults, places);
  const defaults = () => copyDefaults(readAgain());
  if (data === undefined || durability === 'memory') {
    return {
      store: createStore({ backend: memoryBackend(), initial: initialDefaults(), defaults, nowMs }),
      path: undefined,
      defaults: () => readAgain().state,
    };
  }
  const path = await resolveDataPath(disk, data);
  refuseDefaults(disk, path, places.defaultData);
  const lock = await lockFile(path, places.address);
  try {
    const { backend, initial } = await openFileBackend({
      ...places,
      durability,
      path,
      disk,
      lock,
      defaults: initialDefaults(),
      texts,
    });
    if (isNewer(disk, places.defaultData, path)) {
      places.tell.warn(`${places.defaultData} is newer than ${path}: POST /api/reset takes it over`);
    }
    const store = createStore({ backend, initial, defaults, nowMs });
    return {
      store: watched(store, linkWatch(data, path, { disk, tell: places.tell })),
      path,
      defaults: () => readAgain().state,
    };
  } catch (error) {
    await lock.release();
    throw error;
  }
}

/** Reads the default data; logs a failure when it begins and when it is over, since every request may meet it. */
function loggingFailures(read: () => StateText, { defaultData: path, tell }: StatePlaces): () => StateText {
  const failures = failureLog(tell);
  return () => {
    try {
      const content = read();
      failures.worked(`${path} is read again`);
      return content;
    } catch (error) {
      if (error instanceof DataFileError) failures.failed(error.message, error);
      throw error;
    }
  };
}

/** Tells, once, where a link that led to the data file leads elsewhere: an editor may have put a file in its place. */
function linkWatch(
  data: string,
  path: string,
  { disk, tell }: { readonly disk: Disk; readonly tell: Tell },
): () => void {
  const current = () => listedPath(disk, realpathSync(data));
  if (resolve(data) === path) return () => {};
  let isTold = false;
  return () => {
    const now = tryOrUndefined(current);
    if (now !== undefined && now !== path && !isTold) {
      tell.warn(`${data} does not lead to ${path} any more, which is served on: start anew to have ${now}`);
    }
    isTold = now !== path;
  };
}

/** A store that looks for edits by itself until it is closed. */
function watched(store: Store, alsoLook: () => void): Store {
  const looking = setInterval(() => {
    alsoLook();
    void store.takeOver();
  }, LOOK_MS).unref();
  return {
    ...store,
    close() {
      clearInterval(looking);
      return store.close();
    },
  };
}

function refuseDefaults(disk: Disk, path: string, defaultPath: string): void {
  const [one, two] = [path, defaultPath].map((each) => tryOrUndefined(() => disk.stats(each)));
  if (!one || one.ino !== two?.ino || one.dev !== two.dev) return;
  throw new DataFileError(`${path} is the default data too, which a reset restores: choose another file with --data`);
}

function isNewer(disk: Disk, path: string, than: string): boolean {
  const [one, other] = [path, than].map((each) => tryOrUndefined(() => disk.stats(each)?.mtimeNs));
  return one !== undefined && other !== undefined && one > other;
}
