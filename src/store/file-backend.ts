import { type Adapter, Low } from 'lowdb';
import { memoizeByObject } from '../util/memoize-by-object.ts';
import { tryOrUndefined } from '../util/try-or-undefined.ts';
import { type Backend, StateTooLargeError } from './backend.ts';
import { DataFileError, readState, type StateFile } from './data-file.ts';
import { describeDiskError, getSignature } from './disk.ts';
import { DurableFile, type FileDurability } from './durable-file.ts';
import { createEditReader, type Edit, type EditReaderOptions } from './edits.ts';
import type { Lock } from './lock.ts';
import type { State } from './state.ts';

/** A log for events of the data file. pino implements this interface. */
export interface Logger {
  info(message: string): void;
  warn(message: string): void;
  error(fields: { readonly err?: unknown }, message: string): void;
}

/** Options of a file backend. `path` contains no symbolic links, and its folder exists. */
export interface FileBackendOptions extends EditReaderOptions, StateFile {
  /** The lock of this process on the file. `close` releases the lock. */
  readonly lock: Lock;
  readonly durability: FileDurability;
  /** The content of a new file. */
  readonly defaults: State;
  readonly texts: TextCache;
  readonly log: Logger;
  /** Computes data that is derived from a state, such as search indexes, before requests use the state. */
  readonly prepare?: (state: State) => Promise<void>;
}

const POWER_CUT = 'A power cut with --durability os can cause this';

/** Opens the data file, and creates it if it does not exist. If the file can't be used, throws `DataFileError` and changes nothing. */
export async function openFileBackend(options: FileBackendOptions) {
  const { path, disk } = options;
  // If the signature can't be read, `readState` throws the reason.
  const signature = tryOrUndefined(() => getSignature(disk, path)) ?? '';
  // The file is validated first: an invalid file and its folder must not change.
  const stored = readState({ ...options, remedy: getRemedy(path), truncationCause: POWER_CUT });
  const content = stored && { bytes: Buffer.from(stored.text), signature };
  const file = new DurableFile({ ...options, content });
  const database = new Low(createAdapter(file, stored?.state ?? null, options), options.defaults);
  await database.read();
  if (!stored) {
    await database.write().catch((cause) => {
      const reason = describeDiskError(cause);
      throw new DataFileError(`${path} can't be written (${reason}). Choose another file with --data FILE.`, { cause });
    });
  }
  return { backend: createFileBackend(database, file, options), initial: database.data };
}

function getRemedy(path: string): string {
  return `The file was not changed. Fix it, or run \`storefront repair --data ${quoteForShell(path)}\`, which saves a copy beside it and restores the default data`;
}

function quoteForShell(path: string): string {
  return /^[\w@%+=:,./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}

/** Creates the lowdb adapter of a data file. `stored`: the state in the file, which the first read returns; null if the file does not exist yet. */
function createAdapter(
  file: DurableFile,
  stored: State | null,
  { path, texts, log }: FileBackendOptions,
): Adapter<State> {
  let unread = stored;
  return {
    async read() {
      const state = unread;
      // Without this, the first state would stay in memory after later changes.
      unread = null;
      // The program that wrote the file may not have called fsync.
      if (state) await file.sync().catch((cause) => log.warn(`fsync of ${path} failed (${describeDiskError(cause)}).`));
      return state;
    },
    write: (state) => file.replace(texts.get(state)),
  };
}

function createFileBackend(database: Low<State>, file: DurableFile, options: FileBackendOptions): Backend {
  const { path, lock, log } = options;
  const readEdit = createEditReader(options);
  const failures = createFailureLog(log);
  return {
    async commit(next) {
      const previous = database.data;
      database.data = next;
      try {
        await lock.renew();
        await database.write();
        failures.logRecovery(`${path} can be written again.`);
      } catch (cause) {
        // lowdb does not restore its data if a write fails.
        database.data = previous;
        if (cause instanceof StateTooLargeError) throw cause;
        const reason = cause instanceof DataFileError ? cause : new Error(describeDiskError(cause), { cause });
        failures.logFailure(
          `${path} can't be written (${reason.message}). Changes return 503 until it can be written.`,
          reason,
        );
        throw reason;
      }
    },
    async findEdit() {
      try {
        if (file.hasFailedChange) await database.write();
        const edit = file.isEdited() ? await readEdit(file.known) : undefined;
        return edit && (await loadEdit(edit, database, file, options));
      } catch (error) {
        // A disk error needs no warning: `findEdit` is called again before each commit, and the commit reports the error.
        const isDiskError = typeof (error as NodeJS.ErrnoException).code === 'string';
        if (!isDiskError) log.warn(`${path} can't be checked for edits: ${(error as Error).stack}`);
        return undefined;
      }
    },
    close: () => lock.release(),
  };
}

/** Calls fsync for an edited file. Then replaces the state in memory by the state in the file, and returns it. */
async function loadEdit(
  { content, state }: Edit,
  database: Low<State>,
  file: DurableFile,
  { path, log, prepare }: FileBackendOptions,
): Promise<State | undefined> {
  if (state) {
    await file.sync();
    await prepare?.(state);
    database.data = state;
    log.info(`${path} was edited: the server uses the new content.`);
  }
  file.known = content;
  return state;
}

/** Creates a log for a step that can fail in each request. Failures with the same message are logged once. The first success after a failure is logged, too. */
export function createFailureLog(log: Logger) {
  let lastMessage: string | undefined;
  return {
    /** Logs the message of a failure, with the stack of `err`, unless the last failure had the same message. */
    logFailure(message: string, err?: unknown): void {
      if (message !== lastMessage) log.error(err === undefined ? {} : { err }, message);
      lastMessage = message;
    },
    /** Logs the message if the last attempt failed. */
    logRecovery(message: string): void {
      if (lastMessage !== undefined) log.info(message);
      lastMessage = undefined;
    },
  };
}

/** A cache of the JSON texts of states. */
export type TextCache = ReturnType<typeof createTextCache>;

/**
 * Creates a cache of the JSON texts of states. `collections`: the names of the collections, in the order of the data file. Compares states, lists and
 * entries by identity, because they never change in place.
 */
export function createTextCache(collections: readonly string[]) {
  const sources = new WeakMap<State, Buffer>();
  const printEntry = memoizeByObject(
    (entry: object) => `    ${JSON.stringify(entry, null, 2).replaceAll('\n', '\n    ')}`,
  );
  const printList = memoizeByObject((list: readonly object[]) =>
    Buffer.from(list.length === 0 ? '[]' : `[\n${list.map(printEntry).join(',\n')}\n  ]`),
  );
  const printState = memoizeByObject((state: State) => {
    const parts = collections.flatMap((name, index) => [
      Buffer.from(`${index === 0 ? '{\n' : ',\n'}  "${name}": `),
      printList(state[name] ?? []),
    ]);
    return Buffer.concat([...parts, Buffer.from('\n}\n')]);
  });
  return {
    /** Returns a state as JSON in UTF-8, with an indentation of two spaces. Reuses the texts of unchanged lists and entries from earlier calls. */
    get: (state: State): Buffer => sources.get(state) ?? printState(state),
    /** Stores the original text of a state, which `get` then returns. */
    set: (state: State, text: string): void => void sources.set(state, Buffer.from(text)),
  };
}
