import { realpathSync } from 'node:fs';
import { resolve } from 'node:path';
import { tryOrUndefined } from '../util/try-or-undefined.ts';
import { createMemoryBackend } from './backend.ts';
import { createDefaultDataReader, DataFileError, type StateText } from './data-file.ts';
import { getListedPath, resolveDataPath } from './data-path.ts';
import { type Disk, machineDisk } from './disk.ts';
import { createFailureLog, type Logger } from './failure-log.ts';
import { openFileBackend } from './file-backend.ts';
import { lockFile } from './lock.ts';
import type { FileDurability } from './new-file.ts';
import type { State } from './state.ts';
import { createStore, type Store } from './store.ts';
import { createTextCache, type TextCache } from './text-cache.ts';
import type { StateValidator } from './validate-state.ts';

/** What an acknowledged change survives; with `memory` there is no file, and it ends with the program. */
export type Durability = FileDurability | 'memory';

/** Where the state comes from and where it is stored. */
export interface StatePlaces {
  /** The data file; undefined for a state in memory. */
  readonly data: string | undefined;
  readonly durability: Durability;
  /** The file with the default data. */
  readonly defaultData: string;
  /** The names of the collections, in the order in which a data file has them. */
  readonly collections: readonly string[];
  readonly check: StateValidator['validate'];
  /** What `check` validates by at the moment: an edit that was invalid is validated again once this changes. */
  readonly checkedBy?: (() => unknown) | undefined;
  /** The time, in ms since 1970. */
  readonly nowMs: () => number;
  /** The address of this server, once it listens; processes that want the same data file report it. */
  readonly address: () => string | undefined;
  /** Logs what the user should know but what doesn't stop the server. */
  readonly tell: Logger;
  /** Builds what reads of a state need before an edit of the data file is shown. */
  readonly prepare?: (state: State) => void;
  /** The machine's own by default. */
  readonly disk?: Disk;
}

/** An opened state. */
export interface OpenedState<S extends State = State> {
  readonly store: Store<S>;
  /** The data file, by its absolute path without symbolic links; undefined for memory. */
  readonly path: string | undefined;
  /** Returns the default data, as its file has it now. Throws `DataFileError`. */
  readonly defaults: () => S;
}

/** How often the data file is looked at for edits, in ms. */
const LOOK_MS = 200;

/** Opens the store over the data file, or over memory with the default data if there is none. Throws `DataFileError`. */
export async function openState<S extends State = State>(places: StatePlaces): Promise<OpenedState<S>> {
  const texts = createTextCache(places.collections);
  const defaults = createDefaultStates(places, texts);
  const { data, durability } = places;
  const opened =
    data === undefined || durability === 'memory'
      ? { store: openMemory(places, defaults), path: undefined }
      : await openFile({ ...places, data, durability }, defaults, texts);
  // What is read satisfies `check`, which knows the application's state.
  return { ...opened, defaults: () => defaults.current().state } as unknown as OpenedState<S>;
}

function openMemory({ nowMs }: StatePlaces, defaults: DefaultStates): Store {
  return createStore({ backend: createMemoryBackend(), initial: defaults.initial(), defaults: defaults.next, nowMs });
}

async function openFile(
  places: StatePlaces & { readonly data: string; readonly durability: FileDurability },
  defaults: DefaultStates,
  texts: TextCache,
): Promise<{ store: Store; path: string }> {
  const { data, nowMs, tell, disk = machineDisk } = places;
  const path = await resolveDataPath(disk, data);
  refuseDefaults(disk, path, places.defaultData);
  const lock = await lockFile(path, places.address);
  try {
    const parts = { ...places, path, disk, lock, defaults: defaults.initial(), texts };
    const { backend, initial } = await openFileBackend(parts);
    if (isNewer(disk, places.defaultData, path))
      tell.warn(`${places.defaultData} is newer than ${path}. A reset loads it.`);
    const store = createStore({ backend, initial, defaults: defaults.next, nowMs });
    return { store: watched(store, linkWatch(data, path, { disk, tell })), path };
  } catch (error) {
    await lock.release();
    throw error;
  }
}

/** The states that are made from the file with the default data. Each function throws `DataFileError`. */
interface DefaultStates {
  /** The state of a first start, which itself reports why it fails. */
  readonly initial: () => State;
  /** The state of a reset, with the text of the file. */
  readonly next: () => State;
  /** What the file holds now. */
  readonly current: () => StateText;
}

function createDefaultStates(places: StatePlaces, texts: TextCache): DefaultStates {
  const { disk = machineDisk, check } = places;
  const read = createDefaultDataReader({ path: places.defaultData, disk, check });
  const current = loggingFailures(read, places);
  // A copy each time: a reset is committed even if the state is the default one already, since the data file may hold another.
  const copy = ({ state: source, text }: StateText) => {
    const state = { ...source };
    texts.set(state, text);
    return state;
  };
  return { initial: () => copy(read()), next: () => copy(current()), current };
}

/** Reads the default data; logs a failure when it begins and when it is over, since every request may meet it. */
function loggingFailures(read: () => StateText, { defaultData: path, tell }: StatePlaces): () => StateText {
  const failures = createFailureLog(tell);
  return () => {
    try {
      const content = read();
      failures.worked(`${path} can be read again.`);
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
  { disk, tell }: { readonly disk: Disk; readonly tell: Logger },
): () => void {
  const current = () => getListedPath(disk, realpathSync(data));
  if (resolve(data) === path) return () => {};
  let isTold = false;
  return () => {
    const now = tryOrUndefined(current);
    if (now !== undefined && now !== path && !isTold) {
      tell.warn(`${data} no longer leads to ${path}, which stays in use. Restart the server to use ${now}.`);
    }
    isTold = now !== path;
  };
}

/** A store that looks for edits by itself until it is closed. */
function watched(store: Store, alsoLook: () => void): Store {
  const looking = setInterval(() => {
    alsoLook();
    void store.loadEdits();
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
  throw new DataFileError(
    `${path} is also the file with the default data, which a reset restores. Choose another file with --data FILE.`,
  );
}

function isNewer(disk: Disk, path: string, than: string): boolean {
  const [one, other] = [path, than].map((each) => tryOrUndefined(() => disk.stats(each)?.mtimeNs));
  return one !== undefined && other !== undefined && one > other;
}
