import { realpathSync } from 'node:fs';
import { resolve } from 'node:path';
import { tryOrUndefined } from '../util/try-or-undefined.ts';
import { createMemoryBackend } from './backend.ts';
import { DataFileError, type StateText } from './data-file.ts';
import { getListedPath, isSameFile, resolveDataPath } from './data-path.ts';
import { createDefaultDataReader, type DefaultDataSource, getDefaultDataName } from './default-data.ts';
import { type Disk, type FileDurability, machineDisk } from './disk.ts';
import { createFailureLog } from './failure-log.ts';
import type { FileBackendOptions } from './file-backend.ts';
import { lockFile } from './lock.ts';
import { openFileBackend } from './open-file-backend.ts';
import { keepOtherLists } from './other-lists.ts';
import type { State } from './state.ts';
import { StateTexts } from './state-text.ts';
import { type CommitListener, createStore, type Store } from './store.ts';

/**
 * How durable committed changes are. `disk`: a commit calls fsync. `os`: a commit does not call fsync. `memory`: there is no data file, and all changes are
 * lost when the process ends.
 */
export type Durability = FileDurability | 'memory';

/** Options for opening a state. */
export interface OpenStateOptions
  extends DefaultDataSource,
    Pick<FileBackendOptions, 'check' | 'checkInSteps' | 'checkedBy' | 'contract' | 'log' | 'prepare'> {
  /** The path of the data file; undefined for a state in memory. */
  readonly data: string | undefined;
  readonly durability: Durability;
  /** Returns the names of the collections of the current contract, in the order of the data file. */
  readonly collections: () => readonly string[];
  /** Returns the names of the lists that the application stores for itself. A reset empties them. Default: none. */
  readonly internalLists?: () => readonly string[];
  /** Returns the time, in ms since 1970. */
  readonly nowMs: () => number;
  /**
   * Returns the URL of this server, or undefined while the server is not listening. Another process that tries to open the same data file shows this URL in its
   * error message.
   */
  readonly address: () => string | undefined;
  /** The file system calls. Tests replace them. Default: the calls for the disk of this machine. */
  readonly disk?: Disk;
  /** Called after each commit, whether it succeeded or failed. */
  readonly onCommit?: CommitListener;
}

/** A store, the path of its data file, and its default data. */
export interface OpenedState<S extends State = State> {
  readonly store: Store<S>;
  /** The absolute path of the data file, with symbolic links resolved. Undefined for a state in memory. */
  readonly path: string | undefined;
  /** Returns the current default data. Throws `DataFileError` if the default data can't be read or is invalid. */
  readonly defaults: () => S;
}

/** How often the data file is checked for edits, in ms. */
const POLL_MS = 200;

/**
 * Opens a store with the state in the data file. Without a data file, opens a store in memory with the default data. Throws `DataFileError` if the data file
 * or the default data can't be used.
 */
export async function openState<S extends State = State>(options: OpenStateOptions): Promise<OpenedState<S>> {
  const { data, durability, nowMs, collections, internalLists = () => [], disk = machineDisk, onCommit } = options;
  const texts = new StateTexts(collections);
  const read = createDefaultDataReader({ ...options, disk });
  const readLogged = logFailures(read, options);
  // Each call returns a new object, because the store commits only a state that is a new object. A reset must commit even if the state is the same, since the
  // data file may be different.
  const toState = (content: StateText) => {
    const state = { ...content.state };
    texts.setSource(state, content);
    return state;
  };
  // Does not log an error, because the caller reports it as the reason why the server did not start.
  const createInitial = () => toState(read());
  const { path, backend, initial } =
    data === undefined || durability === 'memory'
      ? { path: undefined, backend: createMemoryBackend(), initial: createInitial() }
      : await openFile({ ...options, data, durability, disk, texts }, createInitial);
  const resets = new WeakSet<State>();
  const keepLists = (current: State, next: State) =>
    keepOtherLists(current, next, [...collections(), ...(resets.has(next) ? internalLists() : [])]);
  const defaults = () => {
    const state = toState(readLogged());
    resets.add(state);
    return state;
  };
  const store = createStore({ backend, initial, defaults, keepLists, nowMs, onCommit });
  const opened = {
    path,
    store: data === undefined || path === undefined ? store : watchEdits(store, createLinkCheck(data, path, options)),
    defaults: () => readLogged().state,
  };
  // `check` has validated that the state has the type `S`.
  return opened as unknown as OpenedState<S>;
}

/** Opens the data file. `createDefaults` returns the state for a new file. */
async function openFile(
  options: OpenStateOptions & Pick<FileBackendOptions, 'durability' | 'disk' | 'texts'> & { readonly data: string },
  createDefaults: () => State,
) {
  const { data, defaultData, disk, log } = options;
  const path = await resolveDataPath(disk, data);
  if (typeof defaultData === 'string') refuseDefaultData(disk, path, defaultData);
  const lock = await lockFile(path, options.address);
  try {
    const opened = await openFileBackend({ ...options, path, lock, defaults: createDefaults() });
    if (typeof defaultData === 'string' && isNewer(disk, defaultData, path))
      log.warn(
        `${defaultData} is newer than ${path}. The server uses ${path}. To load ${defaultData}, reset the sandbox.`,
      );
    return { path, ...opened };
  } catch (error) {
    await lock.release();
    throw error;
  }
}

/** Returns a function that reads the default data. The function logs the first failure, and the first success after a failure. */
function logFailures(read: () => StateText, { defaultData, log }: OpenStateOptions): () => StateText {
  const failures = createFailureLog(log);
  return () => {
    try {
      const content = read();
      failures.logRecovery(`${getDefaultDataName(defaultData)} can be read again.`);
      return content;
    } catch (error) {
      if (error instanceof DataFileError) failures.logFailure(error.message);
      throw error;
    }
  };
}

/**
 * Creates a function that checks the symbolic link `data`. The function logs a warning if the link no longer leads to the data file at `path`. It logs once for
 * each change of the link. If `data` is not a symbolic link, the function does nothing.
 */
function createLinkCheck(data: string, path: string, { disk = machineDisk, log }: OpenStateOptions): () => void {
  if (resolve(data) === path) return () => {};
  let isLogged = false;
  return () => {
    const target = tryOrUndefined(() => getListedPath(disk, realpathSync(data)));
    if (target !== undefined && target !== path && !isLogged)
      log.warn(
        `The link ${data} no longer leads to ${path}, but the server still uses ${path}. Restart the server to use ${target}.`,
      );
    isLogged = target !== path;
  };
}

/**
 * Starts checking the data file for edits every 200 ms, and loading each edit. Returns a store that stops this when it is closed. Calls `checkLink` before each
 * check.
 */
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
