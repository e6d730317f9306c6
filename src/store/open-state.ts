import { realpathSync } from 'node:fs';
import { resolve } from 'node:path';
import { quoteShellIfNeeded } from '../util/text.ts';
import { tryOrUndefined } from '../util/try-or-undefined.ts';
import { createMemoryBackend, FailureLog } from './backend.ts';
import {
  createDataFileError,
  isDataFileError,
  MAX_FILE_BYTES,
  readState,
  requireValid,
  type StateText,
} from './data-file.ts';
import { getListedPath, isSameFile, resolveDataPath } from './data-path.ts';
import { createDefaultDataReader, type DefaultDataSource, getDefaultDataName } from './default-data.ts';
import { type Disk, describeDiskError, getSignature, machineDisk } from './disk.ts';
import { DurableFile } from './durable-file.ts';
import { type FileContext, saveLog } from './edit-conflicts.ts';
import { FileBackend, type FileBackendOptions } from './file-backend.ts';
import { createContent, INCOMPLETE, overwriteFile } from './file-content.ts';
import { lockFile } from './lock.ts';
import type { State } from './state.ts';
import { compareStates, keepOtherLists, StateTexts } from './state-change.ts';
import { type CommitListener, createStore, type Store } from './store.ts';
import type { StateValidator } from './validate-state.ts';
import { getLogPath, type ParsedLog, parseLog, replayLog, WriteAheadLog } from './write-ahead-log.ts';

/**
 * How durable committed changes are.
 * `disk`: a commit calls fsync.
 * `memory`: there is no data file, and all changes are lost when the process ends.
 */
export type Durability = 'disk' | 'memory';

/** Options for opening a state. */
export interface OpenStateOptions
  extends DefaultDataSource,
    Pick<FileBackendOptions, 'check' | 'checkInSteps' | 'checkedBy' | 'contract' | 'log' | 'prepare'> {
  /** Validates default data as `check` does, but yields often. Default: changed default data is validated at once. */
  readonly checkDefaultsInSteps?: StateValidator['validateDefaultsInSteps'];
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
   * Returns the URL of this server, or undefined while the server is not listening.
   * Another process that tries to open the same data file shows this URL in its error message.
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
  /** Reads changed default data in slices. Returns undefined if there is nothing to do. */
  readonly prepareDefaults: () => Promise<void> | undefined;
  /** Returns the current default data. Throws a `UserError` if the default data can't be read or is invalid. */
  readonly defaults: () => S;
}

/** How often the data file is checked for edits, in ms. */
const POLL_MS = 200;

/**
 * Opens a store with the state in the data file.
 * Without a data file, opens a store in memory with the default data.
 * Throws a `UserError` if the data file or the default data can't be used.
 */
export async function openState<S extends State = State>(options: OpenStateOptions): Promise<OpenedState<S>> {
  const { data, durability, nowMs, collections, internalLists = () => [], disk = machineDisk, onCommit } = options;
  const texts = new StateTexts(collections);
  const hasFile = data !== undefined && durability !== 'memory';
  const { read, prepare } = createDefaultDataReader({ ...options, disk, keepsText: hasFile });
  const readLogged = logFailures(read, options);
  // Each call returns a new object, because the store commits only a state that is a new object.
  // A reset must commit even if the state is the same, since the data file may be different.
  const toState = (content: StateText) => {
    const state = { ...content.state };
    texts.sources.set(state, content);
    return state;
  };
  // Does not log an error, because the caller reports it as the reason why the server did not start.
  const createInitial = () => toState(read());
  const { path, backend, initial } = hasFile
    ? await openFile({ ...options, data, disk, texts }, createInitial)
    : { path: undefined, backend: createMemoryBackend(), initial: createInitial() };
  const resets = new WeakSet<State>();
  const keepLists = (current: State, next: State) =>
    keepOtherLists(current, next, [...collections(), ...(resets.has(next) ? internalLists() : [])]);
  const defaults = () => {
    const state = toState(readLogged());
    resets.add(state);
    return state;
  };
  const store = createStore({ backend, initial, defaults, prepareDefaults: prepare, keepLists, nowMs, onCommit });
  const opened = {
    path,
    store: data === undefined || path === undefined ? store : watchEdits(store, createLinkCheck(data, path, options)),
    defaults: () => readLogged().state,
    prepareDefaults: prepare,
  };
  // `check` has validated that the state has the type `S`.
  return opened as unknown as OpenedState<S>;
}

