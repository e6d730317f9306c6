import { type Adapter, Low } from 'lowdb';
import { tryOrUndefined } from '../util/try-or-undefined.ts';
import { type Backend, StateTooLargeError } from './backend.ts';
import { DataFileError, readState } from './data-file.ts';
import { type Disk, describeDiskError, getSignature } from './disk.ts';
import { type DurableFile, openDurableFile } from './durable-file.ts';
import { createEditWatcher, type Edit } from './edits.ts';
import { createFailureLog, type Logger } from './failure-log.ts';
import type { Lock } from './lock.ts';
import type { FileDurability } from './new-file.ts';
import type { State } from './state.ts';
import type { TextCache } from './text-cache.ts';
import type { StateValidator } from './validate-state.ts';

/** Options of a file backend. */
interface FileBackendOptions {
  /** The path of the data file with symbolic links resolved. Its folder exists. */
  readonly path: string;
  /** The lock of this process on the file. Closing the backend releases it. */
  readonly lock: Lock;
  readonly disk: Disk;
  readonly durability: FileDurability;
  /** The content of a new file. */
  readonly defaults: State;
  readonly check: StateValidator['validate'];
  /** Returns the contract that `check` currently uses. */
  readonly checkedBy?: (() => unknown) | undefined;
  readonly texts: TextCache;
  readonly tell: Logger;
  /** Prepares what is derived from a state, such as search indexes, before the state is served. */
  readonly prepare?: (state: State) => void;
}

/** A file backend and the state of its file. */
interface OpenedFile {
  readonly backend: Backend;
  readonly initial: State;
}

/** Opens the data file; creates it if it does not exist. Throws `DataFileError`, without any change, if the file can't be used. */
export async function openFileBackend(options: FileBackendOptions): Promise<OpenedFile> {
  const { path } = options;
  const { adapter, file, isNew } = openAdapter(options);
  const database = new Low<State>(adapter, options.defaults);
  await database.read();
  if (isNew) {
    await database.write().catch((cause) => {
      const reason = describeDiskError(cause);
      throw new DataFileError(`${path} can't be written (${reason}). Choose another file with --data FILE.`, { cause });
    });
  }
  return { backend: createFileBackend(database, file, options), initial: database.data };
}

const POWER_CUT = 'A power cut with --durability os can cause this';

function getRemedy(path: string): string {
  return `The file was not changed. Fix it, or run \`storefront repair --data ${quoteForShell(path)}\`, which saves a copy beside it and restores the default data`;
}

function quoteForShell(path: string): string {
  return /^[\w@%+=:,./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}

/** The lowdb adapter of a data file, and the file that it reads and writes. */
interface OpenedAdapter {
  readonly adapter: Adapter<State>;
  readonly file: DurableFile;
  /** Whether the file does not exist yet. */
  readonly isNew: boolean;
}

function openAdapter({ path, disk, durability, texts, tell: logger, ...options }: FileBackendOptions): OpenedAdapter {
  // If the file can't be examined, reading it reports why.
  const signature = tryOrUndefined(() => getSignature(disk, path)) ?? '';
  // Reading comes first, so that an invalid file and its folder stay as they are.
  const stored = readState({ ...options, path, disk, remedy: getRemedy(path), causeOfTearing: POWER_CUT });
  const content = stored && { bytes: Buffer.from(stored.text), signature };
  const file = openDurableFile({ path, disk, durability, content, warn: logger.warn });
  // Not `stored` itself, whose text is not needed any more.
  let initial = stored?.state ?? null;
  const adapter: Adapter<State> = {
    async read() {
      const state = initial;
      initial = null;
      // The content may never have been synced, and it is served from now on.
      if (state)
        await file.sync().catch((cause) => logger.warn(`${path} can't be synced (${describeDiskError(cause)}).`));
      return state;
    },
    write: (state) => file.replace(texts.get(state)),
  };
  return { adapter, file, isNew: stored === undefined };
}

function createFileBackend(database: Low<State>, file: DurableFile, options: FileBackendOptions): Backend {
  const { path, lock, tell: logger } = options;
  const findEdit = createEditWatcher({ ...options, warn: logger.warn });
  const failures = createFailureLog(logger);

  /** Loads an edit once it is durable, like every state that is served. */
  async function loadEdit({ content, state }: Edit): Promise<State | undefined> {
    if (state) {
      await file.sync();
      options.prepare?.(state);
    }
    file.setKnown(content);
    if (!state) return undefined;
    database.data = state;
    logger.info(`${path} was edited: the server uses the new content.`);
    return state;
  }

  return {
    async commit(next) {
      const previous = database.data;
      database.data = next;
      try {
        await lock.renew();
        await database.write();
        failures.worked(`${path} can be written again.`);
      } catch (cause) {
        // lowdb keeps data that it failed to write.
        database.data = previous;
        if (cause instanceof StateTooLargeError) throw cause;
        const reason = cause instanceof DataFileError ? cause : new Error(describeDiskError(cause), { cause });
        const message = `${path} can't be written (${reason.message}). Changes return 503 until it can be written.`;
        failures.failed(message, reason);
        throw reason;
      }
    },
    async findEdit() {
      try {
        if (file.isAhead()) await database.write();
        const edit = await findEdit(file.known());
        return edit && (await loadEdit(edit));
      } catch (error) {
        // The file is examined again later; commits report an error of the disk.
        if (!isDiskError(error)) logger.warn(`${path} can't be examined: ${(error as Error).stack}`);
        return undefined;
      }
    },
    close: () => lock.release(),
  };
}

function isDiskError(error: unknown): boolean {
  return typeof (error as NodeJS.ErrnoException).code === 'string';
}