/** Opens the data file. `createDefaults` returns the state for a new file. */
async function openFile(
  options: OpenStateOptions & Pick<FileBackendOptions, 'disk' | 'texts'> & { readonly data: string },
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

/**
 * Returns a function that reads the default data.
 * The function logs the first failure, and the first success after a failure.
 */
function logFailures(read: () => StateText, { defaultData, log }: OpenStateOptions): () => StateText {
  const failures = new FailureLog(log);
  return () => {
    try {
      const content = read();
      failures.logRecovery(`${getDefaultDataName(defaultData)} can be read again.`);
      return content;
    } catch (error) {
      if (isDataFileError(error)) failures.logFailure(error.message);
      throw error;
    }
  };
}

/**
 * Creates a function that checks the symbolic link `data`.
 * The function logs a warning if the link no longer leads to the data file at `path`.
 * It logs once for each change of the link.
 * If `data` is not a symbolic link, the function does nothing.
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
 * Starts checking the data file for edits every 200 ms, and loading each edit.
 * Returns a store that stops this when it is closed.
 * Calls `checkLink` before each check.
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
  throw createDataFileError(
    `${path} is also the file with the default data, which a reset restores. Choose another file with --data FILE.`,
  );
}

function isNewer(disk: Disk, path: string, than: string): boolean {
  const [one, other] = [path, than].map((each) => tryOrUndefined(() => disk.stats(each)?.mtimeNs));
  return one !== undefined && other !== undefined && one > other;
}

const INTERRUPTED = 'An interrupted copy, or a power cut on a disk that ignores fsync, can cause this';

/**
 * Opens the data file, and creates it if it does not exist.
 * Returns a backend that stores changes in the file, and the initial state.
 * If the file can't be used, throws `UserError` and changes nothing.
 */
async function openFileBackend(options: FileBackendOptions) {
  const { path, disk, defaults } = options;
  const wal = new WriteAheadLog(options);
  await completeOverwrite(options).catch((cause) =>
    refuse(getLogPath(path), "can't be read, or applied to the data file", cause),
  );
  // If the signature can't be read, `readState` throws the reason.
  const signature = tryOrUndefined(() => getSignature(disk, path)) ?? '';
  // The file is validated before anything is written: neither an invalid file nor its folder may change.
  const stored = readState({
    ...options,
    remedy: getRemedy(options),
    truncationCause: INTERRUPTED,
    otherContractRemedy: 'Use another file with --data FILE, or move this file to another folder',
  });
  const content = stored && createContent(stored.text, signature);
  const file = new DurableFile({ ...options, content, wal });
  const recovered = recover(options, stored && content && { state: stored.state, hash: content.hash }, wal);
  const initial = recovered ?? defaults;
  const maxBytes = stored
    ? stored.printedBytes + options.texts.measureChange(compareStates(stored.state, initial))
    : MAX_FILE_BYTES;
  const backend = new FileBackend({ file, wal, state: initial, maxBytes }, options);
  if (stored) await syncStored(file, options);
  else await backend.createFile().catch((cause) => refuse(path, "can't be written", cause, REMEDY));
  return { backend, initial };
}

/**
 * Calls fsync for the data file, because the program that wrote the file may not have done so.
 * Logs a warning if the call fails.
 */
async function syncStored(file: DurableFile, { path, log }: FileBackendOptions): Promise<void> {
  await file
    .sync()
    .catch((cause) =>
      log.warn(
        `fsync of ${path} failed (${describeDiskError(cause)}). A power cut can undo the last write of this file.`,
      ),
    );
}

/**
 * Returns the state in the data file, with the changes in the write-ahead log of a killed process applied.
 * Throws a `UserError` if the log can't be used.
 */
function recover(options: FileBackendOptions, file: DataFile | undefined, wal: WriteAheadLog): State | undefined {
  const logPath = getLogPath(options.path);
  try {
    const state = recoverState(options, file, wal);
    if (state && state !== file?.state)
      requireValid(`${options.path} with the changes in ${logPath}`, options.check(state));
    return state;
  } catch (error) {
    if (isDataFileError(error)) throw createDataFileError(`${error.message}. ${getLogRemedy(logPath)}`);
    return refuse(logPath, "can't be read or saved", error);
  }
}

const REMEDY = ' Choose another file with --data FILE.';

function refuse(path: string, problem: string, cause: unknown, remedy = ''): never {
  throw createDataFileError(`${path} ${problem} (${describeDiskError(cause)}).${remedy}`, { cause });
}

function getRemedy({ path, contract }: FileBackendOptions): string {
  const option = contract === undefined ? '' : ` --contract ${quoteShellIfNeeded(contract)}`;
  return `The file was not changed. Fix it, or run \`storefront repair --data ${quoteShellIfNeeded(path)}${option}\`, which saves a copy of the file and restores the default data`;
}

/**
 * Returns how to fix an unusable write-ahead log.
 * Does not suggest `storefront repair`, because the data file without the log is valid.
 */
function getLogRemedy(logPath: string): string {
  return `Nothing was changed. Start the server with the contract of its last run. Or rename ${logPath}: the server then ignores the changes in this file.`;
}

/** Reads the write-ahead log of the data file at `path`. Returns undefined if the log does not exist. */
function readLog(disk: Disk, path: string): (ParsedLog & { readonly content: Buffer }) | undefined {
  const logPath = getLogPath(path);
  if (!disk.linkStats(logPath)?.isFile()) return undefined;
  const content = disk.read(logPath);
  return { content, ...parseLog(content) };
}

/**
 * Completes an interrupted write of a data file that can only be overwritten, not replaced by a rename.
 * The server stores the new text of such a file in the write-ahead log first.
 * Does nothing if no write was interrupted, or if another program has written the file since then.
 * Rejects if a file system call fails.
 */
async function completeOverwrite({ path, disk }: FileContext): Promise<void> {
  const lines = readLog(disk, path)?.lines ?? [];
  const text = lines.flatMap((line) => ('file' in line ? (line.text ?? []) : [])).at(-1);
  if (text === undefined) return;
  if (disk.read(path)[0] === INCOMPLETE) await overwriteFile(disk, path, Buffer.from(text));
}

/** The state in a data file, and the hash of the file. */
interface DataFile {
  readonly state: State;
  readonly hash: string;
}

/**
 * Opens the write-ahead log of a killed process, and applies its changes to the state in the data file.
 * Returns the new state; undefined if there is no data file.
 * If the log is damaged or belongs to another data file, saves it as `NAME.wal.conflict-TIME` and logs a warning.
 * Throws if a file system call fails.
 */
function recoverState(context: FileContext, file: DataFile | undefined, wal: WriteAheadLog): State | undefined {
  const { path, disk, log } = context;
  const parsed = readLog(disk, path);
  if (!parsed) {
    if (disk.linkStats(getLogPath(path)))
      log.warn(
        `${getLogPath(path)} is not a regular file, so the server can't use it and writes the whole data file for each change. Delete or rename it.`,
      );
    return file?.state;
  }
  const state = file && replayLog(parsed.lines, file);
  const hasChanges = parsed.lines.some((line) => 'change' in line);
  if (parsed.isDamaged || (!state && hasChanges)) {
    const reason = state
      ? 'is damaged. The server applied the changes before the damaged line'
      : `belongs to another version of ${path}. The server did not apply its changes`;
    const savedName = saveLog(disk, getLogPath(path), parsed.content);
    const remedy = state
      ? ''
      : ' To apply the changes, stop the server, restore that version of the data file, and rename the log back.';
    log.warn(`${getLogPath(path)} ${reason}. The log is saved in ${savedName}.${remedy}`);
  }
  if (state && state !== file.state) wal.reopen(parsed);
  else disk.remove(getLogPath(path));
  return state ?? file?.state;
}
